// Sums of floats in blocks, combined pairwise: the error grows with the logarithm of the length, as in NumPy.
#ifndef SOLJIT_REDUCE_H
#define SOLJIT_REDUCE_H
#include "soljit/prelude.h"
#define SOL_BLOCK 512
template <class T> struct sol_cascade {  // partial[k] holds the sum of 2**k blocks where bit k of `count` is set
  uint64_t count = 0;
  T partial[56];
  inline __attribute__((always_inline)) void push(T x) {
    uint64_t c = count++;
    int k = 0;
    for (; c & 1; c >>= 1) x = partial[k++] + x;
    partial[k] = x;
  }
  inline __attribute__((always_inline)) T total() const {
    T s = 0;
    bool first = true;
    for (int k = 0; k < 56 && count >> k; ++k)
      if (count >> k & 1) {
        s = first ? partial[k] : partial[k] + s;
        first = false;
      }
    return s;
  }
};
#endif
