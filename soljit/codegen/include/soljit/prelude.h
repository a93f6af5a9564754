// What every generated program starts from: words, rows, owners of memory, and integer arithmetic (`integers.h`).
// Lean on purpose: no standard header beyond <stdint.h>, so that a kernel compiles in a fraction of a second.
#ifndef SOLJIT_PRELUDE_H
#define SOLJIT_PRELUDE_H
#include <stddef.h>
#include "soljit/frame.h"

// Generated code names every size it is given, whether or not this function needs it.
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"
// A scalar is declared before the branch or loop that first writes it.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wunused-label"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#define SOL_IVDEP _Pragma("GCC ivdep")
#define SOL_WHOLLY_UNROLLED _Pragma("GCC unroll 8")
#else
#define SOL_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#define SOL_WHOLLY_UNROLLED _Pragma("clang loop unroll(full)")
#endif
// In a loop over i that is too short for vectors, or whose iterations need each other: the compiler makes none of it.
#define SOL_ONE_BY_ONE(i) asm("" : "+r"(i))
#include "soljit/integers.h"

#define SOL_NOINLINE __attribute__((noinline))
#if defined(__clang__)
#define SOL_APART SOL_NOINLINE  // one copy of a function
#else
#define SOL_APART __attribute__((noinline, noclone))
#endif
#define SOL_EXPORT __attribute__((visibility("default")))
#define SOL_HIDDEN __attribute__((visibility("hidden")))

extern "C" void* aligned_alloc(size_t, size_t) noexcept;
extern "C" int madvise(void*, size_t, int) noexcept;

// --- words ----------------------------------------------------------------------------------------------------------

template <class T> SOL_INLINE T sol_get(const int64_t* w) {
  T v;
  __builtin_memcpy(&v, w, sizeof(T));
  return v;
}
template <class T> SOL_INLINE void sol_put(int64_t* w, T v) {
  if (sizeof(T) < 8) *w = 0;
  __builtin_memcpy(w, &v, sizeof(T));
}

// The upper parts of vector registers may be set by library routines written in assembler, ours or those that the caller ran before. With them
// the C library's code for SSE crawls: cexp takes 30 times as long after OpenBLAS's zgemm for AVX-512.
SOL_INLINE void sol_clean_registers() {
#ifdef __AVX__
  __builtin_ia32_vzeroupper();
#endif
}
struct sol_clean_after {  // declared before the call
  ~sol_clean_after() { sol_clean_registers(); }
};

// --- what loops over rows need -----------------------------------------------------------------------------------------

// 64 bools in a row, the first `count` of them if it is less: a bit for each.
SOL_INLINE uint64_t sol_mask(const bool* m, int64_t count) {
  uint64_t w = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (count >= 64) {
#if defined(__AVX2__)
    typedef uint64_t words __attribute__((vector_size(32)));
    typedef char bytes __attribute__((vector_size(32)));
    words lower, upper;
    __builtin_memcpy(&lower, m, 32);
    __builtin_memcpy(&upper, m + 32, 32);
    w = (uint32_t)__builtin_ia32_pmovmskb256((bytes)(upper << 7));
    return w << 32 | (uint32_t)__builtin_ia32_pmovmskb256((bytes)(lower << 7));
#else
    for (int64_t k = 0; k < 64; k += 8) {
      uint64_t eight;
      __builtin_memcpy(&eight, m + k, 8);
      w |= (eight * 0x0102040810204080u >> 56) << k;
    }
    return w;
#endif
  }
#endif
  for (int64_t k = 0; k < 64 && k < count; ++k) w |= (uint64_t)sol_bit(m[k]) << k;
  return w;
}

// How many bits follow the lowest one without a gap, itself included; and all bits from one on.
SOL_INLINE int64_t sol_run(uint64_t w) {
  const uint64_t gaps = ~(w >> __builtin_ctzll(w));
  return gaps ? __builtin_ctzll(gaps) : 64;
}
SOL_INLINE uint64_t sol_bits_from(int64_t k) { return k < 64 ? ~(uint64_t)0 << k : 0; }

// A divisor of a whole loop: |a| // |b| is the upper half of a product, for |a| up to 2 ** 63. Quotients of negative numbers are
// those of what is left of them to the next lower multiple of -1.
struct sol_divisor {
  int64_t by;
  uint64_t magic = 0;
  int shift = 0;
  explicit sol_divisor(int64_t b) : by(b) {
    const uint64_t d = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    if (d < 2) return;
    shift = 63 - __builtin_clzll(d - 1);
    magic = (uint64_t)(((unsigned __int128)1 << (64 + shift)) / d) + 1;
  }
};
SOL_INLINE int64_t sol_floordiv(int64_t a, const sol_divisor& b) {
  const uint64_t turn = 0 - (uint64_t)(b.by < 0), x = ((uint64_t)a ^ turn) - turn;
  const uint64_t below = 0 - (uint64_t)(b.by < 0 ? a > 0 : a < 0), n = x ^ below;
  const uint64_t q = (uint64_t)((unsigned __int128)n * b.magic >> 64) >> b.shift;
  return b.magic ? (int64_t)(q ^ below) : b.by ? (int64_t)x : 0;
}
SOL_INLINE int64_t sol_mod(int64_t a, const sol_divisor& b) {
  return b.by ? sol_sub<int64_t>(a, sol_mul<int64_t>(sol_floordiv(a, b), b.by)) : 0;
}

