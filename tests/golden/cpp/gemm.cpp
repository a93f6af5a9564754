// gemm, compiled by soljit.
#include "soljit/prelude.h"
#include "soljit/look.h"
#include "soljit/real.h"
#include "soljit/openmp.h"

extern "C" { SOL_EXPORT extern const char* const sol_imports[] = {nullptr}; }
extern "C" { SOL_EXPORT void* sol_slots[1] = {}; }

SOL_NOINLINE static int32_t gemm_main(sol_frame* frame, int64_t* out, const double alpha, double* __restrict A, sol_buffer* A_buf, const int64_t* A_dims, double* __restrict B, sol_buffer* B_buf, const int64_t* B_dims, double* C, sol_buffer* C_buf, const int64_t* C_dims) {
  const int64_t N = A_dims[0];
  const int64_t K = A_dims[1];
  const int64_t M = B_dims[1];
  {
    const int64_t i_count = N;
    const int threads = (sol_mul<int64_t>(N, M) > 1000) ? sol_threads(i_count) : 1;
    #pragma omp parallel num_threads(threads)
    {
      const int thread = threads > 1 ? sol_thread() : 0, team = threads > 1 ? sol_team() : 1;
      const int64_t i_first = sol_piece(i_count, thread, team), i_last = sol_piece(i_count, thread + 1, team);
      int64_t left_1 = SOL_LOOK;
      {
        const int64_t work = sol_work(sol_mul<int64_t>(M, sol_add<int64_t>(sol_mul<int64_t>(K, 5), 6)));
        for (int64_t i = i_first; i < i_last; ++i) {
          for (int64_t j = 0; j < M; ++j) {
            double tmp;
            tmp = 0.0;
            for (int64_t k = 0; k < K; ++k) {
              tmp = tmp + A[i * K + k] * B[k * M + j];
            }
            C[i * M + j] = alpha * tmp + C[i * M + j];
          }
          if (SOL_UNLIKELY((left_1 -= work) < 0) && !(left_1 = sol_look(frame, 0, thread))) goto leave;
        }
      }
      leave:;
    }
    if (SOL_UNLIKELY(frame->stopped)) return SOL_PYTHON;
  }
  out[0] = (int64_t)(C);
  out[1] = (int64_t)sol_retain(C_buf);
  out[2] = N;
  out[3] = M;
  out[4] = M * 8;
  out[5] = 8;
  return SOL_OK;
}

extern "C" SOL_EXPORT int32_t sol_kernel(sol_frame* frame) {
  const int64_t* const in = frame->in;
  sol_clean_registers();
  return gemm_main(frame, frame->out, sol_get<double>(in + 0), (double*)in[1], nullptr, in + 2, (double*)in[6], nullptr, in + 7, (double*)in[11], nullptr, in + 12);
}

extern "C" SOL_EXPORT int32_t sol_guard(const int64_t* in) {
  const int64_t* const A_dims = in + 2;
  const int64_t* const B_dims = in + 7;
  const int64_t N = A_dims[0];
  const int64_t K = A_dims[1];
  return (N >= 2) && (B_dims[0] == K);
}
