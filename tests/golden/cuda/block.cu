// Kernels of block, compiled by soljit, floating point strict.
#include "soljit/kernel.h"

extern "C" __global__ void __launch_bounds__(512, 1) k0_block(double* __restrict A_dev, const bool* __restrict hot_dev, const double* __restrict norm_dev, double* __restrict norm_there_dev, float* __restrict out_dev, int64_t* __restrict seen_dev, sol_c64* __restrict x_dev, const int64_t M, const int64_t N) {
  const int64_t lane = sol_lane();
  const int64_t rank = sol_thread_x(), ranks = sol_threads_x();
  const int64_t one = 0;
  if (one < 1) {
    bool any_1;
    double norm_1;
    float top_1;
    norm_1 = norm_dev[0];
    for (int64_t k_1 = 0; k_1 < M; ++k_1) {
      norm_1 = 0.0;
      {
        sol_kept_sum norm_1_mine;
        sol_complex_sum<sol_wide_sum> x_dev_mine;
        for (int64_t i_6 = lane; i_6 < N; i_6 += 512) {
          norm_1_mine.push(A_dev[i_6 * M + k_1] * A_dev[i_6 * M + k_1]);
          x_dev_mine.push(sol_c64{(float)A_dev[i_6 * M + k_1], 0.5f});
        }
        const sol_kept_sum norm_1_mine_all = sol_block_fold<sol_joined>(norm_1_mine);
        const sol_complex_sum<sol_wide_sum> x_dev_mine_all = sol_block_fold<sol_joined>(x_dev_mine);
        norm_1 = norm_1 + norm_1_mine_all.total();
        if (rank == 0) {
          x_dev[k_1] = x_dev[k_1] + sol_to_c64(x_dev_mine_all.total());
        }
      }
      any_1 = false;
      {
        bool any_1_mine = false;
        for (int64_t i_1_1 = lane; i_1_1 < N; i_1_1 += 512) {
          any_1_mine = any_1_mine | sol_true(hot_dev[i_1_1]);
        }
        const bool any_1_mine_all = sol_block_fold<sol_or>(any_1_mine);
        any_1 = any_1 | any_1_mine_all;
      }
      if (rank == 0) {
        out_dev[k_1] = (float)norm_1;
      }
      if (rank == 0) {
        seen_dev[k_1] = sol_add<int64_t>(seen_dev[k_1 - 1], 1);
      }
      if (any_1) {
        const double pivot_1 = A_dev[k_1 * M + k_1];
        sol_meet();
        if (rank < 512) {
          for (int64_t i_2_1 = N - 1 + lane * -1; i_2_1 > k_1; i_2_1 += 512 * -1) {
            A_dev[i_2_1 * M + k_1] = A_dev[i_2_1 * M + k_1] / pivot_1;
          }
        }
        sol_meet();
        {
          const int64_t i_3_1_count = sol_len(k_1 + 1, N);
          const int64_t j_2_count = sol_len(k_1 + 1, M);
          const int64_t all = i_3_1_count * j_2_count;
          for (int64_t at = rank; at < all; at += ranks) {
            const int64_t j_2 = k_1 + 1 + sol_within(at, j_2_count);
            const int64_t i_3_1 = k_1 + 1 + sol_before(at, j_2_count);
            A_dev[i_3_1 * M + j_2] = A_dev[i_3_1 * M + j_2] - A_dev[i_3_1 * M + k_1] * A_dev[k_1 * M + j_2];
          }
        }
      }
      sol_meet();
      top_1 = out_dev[0];
      {
        float top_1_mine = -SOL_INF(float);
        {
          const int64_t j_1_1_count = 3;
          const int64_t i_4_1_count = M;
          const int64_t all_1 = j_1_1_count * i_4_1_count;
          for (int64_t at_1 = lane; at_1 < all_1; at_1 += 512) {
            const int64_t i_4_1 = sol_within(at_1, i_4_1_count);
            const int64_t j_1_1 = sol_before(at_1, i_4_1_count);
            top_1_mine = sol_max(top_1_mine, out_dev[i_4_1] * (float)j_1_1);
          }
        }
        const float top_1_mine_all = sol_block_fold<sol_greatest>(top_1_mine);
        top_1 = sol_max(top_1, top_1_mine_all);
      }
      while (top_1 > out_dev[k_1]) {
        top_1 = top_1 * 0.5f;
        sol_meet();
        if (rank < 512) {
          for (int64_t i_5_1 = lane; i_5_1 < M; i_5_1 += 512) {
            out_dev[i_5_1] = out_dev[i_5_1] + 1.0f;
          }
        }
        if (norm_1 > 100.0) {
          sol_meet();
          break;
        }
        sol_meet();
      }
      sol_meet();
    }
    if (rank == 0) {
      norm_there_dev[0] = norm_1;
    }
  }
}

