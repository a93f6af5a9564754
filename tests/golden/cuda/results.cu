// Kernels of threadIdx, compiled by soljit, floating point strict.
#include "soljit/kernel.h"

extern "C" __global__ void __launch_bounds__(256, 1) k0_threadIdx_(const sol_c64* __restrict a_dev, const bool* __restrict mask_dev, float* __restrict out_dev, const int64_t M, const int64_t N, const int64_t S0, const int64_t S1, const int64_t n, const float x) {
  for (int64_t j = sol_thread_y(); j < M; j += sol_blocks_y() * 8) {
    const int64_t i = sol_thread_x();
    if (i < N) {
      float t;
      float s;
      t = 0.0f;
      if (sol_true(mask_dev[j])) {
        s = sol_cabs_loop(a_dev[i * S0 + j * S1]);
        for (int64_t k = 0; k < 2 * n; ++k) {
          s = s * x + x;
        }
        t = s;
      }
      out_dev[j * N + i] = sol_true(mask_dev[j]) ? sol_exp(t) : 0.5f;
    }
  }
}
