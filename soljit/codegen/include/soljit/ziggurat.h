// Normal and exponential numbers as NumPy's Generator draws them, by the ziggurat method, without a call in 99 of 100 cases.
//
// A word chooses a strip of the area below the density, a magnitude in it, and a sign. A magnitude below the strip's bound is taken, times the strip's
// width; all other words are given to NumPy's own routine, which goes on from there. Widths and bounds are found by trying what that
// routine makes of chosen words, so that they are NumPy's; if it does not behave like this, it draws every number.
#ifndef SOLJIT_ZIGGURAT_H
#define SOLJIT_ZIGGURAT_H
#include "prelude.h"

// What NumPy's generators offer to routines in C (`numpy/random/bitgen.h`).
struct sol_bitgen {
  void* state;
  uint64_t (*next_uint64)(void*);
  uint32_t (*next_uint32)(void*);
  double (*next_double)(void*);
  uint64_t (*next_raw)(void*);
};
typedef double (*sol_standard)(const sol_bitgen*);

// How a word of random bits is taken apart.
struct sol_normal_word {
  enum { BITS = 52 };
  SOL_INLINE uint64_t strip(uint64_t r) { return r & 255; }
  SOL_INLINE uint64_t magnitude(uint64_t r) { return (r >> 9) & 0xfffffffffffff; }
  SOL_INLINE uint64_t sign(uint64_t r) { return (r >> 8) << 63; }
  SOL_INLINE uint64_t word(uint64_t strip, uint64_t magnitude) { return magnitude << 9 | strip; }
};
struct sol_decay_word {
  enum { BITS = 53 };
  SOL_INLINE uint64_t strip(uint64_t r) { return (r >> 3) & 255; }
  SOL_INLINE uint64_t magnitude(uint64_t r) { return r >> 11; }
  SOL_INLINE uint64_t sign(uint64_t) { return 0; }
  SOL_INLINE uint64_t word(uint64_t strip, uint64_t magnitude) { return magnitude << 11 | strip << 3; }
};

// A generator of one chosen word, then of others until a number is found.
struct sol_trial {
  uint64_t first;
  int64_t calls;

  static uint64_t mixed(uint64_t k) {
    k *= 0x9e3779b97f4a7c15u;
    k = (k ^ k >> 30) * 0xbf58476d1ce4e5b9u;
    return k ^ k >> 29;
  }
  uint64_t word() { return ++calls == 1 ? first : mixed(calls); }
  static uint64_t next64(void* t) { return ((sol_trial*)t)->word(); }
  static uint32_t next32(void* t) { return (uint32_t)(((sol_trial*)t)->word() >> 32); }
  static double fraction(void* t) { return (double)(((sol_trial*)t)->word() >> 11) * 0x1p-53; }

  // What the routine makes of this word; `taken`: of this word alone.
  static double of(sol_standard routine, uint64_t r, bool* taken) {
    sol_trial t = {r, 0};
    const sol_bitgen bits = {&t, next64, next32, fraction, next64};
    const double x = routine(&bits);
    *taken = t.calls == 1;
    return x;
  }
};

// A generator that gives one word once more.
struct sol_replay {
  const sol_bitgen* bits;
  uint64_t word;
  bool again;

  static uint64_t next64(void* p) {
    sol_replay* r = (sol_replay*)p;
    if (r->again) return r->again = false, r->word;
    return r->bits->next_uint64(r->bits->state);
  }
  static uint32_t next32(void* p) { return ((sol_replay*)p)->bits->next_uint32(((sol_replay*)p)->bits->state); }
  static double fraction(void* p) { return ((sol_replay*)p)->bits->next_double(((sol_replay*)p)->bits->state); }
};

[[maybe_unused]] static SOL_NOINLINE double sol_replayed(sol_standard routine, const sol_bitgen* bits, uint64_t word) {
  sol_replay r = {bits, word, true};
  const sol_bitgen again = {&r, sol_replay::next64, sol_replay::next32, sol_replay::fraction, sol_replay::next64};
  return routine(&again);
}