extern "C" __global__ void __launch_bounds__(256, 1) k1_block(const double* __restrict A_dev, double* __restrict norm_parts, sol_c128* __restrict x_parts, const int64_t M, const int64_t N, const int64_t each, const int64_t k) {
  const int64_t lane_1 = sol_lane();
  const int64_t p = sol_block_x();
  if (p < sol_imax<int64_t>(1, sol_imin<int64_t>(1024, sol_floordiv<int64_t>(sol_imax<int64_t>(N, 0) + 2047, 2048)))) {
    double norm_sum;
    sol_c128 x_sum;
    norm_sum = -0.0;
    x_sum = sol_c128{-0.0, -0.0};
    {
      sol_kept_sum norm_sum_mine;
      sol_complex_sum<sol_kept_sum> x_sum_mine;
      for (int64_t q = lane_1; q < 256; q += 256) {
        double norm_acc;
        double norm_lost;
        double x_acc;
        double x_acc_1;
        norm_acc = -0.0;
        norm_lost = -0.0;
        x_acc = -0.0;
        x_acc_1 = -0.0;
        const int64_t i_stop = sol_imin<int64_t>(N, each + each * p);
        for (int64_t i = q + each * p; i < i_stop; i += 256) {
          const double term = A_dev[i * M + k] * A_dev[i * M + k];
          const double old = norm_acc;
          const double new_ = old + term;
          norm_lost = norm_lost + ((sol_fabs(old) >= sol_fabs(term)) ? (sol_rounded(old) - new_ + term) : (sol_rounded(term) - new_ + old));
          norm_acc = new_;
          const sol_c128 term_1 = sol_to_c128(sol_c64{(float)A_dev[i * M + k], 0.5f});
          x_acc = x_acc + (term_1).re;
          x_acc_1 = x_acc_1 + (term_1).im;
        }
        norm_sum_mine.push(((norm_lost == 0.0) || sol_isnan(norm_lost)) ? norm_acc : (norm_acc + norm_lost));
        x_sum_mine.push(sol_c128{x_acc, x_acc_1});
      }
      const sol_kept_sum norm_sum_mine_all = sol_block_fold<sol_joined>(norm_sum_mine);
      const sol_complex_sum<sol_kept_sum> x_sum_mine_all = sol_block_fold<sol_joined>(x_sum_mine);
      norm_sum = norm_sum + norm_sum_mine_all.total();
      x_sum = x_sum + x_sum_mine_all.total();
    }
    if (lane_1 == 0) {
      norm_parts[p] = norm_sum;
    }
    if (lane_1 == 0) {
      x_parts[p] = x_sum;
    }
  }
}

