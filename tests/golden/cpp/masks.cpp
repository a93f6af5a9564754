// masks, compiled by soljit.
#include "soljit/prelude.h"
#include "soljit/real.h"
#include "soljit/reduce.h"

extern "C" { SOL_EXPORT extern const char* const sol_imports[] = {nullptr}; }
extern "C" { SOL_EXPORT void* sol_slots[1] = {}; }

SOL_NOINLINE static int32_t masks_main(sol_frame* frame, int64_t* out, double* __restrict A, sol_buffer* A_buf, const int64_t* A_dims, bool* __restrict m, sol_buffer* m_buf, const int64_t* m_dims) {
  const sol_services* const services = frame->services;
  const int64_t N = A_dims[0];
  const int64_t M = A_dims[1];
  sol_owner rows_own(services, sol_new(sol_take(services, N, sizeof(bool), false)));
  if (SOL_UNLIKELY(!rows_own.buffer)) return frame->place = 0, SOL_RAISE;
  bool* const rows = (bool*)rows_own.buffer->data;
  sol_owner columns_own(services, sol_new(sol_take(services, M, sizeof(bool), true)));
  if (SOL_UNLIKELY(!columns_own.buffer)) return frame->place = 0, SOL_RAISE;
  bool* const columns = (bool*)columns_own.buffer->data;
  sol_owner copy_own(services, sol_new(sol_take(services, sol_count(N, M), sizeof(bool), false)));
  if (SOL_UNLIKELY(!copy_own.buffer)) return frame->place = 0, SOL_RAISE;
  bool* const copy = (bool*)copy_own.buffer->data;
  for (int64_t i = 0; i < N; ++i) {
    rows[i] = true;
    int8_t rows_acc = rows[i];
    for (int64_t j_first = 0; j_first < M && rows_acc; j_first += SOL_PIECE) {
      const int64_t j_end = sol_imin<int64_t>(j_first + SOL_PIECE, M);
      SOL_IVDEP
      for (int64_t j = j_first; j < j_end; ++j) {
        rows_acc = rows_acc & sol_true(m[i * M + j]);
      }
    }
    rows[i] = rows_acc;
  }
  for (int64_t i = 0; i < N; ++i) {
    #pragma omp simd
    for (int64_t j = 0; j < M; ++j) {
      columns[j] = sol_true(columns[j]) | (sol_true(m[i * M + j]) && (A[i * M + j] > 1.0));
    }
  }
  for (int64_t i = 0; i < N; ++i) {
    #pragma omp simd
    for (int64_t j = 0; j < M; ++j) {
      copy[i * M + j] = m[i * M + j];
    }
  }
  out[0] = (int64_t)(rows);
  out[1] = (int64_t)sol_retain(rows_own.buffer);
  out[2] = N;
  out[3] = 1;
  out[4] = (int64_t)(columns);
  out[5] = (int64_t)sol_retain(columns_own.buffer);
  out[6] = M;
  out[7] = 1;
  out[8] = (int64_t)(copy);
  out[9] = (int64_t)sol_retain(copy_own.buffer);
  out[10] = N;
  out[11] = M;
  out[12] = M;
  out[13] = 1;
  return SOL_OK;
}

extern "C" SOL_EXPORT int32_t sol_kernel(sol_frame* frame) {
  const int64_t* const in = frame->in;
  sol_clean_registers();
  return masks_main(frame, frame->out, (double*)in[0], nullptr, in + 1, (bool*)in[5], nullptr, in + 6);
}

extern "C" SOL_EXPORT int32_t sol_guard(const int64_t* in) {
  return true;
}
