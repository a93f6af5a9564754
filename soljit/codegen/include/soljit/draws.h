// Random numbers, drawn from the state of a generator of NumPy's or Python's.
//
// Each function is true if it has drawn a number. It draws none where the routine is missing, and where parameters are not plainly
// right: the call of Python that follows raises what is to be raised.
#ifndef SOLJIT_DRAWS_H
#define SOLJIT_DRAWS_H
#include "frame.h"
#include "prelude.h"
#include "twister.h"
#include "ziggurat.h"

SOL_INLINE bool sol_is_open(sol_frame* frame, int k, void* generator) {
  return SOL_LIKELY(frame->streams[k].generator == generator) || frame->services->open(frame, generator, k);
}

// Of any generator of NumPy's.
SOL_INLINE double sol_unit(sol_stream* s) {
  const sol_bitgen* const bits = (const sol_bitgen*)s->bits;
  return s->words ? sol_fraction(s) : bits->next_double(bits->state);
}

SOL_INLINE uint32_t sol_half(sol_stream* s) {
  const sol_bitgen* const bits = (const sol_bitgen*)s->bits;
  return s->words ? sol_word(s) : bits->next_uint32(bits->state);
}

// --- arrays ---------------------------------------------------------------------------------------------------------------

// One dimension of an array.
template <class T> struct sol_row {
  T* first;
  int64_t length, stride;
  inline T& at(int64_t k) const { return first[k * stride]; }
};

// Two dimensions.
template <class T> struct sol_rows {
  T* first;
  int64_t length, width, down, along;
  inline T& at(int64_t j, int64_t k) const { return first[j * down + k * along]; }
};

// 0: a length is negative, nothing is to be drawn, or there is no end of it.
SOL_INLINE int64_t sol_total(const int64_t* lengths, int ndim) {
  int64_t count = 1;
  for (int k = 0; k < ndim; ++k) {
    if (lengths[k] <= 0 || __builtin_mul_overflow(count, lengths[k], &count)) return 0;
  }
  return count;
}

// Memory for numbers to be drawn, or NULL: then there are none, or Python says what is wrong.
[[maybe_unused]] static SOL_NOINLINE sol_buffer* sol_room(const sol_services* services, int64_t size, const int64_t* lengths, int ndim) {
  const int64_t count = sol_total(lengths, ndim);
  return count ? sol_new(sol_take(services, count, size, false)) : nullptr;
}

// Has nobody else this memory, which begins there?
SOL_INLINE bool sol_is_free(const sol_buffer* b, const void* first) { return b && b->refs == 1 && !b->object && b->data == first; }

// `draw` fails at the first number or never.
template <class R, class Draw> SOL_INLINE bool sol_filled(R* x, int64_t count, Draw draw) {
  for (int64_t k = 0; k < count; ++k) if (SOL_UNLIKELY(!draw(x + k))) return false;
  return true;
}

// --- parameters -----------------------------------------------------------------------------------------------------------

struct sol_any { SOL_INLINE bool holds(double) { return true; } };
struct sol_positive { SOL_INLINE bool holds(double x) { return x > 0; } };
struct sol_nonnegative { SOL_INLINE bool holds(double x) { return x >= 0 && !__builtin_signbit(x); } };
struct sol_chance { SOL_INLINE bool holds(double x) { return x > 0 && x <= 1; } };
struct sol_rate { SOL_INLINE bool holds(double x) { return sol_nonnegative::holds(x) && x < 9e18; } };

template <int size> struct sol_word_of;
template <> struct sol_word_of<1> { typedef uint8_t type; };
template <> struct sol_word_of<2> { typedef uint16_t type; };
template <> struct sol_word_of<4> { typedef uint32_t type; };
template <> struct sol_word_of<8> { typedef uint64_t type; };
template <class T> using sol_unsigned = typename sol_word_of<sizeof(T)>::type;

// Is it a number of type T?
template <class T> SOL_INLINE bool sol_holds(int64_t x) {
  return ((T)-1 < (T)1 || x >= 0) && (int64_t)(T)x == x;
}

// --- distributions --------------------------------------------------------------------------------------------------------

template <class... Checks, class R, class... P>
SOL_INLINE bool sol_drawn(void* routine, sol_stream* s, R* x, P... parameters) {
  if (!(routine && (Checks::holds(parameters) && ...))) return false;
  *x = ((R(*)(void*, P...))routine)(s->bits, parameters...);
  return true;
}

SOL_INLINE bool sol_drawn_unit(sol_stream* s, double* x) {
  const sol_bitgen* const bits = (const sol_bitgen*)s->bits;
  *x = bits->next_double(bits->state);
  return true;
}

SOL_INLINE bool sol_drawn_uniform(void* routine, sol_stream* s, double* x, double low, double high) {
  const double range = high - low;
  return range <= 1.7976931348623157e308 && sol_drawn<sol_any, sol_nonnegative>(routine, s, x, low, range);
}