extern "C" __global__ void __launch_bounds__(512, 1) k2_block(double* __restrict norm_dev, const double* __restrict norm_parts, double* __restrict norm_total, sol_c64* __restrict x_dev, const sol_c128* __restrict x_parts, const int64_t N, const int64_t k) {
  const int64_t lane_2 = sol_lane();
  const int64_t one_1 = sol_block_x();
  if (one_1 < 1) {
    double norm_sum_1;
    sol_c128 x_sum_1;
    norm_sum_1 = -0.0;
    x_sum_1 = sol_c128{-0.0, -0.0};
    {
      sol_kept_sum norm_sum_1_mine;
      sol_complex_sum<sol_kept_sum> x_sum_1_mine;
      const int64_t p_1_stop = sol_imax<int64_t>(1, sol_imin<int64_t>(1024, sol_floordiv<int64_t>(sol_imax<int64_t>(N, 0) + 2047, 2048)));
      for (int64_t p_1 = lane_2; p_1 < p_1_stop; p_1 += 512) {
        norm_sum_1_mine.push(norm_parts[p_1]);
        x_sum_1_mine.push(x_parts[p_1]);
      }
      const sol_kept_sum norm_sum_1_mine_all = sol_block_fold<sol_joined>(norm_sum_1_mine);
      const sol_complex_sum<sol_kept_sum> x_sum_1_mine_all = sol_block_fold<sol_joined>(x_sum_1_mine);
      norm_sum_1 = norm_sum_1 + norm_sum_1_mine_all.total();
      x_sum_1 = x_sum_1 + x_sum_1_mine_all.total();
    }
    if (lane_2 == 0) {
      norm_total[0] = norm_sum_1;
    }
    if (lane_2 == 0) {
      x_dev[k] = x_dev[k] + sol_to_c64(x_sum_1);
    }
    if (lane_2 == 0) {
      norm_dev[0] = 0.0 + norm_total[0];
    }
  }
}

extern "C" __global__ void __launch_bounds__(256, 1) k3_block(bool* __restrict any_parts, const bool* __restrict hot_dev, const int64_t N, const int64_t each_1) {
  const int64_t lane_3 = sol_lane();
  const int64_t p_2 = sol_block_x();
  if (p_2 < sol_imax<int64_t>(1, sol_imin<int64_t>(1024, sol_floordiv<int64_t>(sol_imax<int64_t>(N, 0) + 2047, 2048)))) {
    bool any_sum;
    any_sum = false;
    {
      bool any_sum_mine = false;
      for (int64_t q_1 = lane_3; q_1 < 256; q_1 += 256) {
        bool any_acc;
        any_acc = false;
        const int64_t i_1_stop = sol_imin<int64_t>(N, each_1 + each_1 * p_2);
        for (int64_t i_1 = q_1 + each_1 * p_2; i_1 < i_1_stop; i_1 += 256) {
          any_acc = any_acc || sol_true(hot_dev[i_1]);
        }
        any_sum_mine = any_sum_mine | any_acc;
      }
      const bool any_sum_mine_all = sol_block_fold<sol_or>(any_sum_mine);
      any_sum = any_sum | any_sum_mine_all;
    }
    if (lane_3 == 0) {
      any_parts[p_2] = any_sum;
    }
  }
}

extern "C" __global__ void __launch_bounds__(512, 1) k4_block(bool* __restrict any_dev, const bool* __restrict any_parts, bool* __restrict any_total, const int64_t N) {
  const int64_t lane_4 = sol_lane();
  const int64_t one_2 = sol_block_x();
  if (one_2 < 1) {
    bool any_sum_1;
    any_sum_1 = false;
    {
      bool any_sum_1_mine = false;
      const int64_t p_2_1_stop = sol_imax<int64_t>(1, sol_imin<int64_t>(1024, sol_floordiv<int64_t>(sol_imax<int64_t>(N, 0) + 2047, 2048)));
      for (int64_t p_2_1 = lane_4; p_2_1 < p_2_1_stop; p_2_1 += 512) {
        any_sum_1_mine = any_sum_1_mine | sol_true(any_parts[p_2_1]);
      }
      const bool any_sum_1_mine_all = sol_block_fold<sol_or>(any_sum_1_mine);
      any_sum_1 = any_sum_1 | any_sum_1_mine_all;
    }
    if (lane_4 == 0) {
      any_total[0] = any_sum_1;
    }
    if (lane_4 == 0) {
      any_dev[0] = any_total[0];
    }
  }
}

extern "C" __global__ void __launch_bounds__(256) k5_block(const double* __restrict A_dev, double* __restrict pivot_there, const int64_t M, const int64_t k) {
  const int64_t one_4 = sol_thread_x();
  if (one_4 < 1) {
    const double pivot_2 = A_dev[k * M + k];
    pivot_there[0] = pivot_2;
  }
}

extern "C" __global__ void __launch_bounds__(256) k6_block(double* __restrict A_dev, const double* __restrict pivot_there, const int64_t M, const int64_t N, const int64_t k) {
  const int64_t i_2 = N - 1 + sol_thread_x() * -1;
  if (i_2 > k) {
    A_dev[i_2 * M + k] = A_dev[i_2 * M + k] / pivot_there[0];
  }
}

