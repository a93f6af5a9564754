// How many threads the BLAS takes: never more than a kernel has left. The number is one of the whole process, so kernels that
// hold it down at the same time, in several threads, know of each other, and the last one puts it back.
#ifndef SOLJIT_BLAS_THREADS_H
#define SOLJIT_BLAS_THREADS_H
#include "soljit/jobs.h"
#include "soljit/prelude.h"

// One a process, made by runtime/system/blas_threads.py.
struct sol_blas_threads {
  int (*get)(void);
  void (*set)(int);
  void (*use)(sol_crew);  // who runs the jobs of this thread, if it can (blas_jobs.h, runtime/native/openblas.h); or NULL
  int32_t most;           // threads that a kernel may use; 0: as many as the BLAS likes
  int32_t holders;        // how many hold the number down
  int32_t before, lower;  // the number before the first of them, and what they have made of it
  int32_t locked;
};
// While this object lives, the BLAS takes at most `n` threads; 0: as many as it likes. `all` is NULL for a BLAS that has no such number.
struct sol_few_threads {
  sol_blas_threads* const all;
  sol_few_threads(void* of, int n) : all(n > 0 ? (sol_blas_threads*)of : nullptr) {
    if (!all) return;
    lock();
    const int now = all->get();
    if (all->holders++ == 0) all->before = all->lower = now;
    if (n < now) all->set(all->lower = n);
    unlock();
  }
  ~sol_few_threads() {
    if (!all) return;
    lock();  // what somebody else has set in the meantime stays
    if (--all->holders == 0 && all->lower != all->before && all->get() == all->lower) all->set(all->before);
    unlock();
  }
  sol_few_threads(const sol_few_threads&) = delete;
  sol_few_threads& operator=(const sol_few_threads&) = delete;
  static int most(void* of) { return of ? __atomic_load_n(&((sol_blas_threads*)of)->most, __ATOMIC_RELAXED) : 0; }

 private:
  void lock() const {
    while (__atomic_exchange_n(&all->locked, 1, __ATOMIC_ACQUIRE))
      while (__atomic_load_n(&all->locked, __ATOMIC_RELAXED)) {
      }
  }
  void unlock() const { __atomic_store_n(&all->locked, 0, __ATOMIC_RELEASE); }
};
#endif