// Does NumPy's routine add and multiply in two steps, as it is written?
[[maybe_unused]] static bool sol_adds_in_steps(sol_standard standard, void* scaled) {
  bool told = false;
  for (uint64_t k = 1; k < 200; ++k) {
    sol_trial one = {sol_trial::mixed(k), 0}, two = one;
    const sol_bitgen a = {&one, sol_trial::next64, sol_trial::next32, sol_trial::fraction, sol_trial::next64};
    const sol_bitgen b = {&two, sol_trial::next64, sol_trial::next32, sol_trial::fraction, sol_trial::next64};
    const double loc = 1.0 / (double)k, scale = 1.0 + 1.0 / (double)(3 * k + 1), z = standard(&a);
    const double x = ((double (*)(const sol_bitgen*, double, double))scaled)(&b, loc, scale);
    volatile double product = scale * z;
    if (x != loc + product) return false;
    told |= x != __builtin_fma(scale, z, loc);
  }
  return told;
}
template <class Word> struct sol_ziggurat {
  double width[256];
  uint64_t bound[256];
  bool right;

  // scaled: a routine that gives loc + scale * x, which must be right, too; or NULL
  sol_ziggurat(sol_standard routine, void* scaled) {
    bool taken;
    for (int i = 0; i < 256; ++i) width[i] = sol_trial::of(routine, Word::word(i, 1), &taken);
    for (int i = 0; i < 256; ++i) bound[i] = found(routine, i);
    right = !scaled || sol_adds_in_steps(routine, scaled);
    for (int k = 0; k < 2048 && right; ++k) {
      const uint64_t r = sol_trial::mixed(k + 1), i = Word::strip(r);
      const double x = sol_trial::of(routine, r, &taken);
      right = taken == (Word::magnitude(r) < bound[i]) && (!taken || x == number(r));
    }
  }

  SOL_INLINE double flipped(double x, uint64_t sign) {
    uint64_t u;
    __builtin_memcpy(&u, &x, 8);
    u ^= sign;
    __builtin_memcpy(&x, &u, 8);
    return x;
  }

  inline double number(uint64_t r) const {
    return flipped((double)(int64_t)Word::magnitude(r) * width[Word::strip(r)], Word::sign(r));
  }

  // The smallest magnitude that is not taken: about the ratio of two widths, or sought from scratch.
  uint64_t found(sol_standard routine, int i) const {
    const uint64_t all = (uint64_t)1 << Word::BITS;
    bool taken;
    uint64_t from = 0, to = all;
    const double ratio = i ? width[i - 1] / width[i] : 0;
    if (ratio > 0 && ratio < 1) {
      const uint64_t near = (uint64_t)(ratio * (double)all), low = near > 16 ? near - 16 : 1, high = near + 16;
      sol_trial::of(routine, Word::word(i, low - 1), &taken);
      if (taken) from = low;
      if (high < all) sol_trial::of(routine, Word::word(i, high), &taken);
      if (high < all && !taken) to = high;
    }
    while (from < to) {
      const uint64_t middle = (from + to) / 2;
      sol_trial::of(routine, Word::word(i, middle), &taken);
      if (taken) from = middle + 1;
      else to = middle;
    }
    return from;
  }
};

// A table that all threads share, made by whoever needs it first; nothing of libstdc++ guards it.
template <class Strips> struct sol_shared_strips {
  alignas(Strips) unsigned char memory[sizeof(Strips)];
  int state;  // 1: somebody writes it, 2: it is there

  SOL_NOINLINE void make(sol_standard routine, void* scaled) {
    const Strips strips(routine, scaled);
    int nobody = 0;
    if (__atomic_compare_exchange_n(&state, &nobody, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      __builtin_memcpy(memory, &strips, sizeof strips);
      __atomic_store_n(&state, 2, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != 2) {
    }
  }
};

template <class Word, bool scaled> static inline const sol_ziggurat<Word>& sol_strips(void* routine, void* other) {
  static sol_shared_strips<sol_ziggurat<Word>> shared;
  if (SOL_UNLIKELY(__atomic_load_n(&shared.state, __ATOMIC_ACQUIRE) != 2)) shared.make((sol_standard)routine, scaled ? other : nullptr);
  return *(const sol_ziggurat<Word>*)shared.memory;
}

template <class Word> SOL_INLINE double sol_from(const sol_ziggurat<Word>& strips, void* routine, const sol_bitgen* bits) {
  const uint64_t r = bits->next_uint64(bits->state);
  if (SOL_LIKELY(Word::magnitude(r) < strips.bound[Word::strip(r)])) return strips.number(r);
  return sol_replayed((sol_standard)routine, bits, r);
}

template <class Word> SOL_INLINE double sol_standard_number(void* routine, const sol_bitgen* bits) {
  const sol_ziggurat<Word>& strips = sol_strips<Word, false>(routine, nullptr);
  return SOL_LIKELY(strips.right) ? sol_from(strips, routine, bits) : ((sol_standard)routine)(bits);
}

SOL_INLINE double sol_scaled_normal(void* routine, void* scaled, const sol_bitgen* bits, double loc, double scale) {
  const sol_ziggurat<sol_normal_word>& strips = sol_strips<sol_normal_word, true>(routine, scaled);
  if (SOL_LIKELY(strips.right)) return loc + scale * sol_from(strips, routine, bits);
  return ((double (*)(const sol_bitgen*, double, double))scaled)(bits, loc, scale);
}
#endif
