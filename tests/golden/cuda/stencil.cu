// Kernels of jacobi, compiled by soljit, floating point strict.
#include "soljit/kernel.h"

extern "C" __global__ void __launch_bounds__(512, 1) k0_jacobi(double* __restrict A_dev, double* __restrict B_dev, const int64_t M, const int64_t N, const int64_t T, const double w) {
  const int64_t lane = sol_lane();
  const int64_t rank = sol_thread_x(), ranks = sol_threads_x();
  const int64_t one = 0;
  if (one < 1) {
    for (int64_t t_1 = 1; t_1 < T; ++t_1) {
      {
        const int64_t i_1_count = sol_len(0, N - 2);
        const int64_t j_1_count = sol_len(0, M - 2);
        const int64_t all = i_1_count * j_1_count;
        for (int64_t at = rank; at < all; at += ranks) {
          const int64_t j_1 = sol_within(at, j_1_count);
          const int64_t i_1 = sol_before(at, j_1_count);
          B_dev[i_1 + 1 + (j_1 + 1) * N] = w * (A_dev[i_1 * M + (j_1 + 1)] + A_dev[(i_1 + 1) * M + (j_1 + 1)] + A_dev[(i_1 + 2) * M + (j_1 + 1)]);
        }
      }
      sol_meet();
      {
        const int64_t k_1_count = sol_trip(N - 2, 0, -1);
        const int64_t l_1_count = sol_trip(1, M - 1, 2);
        const int64_t all_1 = k_1_count * l_1_count;
        for (int64_t at_1 = rank; at_1 < all_1; at_1 += ranks) {
          const int64_t l_1 = 1 + sol_within(at_1, l_1_count) * 2;
          const int64_t k_1 = N - 2 + sol_before(at_1, l_1_count) * -1;
          A_dev[k_1 * M + l_1] = B_dev[k_1 + l_1 * N];
        }
      }
      sol_meet();
    }
  }
}

extern "C" __global__ void __launch_bounds__(256, 1) k1_jacobi(const double* __restrict A_dev, double* __restrict B_dev, const int64_t M, const int64_t N, const int64_t pieces, const int64_t some, const double w) {
  for (int64_t piece = sol_thread_y(); piece < pieces; piece += sol_blocks_y() * 4) {
    const int64_t j = sol_thread_x();
    if (j < M - 2) {
      if ((some == 8) && (sol_add<int64_t>(sol_mul<int64_t>(8, piece), 10) <= N)) {
        SOL_UNROLLED
        for (int64_t i = 8 * piece; i < 8 * piece + 8; ++i) {
          B_dev[i + 1 + (j + 1) * N] = w * (A_dev[i * M + (j + 1)] + A_dev[(i + 1) * M + (j + 1)] + A_dev[(i + 2) * M + (j + 1)]);
        }
      } else {
        const int64_t i_2_stop = sol_imin<int64_t>(some + piece * some, N - 2);
        SOL_ROLLED
        for (int64_t i_2 = piece * some; i_2 < i_2_stop; ++i_2) {
          B_dev[i_2 + 1 + (j + 1) * N] = w * (A_dev[i_2 * M + (j + 1)] + A_dev[(i_2 + 1) * M + (j + 1)] + A_dev[(i_2 + 2) * M + (j + 1)]);
        }
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(256) k2_jacobi(double* __restrict A_dev, const double* __restrict B_dev, const int64_t M, const int64_t N) {
  for (int64_t k = N - 2 + sol_thread_y() * -1; k > 0; k += sol_blocks_y() * 8 * -1) {
    const int64_t l = 1 + sol_thread_x() * 2;
    if (l < M - 1) {
      A_dev[k * M + l] = B_dev[k + l * N];
    }
  }
}