#ifdef _OPENMP
extern "C" int omp_get_max_threads(void) noexcept;
template <class T> SOL_INLINE T sol_threads_now(T) {
  const int n = omp_get_max_threads();
  return n < 1 ? 1 : n < 256 ? n : 256;
}
#else
template <class T> SOL_INLINE T sol_threads_now(T) { return 1; }
#endif

// --- memory ---------------------------------------------------------------------------------------------------------

// Number of elements so far times one more length; -1 (no memory) if that does not fit or is negative.
SOL_INLINE int64_t sol_count(int64_t a, int64_t b) {
  int64_t n;
  return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &n) ? -1 : n;
}

// 64-byte aligned memory that free() and NumPy can take back. Large blocks ask for huge pages: a first touch is cheaper.
static __attribute__((noinline)) void* sol_malloc(int64_t count, int64_t size, bool zero) {
  int64_t bytes;
  if (count < 0 || __builtin_mul_overflow(count, size, &bytes) || bytes > INT64_MAX - 4096) return nullptr;
  if (bytes == 0) bytes = 64;
  if (zero) return __builtin_calloc(1, (size_t)bytes);
  const bool large = bytes >= (int64_t)1 << 22;
  void* p = aligned_alloc(64, ((size_t)bytes + 63) & ~(size_t)63);
  if (p && large) {
    const uintptr_t lo = ((uintptr_t)p + 4095) & ~(uintptr_t)4095;
    madvise((void*)lo, (size_t)((uintptr_t)p + (uintptr_t)bytes - lo), 14);  // MADV_HUGEPAGE; failing is fine
  }
  return p;
}

// Memory of a temporary. Large blocks go back and forth between temporaries: memory that is new to the process is dear.
// A sanitizer wants each temporary to have memory of its own.
#if defined(__SANITIZE_ADDRESS__)
#define SOL_POOLED INT64_MAX
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SOL_POOLED INT64_MAX
#endif
#endif
#ifndef SOL_POOLED
#define SOL_POOLED 131072
#endif
struct sol_block {
  void* data;
  int64_t bytes;  // of large blocks, else 0
};
static __attribute__((noinline)) sol_block sol_take(const sol_services* services, int64_t count, int64_t size, bool zero) {
  int64_t bytes, got = 0;
  if (count < 0 || __builtin_mul_overflow(count, size, &bytes) || bytes < SOL_POOLED || !services->take) {
    return {sol_malloc(count, size, zero), 0};
  }
  void* p = services->take(bytes, &got);
  if (!p) return {sol_malloc(count, size, zero), bytes};
  if (zero) __builtin_memset(p, 0, (size_t)bytes);
  return {p, got};
}
static inline void sol_give(const sol_services* services, void* data, int64_t bytes) {
  if (bytes) services->give(data, bytes);
  else __builtin_free(data);
}

// Memory of one scope.
struct sol_memory {
  const sol_services* services;
  void* data;
  int64_t bytes;
  sol_memory(const sol_services* s, sol_block b) : services(s), data(b.data), bytes(b.bytes) {}
  ~sol_memory() { sol_give(services, data, bytes); }
  sol_memory(const sol_memory&) = delete;
  sol_memory& operator=(const sol_memory&) = delete;
};

static inline sol_buffer* sol_retain(sol_buffer* b) {
  if (b) ++b->refs;
  return b;
}
static __attribute__((noinline)) void sol_destroy(const sol_services* services, sol_buffer* b) {
  if (b->object) {
    services->drop(b);  // the runtime made it and frees it
  } else {
    sol_give(services, b->data, b->bytes);
    __builtin_free(b);
  }
}
static inline void sol_release(const sol_services* services, sol_buffer* b) {
  if (b && --b->refs == 0) sol_destroy(services, b);
}
// A new buffer with one reference, or NULL when there is no memory.
static __attribute__((noinline)) sol_buffer* sol_new(sol_block block) {
  if (!block.data) return nullptr;
  sol_buffer* b = (sol_buffer*)__builtin_malloc(sizeof(sol_buffer));
  if (!b) {
    __builtin_free(block.data);
    return nullptr;
  }
  b->refs = 1;
  b->data = block.data;
  b->object = nullptr;
  b->bytes = block.bytes;
  return b;
}

// A share in a buffer that may leave its scope through a result or an array variable.
struct sol_owner {
  const sol_services* services;
  sol_buffer* buffer;
  explicit sol_owner(const sol_services* s, sol_buffer* b = nullptr) : services(s), buffer(b) {}
  ~sol_owner() { sol_release(services, buffer); }
  sol_owner(const sol_owner&) = delete;
  sol_owner& operator=(const sol_owner&) = delete;
  void take(sol_buffer* b) {  // becomes the owner of a reference that the caller held
    sol_buffer* old = buffer;
    buffer = b;
    sol_release(services, old);
  }
};
#endif
