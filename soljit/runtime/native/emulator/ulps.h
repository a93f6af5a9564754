// Functions of the C library, as wrong as CUDA's may be if the emulator is told so (SOL_EMULATOR_ULPS=1).
//
// Each result is moved by as many units in the last place as CUDA's tables allow, or by less, or not: the argument's bits decide, so that
// one argument always has one result. Exact results stay: zeros, infinities, NaN, and 1 and -1, beyond which a sine never lies. So do the largest and
// the smallest numbers, if there is nothing beyond.
#ifndef SOLJIT_EMULATOR_ULPS_H
#define SOLJIT_EMULATOR_ULPS_H
#include "soljit/base.h"

SOL_INLINE uint64_t sol_ulps_hash(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x7FB5D329728EA185u;
  x = (x ^ (x >> 27)) * 0x81DADEF4BC2DD44Du;
  return x ^ (x >> 33);
}
template <class T> SOL_APART T sol_ulps(T y, int most, uint64_t argument) {
  if (!*sol_emulated->ulps) return y;
  const T size = y < 0 ? -y : y;
  if (!(size > 0) || size == SOL_INF(T) || size == 1) return y;
  const int k = (int)(sol_ulps_hash(argument) % (uint64_t)(2 * most + 1)) - most;
  const T moved = sol_from_bits(sol_bits(y) + k);
  if (moved - moved != 0) return y;
  return size < 1 && (moved > 1 || moved < -1) ? (T)(y < 0 ? -1 : 1) : moved;
}
// Bounds in units of doubles and of floats.
#define SOL_ULPS1(name, doubles, floats)                                                                              \
  SOL_INLINE double sol_ulps_##name(double x) { return sol_ulps(__builtin_##name(x), doubles, sol_bits(x)); }         \
  SOL_INLINE float sol_ulps_##name##f(float x) { return sol_ulps(__builtin_##name##f(x), floats, sol_bits(x)); }
#define SOL_ULPS2(name, doubles, floats)                                                                              \
  SOL_INLINE double sol_ulps_##name(double x, double y) {                                                             \
    return sol_ulps(__builtin_##name(x, y), doubles, sol_bits(x) ^ sol_ulps_hash(sol_bits(y)));                       \
  }                                                                                                                   \
  SOL_INLINE float sol_ulps_##name##f(float x, float y) {                                                             \
    return sol_ulps(__builtin_##name##f(x, y), floats, sol_bits(x) ^ sol_ulps_hash(sol_bits(y)));                     \
  }
SOL_ULPS1(exp, 1, 2)
SOL_ULPS1(exp2, 1, 2)
SOL_ULPS1(expm1, 1, 1)
SOL_ULPS1(log, 1, 1)
SOL_ULPS1(log2, 1, 1)
SOL_ULPS1(log10, 1, 2)
SOL_ULPS1(log1p, 1, 1)
SOL_ULPS1(sin, 2, 2)
SOL_ULPS1(cos, 2, 2)
SOL_ULPS1(tan, 2, 4)
SOL_ULPS1(asin, 2, 2)
SOL_ULPS1(acos, 2, 2)
SOL_ULPS1(atan, 2, 2)
SOL_ULPS1(sinh, 2, 3)
SOL_ULPS1(cosh, 1, 2)
SOL_ULPS1(tanh, 1, 2)
SOL_ULPS1(asinh, 3, 3)
SOL_ULPS1(acosh, 3, 4)
SOL_ULPS1(atanh, 2, 3)
SOL_ULPS1(cbrt, 1, 1)
SOL_ULPS1(erf, 2, 2)
SOL_ULPS1(erfc, 5, 4)
SOL_ULPS2(pow, 2, 4)
SOL_ULPS2(atan2, 2, 3)
SOL_ULPS2(hypot, 2, 3)
// The other functions are exact.
#define sol_ulps_fabs __builtin_fabs
#define sol_ulps_fabsf __builtin_fabsf
#define sol_ulps_sqrt __builtin_sqrt
#define sol_ulps_sqrtf __builtin_sqrtf
#define sol_ulps_floor __builtin_floor
#define sol_ulps_floorf __builtin_floorf
#define sol_ulps_ceil __builtin_ceil
#define sol_ulps_ceilf __builtin_ceilf
#define sol_ulps_trunc __builtin_trunc
#define sol_ulps_truncf __builtin_truncf
#define sol_ulps_rint __builtin_rint
#define sol_ulps_rintf __builtin_rintf
#define sol_ulps_round __builtin_round
#define sol_ulps_roundf __builtin_roundf
#define sol_ulps_copysign __builtin_copysign
#define sol_ulps_copysignf __builtin_copysignf
#define sol_ulps_nextafter __builtin_nextafter
#define sol_ulps_nextafterf __builtin_nextafterf
#define sol_ulps_fmod __builtin_fmod
#define sol_ulps_fmodf __builtin_fmodf
#define sol_ulps_ldexp __builtin_ldexp
#define sol_ulps_ldexpf __builtin_ldexpf
#define sol_ulps_frexp __builtin_frexp
#define sol_ulps_frexpf __builtin_frexpf
#define sol_ulps_remainder __builtin_remainder

#undef SOL_LIBM
#define SOL_LIBM(name) sol_ulps_##name
#endif