extern "C" __global__ void __launch_bounds__(256) k7_block(double* __restrict A_dev, const int64_t M, const int64_t N, const int64_t k) {
  for (int64_t i_3 = k + 1 + sol_thread_y(); i_3 < N; i_3 += sol_blocks_y() * 8) {
    const int64_t j = k + 1 + sol_thread_x();
    if (j < M) {
      A_dev[i_3 * M + j] = A_dev[i_3 * M + j] - A_dev[i_3 * M + k] * A_dev[k * M + j];
    }
  }
}

extern "C" __global__ void __launch_bounds__(256, 1) k8_block(const float* __restrict out_dev, float* __restrict top_parts, const int64_t M, const int64_t each_2, const int64_t top_parts_n1) {
  const int64_t lane_5 = sol_lane();
  for (int64_t p_4 = sol_block_y(); p_4 < 3; p_4 += sol_blocks_y()) {
    const int64_t p_3 = sol_block_x();
    if (p_3 < sol_imax<int64_t>(1, sol_imin<int64_t>(341, sol_floordiv<int64_t>(sol_imax<int64_t>(M, 0) + 2047, 2048)))) {
      float top_sum;
      top_sum = -SOL_INF(float);
      {
        float top_sum_mine = -SOL_INF(float);
        for (int64_t q_2 = lane_5; q_2 < 256; q_2 += 256) {
          float top_acc;
          top_acc = -SOL_INF(float);
          for (int64_t j_1 = p_4; j_1 < 3; j_1 += 3) {
            const int64_t i_4_stop = sol_imin<int64_t>(M, each_2 + each_2 * p_3);
            for (int64_t i_4 = q_2 + each_2 * p_3; i_4 < i_4_stop; i_4 += 256) {
              top_acc = sol_max(top_acc, out_dev[i_4] * (float)j_1);
            }
          }
          top_sum_mine = sol_max(top_sum_mine, top_acc);
        }
        const float top_sum_mine_all = sol_block_fold<sol_greatest>(top_sum_mine);
        top_sum = sol_max(top_sum, top_sum_mine_all);
      }
      if (lane_5 == 0) {
        top_parts[p_4 * top_parts_n1 + p_3] = top_sum;
      }
      sol_barrier();
    }
  }
}

extern "C" __global__ void __launch_bounds__(512, 1) k9_block(float* __restrict top_dev, const float* __restrict top_parts, float* __restrict top_total, const int64_t M, const int64_t top_parts_n1) {
  const int64_t lane_6 = sol_lane();
  const int64_t one_3 = sol_block_x();
  if (one_3 < 1) {
    float top_sum_1;
    top_sum_1 = -SOL_INF(float);
    {
      float top_sum_1_mine = -SOL_INF(float);
      {
        const int64_t p_4_1_count = 3;
        const int64_t p_3_1_count = sol_len(0, sol_imax<int64_t>(1, sol_imin<int64_t>(341, sol_floordiv<int64_t>(sol_imax<int64_t>(M, 0) + 2047, 2048))));
        const int64_t all_2 = p_4_1_count * p_3_1_count;
        for (int64_t at_2 = lane_6; at_2 < all_2; at_2 += 512) {
          const int64_t p_3_1 = sol_within(at_2, p_3_1_count);
          const int64_t p_4_1 = sol_before(at_2, p_3_1_count);
          top_sum_1_mine = sol_max(top_sum_1_mine, top_parts[p_4_1 * top_parts_n1 + p_3_1]);
        }
      }
      const float top_sum_1_mine_all = sol_block_fold<sol_greatest>(top_sum_1_mine);
      top_sum_1 = sol_max(top_sum_1, top_sum_1_mine_all);
    }
    if (lane_6 == 0) {
      top_total[0] = top_sum_1;
    }
    if (lane_6 == 0) {
      top_dev[0] = sol_max(top_dev[0], top_total[0]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(256) k10_block(float* __restrict out_dev, const int64_t M) {
  const int64_t i_5 = sol_thread_x();
  if (i_5 < M) {
    out_dev[i_5] = out_dev[i_5] + 1.0f;
  }
}
