// Floating point with NumPy's meaning: minimum and maximum, floor division, conversions to integers, rare functions.
#ifndef SOLJIT_REAL_H
#define SOLJIT_REAL_H
#include "soljit/libm.h"

#ifdef __FAST_MATH__  // the compiler may assume that there is no NaN: look at the bits
SOL_INLINE bool sol_isnan(double x) { return (sol_bits(x) << 1) > 0xFFE0000000000000u; }
SOL_INLINE bool sol_isnan(float x) { return (uint32_t)(sol_bits(x) << 1) > 0xFF000000u; }
SOL_INLINE bool sol_isinf(double x) { return (sol_bits(x) << 1) == 0xFFE0000000000000u; }
SOL_INLINE bool sol_isinf(float x) { return (uint32_t)(sol_bits(x) << 1) == 0xFF000000u; }
SOL_INLINE bool sol_isfinite(double x) { return (sol_bits(x) << 1) < 0xFFE0000000000000u; }
SOL_INLINE bool sol_isfinite(float x) { return (uint32_t)(sol_bits(x) << 1) < 0xFF000000u; }
#else
SOL_INLINE bool sol_isnan(double x) { return x != x; }
SOL_INLINE bool sol_isnan(float x) { return x != x; }
SOL_INLINE bool sol_isinf(double x) { return sol_fabs(x) == SOL_INF(double); }
SOL_INLINE bool sol_isinf(float x) { return sol_fabs(x) == SOL_INF(float); }
SOL_INLINE bool sol_isfinite(double x) { return sol_fabs(x) < SOL_INF(double); }
SOL_INLINE bool sol_isfinite(float x) { return sol_fabs(x) < SOL_INF(float); }
#endif
SOL_INLINE bool sol_signbit(double x) { return sol_bits(x) >> 63; }
SOL_INLINE bool sol_signbit(float x) { return sol_bits(x) >> 31; }

// A 64-bit integer as a double, for processors without a vector instruction for it: its halves become the low digits of 2 ** 52 and 2 ** 84, exactly;
// what they have too much goes away exactly, too, and the sum rounds once.
SOL_INLINE double sol_double(int64_t x) {
#if defined(__AVX2__) && !defined(__AVX512DQ__) && !defined(__clang__) && __GNUC__ >= 12
  const double low = sol_from_bits(((uint64_t)x & 0xFFFFFFFFu) | 0x4330000000000000u);
  const double high = sol_from_bits((((uint64_t)x >> 32) ^ 0x80000000u) | 0x4530000000000000u);
  return sol_rounded(high - 0x1.00000801p84) + low;
#else
  return (double)x;
#endif
}

// What is left of `a` after whole times `b`. A quotient that is exact as an integer leaves an exact remainder, by one fused operation: at most one `b` is
// missing, where the division rounded up to the next integer. The rest is for the C library.
template <class T> SOL_INLINE T sol_fmod(T a, T b) {
#if SOL_FUSES
  const T x = sol_fabs(a), y = sol_fabs(b), q = sol_trunc(x / y);
  if (SOL_LIKELY(q < (sizeof(T) == 8 ? (T)9007199254740992 : (T)16777216) && !sol_isinf(y))) {
    const T r = sol_fused(-q, y, x);
    return sol_copysign(r < 0 ? r + y : r, a);
  }
#endif
  return sol_libm_fmod(a, b);
}

// Two selections, not one on two conditions: chains of these stay vector code.
template <class T> SOL_INLINE T sol_min(T a, T b) { const T c = a < b ? a : b; return sol_isnan(a) ? a : c; }
template <class T> SOL_INLINE T sol_max(T a, T b) { const T c = a > b ? a : b; return sol_isnan(a) ? a : c; }
template <class T> SOL_INLINE T sol_fmin(T a, T b) { const T c = a < b ? a : b; return sol_isnan(b) ? a : c; }
template <class T> SOL_INLINE T sol_fmax(T a, T b) { const T c = a > b ? a : b; return sol_isnan(b) ? a : c; }
// Halves: NumPy's loops keep the first of two equal ones (the zeros differ).
SOL_INLINE float sol_hmin(float a, float b) { const float c = a <= b ? a : b; return sol_isnan(a) ? a : c; }
SOL_INLINE float sol_hmax(float a, float b) { const float c = a >= b ? a : b; return sol_isnan(a) ? a : c; }
SOL_INLINE float sol_hfmin(float a, float b) { const float c = a <= b ? a : b; return sol_isnan(b) ? a : c; }
SOL_INLINE float sol_hfmax(float a, float b) { const float c = a >= b ? a : b; return sol_isnan(b) ? a : c; }
template <class T> SOL_INLINE T sol_sign(T a) {
  return a > 0 ? (T)1 : a < 0 ? (T)-1 : sol_isnan(a) ? a : (T)0;
}

// Floor division and remainder: what fmod leaves, moved to the divisor's sign; the quotient snapped to the nearest integer.
template <class T> static inline T sol_ffloordiv(T a, T b) {
  if (b == 0) return a / b;
  const T m = sol_fmod(a, b);
  const T q = (a - m) / b - (T)((m != 0) & ((b < 0) != (m < 0))), f = sol_floor(q);  // no branches: signs are unforeseeable
  const auto sign = (sol_bits(a) ^ sol_bits(b)) & -(decltype(sol_bits(a)))(q == 0) & sol_bits((T)-0.0);  // of a quotient that is zero
  return sol_from_bits(sol_bits(f + (T)(q - f > (T)0.5)) | sign);
}
template <class T> static inline T sol_fremainder(T a, T b) {
  const T m = sol_fmod(a, b), moved = (b < 0) != (m < 0) ? m + b : m;
  return b == 0 ? m : m == 0 ? sol_copysign((T)0, b) : moved;
}

