// Random numbers, drawn from the state of a generator of NumPy's or Python's.
//
// Each function is true if it has drawn a number. It draws none where the routine is missing, and where parameters are not plainly
// right: the call of Python that follows raises what is to be raised.
#ifndef SOLJIT_DRAWS_H
#define SOLJIT_DRAWS_H
#include "frame.h"
#include "prelude.h"

// What NumPy's generators offer to routines in C (`numpy/random/bitgen.h`).
struct sol_bitgen {
  void* state;
  uint64_t (*next_uint64)(void*);
  uint32_t (*next_uint32)(void*);
  double (*next_double)(void*);
  uint64_t (*next_raw)(void*);
};

// What a RandomState keeps between two normal numbers.
struct sol_kept {
  sol_bitgen* bits;
  int has_normal;
  double normal;
};

SOL_INLINE bool sol_is_open(sol_frame* frame, int k, void* generator) {
  return SOL_LIKELY(frame->streams[k].generator == generator) || frame->services->open(frame, generator, k);
}

SOL_INLINE double sol_unit(const sol_stream* s) {
  const sol_bitgen* const bits = (const sol_bitgen*)s->bits;
  return bits->next_double(bits->state);
}

// --- parameters -----------------------------------------------------------------------------------------------------------

struct sol_any { SOL_INLINE bool holds(double) { return true; } };
struct sol_positive { SOL_INLINE bool holds(double x) { return x > 0; } };
struct sol_nonnegative { SOL_INLINE bool holds(double x) { return x >= 0 && !__builtin_signbit(x); } };
struct sol_chance { SOL_INLINE bool holds(double x) { return x > 0 && x <= 1; } };
struct sol_rate { SOL_INLINE bool holds(double x) { return sol_nonnegative::holds(x) && x < 9e18; } };

// --- distributions --------------------------------------------------------------------------------------------------------

template <class... Checks, class R, class... P>
SOL_INLINE bool sol_drawn(void* routine, const sol_stream* s, R* x, P... parameters) {
  if (!(routine && (Checks::holds(parameters) && ...))) return false;
  *x = ((R(*)(void*, P...))routine)(s->bits, parameters...);
  return true;
}

SOL_INLINE bool sol_drawn_unit(const sol_stream* s, double* x) {
  *x = sol_unit(s);
  return true;
}

SOL_INLINE bool sol_drawn_uniform(void* routine, const sol_stream* s, double* x, double low, double high) {
  const double range = high - low;
  return range <= 1.7976931348623157e308 && sol_drawn<sol_any, sol_nonnegative>(routine, s, x, low, range);
}

SOL_INLINE bool sol_drawn_triangular(void* routine, const sol_stream* s, double* x, double left, double mode, double right) {
  return left <= mode && mode <= right && left < right &&
         sol_drawn<sol_any, sol_any, sol_any>(routine, s, x, left, mode, right);
}

// From `low` on, below `high`.
template <bool masked>
SOL_INLINE bool sol_drawn_integers(void* routine, const sol_stream* s, int64_t* x, int64_t low, int64_t high) {
  typedef void (*Fill)(void*, uint64_t, uint64_t, intptr_t, bool, uint64_t*);
  if (!(routine && low < high)) return false;
  uint64_t drawn;
  ((Fill)routine)(s->bits, (uint64_t)low, (uint64_t)high - (uint64_t)low - 1, 1, masked, &drawn);
  *x = (int64_t)drawn;
  return true;
}

SOL_INLINE bool sol_drawn_binomial(void* routine, const sol_stream* s, int64_t* x, int64_t n, double p) {
  typedef int64_t (*Binomial)(void*, double, int64_t, void*);
  static thread_local double prepared[32];  // what depends on n and p alone
  if (!(routine && n >= 0 && sol_nonnegative::holds(p) && p <= 1)) return false;
  *x = ((Binomial)routine)(s->bits, p, n, prepared);
  return true;
}

// --- RandomState ----------------------------------------------------------------------------------------------------------

// A pair of independent normal numbers from a point in the unit circle (Marsaglia's polar method); the second one is kept.
static SOL_NOINLINE double sol_normal_pair(const sol_stream* s, sol_kept* kept) {
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

SOL_INLINE bool sol_drawn_legacy_normal(const sol_stream* s, double* x) {
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

SOL_INLINE bool sol_drawn_legacy_normal(const sol_stream* s, double* x, double loc, double scale) {
  double z;
  if (!sol_nonnegative::holds(scale) || !sol_drawn_legacy_normal(s, &z)) return false;
  *x = loc + scale * z;
  return true;
}

SOL_INLINE bool sol_drawn_legacy_exponential(const sol_stream* s, double* x, double scale = 1.0) {
  if (!s->kept || !sol_nonnegative::holds(scale)) return false;
  *x = scale * -__builtin_log(1.0 - sol_unit(s));
  return true;
}
#endif
