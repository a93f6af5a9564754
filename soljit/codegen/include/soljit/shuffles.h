// Random elements of arrays, and arrays in random order, as NumPy's generators choose and shuffle.
//
// As in `draws.h`, each function is true if it has done so; it touches nothing otherwise.
#ifndef SOLJIT_SHUFFLES_H
#define SOLJIT_SHUFFLES_H
#include "draws.h"

// What is chosen from: the elements of an array, or the integers from 0 on.
template <class T> SOL_INLINE T sol_choice_at(const sol_row<const T>& a, int64_t k) { return a.at(k); }
SOL_INLINE int64_t sol_choice_at(int64_t, int64_t k) { return k; }
template <class T> SOL_INLINE int64_t sol_choices(const sol_row<const T>& a) { return a.length; }
SOL_INLINE int64_t sol_choices(int64_t n) { return n; }

// --- one or many elements, each from all --------------------------------------------------------------------------------------

template <bool masked, class T>
SOL_INLINE bool sol_chosen(void* routine, sol_stream* s, T* x, const sol_row<const T>& a, int64_t count = 1) {
  enum { BLOCK = 64 };
  int64_t at[BLOCK];
  for (int64_t done = 0; done < count; done += BLOCK) {
    const int64_t n = count - done < BLOCK ? count - done : (int64_t)BLOCK;
    if (!sol_drawn_integers<masked>(routine, s, at, 0, a.length, 0, n)) return false;
    for (int64_t k = 0; k < n; ++k) x[done + k] = a.at(at[k]);
  }
  return true;
}

// Sums of the chances up to each element, each divided by all; NULL where they are no chances.
SOL_INLINE bool sol_are_chances(const sol_row<const double>& p, double* all) {
  double sum = 0;
  bool right = true;
  for (int64_t k = 0; k < p.length; ++k) {
    right &= p.at(k) >= 0;
    sum = k ? sum + p.at(k) : p.at(k);
  }
  *all = sum;
  return right && sum > 1 - 1e-9 && sum < 1 + 1e-9;
}

template <class T, class A>
static inline bool sol_weighted_many(const sol_bitgen* bits, T* x, const A& a, const sol_row<const double>& p, double all, int64_t count) {
  double* const upto = (double*)sol_malloc(p.length, sizeof(double), false);
  if (!upto) return false;
  double sum = 0;
  for (int64_t k = 0; k < p.length; ++k) {
    sum = k ? sum + p.at(k) : p.at(k);
    upto[k] = sum / all;
  }
  for (int64_t i = 0; i < count; ++i) {
    const double u = bits->next_double(bits->state);
    int64_t low = 0, high = p.length;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (u < upto[middle]) high = middle;
      else low = middle + 1;
    }
    x[i] = sol_choice_at(a, low);
  }
  __builtin_free(upto);
  return true;
}

template <class T, class A>
SOL_INLINE bool sol_weighted(void* routine, sol_stream* s, T* x, const A& a, const sol_row<const double>& p, int64_t count = 1) {
  const sol_bitgen* const bits = (const sol_bitgen*)s->bits;
  double all, sum = 0;
  if (!routine || sol_choices(a) != p.length || !sol_are_chances(p, &all)) return false;
  if (count > 1) return sol_weighted_many(bits, x, a, p, all, count);
  const double u = bits->next_double(bits->state);
  int64_t k = 0;
  for (; k < p.length - 1; ++k) {
    sum = k ? sum + p.at(k) : p.at(k);
    if (u < sum / all) break;
  }
  *x = sol_choice_at(a, k);
  return true;
}

// --- in random order --------------------------------------------------------------------------------------------------------------

// Positions from 0 up to `most`: two ways, by two functions of NumPy's.
struct sol_by_mask {
  SOL_INLINE int64_t upto(void* routine, void* bits, int64_t most) {
    return (int64_t)((uint64_t (*)(void*, uint64_t))routine)(bits, (uint64_t)most);
  }
};
struct sol_by_product {
  SOL_INLINE int64_t upto(void* routine, void* bits, int64_t most) {
    return (int64_t)((uint64_t (*)(void*, uint64_t, uint64_t, uint64_t, bool))routine)(bits, 0, (uint64_t)most, 0, false);
  }
};