SOL_INLINE double sol_spacing(double x) {
  if (sol_isinf(x)) return SOL_NAN(double);
  return (x == 0 ? 4.9406564584124654e-324 : sol_nextafter(x, sol_copysign(SOL_INF(double), x))) - x;
}
SOL_INLINE float sol_spacing(float x) {
  if (sol_isinf(x)) return SOL_NAN(float);
  return (x == 0 ? 1.40129846e-45f : sol_nextafter(x, sol_copysign(SOL_INF(float), x))) - x;
}
SOL_INLINE int32_t sol_exponent_of(double e) { return e != e ? 0 : e > 100000 ? 100000 : e < -100000 ? -100000 : (int32_t)e; }
// A power of two that is a normal number is multiplied with: one rounding, as in the C library.
SOL_INLINE double sol_ldexp(double x, double e) {
  if (SOL_UNLIKELY(!(e >= -1022 && e <= 1023))) return sol_libm_ldexp(x, sol_exponent_of(e));
  return x * sol_from_bits((uint64_t)((int64_t)e + 1023) << 52);
}
SOL_INLINE float sol_ldexp(float x, float e) {
  if (SOL_UNLIKELY(!(e >= -126 && e <= 127))) return sol_libm_ldexp(x, sol_exponent_of(e));
  return x * sol_from_bits((uint32_t)((int32_t)e + 127) << 23);
}
// Mantissa and exponent lie open in a normal number; the rest is for the C library.
SOL_INLINE int32_t sol_exponent_bits(double x) { return sol_bits(x) >> 52 & 0x7FF; }
SOL_INLINE int32_t sol_exponent_bits(float x) { return sol_bits(x) >> 23 & 0xFF; }
SOL_INLINE double sol_frexp_m(double x) {
  if (SOL_LIKELY((uint32_t)(sol_exponent_bits(x) - 1) < 0x7FE)) return sol_from_bits((sol_bits(x) & 0x800FFFFFFFFFFFFFu) | 0x3FE0000000000000u);
  int e;
  return sol_libm_frexp(x, &e);
}
SOL_INLINE float sol_frexp_m(float x) {
  if (SOL_LIKELY((uint32_t)(sol_exponent_bits(x) - 1) < 0xFE)) return sol_from_bits((sol_bits(x) & 0x807FFFFFu) | 0x3F000000u);
  int e;
  return sol_libm_frexp(x, &e);
}
SOL_INLINE double sol_frexp_e(double x) {
  if (SOL_LIKELY((uint32_t)(sol_exponent_bits(x) - 1) < 0x7FE)) return sol_exponent_bits(x) - 1022;
  int e = 0;
  sol_libm_frexp(x, &e);
  return sol_isfinite(x) ? e : 0;
}
SOL_INLINE float sol_frexp_e(float x) {
  if (SOL_LIKELY((uint32_t)(sol_exponent_bits(x) - 1) < 0xFE)) return (float)(sol_exponent_bits(x) - 126);
  int e = 0;
  sol_libm_frexp(x, &e);
  return sol_isfinite(x) ? (float)e : 0;
}

template <class T> static inline T sol_logaddexp(T x, T y) {
  if (x == y) return x + (T)0.693147180559945309417232121458176568;
  const T d = x - y;
  if (d > 0) return x + sol_log1p(sol_exp(-d));
  if (d <= 0) return y + sol_log1p(sol_exp(d));
  return d;
}
template <class T> static inline T sol_log2_1p(T x) { return (T)1.442695040888963407359924681001892137 * sol_log1p(x); }
template <class T> static inline T sol_logaddexp2(T x, T y) {
  if (x == y) return x + 1;
  const T d = x - y;
  if (d > 0) return x + sol_log2_1p(sol_exp2(-d));
  if (d <= 0) return y + sol_log2_1p(sol_exp2(d));
  return d;
}

// To integers as x86 does it: what does not fit the wider register gives its smallest value, then the low bits count.
template <class F> SOL_INLINE int32_t sol_to_i32(F x) {
  return (int32_t)(sol_fabs(x) < (F)2147483648.0 ? x : (F)-2147483648.0);
}
template <class F> SOL_INLINE int64_t sol_to_i64(F x) {
  return (int64_t)(sol_fabs(x) < (F)9223372036854775808.0 ? x : (F)-9223372036854775808.0);
}
// The same of one number, in one instruction of x86.
SOL_INLINE int64_t sol_whole_of(double x) {
#ifdef __SSE2_MATH__
  typedef double pair __attribute__((vector_size(16)));
  return __builtin_ia32_cvttsd2si64((pair){x, 0.0});
#else
  return sol_to_i64<double>(x);
#endif
}
template <class F> SOL_INLINE uint32_t sol_to_u32(F x) {
  const F half = (F)2147483648.0;
  return x >= half ? (uint32_t)sol_to_i32<F>(x - half) ^ 0x80000000u : (uint32_t)sol_to_i32<F>(x);
}
template <class F> SOL_INLINE uint64_t sol_to_u64(F x) {
  const F half = (F)9223372036854775808.0;
  return x >= half ? (uint64_t)sol_to_i64<F>(x - half) ^ ((uint64_t)1 << 63) : (uint64_t)sol_to_i64<F>(x);
}
#endif
