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
// A region that took longer than the first thread would have worked alone (its own piece, times the threads) has not paid:
// waking threads is dear, more so on a machine that is busy with other things. After a few such regions the smaller ones
// run alone for a while, longer each time that turns out again.
#define SOL_ALWAYS 16000000  // operations for which threads are started in any case
static int sol_losses = 0;            // twice the regions that did not pay, less those that did
static double sol_pause = 0.01;       // seconds
static double sol_alone_until = 0.0;  // by omp_get_wtime
SOL_INLINE int sol_threads_now(int64_t count, int64_t work) {
  const bool busy = __atomic_load_n(&sol_losses, __ATOMIC_RELAXED) > 3;
  double until = 0.0;
  if (busy) __atomic_load(&sol_alone_until, &until, __ATOMIC_RELAXED);
  return busy && work < SOL_ALWAYS && omp_get_wtime() < until ? 1 : sol_threads(count);
}
struct sol_watch {
  double start, begun, done;  // of the region; of the first thread's piece
  sol_watch() : start(omp_get_wtime()), begun(0.0), done(0.0) {}
  void begin(int thread) {
    if (thread == 0) begun = omp_get_wtime();
  }
  void finish(int thread) {
    if (thread == 0) done = omp_get_wtime();
  }
  void judge(int threads) const {
    const double end = omp_get_wtime();
    const bool lost = end - start > threads * (done - begun);
    int losses = __atomic_load_n(&sol_losses, __ATOMIC_RELAXED);
    double pause = 0.01, until = 0.0;
    losses = lost ? (losses < 4 ? losses + 2 : 5) : (losses > 0 ? losses - 1 : 0);
    if (losses > 3 && lost) {
      __atomic_load(&sol_pause, &pause, __ATOMIC_RELAXED);
      until = end + pause;
      __atomic_store(&sol_alone_until, &until, __ATOMIC_RELAXED);
      pause = pause < 0.5 ? 2 * pause : 1.0;
    }
    if (losses == 0 || lost) __atomic_store(&sol_pause, &pause, __ATOMIC_RELAXED);
    __atomic_store_n(&sol_losses, losses, __ATOMIC_RELAXED);
  }
};
#else
SOL_INLINE int sol_threads_now(int64_t, int64_t) { return 1; }
struct sol_watch {
  void begin(int) {}
  void finish(int) {}
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
