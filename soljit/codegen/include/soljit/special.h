// Functions of Python's math module with Python's bits: erf and erfc are the C library's, gamma and lgamma are computed as CPython computes them,
// by Lanczos' approximation (g = 6.0246…, 13 terms; Boost's coefficients) with the rounding error of the sum put right. Comb, perm and factorial of
// ints give -1 where the result does not fit. What Python raises for is NaN or infinite here.
#ifndef SOLJIT_SPECIAL_H
#define SOLJIT_SPECIAL_H
#include "soljit/real.h"

static const double SOL_LANCZOS_G = 6.024680040776729583740234375, SOL_LANCZOS_G_MINUS_HALF = 5.524680040776729583740234375;
static const double SOL_LANCZOS_TOP[13] = {
    23531376880.410759688572007674451636754734846804940, 42919803642.649098768957899047001988850926355848959,
    35711959237.355668049440185451547166705960488635843, 17921034426.037209699919755754458931112671403265390,
    6039542586.3520280050642916443072979210699388420708, 1439720407.3117216736632230727949123939715485786372,
    248874557.86205415651146038641322942321632125127801, 31426415.585400194380614231628318205362874684987640,
    2876370.6289353724412254090516208496135991145378768, 186056.26539522349504029498971604569928220784236328,
    8071.6720023658162106380029022722506138218516325024, 210.82427775157934587250973392071336271166969580291,
    2.5066282746310002701649081771338373386264310793408};
static const double SOL_LANCZOS_BOTTOM[13] = {0.0, 39916800.0, 120543840.0, 150917976.0, 105258076.0, 45995730.0, 13339535.0,
                                              2637558.0, 357423.0, 32670.0, 1925.0, 66.0, 1.0};
static const double SOL_FACTORIALS[23] = {1.0, 1.0, 2.0, 6.0, 24.0, 120.0, 720.0, 5040.0, 40320.0, 362880.0, 3628800.0, 39916800.0, 479001600.0,
    6227020800.0, 87178291200.0, 1307674368000.0, 20922789888000.0, 355687428096000.0, 6402373705728000.0, 121645100408832000.0,
    2432902008176640000.0, 51090942171709440000.0, 1124000727777607680000.0};
static const double SOL_PI = 3.141592653589793238462643383279502884197, SOL_LOG_PI = 1.144729885849400174143427351353058711647;