template <class By, class Swap> SOL_INLINE void sol_shuffle(void* routine, void* bits, int64_t n, Swap swap) {
  for (int64_t k = n - 1; k > 0; --k) swap(k, By::upto(routine, bits, k));
}

template <class T> SOL_INLINE void sol_exchange(T& a, T& b) {
  const T x = a;
  a = b;
  b = x;
}

template <class T, class By = sol_by_mask> SOL_INLINE bool sol_shuffled(void* routine, sol_stream* s, const sol_row<T>& a) {
  if (!routine) return false;
  sol_shuffle<By>(routine, s->bits, a.length, [&](int64_t j, int64_t k) { sol_exchange(a.at(j), a.at(k)); });
  return true;
}

// Rows of a matrix; rows that share memory are NumPy's.
template <class T, class By = sol_by_mask> SOL_INLINE bool sol_shuffled(void* routine, sol_stream* s, const sol_rows<T>& a) {
  const int64_t down = a.down < 0 ? -a.down : a.down, along = a.along < 0 ? -a.along : a.along;
  if (!routine || !(down >= a.width * along || along >= a.length * down)) return false;
  if (a.width == 0) return true;
  sol_shuffle<By>(routine, s->bits, a.length, [&](int64_t j, int64_t k) {
    if (j != k) for (int64_t i = 0; i < a.width; ++i) sol_exchange(a.at(j, i), a.at(k, i));
  });
  return true;
}

template <class T, class A> SOL_INLINE bool sol_permutation(void* routine, sol_stream* s, T* x, const A& a, int64_t count) {
  if (!routine) return false;
  for (int64_t k = 0; k < count; ++k) x[k] = sol_choice_at(a, k);
  return sol_shuffled(routine, s, sol_row<T>{x, count, 1});
}

// --- elements that differ ---------------------------------------------------------------------------------------------------------

// The first ones of all in random order, as RandomState chooses.
template <class T, class A> static inline bool sol_distinct_legacy(void* routine, sol_stream* s, T* x, const A& a, int64_t count) {
  const int64_t n = sol_choices(a);
  int64_t* const at = routine && count <= n ? (int64_t*)sol_malloc(n, sizeof(int64_t), false) : nullptr;
  if (!at) return false;
  sol_permutation(routine, s, at, n, n);
  for (int64_t k = 0; k < count; ++k) x[k] = sol_choice_at(a, at[k]);
  __builtin_free(at);
  return true;
}

// Positions that were chosen: a table of twice as many places or more.
struct sol_chosen_set {
  int64_t* place;
  uint64_t mask;

  // Was it not there before?
  inline bool add(int64_t x) {
    uint64_t k = (uint64_t)x * 0x9e3779b97f4a7c15u >> 20 & mask;
    for (; place[k] >= 0; k = (k + 1) & mask) if (place[k] == x) return false;
    place[k] = x;
    return true;
  }
};

// By Floyd's algorithm, then shuffled. Of many elements NumPy chooses in another way.
template <class T, class A> static inline bool sol_distinct(void* routine, sol_stream* s, T* x, const A& a, int64_t count) {
  const int64_t n = sol_choices(a);
  if (!routine || count > n || (n > 10000 && count > n / 50)) return false;
  uint64_t places = 16;
  while (places < 2 * (uint64_t)count) places *= 2;
  int64_t* const memory = (int64_t*)sol_malloc((int64_t)places + count, sizeof(int64_t), false);
  if (!memory) return false;
  sol_chosen_set set = {memory + count, places - 1};
  for (uint64_t k = 0; k < places; ++k) set.place[k] = -1;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t last = n - count + k, at = sol_by_product::upto(routine, s->bits, last);
    memory[k] = set.add(at) ? at : last;
    if (memory[k] == last && at != last) set.add(last);
  }
  sol_shuffled<int64_t, sol_by_product>(routine, s, sol_row<int64_t>{memory, count, 1});
  for (int64_t k = 0; k < count; ++k) x[k] = sol_choice_at(a, memory[k]);
  __builtin_free(memory);
  return true;
}
#endif
