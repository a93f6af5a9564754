// reductions, compiled by soljit.
#include "soljit/prelude.h"
#include "soljit/look.h"
#include "soljit/real.h"
#include "soljit/half.h"
#include "soljit/complex.h"
#include "soljit/reduce.h"
#include "soljit/openmp.h"

extern "C" { SOL_EXPORT extern const char* const sol_imports[] = {nullptr}; }
extern "C" { SOL_EXPORT void* sol_slots[1] = {}; }

SOL_NOINLINE static int32_t reductions_main(sol_frame* frame, int64_t* out, double* __restrict A, sol_buffer* A_buf, const int64_t* A_dims, sol_f16* __restrict h, sol_buffer* h_buf, const int64_t* h_dims, sol_c128* __restrict z, sol_buffer* z_buf, const int64_t* z_dims, int32_t* __restrict k, sol_buffer* k_buf, const int64_t* k_dims) {
  const sol_services* const services = frame->services;
  const int64_t N = A_dims[0];
  const int64_t M = A_dims[1];
  double s;
  double big;
  sol_f16 hs;
  sol_c128 zs;
  int32_t ks;
  bool some;
  double t;
  sol_owner rows_own(services, sol_new(sol_take(services, N, sizeof(double), false)));
  if (SOL_UNLIKELY(!rows_own.buffer)) return frame->place = 0, SOL_RAISE;
  double* const rows = (double*)rows_own.buffer->data;
  sol_owner columns_own(services, sol_new(sol_take(services, M, sizeof(double), true)));
  if (SOL_UNLIKELY(!columns_own.buffer)) return frame->place = 0, SOL_RAISE;
  double* const columns = (double*)columns_own.buffer->data;
  s = 0.0;
  big = -SOL_INF(double);
  hs = sol_f16(0.0f);
  zs = sol_c128{0.0, 0.0};
  ks = 0;
  some = false;
  t = 0.0;
  const int64_t i_count = N;
  const int64_t j_count = M;
  sol_blocks j_blocks(i_count * j_count);
  sol_tree<double> s_sum;
  double big_max = -SOL_INF(double);
  int64_t i_done = 0, j_done = 0;
  while (const int64_t j_block = j_blocks.next()) {
    double s_values[SOL_BLOCK];
    double big_values[SOL_BLOCK];
    for (int64_t filled = 0; filled < j_block;) {
      const int64_t run = sol_imin<int64_t>(j_block - filled, j_count - j_done);
      const int64_t i = i_done;
      #pragma omp simd
      for (int64_t k_1 = 0; k_1 < run; ++k_1) {
        const int64_t j = j_done + k_1;
        s_values[filled + k_1] = A[i * M + j] * A[i * M + j];
        big_values[filled + k_1] = A[i * M + j];
      }
      filled += run;
      j_done += run;
      if (j_done == j_count) {
        j_done = 0;
        ++i_done;
      }
    }
    s_sum.push(sol_block_sum(s_values, j_block), j_blocks.merges);
    big_max = sol_block_max(big_max, big_values, j_block);
  }
  s = s + s_sum.total();
  big = sol_max(big, big_max);
  const int64_t j_count_1 = M;
  sol_blocks j_blocks_1(j_count_1);
  sol_tree<float> hs_sum;
  int64_t j_done_1 = 0;
  while (const int64_t j_block_1 = j_blocks_1.next()) {
    float hs_values[SOL_BLOCK];
    SOL_IVDEP
    for (int64_t k_2 = 0; k_2 < j_block_1; ++k_2) {
      const int64_t j = j_done_1 + k_2;
      hs_values[k_2] = h[j];
    }
    hs_sum.push(sol_block_sum(hs_values, j_block_1), j_blocks_1.merges);
    j_done_1 += j_block_1;
  }
  hs = sol_f16((float)hs + (float)hs_sum.total());
  for (int64_t i = 0; i < N; ++i) {
    rows[i] = 0.0;
    const int64_t j_count_2 = M;
    sol_blocks j_blocks_2(j_count_2);
    sol_tree<double> rows_sum;
    int64_t j_done_2 = 0;
    while (const int64_t j_block_2 = j_blocks_2.next()) {
      double rows_values[SOL_BLOCK];
      SOL_IVDEP
      for (int64_t k_3 = 0; k_3 < j_block_2; ++k_3) {
        const int64_t j = j_done_2 + k_3;
        double rows_term = -0.0;
        if (A[i * M + j] > 0.0) {
          rows_term = rows_term + A[i * M + j];
        }
        rows_values[k_3] = rows_term;
      }
      rows_sum.push(sol_block_sum(rows_values, j_block_2), j_blocks_2.merges);
      j_done_2 += j_block_2;
    }
    rows[i] = rows[i] + rows_sum.total();
  }
  for (int64_t i = 0; i < N; ++i) {
    SOL_IVDEP
    for (int64_t j = 0; j < M; ++j) {
      columns[j] = columns[j] + A[i * M + j];
    }
  }
  int32_t ks_acc = ks;
  int32_t some_acc = some;
  const int64_t i_count_1 = N;
  sol_blocks i_blocks(i_count_1, 2);
  sol_tree<sol_c128> zs_sum;
  int64_t i_done_1 = 0;
  while (const int64_t i_block = i_blocks.next()) {
    sol_c128 zs_values[SOL_BLOCK];
    SOL_IVDEP
    for (int64_t k_4 = 0; k_4 < i_block; ++k_4) {
      const int64_t i = i_done_1 + k_4;
      zs_values[k_4] = z[i];
      ks_acc = sol_add<int32_t>(ks_acc, k[i]);
      some_acc = some_acc | (k[i] > 5);
    }
    zs_sum.push(sol_block_sum(zs_values, i_block), i_blocks.merges);
    i_done_1 += i_block;
  }
  zs = zs + zs_sum.total();
  ks = ks_acc;
  some = some_acc;
  const sol_divisor divisor(M);
  {
    const int64_t i_count_2 = N;
    const int threads = (N > 1) ? sol_threads(i_count_2) : 1;
    double t_parts[SOL_MAX_THREADS];
    sol_begin_parts<double>(t_parts, threads, -0.0);
    const sol_divisor divisor_shared = divisor;
    #pragma omp parallel num_threads(threads)
    {
      const sol_divisor divisor = divisor_shared;
      const int thread = threads > 1 ? sol_thread() : 0, team = threads > 1 ? sol_team() : 1;
      const int64_t i_first = sol_piece(i_count_2, thread, team), i_last = sol_piece(i_count_2, thread + 1, team);
      int64_t left_1 = SOL_LOOK;
      double t_part = -0.0;
      {
        sol_cascade<double> t_sum;
        for (int64_t i = i_first; i < i_last; ++i) {
          const int64_t j_count_3 = sol_len(0, i);
          sol_blocks j_blocks_3(j_count_3);
          sol_tree<double> t_sum_1;
          int64_t j_done_3 = 0;
          while (const int64_t j_block_3 = j_blocks_3.next()) {
            if (SOL_UNLIKELY((left_1 -= 4 * SOL_BLOCK) < 0) && !(left_1 = sol_look(frame, 1, thread))) goto leave;
            double t_lanes[8] = {-0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0};
            int64_t at = 0;
            for (; at + 8 <= j_block_3; at += 8) {
              SOL_IVDEP
              for (int lane = 0; lane < 8; ++lane) {
                const int64_t j = j_done_3 + (at + lane);
                t_lanes[lane] = t_lanes[lane] + A[i * M + sol_mod(j, divisor)];
              }
            }
            double t_block = sol_lanes_sum(t_lanes);
            for (; at < j_block_3; ++at) {
              const int64_t j = j_done_3 + at;
              t_block = t_block + A[i * M + sol_mod(j, divisor)];
            }
            t_sum_1.push(t_block, j_blocks_3.merges);
            j_done_3 += j_block_3;
          }
          t_sum.push(t_sum_1.total());
          if (SOL_UNLIKELY((left_1 -= 1) < 0) && !(left_1 = sol_look(frame, 1, thread))) goto leave;
        }
        t_part = t_part + t_sum.total();
      }
      leave:;
      t_parts[thread] = t_part;
    }
    if (SOL_UNLIKELY(frame->stopped)) return SOL_PYTHON;
    for (int t_1 = 0; t_1 < threads; ++t_1) {
      t = t + t_parts[t_1];
      SOL_ONE_BY_ONE(t_1);
    }
  }
  sol_put<double>(out + 0, s);
  sol_put<double>(out + 1, big);
  sol_put<sol_f16>(out + 2, hs);
  out[3] = (int64_t)(rows);
  out[4] = (int64_t)sol_retain(rows_own.buffer);
  out[5] = N;
  out[6] = 8;
  out[7] = (int64_t)(columns);
  out[8] = (int64_t)sol_retain(columns_own.buffer);
  out[9] = M;
  out[10] = 8;
  sol_put<sol_c128>(out + 11, zs);
  sol_put<int32_t>(out + 13, ks);
  sol_put<bool>(out + 14, some);
  sol_put<double>(out + 15, t);
  return SOL_OK;
}

extern "C" SOL_EXPORT int32_t sol_kernel(sol_frame* frame) {
  const int64_t* const in = frame->in;
  sol_clean_registers();
  return reductions_main(frame, frame->out, (double*)in[0], nullptr, in + 1, (sol_f16*)in[5], nullptr, in + 6, (sol_c128*)in[8], nullptr, in + 9, (int32_t*)in[11], nullptr, in + 12);
}

extern "C" SOL_EXPORT int32_t sol_guard(const int64_t* in) {
  return true;
}
