// What kernels start from: the place of a thread, memory of a block, and what the threads of a block do together.
//
// A kernel's text is compiled by NVRTC for a GPU, and by g++ for the emulator, which puts `kernel_emulated.h` in front of it. Both see
// the folds below, so that sums come out in one order everywhere. Thread and block numbers are int64_t, as indices are.
//
//   sol_thread_x() y z          number of the thread along a dimension of the whole grid
//   sol_block_x() y z           number of its block; sol_blocks_x() y z: how many blocks there are
//   sol_lane(), sol_width()     number of the thread in its block, and how many the block has (int32_t)
//   sol_threads_x()             how many threads the whole grid has along x
//   sol_barrier()               all threads of the block come here; what they wrote before is visible after
//   sol_meet()                  the same of the whole grid, which was launched by `launch_together`
//   SOL_SHARED(T, name, n)      n elements for each block, n a constant; the same memory each time that a function comes here
//   SOL_SHARED_AT(T, name, at)  the same in the memory that the launch asked for, from byte `at` on, a multiple of sizeof(T)
//   sol_shuffle_down(v, by)     `v` of the thread `by` further on in the warp of 32, all of whose threads come here; undefined if there is none
//   sol_atomic_add(p, v)        of (unsigned) integers of 32 and 64 bits; what was there before
//   sol_ticket(p, n)            0, 1, … n - 1 and 0 again for those who come, by *p; see `sol_last_block`
//   SOL_UNROLLED, SOL_ROLLED    in front of a loop: all of its iterations are written out, or none
//   sol_fence()                 what this thread wrote before is visible to other blocks before what it writes after
#ifndef SOLJIT_KERNEL_H
#define SOLJIT_KERNEL_H

#ifdef __CUDACC_RTC__
#include "soljit/numbers.h"

SOL_INLINE int64_t sol_block_x() { return blockIdx.x; }
SOL_INLINE int64_t sol_block_y() { return blockIdx.y; }
SOL_INLINE int64_t sol_block_z() { return blockIdx.z; }
SOL_INLINE int64_t sol_blocks_x() { return gridDim.x; }
SOL_INLINE int64_t sol_blocks_y() { return gridDim.y; }
SOL_INLINE int64_t sol_blocks_z() { return gridDim.z; }
SOL_INLINE int64_t sol_thread_x() { return (int64_t)blockIdx.x * blockDim.x + threadIdx.x; }
SOL_INLINE int64_t sol_thread_y() { return (int64_t)blockIdx.y * blockDim.y + threadIdx.y; }
SOL_INLINE int64_t sol_thread_z() { return (int64_t)blockIdx.z * blockDim.z + threadIdx.z; }
SOL_INLINE int64_t sol_threads_x() { return (int64_t)gridDim.x * blockDim.x; }
SOL_INLINE int32_t sol_lane() { return (int32_t)((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x); }
SOL_INLINE int32_t sol_width() { return (int32_t)(blockDim.x * blockDim.y * blockDim.z); }

#define SOL_UNROLLED _Pragma("unroll")
#define SOL_ROLLED _Pragma("unroll 1")
SOL_INLINE void sol_barrier() { __syncthreads(); }
SOL_INLINE void sol_fence() { __threadfence(); }

// Blocks that are no cluster count themselves in memory: `sol_met[k]` goes up by 2^k each time that 2^k blocks meet, and is a multiple of 2^k in between.
static __device__ unsigned sol_met[16];
static __device__ __noinline__ void sol_meet_in_memory() {
  __syncthreads();
  if (sol_lane() == 0) {
    unsigned* const met = sol_met + (31 - __clz((int)gridDim.x));
    __threadfence();
    const unsigned all = (atomicAdd(met, 1u) | (gridDim.x - 1)) + 1;
    while ((int)(*(volatile unsigned*)met - all) < 0) {}
    __threadfence();
  }
  __syncthreads();
}
SOL_INLINE void sol_meet() {
  if (gridDim.x == 1) return __syncthreads();
#if __CUDA_ARCH__ >= 900
  unsigned blocks;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(blocks));
  if (blocks == gridDim.x) {
    asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
    return;
  }
#endif
  sol_meet_in_memory();
}
extern __shared__ __align__(16) unsigned char sol_shared_later[];
#define SOL_SHARED(T, name, n)                                       \
  __shared__ __align__(16) unsigned char name##_bytes[sizeof(T) * (n)]; \
  T* const name = (T*)name##_bytes
