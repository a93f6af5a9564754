// Kernels of jacobi, compiled by soljit, floating point strict.
#include "soljit/kernel.h"

extern "C" __global__ void __launch_bounds__(256) k0_jacobi(const double* __restrict A_dev, double* __restrict B_dev, const int64_t M, const int64_t N, const double w) {
  for (int64_t i = sol_thread_y(); i < N - 2; i += sol_blocks_y() * 8) {
    const int64_t j = sol_thread_x();
    if (j < M - 2) {
      B_dev[i + 1 + (j + 1) * N] = w * (A_dev[i * M + (j + 1)] + A_dev[(i + 1) * M + (j + 1)] + A_dev[(i + 2) * M + (j + 1)]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(256) k1_jacobi(double* __restrict A_dev, const double* __restrict B_dev, const int64_t M, const int64_t N) {
  for (int64_t k = N - 2 + sol_thread_y() * -1; k > 0; k += sol_blocks_y() * 8 * -1) {
    const int64_t l = 1 + sol_thread_x() * 2;
    if (l < M - 1) {
      A_dev[k * M + l] = B_dev[k + l * N];
    }
  }
}
