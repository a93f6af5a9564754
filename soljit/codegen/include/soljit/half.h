// Half precision: stored in 16 bits, computed in float and rounded after every operation.
#ifndef SOLJIT_HALF_H
#define SOLJIT_HALF_H
#include "soljit/real.h"

#if defined(__FLT16_MAX__) && !defined(SOL_DEVICE)
typedef _Float16 sol_f16;
SOL_INLINE uint16_t sol_bits(sol_f16 x) {
  uint16_t u;
  __builtin_memcpy(&u, &x, 2);
  return u;
}
SOL_INLINE sol_f16 sol_half_of(uint16_t u) {
  sol_f16 h;
  __builtin_memcpy(&h, &u, 2);
  return h;
}
#else
#ifndef SOL_HALF_BITS
// Round to nearest even by hand.
static inline uint16_t sol_half_bits(double x) {
  uint64_t u = sol_bits(x);
  const uint16_t sign = (uint16_t)(u >> 48 & 0x8000);
  u &= ~((uint64_t)1 << 63);
  if (u > 0x7FF0000000000000u) return (uint16_t)(sign | 0x7E00 | (u >> 42 & 0x3FF));
  const int e = (int)(u >> 52) - 1023;
  if (e > 15) return (uint16_t)(sign | 0x7C00);
  if (e < -25) return sign;
  uint64_t m = (u & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
  const int shift = e >= -14 ? 42 : 42 + (-14 - e);
  const uint64_t rest = m & (((uint64_t)1 << shift) - 1), tie = (uint64_t)1 << (shift - 1);
  m >>= shift;
  if (rest > tie || (rest == tie && (m & 1))) ++m;
  return (uint16_t)(sign + (e >= -14 ? ((uint64_t)(e + 14) << 10) + m : m));
}
static inline uint16_t sol_half_bits(float x) { return sol_half_bits((double)x); }
static inline float sol_half_value(uint16_t u) {
  const int e = u >> 10 & 31, m = u & 0x3FF;
  const float a = e == 31 ? (m ? SOL_NAN(float) : SOL_INF(float))
                          : e ? sol_libm_ldexp((float)(m | 0x400), e - 25) : sol_libm_ldexp((float)m, -24);
  return u & 0x8000 ? -a : a;
}
#endif
struct sol_f16 {
  uint16_t bits;
  sol_f16() = default;
  explicit sol_f16(float x) : bits(sol_half_bits(x)) {}
  explicit sol_f16(double x) : bits(sol_half_bits(x)) {}
  operator float() const { return sol_half_value(bits); }
};
SOL_INLINE uint16_t sol_bits(sol_f16 x) { return x.bits; }
SOL_INLINE sol_f16 sol_half_of(uint16_t u) {
  sol_f16 h;
  h.bits = u;
  return h;
}
#endif

SOL_INLINE bool sol_half_isnan(uint16_t u) { return (u & 0x7FFF) > 0x7C00; }
static inline sol_f16 sol_nextafter(sol_f16 x, sol_f16 y) {
  if (sol_half_isnan(sol_bits(x))) return x;
  if (sol_half_isnan(sol_bits(y))) return y;
  if ((float)x == (float)y) return x;
  if (!(sol_bits(x) & 0x7FFF)) return sol_half_of((uint16_t)((sol_bits(y) & 0x8000) | 1));
  const bool up = (float)x < (float)y;
  return sol_half_of((uint16_t)(up == !(sol_bits(x) & 0x8000) ? sol_bits(x) + 1 : sol_bits(x) - 1));
}
// As NumPy 2.5 has it: of equal numbers, as 0.0 and -0.0 are, the second one.
static inline sol_f16 sol_nextafter_to(sol_f16 x, sol_f16 y) { return (float)x == (float)y ? y : sol_nextafter(x, y); }
static inline sol_f16 sol_spacing(sol_f16 x) {
  const uint16_t e = sol_bits(x) & 0x7C00;
  if (e == 0x7C00) return sol_half_of(0x7E00);
  if (sol_bits(x) == 0x7BFF) return sol_half_of(0x7C00);
  const float step = e <= 0x0400 ? sol_libm_ldexp(1.0f, -24) : sol_libm_ldexp(1.0f, (e >> 10) - 25);
  // Towards zero at a negative power of two the neighbour is half as far.
  if ((sol_bits(x) & 0x8000) && !(sol_bits(x) & 0x3FF) && e > 0x0400) return sol_f16(step / 2);
  return sol_f16(step);
}
#endif
