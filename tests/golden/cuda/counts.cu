// Kernels of counts, compiled by soljit, floating point strict.
#include "soljit/kernel.h"

extern "C" __global__ void __launch_bounds__(256, 1) k0_counts(uint8_t* __restrict a_dev, int64_t* __restrict out_dev, const int64_t M, const int64_t N, const int64_t a_dev_s0, const int64_t i) {
  const int64_t lane = sol_lane();
  const int64_t q_1 = sol_block_x();
  if (q_1 < M) {
    {
      int64_t out_dev_mine = 0;
      {
        const int64_t p_1_count = N;
        const int64_t r_1_count = 7;
        const int64_t all = p_1_count * r_1_count;
        for (int64_t at = lane; at < all; at += 256) {
          const int64_t r_1 = sol_within(at, r_1_count);
          const int64_t p_1 = sol_before(at, r_1_count);
          out_dev_mine = sol_add<int64_t>(out_dev_mine, (int64_t)a_dev[p_1 * a_dev_s0 + q_1 * 7 + r_1]);
          a_dev[p_1 * a_dev_s0 + q_1 * 7 + r_1] = sol_floordiv<uint8_t>(a_dev[p_1 * a_dev_s0 + q_1 * 7 + r_1], (uint8_t)i);
        }
      }
      const int64_t out_dev_mine_all = sol_block_fold<sol_plus>(out_dev_mine);
      if (lane == 0) {
        out_dev[q_1] = sol_add<int64_t>(out_dev[q_1], out_dev_mine_all);
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(256, 1) k1_counts(uint8_t* __restrict a_dev, int64_t* __restrict out_dev, const int64_t M, const int64_t N, const int64_t a_dev_s0, const int64_t i) {
  const int64_t q = sol_thread_x();
  if (q < M) {
    int64_t out_acc;
    out_acc = 0;
    for (int64_t p = 0; p < N; ++p) {
      for (int64_t r = 0; r < 7; ++r) {
        out_acc = sol_add<int64_t>(out_acc, (int64_t)a_dev[p * a_dev_s0 + q * 7 + r]);
        a_dev[p * a_dev_s0 + q * 7 + r] = sol_floordiv<uint8_t>(a_dev[p * a_dev_s0 + q * 7 + r], (uint8_t)i);
      }
    }
    out_dev[q] = sol_add<int64_t>(out_dev[q], out_acc);
  }
}