SOL_INLINE bool sol_drawn_normal(void* standard, sol_stream* s, double* x) {
  if (standard) *x = sol_standard_number<sol_normal_word>(standard, (const sol_bitgen*)s->bits);
  return standard;
}

SOL_INLINE bool sol_drawn_normal(void* standard, void* scaled, sol_stream* s, double* x, double loc, double scale) {
  if (!(standard && scaled && sol_nonnegative::holds(scale))) return false;
  *x = sol_scaled_normal(standard, scaled, (const sol_bitgen*)s->bits, loc, scale);
  return true;
}

SOL_INLINE bool sol_drawn_exponential(void* standard, sol_stream* s, double* x, double scale = 1.0) {
  if (!(standard && sol_nonnegative::holds(scale))) return false;
  *x = scale * sol_standard_number<sol_decay_word>(standard, (const sol_bitgen*)s->bits);
  return true;
}

SOL_INLINE bool sol_drawn_triangular(void* routine, sol_stream* s, double* x, double left, double mode, double right) {
  return left <= mode && mode <= right && left < right &&
         sol_drawn<sol_any, sol_any, sol_any>(routine, s, x, left, mode, right);
}

// NumPy's function for single precision fills arrays.
SOL_INLINE bool sol_drawn_singles(void* routine, sol_stream* s, float* x, int64_t count) {
  if (routine) ((void (*)(void*, intptr_t, float*))routine)(s->bits, count, x);
  return routine;
}

// From `low` on, below `high` or up to it. masked: as RandomState draws them.
template <bool masked, class T>
SOL_INLINE bool sol_drawn_integers(void* routine, sol_stream* s, T* x, int64_t low, int64_t high, int64_t closed, int64_t count = 1) {
  typedef sol_unsigned<T> U;
  if (!(routine && (closed ? low <= high : low < high))) return false;
  const int64_t last = closed ? high : high - 1;
  if (!sol_holds<T>(low) || !sol_holds<T>(last)) return false;
  const uint64_t most = (uint64_t)last - (uint64_t)low;
  if constexpr (masked && sizeof(T) == 8) {
    if (s->words && most && most <= 0xffffffffu) return sol_masked_words(s, (int64_t*)x, low, (uint32_t)most, count), true;
  }
  ((void (*)(void*, U, U, intptr_t, bool, U*))routine)(s->bits, (U)low, (U)most, count, masked, (U*)x);
  return true;
}

SOL_INLINE bool sol_drawn_binomial(void* routine, sol_stream* s, int64_t* x, int64_t n, double p) {
  typedef int64_t (*Binomial)(void*, double, int64_t, void*);
  static thread_local double prepared[32];  // what depends on n and p alone
  if (!(routine && n >= 0 && sol_nonnegative::holds(p) && p <= 1)) return false;
  *x = ((Binomial)routine)(s->bits, p, n, prepared);
  return true;
}

// --- RandomState, whose numbers never change from version to version --------------------------------------------------------

SOL_INLINE bool sol_drawn_legacy_units(sol_stream* s, double* x, int64_t count) {
  if (s->words) sol_fractions(s, x, count);
  else for (int64_t k = 0; k < count; ++k) x[k] = sol_unit(s);
  return true;
}

SOL_INLINE bool sol_drawn_legacy_unit(sol_stream* s, double* x) {
  *x = sol_unit(s);
  return true;
}

// From `low` on, below `high`: as many bits as the largest needs, again until it is not exceeded.
SOL_INLINE bool sol_drawn_legacy_integers(sol_stream* s, int64_t* x, int64_t low, int64_t high) {
  const sol_bitgen* const bits = (const sol_bitgen*)s->bits;
  if (!(low < high)) return false;
  const uint64_t most = (uint64_t)high - (uint64_t)low - 1;
  uint64_t drawn = 0;
  if (most) {
    const uint64_t mask = ~(uint64_t)0 >> __builtin_clzll(most);
    if (most <= 0xffffffffu) do drawn = sol_half(s) & mask; while (drawn > most);
    else do drawn = bits->next_uint64(bits->state) & mask; while (drawn > most);
  }
  *x = (int64_t)((uint64_t)low + drawn);
  return true;
}

// A pair of independent normal numbers from a point in the unit circle (Marsaglia's polar method); the second one is kept.
[[maybe_unused]] static SOL_NOINLINE double sol_normal_pair(sol_stream* s, sol_kept* kept) {
  double x, y, square;
  do {
    x = 2.0 * sol_unit(s) - 1.0;
    y = 2.0 * sol_unit(s) - 1.0;
    square = x * x + y * y;
  } while (square >= 1.0 || square == 0.0);
  const double factor = __builtin_sqrt(-2.0 * __builtin_log(square) / square);
  kept->normal = factor * x;
  kept->has_normal = 1;
  return factor * y;
}

SOL_INLINE bool sol_drawn_legacy_normal(sol_stream* s, double* x) {
  sol_kept* const kept = (sol_kept*)s->kept;
  if (!kept) return false;
  if (kept->has_normal) {
    *x = kept->normal;
    kept->normal = 0.0;
    kept->has_normal = 0;
  } else {
    *x = sol_normal_pair(s, kept);
  }
  return true;
}

