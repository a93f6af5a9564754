// float16: stored in 16 bits, computed in float, rounded after each operation as NumPy does.
#ifndef SOLJIT_HALF_H
#define SOLJIT_HALF_H
#include "soljit/real.h"
typedef _Float16 sol_f16;
SOL_INLINE bool sol_isnan(sol_f16 x) { return sol_isnan((float)x); }
SOL_INLINE sol_f16 sol_half_of_bits(uint16_t u) { sol_f16 x; __builtin_memcpy(&x, &u, 2); return x; }
SOL_INLINE uint16_t sol_half_bits(sol_f16 x) { uint16_t u; __builtin_memcpy(&u, &x, 2); return u; }
static inline sol_f16 sol_nextafter(sol_f16 x, sol_f16 y) {
  if (sol_isnan(x) || sol_isnan(y)) return (sol_f16)((float)x + (float)y);
  if ((float)x == (float)y) return y;
  if ((float)x == 0) return sol_half_of_bits((uint16_t)((sol_half_bits(y) & 0x8000) | 1));
  const bool up = ((float)x < (float)y) == ((float)x > 0);
  return sol_half_of_bits((uint16_t)(sol_half_bits(x) + (up ? 1 : -1)));
}
static inline sol_f16 sol_spacing(sol_f16 x) {
  if (!sol_isfinite((float)x)) return (sol_f16)__builtin_nanf("");
  const sol_f16 away = sol_nextafter(x, (sol_f16)sol_copysign(__builtin_inff(), (float)x));
  return (sol_f16)((float)away - (float)x);
}
#endif