// sin(pi * x), exact at whole and half numbers.
static inline double sol_sinpi(double x) {
  const double y = sol_libm_fmod(sol_fabs(x), 2.0);
  double r;
  switch ((int)sol_round(2.0 * y)) {
    case 0: r = sol_sin(SOL_PI * y); break;
    case 1: r = sol_cos(SOL_PI * (y - 0.5)); break;
    case 2: r = sol_sin(SOL_PI * (1.0 - y)); break;
    case 3: r = -sol_cos(SOL_PI * (y - 1.5)); break;
    default: r = sol_sin(SOL_PI * (y - 2.0)); break;
  }
  return sol_copysign(1.0, x) * r;
}
static inline double sol_lanczos_sum(double x) {
  double top = 0.0, bottom = 0.0;
  if (x < 5.0) {
    for (int k = 12; k >= 0; --k) top = top * x + SOL_LANCZOS_TOP[k], bottom = bottom * x + SOL_LANCZOS_BOTTOM[k];
  } else {
    for (int k = 0; k < 13; ++k) top = top / x + SOL_LANCZOS_TOP[k], bottom = bottom / x + SOL_LANCZOS_BOTTOM[k];
  }
  return top / bottom;
}
SOL_OUTLINE double sol_gamma(double x) {
  if (!sol_isfinite(x)) return x > 0.0 ? x : SOL_NAN(double);
  if (x == sol_floor(x)) {
    if (x <= 0.0) return SOL_NAN(double);
    if (x <= 23.0) return SOL_FACTORIALS[(int)x - 1];
  }
  const double size = sol_fabs(x);
  if (size < 1e-20) return 1.0 / x;
  if (size > 200.0) return x < 0.0 ? 0.0 / sol_sinpi(x) : SOL_INF(double);
  const double y = size + SOL_LANCZOS_G_MINUS_HALF;
  const bool large = size > SOL_LANCZOS_G_MINUS_HALF;
  const double most = large ? size : SOL_LANCZOS_G_MINUS_HALF, least = large ? SOL_LANCZOS_G_MINUS_HALF : size;
  const double z = ((y - most) - least) * SOL_LANCZOS_G / y;
  double r;
  if (x < 0.0) {
    r = -SOL_PI / sol_sinpi(size) / size * sol_exp(y) / sol_lanczos_sum(size);
    r -= z * r;
    if (size < 140.0) return r / sol_pow(y, size - 0.5);
    const double root = sol_pow(y, size / 2.0 - 0.25);
    return r / root / root;
  }
  r = sol_lanczos_sum(size) / sol_exp(y);
  r += z * r;
  if (size < 140.0) return r * sol_pow(y, size - 0.5);
  const double root = sol_pow(y, size / 2.0 - 0.25);
  return r * root * root;
}
SOL_OUTLINE double sol_lgamma(double x) {
  if (!sol_isfinite(x)) return sol_isnan(x) ? x : SOL_INF(double);
  if (x == sol_floor(x) && x <= 2.0) return x <= 0.0 ? SOL_NAN(double) : 0.0;
  const double size = sol_fabs(x);
  if (size < 1e-20) return -sol_log(size);
  double r = sol_log(sol_lanczos_sum(size)) - SOL_LANCZOS_G;
  r += (size - 0.5) * (sol_log(size + SOL_LANCZOS_G - 0.5) - 1.0);
  if (x < 0.0) r = SOL_LOG_PI - sol_log(sol_fabs(sol_sinpi(size))) - sol_log(size) - r;
  return r;
}
#define SOL_OF_FLOATS(name) SOL_INLINE float sol_##name(float x) { return (float)sol_##name((double)x); }
SOL_OF_FLOATS(gamma)
SOL_OF_FLOATS(lgamma)
SOL_OF_FLOATS(erf)
SOL_OF_FLOATS(erfc)
SOL_INLINE float sol_remainder(float x, float y) { return (float)sol_remainder((double)x, (double)y); }

// Products of what fits: -1 for arguments below zero and for results that are too large.
template <class T> SOL_INLINE T sol_fitting(int64_t x) { return x == (int64_t)(T)x ? (T)x : (T)-1; }
template <class T> SOL_OUTLINE T sol_perm(T n, T k) {
  int64_t r = 1;
  if (n < 0 || k < 0) return -1;
  if (k > n) return 0;
  for (int64_t i = 0; i < (int64_t)k; ++i) {
    if (sol_mul_overflows<int64_t>(r, (int64_t)n - i)) return -1;
    r *= (int64_t)n - i;
  }
  return sol_fitting<T>(r);
}
template <class T> SOL_INLINE T sol_factorial(T n) { return sol_perm<T>(n, n); }
template <class T> SOL_OUTLINE T sol_comb(T n, T k) {
  if (n < 0 || k < 0) return -1;
  if (k > n) return 0;
  const int64_t few = k < n - k ? (int64_t)k : (int64_t)(n - k);
  int64_t r = 1;
  for (int64_t i = 0; i < few; ++i) {
    if (sol_mul_overflows<int64_t>(r, (int64_t)n - i)) {
      const unsigned __int128 wide = (unsigned __int128)r * (uint64_t)((int64_t)n - i) / (uint64_t)(i + 1);
      if (wide > (unsigned __int128)INT64_MAX) return -1;
      r = (int64_t)wide;
    } else {
      r = r * ((int64_t)n - i) / (i + 1);
    }
  }
  return sol_fitting<T>(r);
}
template <class T> static inline T sol_isqrt(T n) {  // 0 of what is negative
  if (n <= 0) return 0;
  uint64_t r = (uint64_t)sol_sqrt((double)n);
  while (r * r > (uint64_t)n) --r;
  while ((r + 1) * (r + 1) <= (uint64_t)n) ++r;
  return (T)r;
}
#endif
