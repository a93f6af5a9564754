// <lambda>, compiled by soljit.
#include "soljit/prelude.h"
#include "soljit/real.h"
#include "soljit/complex.h"
#include "soljit/vector.h"

extern "C" { SOL_EXPORT extern const char* const sol_imports[] = {"svml:__svml_pow8_ha", "svml:__svml_atan28_ha", nullptr}; }
extern "C" { SOL_EXPORT void* sol_slots[2] = {}; }

#pragma omp declare simd notinbranch simdlen(8)
extern "C" __attribute__((const)) double sol_v_pow(double, double) noexcept;
SOL_VECTOR2(pow, double, sol_8d, 8, 0, sol_pow)

#pragma omp declare simd notinbranch simdlen(8)
extern "C" __attribute__((const)) double sol_v_atan2(double, double) noexcept;
SOL_VECTOR2(atan2, double, sol_8d, 8, 1, sol_atan2)

SOL_NOINLINE static int32_t u3clambdau3e_main(sol_frame* frame, int64_t* out, const double x, const float h, const int8_t k, const sol_c128 z, const bool t) {
  bool q;
  double o_few[8];
  double* const __restrict o = o_few;
  sol_c128 p_few[4];
  sol_c128* const __restrict p = p_few;
  o[0] = -0.0;
  o[1] = SOL_NAN(double) + -SOL_INF(double) * 1e-300;
  o[2] = -1.0 - -x - (sol_rounded(x) - 1.0) + -sol_v_pow(x, 2.0) + sol_v_pow(-2.0, x) + sol_v_pow(sol_v_pow(x, x), x);
  o[3] = (double)(0.1f * h) + (double)2.5f + (double)k;
  o[4] = sol_ffloordiv(sol_fremainder(sol_sqrt(sol_fabs(x)), 3.0), 2.0) + sol_v_atan2(x, 1.0);
  o[5] = sol_cabs_loop(z) + (z).re * (sol_conj(z)).im;
  p[0] = sol_cmul_fma(sol_c128{1.0, -0.0}, z);
  p[1] = sol_c128{x, 0.0} + sol_c128{x, 0} + sol_c128{SOL_NAN(double), -SOL_INF(double)};
  q = (t || ((x < 1.0) && !t)) || (t || q);
  q = (x < 1.0) == (x > 2.0);
  q = ((k & -3) | (k ^ sol_shl<int8_t>((int8_t)(~(k)), 1))) >= sol_shr<int8_t>(sol_mul<int8_t>(sol_sub<int8_t>(k, 1), k), k);
  o[6] = ((t ? 2.0 : 3.0) > 2.0) ? 1.0 : (q ? x : 2.0);
  o[7] = (q ? 1.0 : 2.0) + 3.0;
  return SOL_OK;
}

extern "C" SOL_EXPORT int32_t sol_kernel(sol_frame* frame) {
  const int64_t* const in = frame->in;
  sol_clean_registers();
  return u3clambdau3e_main(frame, frame->out, sol_get<double>(in + 0), sol_get<float>(in + 1), sol_get<int8_t>(in + 2), sol_get<sol_c128>(in + 3), sol_get<bool>(in + 5));
}

extern "C" SOL_EXPORT int32_t sol_guard(const int64_t* in) {
  return true;
}
