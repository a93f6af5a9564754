// Functions of the C library, or of CUDA, under names of soljit's: the same for doubles and floats.
#ifndef SOLJIT_LIBM_H
#define SOLJIT_LIBM_H
#include "soljit/base.h"

// The same function for both types, so that what is built on them is written once.
#define SOL_BOTH1(name) \
  SOL_INLINE double sol_##name(double x) { return SOL_LIBM(name)(x); } \
  SOL_INLINE float sol_##name(float x) { return SOL_LIBM(name##f)(x); }
#define SOL_BOTH2(name) \
  SOL_INLINE double sol_##name(double x, double y) { return SOL_LIBM(name)(x, y); } \
  SOL_INLINE float sol_##name(float x, float y) { return SOL_LIBM(name##f)(x, y); }
SOL_BOTH1(fabs)
SOL_BOTH1(sqrt)
SOL_BOTH1(floor)
SOL_BOTH1(ceil)
SOL_BOTH1(trunc)
SOL_BOTH1(rint)
SOL_BOTH1(round)
SOL_BOTH1(exp)
SOL_BOTH1(exp2)
SOL_BOTH1(expm1)
SOL_BOTH1(log)
SOL_BOTH1(log2)
SOL_BOTH1(log10)
SOL_BOTH1(log1p)
SOL_BOTH1(sin)
SOL_BOTH1(cos)
SOL_BOTH1(tan)
SOL_BOTH1(asin)
SOL_BOTH1(acos)
SOL_BOTH1(atan)
SOL_BOTH1(sinh)
SOL_BOTH1(cosh)
SOL_BOTH1(tanh)
SOL_BOTH1(asinh)
SOL_BOTH1(acosh)
SOL_BOTH1(atanh)
SOL_BOTH1(cbrt)
SOL_BOTH2(pow)
SOL_BOTH2(atan2)
#ifdef __CUDACC_RTC__  // CUDA's is up to two units off, and infinite where that passes the largest number
template <class T> SOL_INLINE T sol_hypot_of(T x, T y, T tiny, T other) {
  const T a = fabs(x), b = fabs(y), big = a > b ? a : b, small = a > b ? b : a;
  return small < big * tiny ? big : other;  // big * sqrt(1 + tiny * tiny) is big, rounded
}
SOL_INLINE double sol_hypot(double x, double y) { return sol_hypot_of<double>(x, y, 0x1p-28, hypot(x, y)); }
SOL_INLINE float sol_hypot(float x, float y) { return sol_hypot_of<float>(x, y, 0x1p-14f, hypotf(x, y)); }
#else
SOL_BOTH2(hypot)
#endif
SOL_BOTH2(copysign)
SOL_BOTH2(nextafter)
SOL_INLINE double sol_libm_fmod(double x, double y) { return SOL_LIBM(fmod)(x, y); }
SOL_INLINE float sol_libm_fmod(float x, float y) { return SOL_LIBM(fmodf)(x, y); }
SOL_INLINE double sol_libm_ldexp(double x, int e) { return SOL_LIBM(ldexp)(x, e); }
SOL_INLINE float sol_libm_ldexp(float x, int e) { return SOL_LIBM(ldexpf)(x, e); }
SOL_INLINE double sol_libm_frexp(double x, int* e) { return SOL_LIBM(frexp)(x, e); }
SOL_INLINE float sol_libm_frexp(float x, int* e) { return SOL_LIBM(frexpf)(x, e); }
SOL_INLINE double sol_erf(double x) { return SOL_LIBM(erf)(x); }
SOL_INLINE double sol_erfc(double x) { return SOL_LIBM(erfc)(x); }
SOL_INLINE double sol_remainder(double x, double y) { return SOL_LIBM(remainder)(x, y); }
#endif