#define SOL_SHARED_AT(T, name, at) T* const name = (T*)(sol_shared_later + (at))

template <class T> SOL_INLINE T sol_shuffle_down(T v, int32_t by) {
  const int words = (int)(sizeof(T) + 3) / 4;
  unsigned w[words] = {};
  memcpy(w, &v, sizeof(T));
  for (int k = 0; k < words; ++k) w[k] = __shfl_down_sync(0xFFFFFFFFu, w[k], (unsigned)by);
  memcpy(&v, w, sizeof(T));
  return v;
}
SOL_INLINE int32_t sol_atomic_add(int32_t* p, int32_t v) { return atomicAdd((int*)p, (int)v); }
SOL_INLINE uint32_t sol_atomic_add(uint32_t* p, uint32_t v) { return atomicAdd((unsigned*)p, (unsigned)v); }
SOL_INLINE int64_t sol_atomic_add(int64_t* p, int64_t v) { return (int64_t)atomicAdd((unsigned long long*)p, (unsigned long long)v); }
SOL_INLINE uint64_t sol_atomic_add(uint64_t* p, uint64_t v) { return atomicAdd((unsigned long long*)p, (unsigned long long)v); }
SOL_INLINE uint32_t sol_ticket(uint32_t* p, uint32_t n) { return atomicInc((unsigned*)p, n - 1); }
#elif !defined(SOLJIT_KERNEL_EMULATED_H)
#error "kernels are compiled by NVRTC, or by the emulator"
#endif

// --- folds over the threads of a block ------------------------------------------------------------------------------
//
// All threads of the block come here and get the same result: within a warp halves are added to halves, then the warps in order.
// `Op::of(a, b)` combines two values, where `a` is from threads before those of `b`.
template <class Op, class T> SOL_INLINE T sol_block_fold(T v) {
  SOL_SHARED(T, of_warp, 32);
  const int32_t lane = sol_lane(), width = sol_width();
  for (int32_t by = 16; by; by >>= 1) {
    const T other = sol_shuffle_down(v, by);
    if ((lane & 31) < by && lane + by < width) v = Op::of(v, other);
  }
  if ((lane & 31) == 0) of_warp[lane >> 5] = v;
  sol_barrier();
  v = of_warp[0];
  for (int32_t k = 1; k < (width + 31) >> 5; ++k) v = Op::of(v, of_warp[k]);
  sol_barrier();  // before this memory is used again
  return v;
}

template <class T> struct sol_is_whole { static const bool value = false; };
#define SOL_WHOLE(T) template <> struct sol_is_whole<T> { static const bool value = true; };
SOL_WHOLE(int8_t) SOL_WHOLE(int16_t) SOL_WHOLE(int32_t) SOL_WHOLE(int64_t)
SOL_WHOLE(uint8_t) SOL_WHOLE(uint16_t) SOL_WHOLE(uint32_t) SOL_WHOLE(uint64_t)
#undef SOL_WHOLE

struct sol_plus {
  template <class T> SOL_INLINE T of(T a, T b) {
    if constexpr (sol_is_whole<T>::value) return sol_add<T>(a, b);
    else return a + b;
  }
};
struct sol_times {
  template <class T> SOL_INLINE T of(T a, T b) {
    if constexpr (sol_is_whole<T>::value) return sol_mul<T>(a, b);
    else return a * b;
  }
};
struct sol_least {  // NaN if there is one
  template <class T> SOL_INLINE T of(T a, T b) { return a < b || a != a ? a : b; }
};
struct sol_greatest {
  template <class T> SOL_INLINE T of(T a, T b) { return a > b || a != a ? a : b; }
};
struct sol_cleast {  // of complex numbers, in lexicographic order
  template <class T> SOL_INLINE T of(T a, T b) { return sol_cmin(a, b); }
};
struct sol_cgreatest {
  template <class T> SOL_INLINE T of(T a, T b) { return sol_cmax(a, b); }
};
struct sol_and {
  template <class T> SOL_INLINE T of(T a, T b) { return (T)(a & b); }
};
struct sol_xor {
  template <class T> SOL_INLINE T of(T a, T b) { return (T)(a ^ b); }
};
struct sol_or {
  template <class T> SOL_INLINE T of(T a, T b) { return (T)(a | b); }
};
template <class T> SOL_INLINE T sol_block_sum(T v) { return sol_block_fold<sol_plus>(v); }
template <class T> SOL_INLINE T sol_block_product(T v) { return sol_block_fold<sol_times>(v); }
template <class T> SOL_INLINE T sol_block_min(T v) { return sol_block_fold<sol_least>(v); }
template <class T> SOL_INLINE T sol_block_max(T v) { return sol_block_fold<sol_greatest>(v); }
template <class T> SOL_INLINE T sol_block_and(T v) { return sol_block_fold<sol_and>(v); }
template <class T> SOL_INLINE T sol_block_or(T v) { return sol_block_fold<sol_or>(v); }

