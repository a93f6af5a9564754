// Threads: how many, which one, and which piece of the iterations is whose. Without OpenMP there is one.
#ifndef SOLJIT_OPENMP_H
#define SOLJIT_OPENMP_H
#include "soljit/prelude.h"
#define SOL_MAX_THREADS 256
#ifdef _OPENMP
extern "C" int omp_get_max_threads(void) noexcept;
extern "C" int omp_get_thread_num(void) noexcept;
extern "C" int omp_get_num_threads(void) noexcept;
extern "C" int omp_in_parallel(void) noexcept;
extern "C" double omp_get_wtime(void) noexcept;
#if defined(__linux__) && !defined(__clang__)
// What g++ calls for a parallel region has the name of libgomp's function. Here it is a function of our own, and a team of one costs no more than a call.
extern "C" void sol_gomp_parallel(void (*)(void*), void*, unsigned, unsigned);
extern "C" __attribute__((weak, visibility("hidden"), used)) void sol_parallel(void (*region)(void*), void* shared, unsigned threads, unsigned flags) {
  if (threads == 1) return region(shared);
  sol_gomp_parallel(region, shared, threads, flags);
}
asm(".symver sol_gomp_parallel, GOMP_parallel@GOMP_4.0\n.set GOMP_parallel, sol_parallel");
#endif
SOL_INLINE int sol_threads(int64_t count) {
  if (count < 2 || omp_in_parallel()) return 1;
  const int n = omp_get_max_threads(), most = n < SOL_MAX_THREADS ? n : SOL_MAX_THREADS;
  return count < most ? (int)count : most;
}
SOL_INLINE int sol_thread() { return omp_get_thread_num(); }
SOL_INLINE int sol_team() { return omp_get_num_threads(); }
// Do threads pay? A region that took longer than the first thread would have worked alone (its own piece, times the
// threads) is a loss: waking threads is dear, more so on a machine that is busy with other things. When the losses have
// come to a millisecond, regions of moderate size run alone for twenty times as long. Threads that have not worked
// for a while sleep, so a region that follows no other one closely must be larger.
#define SOL_ALWAYS 32            // times `least`: work for which threads are started in any case
#define SOL_COLD 4               // times `least`: work for which threads are woken
#define SOL_AWAKE 2e-5           // seconds
static double sol_losses = 0.0;  // seconds lost, less those won; what was won long ago counts little
static double sol_alone_until = 0.0, sol_last = 0.0;  // by omp_get_wtime
SOL_INLINE double sol_get(const double& x) {
  double value;
  __atomic_load(&x, &value, __ATOMIC_RELAXED);
  return value;
}
SOL_INLINE void sol_set(double& x, double value) { __atomic_store(&x, &value, __ATOMIC_RELAXED); }
struct sol_watch {
  const bool asked;           // is there enough work for threads?
  double start, begun, done;  // of the region; of the first thread's piece
  bool alone;
  sol_watch(int64_t least, int64_t work) : asked(work >= least), start(0.0), begun(0.0), done(0.0), alone(true) {
    if (!asked) return;
    start = omp_get_wtime();
#ifdef __SANITIZE_THREAD__
    alone = false;
#else
    alone = work < SOL_ALWAYS * least && (start < sol_get(sol_alone_until) || (work < SOL_COLD * least && start - sol_get(sol_last) > SOL_AWAKE));
#endif
  }
  int threads(int64_t count) const { return alone ? 1 : sol_threads(count); }
  void begin(int thread) {
    if (thread == 0 && !alone) begun = omp_get_wtime();
  }
  void finish(int thread) {
    if (thread == 0 && !alone) done = omp_get_wtime();
  }
  void end(int threads) const {
    if (asked) judge(threads);
  }
  SOL_NOINLINE void judge(int threads) const {
    const double now = omp_get_wtime();
    sol_set(sol_last, now);
    if (threads < 2) return;
    double losses = sol_get(sol_losses) + (now - start) - threads * (done - begun);
    if (losses < -2e-4) losses = -2e-4;
    if (losses > 1e-3) {
      sol_set(sol_alone_until, now + (losses < 0.05 ? 20 * losses : 1.0));
      losses = 0.0;
    }
    sol_set(sol_losses, losses);
  }
};
#else
SOL_INLINE int sol_threads(int64_t) { return 1; }
SOL_INLINE int sol_thread() { return 0; }
SOL_INLINE int sol_team() { return 1; }
struct sol_watch {
  sol_watch(int64_t, int64_t) {}
  int threads(int64_t) const { return 1; }
  void begin(int) {}
  void finish(int) {}
  void end(int) const {}
};
#endif
// What each thread adds to, or the like, before it has begun.
template <class T> SOL_NOINLINE static void sol_begin_parts(T* parts, int threads, T value) {
  for (int t = 0; t < threads; ++t) {
    parts[t] = value;
    SOL_ONE_BY_ONE(t);
  }
}
// The first of `total` iterations that belongs to thread `k` of `team`.
SOL_INLINE int64_t sol_piece(int64_t total, int64_t k, int64_t team) {
  return total / team * k + (k < total % team ? k : total % team);
}
#endif
