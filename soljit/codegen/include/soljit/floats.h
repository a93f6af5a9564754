// exp, log, sin and cos of floats with NumPy's bits: the quotients of polynomials and the reductions of its own vector loops
// (`loops_exponent_log`, `loops_trigonometric`), operation by operation. Written without branches, for loops to be vectorized.
#ifndef SOLJIT_FLOATS_H
#define SOLJIT_FLOATS_H
#include "soljit/real.h"

// The nearest whole number; +0.0 for those near zero.
SOL_INLINE float sol_whole(float x) { return sol_rint(x) + 0.0f; }
SOL_INLINE float sol_two_to(int32_t e) { return sol_from_bits((uint32_t)(e + 127) << 23); }

SOL_INLINE float sol_n_expf(float x) {
  const bool low = x <= -103.97208404541015625f, high = x >= 88.72283935546875f, none = sol_isnan(x);
  const float v = low | high | none ? 0.0f : x, k = sol_whole(v * 1.442695040888963407359924681001892137f);
  const float r = sol_fused(k, -1.42860677e-6f, sol_fused(k, -6.93145752e-1f, v));
  float p = sol_fused(5.082762527590693718096e-04f, r, 6.757896990527504603057e-03f);
  p = sol_fused(p, r, 5.114512081637298353406e-02f);
  p = sol_fused(p, r, 2.473615434895520810817e-01f);
  p = sol_fused(p, r, 7.257664613233124478488e-01f);
  p = sol_fused(p, r, 9.999999999980870924916e-01f);
  float q = sol_fused(2.159509375685829852307e-02f, r, -2.742335390411667452936e-01f);
  q = sol_fused(q, r, 1.0f);
  const int32_t e = (int32_t)k, half = e >> 1;  // two steps, of which only the second one may round
  float y = p / q * sol_two_to(half);
  y *= sol_two_to(e - half);
  y = high ? SOL_INF(float) : low ? 0.0f : y;
  return none ? x : y;
}

SOL_INLINE float sol_n_logf(float x) {
  const bool small = x < 1.17549435e-38f;  // subnormal
  const uint32_t u = sol_bits(small ? x * 1.2676506002282294e+30f : x);  // times 2 ** 100
  float m = sol_from_bits((u & 0x7FFFFFu) | 0x3F000000u), e = (float)((int32_t)(u >> 23) - 126) - (small ? 100.0f : 0.0f);
  const bool below = m <= 0.707106781186547524400844362104849039f;
  const float r = (below ? m + m : m) - 1.0f;
  e = below ? e - 1.0f : e;
  float p = sol_fused(2.589979117907922693523e-02f, r, 3.808837741388407920751e-01f);
  p = sol_fused(p, r, 1.480000633576506585156e+00f);
  p = sol_fused(p, r, 2.112677543073053063722e+00f);
  p = sol_fused(p, r, 9.999999999999998702752e-01f);
  p = sol_fused(p, r, 0.0f);
  float q = sol_fused(5.875095403124574342950e-03f, r, 1.546476374983906719538e-01f);
  q = sol_fused(q, r, 9.864942958519418960339e-01f);
  q = sol_fused(q, r, 2.453006071784736363091e+00f);
  q = sol_fused(q, r, 2.612677543073109236779e+00f);
  q = sol_fused(q, r, 1.0f);
  float y = sol_fused(e, 0.693147180559945309417232121458176568f, p / q);
  y = x == 0.0f ? -SOL_INF(float) : x < 0.0f ? SOL_NAN(float) : y;
  return sol_isnan(x) | (x == SOL_INF(float)) ? x : y;
}

// sin (`quarter` = 0) or cos (1) of numbers up to a hundred thousand.
template <int32_t quarter> SOL_INLINE float sol_sine(float x) {
  const float k = sol_rounded(sol_fused(x, 0x1.45f306p-1f, 0x1.8p23f)) - 0x1.8p23f;  // whole; +0.0 near zero
  const float r = sol_fused(k, -0x1.846988p-48f, sol_fused(k, -0x1.5110b4p-22f, sol_fused(k, -0x1.921fb0p+00f, x))), s = r * r;
  float c = sol_fused(0x1.98e616p-16f, s, -0x1.6c06dcp-10f);
  c = sol_fused(c, s, 0x1.55553cp-05f);
  c = sol_fused(c, s, -0x1.000000p-01f);
  c = sol_fused(c, s, 1.0f);
  float y = sol_fused(0x1.7d3bbcp-19f, s, -0x1.a06bbap-13f);
  y = sol_fused(y, s, 0x1.11119ap-07f);
  y = sol_fused(y, s, -0x1.555556p-03f);
  y = sol_fused(y, s, 0.0f);
  y = sol_fused(y, r, r);
  const int32_t n = (int32_t)k + quarter;
  y = n & 1 ? c : y;
  return n & 2 ? 0.0f - y : y;
}
#define SOL_LARGEST_sinf 117435.992f
#define SOL_LARGEST_cosf 71476.0625f
SOL_INLINE float sol_n_sinf(float x) { return sol_fabs(x) <= SOL_LARGEST_sinf ? sol_sine<0>(x) : sol_sin(x); }
SOL_INLINE float sol_n_cosf(float x) { return sol_fabs(x) <= SOL_LARGEST_cosf ? sol_sine<1>(x) : sol_cos(x); }
#endif