// What a thread adds up: `push(term)`, and sums of several threads joined by `sol_joined`. Narrow floats are added up in doubles; a sum of doubles
// keeps what it has lost by rounding (Neumaier, ZAMM 54, 1974). Negative zeros change nothing, so they are what sums begin with.
struct sol_wide_sum {
  double sum = -0.0;
  void push(double x) { sum += x; }
  sol_wide_sum with(sol_wide_sum b) const { return b.push(sum), b; }
  double total() const { return sum; }
};
struct sol_kept_sum {
  double sum = -0.0, lost = -0.0;
  void push(double x) {
    const double old = sum;
    sum = old + x;
    lost += sol_fabs(old) >= sol_fabs(x) ? (old - sum) + x : (x - sum) + old;
  }
  sol_kept_sum with(sol_kept_sum b) const {
    sol_kept_sum s = *this;
    s.push(b.sum);
    s.lost += b.lost;
    return s;
  }
  double total() const { return lost == 0 || sol_isnan(lost) ? sum : sum + lost; }  // NaN behind infinities
};
template <class S> struct sol_complex_sum {
  S re, im;
  template <class C> void push(C z) { re.push(z.re), im.push(z.im); }
  sol_complex_sum with(sol_complex_sum b) const { return sol_complex_sum{re.with(b.re), im.with(b.im)}; }
  sol_c128 total() const { return sol_c128{re.total(), im.total()}; }
};
struct sol_joined {
  template <class S> SOL_INLINE S of(S a, S b) { return a.with(b); }
};

// Position `at` in C order, of a space whose last dimension is `n` long: what is left for the dimensions in front, and the last subscript.
SOL_INLINE int64_t sol_before(int64_t at, int64_t n) {
  return (uint64_t)(at | n) >> 32 ? at / n : (int64_t)((uint32_t)at / (uint32_t)n);
}
SOL_INLINE int64_t sol_within(int64_t at, int64_t n) {
  return (uint64_t)(at | n) >> 32 ? at % n : (int64_t)((uint32_t)at % (uint32_t)n);
}

// A value and where it stood: the least or the greatest one, NaN before all others, and of equal ones the first.
template <class T> struct sol_found {
  T value;
  int64_t at;
};
template <class Better> struct sol_first {
  template <class T> SOL_INLINE sol_found<T> of(sol_found<T> a, sol_found<T> b) {
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    if (a_nan != b_nan) return a_nan ? a : b;
    if (!a_nan && a.value != b.value) return Better::is(a.value, b.value) ? a : b;
    return a.at < b.at ? a : b;
  }
};
struct sol_is_less {
  template <class T> SOL_INLINE bool is(T a, T b) { return a < b; }
};
struct sol_is_greater {
  template <class T> SOL_INLINE bool is(T a, T b) { return a > b; }
};
template <class T> SOL_INLINE sol_found<T> sol_block_argmin(sol_found<T> v) { return sol_block_fold<sol_first<sol_is_less>>(v); }
template <class T> SOL_INLINE sol_found<T> sol_block_argmax(sol_found<T> v) { return sol_block_fold<sol_first<sol_is_greater>>(v); }

// True in all threads of the block that comes here last of all the grid's along x: what other blocks wrote before they came is visible
// to it. `*tickets` is 0 before the launch, and after it.
SOL_INLINE bool sol_last_block(uint32_t* tickets) {
  SOL_SHARED(uint32_t, mine, 1);
  const uint32_t blocks = (uint32_t)sol_blocks_x();
  sol_fence();
  sol_barrier();
  if (sol_lane() == 0) mine[0] = sol_ticket(tickets, blocks);
  sol_barrier();
  const bool last = mine[0] + 1 == blocks;
  sol_fence();
  sol_barrier();  // before this memory is used again
  return last;
}
#endif
