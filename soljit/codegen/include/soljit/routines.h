// Calls of routines inside NumPy: sorts, searches for extremes, and the loops of its generalized ufuncs.
#ifndef SOLJIT_ROUTINES_H
#define SOLJIT_ROUTINES_H
#include "soljit/blas_threads.h"
#include <fenv.h>

template <class T> static inline void sol_sort(void* routine, T* x, int64_t n) {
  typedef int (*Sort)(void*, intptr_t, void*);
  if (n > 1) ((Sort)routine)(x, n, nullptr);
}

// The indices that sort `x`.
template <class T> static inline void sol_argsort(void* routine, const T* x, int64_t* indices, int64_t n) {
  typedef int (*ArgSort)(void*, intptr_t*, intptr_t, void*);
  for (int64_t i = 0; i < n; ++i) indices[i] = i;
  if (n > 1) ((ArgSort)routine)(const_cast<T*>(x), (intptr_t*)indices, n, nullptr);
}

// The place of an extreme of `x`, which is not empty.
static inline int64_t sol_search(void* routine, const void* x, int64_t n) {
  typedef int (*Search)(void*, intptr_t, intptr_t*, void*);
  intptr_t place = 0;
  ((Search)routine)(const_cast<void*>(x), n, &place, nullptr);
  return place;
}

// A loop over one set of operands: lengths of the core dimensions, strides of all operands' core dimensions in bytes. False if the
// routine reports that there is no result, which NumPy's loops say by the flag of invalid operations.
static inline bool sol_loop(void* routine, void* threads, char** operands, const int64_t* dims, const int64_t* steps) {
  typedef void (*Loop)(char**, const intptr_t*, const intptr_t*, void*);
  const bool before = fetestexcept(FE_INVALID);
  if (before) feclearexcept(FE_INVALID);
  {
    const sol_few_threads few(threads, sol_few_threads::most(threads));
    const sol_clean_after clean;
    ((Loop)routine)(operands, (const intptr_t*)dims, (const intptr_t*)steps, nullptr);
  }
  const bool failed = fetestexcept(FE_INVALID);
  if (before) feraiseexcept(FE_INVALID);
  else if (failed) feclearexcept(FE_INVALID);
  return !failed;
}
#endif
