// What g++ needs to compile the text of kernels that NVRTC gets; it is put in front of that text. The emulator runs the result.
//
// With -fsanitize=thread every access of a kernel is told to the emulator (`hooks.h`). The functions here are no part of the kernel: they
// are compiled without that.
#ifndef SOLJIT_KERNEL_EMULATED_H
#define SOLJIT_KERNEL_EMULATED_H
#include <stddef.h>

#include <utility>

#include "services.h"
#include "soljit/base.h"

#define __global__
#define __launch_bounds__(...)
#ifdef __SANITIZE_THREAD__
#define SOL_CHECKED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SOL_CHECKED 1
#endif
#endif
#ifdef SOL_CHECKED
#define SOL_APART __attribute__((noinline, no_sanitize("thread"))) static
#else
#define SOL_CHECKED 0
#define SOL_APART static inline
#endif

static const sol_emulator* sol_emulated;
static const sol_place* sol_here;
#include "ulps.h"
#include "soljit/numbers.h"
extern "C" __attribute__((visibility("default"))) void sol_emulated_attach(const sol_emulator* by);
#if SOL_CHECKED
#include "hooks.h"
#endif
__attribute__((no_sanitize("thread"))) void sol_emulated_attach(const sol_emulator* by) {
  sol_emulated = by;
  sol_here = by->place;
}

SOL_APART int64_t sol_block_x() { return sol_here->block[0]; }
SOL_APART int64_t sol_block_y() { return sol_here->block[1]; }
SOL_APART int64_t sol_block_z() { return sol_here->block[2]; }
SOL_APART int64_t sol_blocks_x() { return sol_here->blocks[0]; }
SOL_APART int64_t sol_blocks_y() { return sol_here->blocks[1]; }
SOL_APART int64_t sol_blocks_z() { return sol_here->blocks[2]; }
SOL_APART int64_t sol_thread(int d) { return (int64_t)sol_here->block[d] * sol_here->width[d] + sol_here->thread[d]; }
SOL_APART int64_t sol_thread_x() { return sol_thread(0); }
SOL_APART int64_t sol_thread_y() { return sol_thread(1); }
SOL_APART int64_t sol_thread_z() { return sol_thread(2); }
SOL_APART int64_t sol_threads_x() { return (int64_t)sol_here->blocks[0] * sol_here->width[0]; }
SOL_APART int32_t sol_lane() { return sol_here->lane; }
SOL_APART int32_t sol_width() { return (int32_t)(sol_here->width[0] * sol_here->width[1] * sol_here->width[2]); }

#define SOL_UNROLLED
#define SOL_ROLLED
SOL_APART void sol_barrier_at(int32_t line) { sol_emulated->barrier(line); }
#define sol_barrier() sol_barrier_at(__LINE__)
SOL_APART void sol_meet_at(int32_t line) { sol_emulated->meet(line); }
#define sol_meet() sol_meet_at(__LINE__)
SOL_APART void sol_fence() { sol_emulated->pause(); }
SOL_APART void* sol_shared_at(const void* site, int64_t bytes) { return sol_emulated->shared(site, bytes); }
SOL_APART void* sol_shared_later(int64_t at) { return sol_emulated->shared_later(at); }
// The address of the site tells one declaration from another, and one instance of a template from another.
#define SOL_SHARED(T, name, n)      \
  static const char name##_site = 0; \
  T* const name = (T*)sol_shared_at(&name##_site, (int64_t)(sizeof(T) * (n)))
#define SOL_SHARED_AT(T, name, at) T* const name = (T*)sol_shared_later(at)

template <class T> SOL_APART T sol_shuffle_down(T v, int32_t by) {
  sol_emulated->shuffle_down(&v, sizeof(T), by);
  return v;
}
template <class T> SOL_APART T sol_atomic_add_to(T* p, T v) {
  sol_emulated->touch(p, sizeof(T), SOL_CHANGES, sizeof(T), __builtin_return_address(0));
  sol_emulated->pause();
  const T old = *p;
  *p = sol_add<T>(old, v);
  return old;
}
SOL_APART int32_t sol_atomic_add(int32_t* p, int32_t v) { return sol_atomic_add_to<int32_t>(p, v); }
SOL_APART uint32_t sol_atomic_add(uint32_t* p, uint32_t v) { return sol_atomic_add_to<uint32_t>(p, v); }
SOL_APART int64_t sol_atomic_add(int64_t* p, int64_t v) { return sol_atomic_add_to<int64_t>(p, v); }
SOL_APART uint64_t sol_atomic_add(uint64_t* p, uint64_t v) { return sol_atomic_add_to<uint64_t>(p, v); }
SOL_APART uint32_t sol_ticket(uint32_t* p, uint32_t n) {
  sol_emulated->touch(p, sizeof(*p), SOL_CHANGES, sizeof(*p), __builtin_return_address(0));
  return sol_emulated->ticket(p, n);
}

// --- the table of kernels -------------------------------------------------------------------------------------------

namespace {
template <auto Kernel> struct sol_entry;
template <class... A, void (*Kernel)(A...)> struct sol_entry<Kernel> {
  static constexpr int32_t count = sizeof...(A);
  template <class T> static constexpr int32_t size = std::is_pointer_v<T> ? -(int32_t)sizeof(T) : (int32_t)sizeof(T);
  static constexpr int32_t sizes[] = {size<A>..., 0};
  template <size_t... K> __attribute__((no_sanitize("thread"))) static void call(void* const* with, std::index_sequence<K...>) {
    Kernel(*(std::remove_cv_t<A>*)with[K]...);
  }
  __attribute__((no_sanitize("thread"))) static void run(void* const* with) { call(with, std::index_sequence_for<A...>()); }
};
}  // namespace
// The kernels of a text, at its end: SOL_EMULATED_TABLE = {SOL_EMULATED(…), …, {}};
#define SOL_EMULATED_TABLE extern "C" __attribute__((visibility("default"))) const sol_emulated_kernel sol_emulated_kernels[]
#define SOL_EMULATED(kernel, most_threads, parameters) \
  {#kernel, parameters, most_threads, SOL_CHECKED, sol_entry<&kernel>::count, sol_entry<&kernel>::sizes, sol_entry<&kernel>::run}
#endif
