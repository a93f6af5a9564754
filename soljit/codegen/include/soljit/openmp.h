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
SOL_INLINE int sol_threads(int64_t count) {
  if (count < 2 || omp_in_parallel()) return 1;
  const int n = omp_get_max_threads(), most = n < SOL_MAX_THREADS ? n : SOL_MAX_THREADS;
  return count < most ? (int)count : most;
}
SOL_INLINE int sol_thread() { return omp_get_thread_num(); }
SOL_INLINE int sol_team() { return omp_get_num_threads(); }
#else
SOL_INLINE int sol_threads(int64_t) { return 1; }
SOL_INLINE int sol_thread() { return 0; }
SOL_INLINE int sol_team() { return 1; }
#endif
// The first of `total` iterations that belongs to thread `k` of `team`.
SOL_INLINE int64_t sol_piece(int64_t total, int64_t k, int64_t team) {
  return total / team * k + (k < total % team ? k : total % team);
}
#endif
