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
SOL_INLINE int sol_threads(int64_t count) {
  if (count < 2 || omp_in_parallel()) return 1;
  const int n = omp_get_max_threads(), most = n < SOL_MAX_THREADS ? n : SOL_MAX_THREADS;
  return count < most ? (int)count : most;
}
SOL_INLINE int sol_thread() { return omp_get_thread_num(); }
SOL_INLINE int sol_team() { return omp_get_num_threads(); }
// On a machine that is busy with other things the first thread waits for the others longer than it would have worked
// alone. After a few such regions the smaller ones run alone for a while, longer each time that turns out again.
#define SOL_ALWAYS 16000000  // operations for which threads are started in any case
static int sol_waits = 0;             // twice the regions that waited, less those that did not
static double sol_pause = 0.01;       // seconds
static double sol_alone_until = 0.0;  // by omp_get_wtime
SOL_INLINE int sol_threads_now(int64_t count, int64_t work) {
  const bool busy = __atomic_load_n(&sol_waits, __ATOMIC_RELAXED) > 3;
  double until = 0.0;
  if (busy) __atomic_load(&sol_alone_until, &until, __ATOMIC_RELAXED);
  return busy && work < SOL_ALWAYS && omp_get_wtime() < until ? 1 : sol_threads(count);
}
struct sol_watch {
  double start, own;  // when the region began, when the first thread was done
  sol_watch() : start(omp_get_wtime()), own(0.0) {}
  void done(int thread) {
    if (thread == 0) own = omp_get_wtime();
  }
  void judge(int threads) const {
    const double end = omp_get_wtime();
    const bool waited = end - start > threads * (own - start);
    int waits = __atomic_load_n(&sol_waits, __ATOMIC_RELAXED);
    double pause = 0.01, until = 0.0;
    waits = waited ? (waits < 4 ? waits + 2 : 5) : (waits > 0 ? waits - 1 : 0);
    if (waits > 3 && waited) {
      __atomic_load(&sol_pause, &pause, __ATOMIC_RELAXED);
      until = end + pause;
      __atomic_store(&sol_alone_until, &until, __ATOMIC_RELAXED);
      pause = pause < 0.5 ? 2 * pause : 1.0;
    }
    if (waits == 0 || waited) __atomic_store(&sol_pause, &pause, __ATOMIC_RELAXED);
    __atomic_store_n(&sol_waits, waits, __ATOMIC_RELAXED);
  }
};
#else
SOL_INLINE int sol_threads_now(int64_t, int64_t) { return 1; }
struct sol_watch {
  void done(int) {}
  void judge(int) const {}
};
SOL_INLINE int sol_threads(int64_t) { return 1; }
SOL_INLINE int sol_thread() { return 0; }
SOL_INLINE int sol_team() { return 1; }
#endif
// The first of `total` iterations that belongs to thread `k` of `team`.
SOL_INLINE int64_t sol_piece(int64_t total, int64_t k, int64_t team) {
  return total / team * k + (k < total % team ? k : total % team);
}
#endif
