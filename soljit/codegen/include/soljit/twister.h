// The Mersenne Twister, of Python's generators and of NumPy's MT19937: its words, and numbers made of them.
#ifndef SOLJIT_TWISTER_H
#define SOLJIT_TWISTER_H
#include "frame.h"
#include "prelude.h"

SOL_INLINE uint32_t sol_mixed(uint32_t high, uint32_t low, uint32_t far) {
  const uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
  return far ^ (y >> 1) ^ (-(y & 1) & 0x9908b0dfu);
}

// The next 624 words. Each depends on words far away, so that many are made at once.
[[maybe_unused]] static SOL_NOINLINE void sol_twist(sol_stream* s) {
  uint32_t* const w = s->words;
  for (int k = 0; k < 227; ++k) w[k] = sol_mixed(w[k], w[k + 1], w[k + 397]);
  for (int k = 227; k < 623; ++k) w[k] = sol_mixed(w[k], w[k + 1], w[k - 227]);
  w[623] = sol_mixed(w[623], w[0], w[396]);
  *s->used = 0;
  if (++s->turns == SOL_TURNS) s->generator = nullptr;  // is opened again, and others may run before
}

SOL_INLINE uint32_t sol_tempered(uint32_t y) {
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

SOL_INLINE uint32_t sol_word(sol_stream* s) {
  if (SOL_UNLIKELY(*s->used >= 624)) sol_twist(s);
  return sol_tempered(s->words[(*s->used)++]);
}

// The first `count` bits of the first word for which they are at most `most`.
SOL_INLINE uint32_t sol_accepted(sol_stream* s, uint32_t most, int count) {
  const uint32_t* const w = s->words;
  int32_t* const used = s->used;
  int32_t k = *used;  // in a register until a word is accepted
  uint32_t x;
  do {
    if (SOL_UNLIKELY(k >= 624)) sol_twist(s), k = 0;
    x = sol_tempered(w[k++]) >> (32 - count);
  } while (x > most);
  *used = k;
  return x;
}

SOL_INLINE double sol_fraction_of(uint32_t first, uint32_t second) {
  return ((first >> 5) * 67108864.0 + (second >> 6)) * (1.0 / 9007199254740992.0);
}

SOL_INLINE double sol_fraction(sol_stream* s) {
  const uint32_t first = sol_word(s);
  return sol_fraction_of(first, sol_word(s));
}

// Many numbers, of the words of a block at once.
[[maybe_unused]] static SOL_NOINLINE void sol_fractions(sol_stream* s, double* x, int64_t count) {
  while (count > 0) {
    const uint32_t* const w = s->words + *s->used;
    const int64_t pairs = (624 - *s->used) / 2, n = pairs < count ? pairs : count;
    for (int64_t k = 0; k < n; ++k) x[k] = sol_fraction_of(sol_tempered(w[2 * k]), sol_tempered(w[2 * k + 1]));
    *s->used += (int32_t)(2 * n);
    x += n;
    count -= n;
    if (count > 0) *x++ = sol_fraction(s), --count;  // begins the next block
  }
}

// Many integers from `low` on: as many bits as the largest needs, where they are at most `most`. No word more is used than one by one.
[[maybe_unused]] static SOL_NOINLINE void sol_masked_words(sol_stream* s, int64_t* x, int64_t low, uint32_t most, int64_t count) {
  const uint32_t mask = ~(uint32_t)0 >> __builtin_clz(most);
  int64_t done = 0;
  while (done < count) {
    if (*s->used >= 624) sol_twist(s);
    const uint32_t* const w = s->words + *s->used;
    const int64_t there = 624 - *s->used, wanted = count - done, n = there < wanted ? there : wanted;
    for (int64_t k = 0; k < n; ++k) {
      const uint32_t drawn = sol_tempered(w[k]) & mask;
      x[done] = (int64_t)((uint64_t)low + drawn);
      done += drawn <= most;
    }
    *s->used += (int32_t)n;
  }
}
#endif