SOL_INLINE bool sol_drawn_legacy_normal(sol_stream* s, double* x, double loc, double scale) {
  double z;
  if (!sol_nonnegative::holds(scale) || !sol_drawn_legacy_normal(s, &z)) return false;
  *x = loc + scale * z;
  return true;
}

SOL_INLINE bool sol_drawn_legacy_exponential(sol_stream* s, double* x, double scale = 1.0) {
  if (!s->kept || !sol_nonnegative::holds(scale)) return false;
  *x = scale * -__builtin_log(1.0 - sol_unit(s));
  return true;
}

// --- Python's generator -----------------------------------------------------------------------------------------------------

// `count` bits, 64 at the most.
SOL_INLINE uint64_t sol_bits(sol_stream* s, int count) {
  if (count <= 32) return sol_word(s) >> (32 - count);
  const uint64_t low = sol_word(s);
  return (uint64_t)(sol_word(s) >> (64 - count)) << 32 | low;
}

SOL_INLINE uint64_t sol_below(sol_stream* s, uint64_t n) {
  const int count = 64 - __builtin_clzll(n);
  if (SOL_LIKELY(count <= 32)) return sol_accepted(s, (uint32_t)(n - 1), count);
  uint64_t drawn;
  do drawn = sol_bits(s, count); while (drawn >= n);
  return drawn;
}

SOL_INLINE bool sol_drawn_fraction(sol_stream* s, double* x) {
  *x = sol_fraction(s);
  return true;
}

// Larger integers would be subtracted exactly.
SOL_INLINE bool sol_drawn_between(sol_stream* s, double* x, double low, double high) {
  const double exact = 4503599627370496.0;
  if (!(-exact <= low && low <= exact && -exact <= high && high <= exact)) return false;
  *x = low + (high - low) * sol_fraction(s);
  return true;
}

// From `low` on, below `high`, or up to it.
template <bool closed> SOL_INLINE bool sol_drawn_range(sol_stream* s, int64_t* x, int64_t low, int64_t high) {
  const uint64_t width = (uint64_t)high - (uint64_t)low + closed;
  if (!(closed ? low <= high : low < high) || width == 0) return false;
  *x = (int64_t)((uint64_t)low + sol_below(s, width));
  return true;
}

// Of range(low, high, step).
SOL_INLINE bool sol_drawn_steps(sol_stream* s, int64_t* x, int64_t low, int64_t high, int64_t step) {
  const int64_t large = (int64_t)1 << 61;
  if (!(-large < low && low < large && -large < high && high < large && -large < step && step < large && step)) return false;
  const int64_t width = high - low, count = step > 0 ? (width + step - 1) / step : (width + step + 1) / step;
  if (!((width > 0) == (step > 0) && count > 0)) return false;
  *x = low + step * (int64_t)sol_below(s, (uint64_t)count);
  return true;
}

SOL_INLINE bool sol_drawn_bits(sol_stream* s, int64_t* x, int64_t count) {
  if (!(0 < count && count < 64)) return false;
  *x = (int64_t)sol_bits(s, (int)count);
  return true;
}

SOL_INLINE bool sol_drawn_decay(sol_stream* s, double* x, double rate) {
  if (!(rate != 0)) return false;
  *x = -__builtin_log(1.0 - sol_fraction(s)) / rate;
  return true;
}

// By the ratio of uniform numbers (Kinderman and Monahan).
SOL_INLINE bool sol_drawn_ratio_normal(sol_stream* s, double* x, double mean, double deviation) {
  double z;
  for (;;) {
    const double u = sol_fraction(s), v = 1.0 - sol_fraction(s);
    z = 1.7155277699214135 * (u - 0.5) / v;
    if (z * z / 4.0 <= -__builtin_log(v)) break;
  }
  *x = mean + z * deviation;
  return true;
}

// A pair of normal numbers by their angle and radius (Box and Muller); the second one is kept.
[[maybe_unused]] static SOL_NOINLINE double sol_angle_pair(sol_stream* s, sol_kept* kept) {
  volatile double angle = sol_fraction(s) * 6.283185307179586;  // the C library's sine and cosine, each by itself
  const double radius = __builtin_sqrt(-2.0 * __builtin_log(1.0 - sol_fraction(s)));
  const double first = __builtin_cos(angle) * radius;
  kept->normal = __builtin_sin(angle) * radius;
  kept->has_normal = 1;
  return first;
}

SOL_INLINE bool sol_drawn_angle_normal(sol_stream* s, double* x, double mean, double deviation) {
  sol_kept* const kept = (sol_kept*)s->kept;
  if (!kept) return false;
  double z = kept->normal;
  if (kept->has_normal) kept->has_normal = 0;
  else z = sol_angle_pair(s, kept);
  *x = mean + z * deviation;
  return true;
}
#endif
