// calls, compiled by soljit.
#include "soljit/prelude.h"
#include "soljit/look.h"
#include "soljit/real.h"
#include "soljit/blas_threads.h"
#include "soljit/blas.h"

SOL_PRODUCTS_ELSEWHERE(double)
extern "C" { SOL_EXPORT extern const char* const sol_imports[] = {"blas:cblas_dgemm", "blas:cblas_dgemv", "blas:cblas_ddot", "blas:cblas_dsyrk", "shared:blas_threads", nullptr}; }
extern "C" { SOL_EXPORT void* sol_slots[5] = {}; }

#include "soljit/stack.h"
static int32_t fib_f(sol_frame* frame, int64_t* out, const int64_t n);
static int32_t shifted_f(sol_frame* frame, int64_t* out, double* X, sol_buffer* X_buf, const int64_t* X_dims);

static int32_t fib_f(sol_frame* frame, int64_t* out, const int64_t n) {
  if (SOL_UNLIKELY(SOL_STACK_IS_FULL())) return frame->place = 0, SOL_RAISE;
  if (SOL_UNLIKELY(--sol_calls_left == 0 && !sol_look_at_call(frame, 1))) return SOL_PYTHON;
  int64_t a;
  int64_t b;
  if (n < 2) {
    sol_put<int64_t>(out + 0, n);
    return SOL_OK;
  }
  {
    int64_t results[1];
    const int32_t status = fib_f(frame, results, sol_sub<int64_t>(n, 1));
    if (SOL_UNLIKELY(status != SOL_OK)) return status;
    a = sol_get<int64_t>(results + 0);
  }
  {
    int64_t results_1[1];
    const int32_t status_1 = fib_f(frame, results_1, sol_sub<int64_t>(n, 2));
    if (SOL_UNLIKELY(status_1 != SOL_OK)) return status_1;
    b = sol_get<int64_t>(results_1 + 0);
  }
  sol_put<int64_t>(out + 0, sol_add<int64_t>(a, b));
  return SOL_OK;
}

static int32_t shifted_f(sol_frame* frame, int64_t* out, double* X, sol_buffer* X_buf, const int64_t* X_dims) {
  const sol_services* const services = frame->services;
  const int64_t P = X_dims[0];
  const int64_t Q = X_dims[1];
  const int64_t s = X_dims[2] / 8;
  const int64_t t = X_dims[3] / 8;
  if (SOL_UNLIKELY(SOL_STACK_IS_FULL())) return frame->place = 0, SOL_RAISE;
  sol_owner r_own(services);
  double* r = nullptr;
  int64_t r_n0 = 0, r_n1 = 0, r_s0 = 0, r_s1 = 0;
  r_own.take(sol_retain(X_buf));
  r = X + (Q - 1) * t;
  r_n0 = P;
  r_n1 = sol_trip(Q - 1, -1, -1);
  r_s0 = s;
  r_s1 = -1 * t;
  out[0] = (int64_t)(r);
  out[1] = (int64_t)sol_retain(r_own.buffer);
  out[2] = P;
  out[3] = Q;
  out[4] = r_s0 * 8;
  out[5] = r_s1 * 8;
  return SOL_OK;
}

SOL_NOINLINE static int32_t calls_main(sol_frame* frame, int64_t* out, double* A, sol_buffer* A_buf, const int64_t* A_dims, const int64_t t, const int64_t o) {
  const sol_services* const services = frame->services;
  const int64_t N = A_dims[0];
  sol_owner w_own(services);
  double* w = nullptr;
  int64_t w_n0 = 0;
  sol_owner v_own(services);
  double* v = nullptr;
  int64_t v_n0 = 0, v_n1 = 0, v_s0 = 0, v_s1 = 0;
  int64_t z;
  sol_owner B_own(services, sol_new(sol_take(services, sol_count(N, N), sizeof(double), false)));
  if (SOL_UNLIKELY(!B_own.buffer)) return frame->place = 2, SOL_RAISE;
  double* const B = (double*)B_own.buffer->data;
  {
    int64_t words[6], results[10];
    words[0] = (int64_t)(A);
    words[1] = (int64_t)A_buf;
    words[2] = N;
    words[3] = N;
    words[4] = N * 8;
    words[5] = 8;
    const int32_t status = services->callback(frame, 0, words, results);  // numpy.linalg.eigh
    sol_clean_registers();
    if (SOL_UNLIKELY(status != SOL_OK)) return status;
    w_own.take((sol_buffer*)results[1]);
    w = (double*)results[0];
    w_n0 = results[2];
    v_own.take((sol_buffer*)results[5]);
    v = (double*)results[4];
    v_n0 = results[6];
    v_n1 = results[7];
    v_s0 = results[8] / 8;
    v_s1 = results[9] / 8;
  }
  {
    int64_t words_1[8], results_1[1];
    words_1[0] = o;
    words_1[1] = (int64_t)(A);
    words_1[2] = (int64_t)A_buf;
    words_1[3] = N;
    words_1[4] = N;
    words_1[5] = N * 8;
    words_1[6] = 8;
    sol_put<int64_t>(words_1 + 7, t);
    const int32_t status_1 = services->callback(frame, 1, words_1, results_1);  // param:o
    sol_clean_registers();
    if (SOL_UNLIKELY(status_1 != SOL_OK)) return status_1;
  }
  {
    int64_t results_2[1];
    const int32_t status_2 = fib_f(frame, results_2, t);
    if (SOL_UNLIKELY(status_2 != SOL_OK)) return sol_through(frame, status_2, 0);
    z = sol_get<int64_t>(results_2 + 0);
  }
  {
    int64_t results_3[6];
    const int64_t X_dims[4] = {N, N, 8, N * 8};
    const int32_t status_3 = shifted_f(frame, results_3, A, A_buf, X_dims);
    if (SOL_UNLIKELY(status_3 != SOL_OK)) return sol_through(frame, status_3, 1);
    v_own.take((sol_buffer*)results_3[1]);
    v = (double*)results_3[0];
    v_n0 = results_3[2];
    v_n1 = results_3[3];
    v_s0 = results_3[4] / 8;
    v_s1 = results_3[5] / 8;
  }
  sol_matmul_triangle<double>(sol_blas{sol_slots[0], sol_slots[1], sol_slots[2], sol_slots[3], sol_slots[4]}, sol_matrix<const double>{A, N, N, N, 1}, sol_matrix<const double>{A, N, N, 1, N}, sol_matrix<double>{B, N, N, N, 1}, {1, double{}, true}, SOL_LOWER);
  sol_matmul<double>(sol_blas{sol_slots[0], sol_slots[1], sol_slots[2], sol_slots[3], sol_slots[4]}, sol_matrix<const double>{A, N, N, N, 1}, sol_matrix<const double>{v, v_n0, v_n1, v_s0, v_s1}, sol_matrix<double>{B, N, v_n1, N, 1}, {2.0, A[0], false});
  for (int64_t i = 0; i < N; ++i) {
    const double scaled = (double)z * A[i];
    SOL_IVDEP
    for (int64_t j = 0; j < N; ++j) {
      B[i * N + j] = B[i * N + j] + scaled * A[1 + j * N];
    }
  }
  out[0] = (int64_t)(w);
  out[1] = (int64_t)sol_retain(w_own.buffer);
  out[2] = w_n0;
  out[3] = 8;
  out[4] = (int64_t)(B);
  out[5] = (int64_t)sol_retain(B_own.buffer);
  out[6] = N;
  out[7] = N;
  out[8] = 8;
  out[9] = N * 8;
  sol_put<int64_t>(out + 10, z);
  return SOL_OK;
}

extern "C" SOL_EXPORT int32_t sol_kernel(sol_frame* frame) {
  const int64_t* const in = frame->in;
  sol_clean_registers();
  if (!sol_stack_end) sol_find_stack_end();
  return calls_main(frame, frame->out, (double*)in[0], nullptr, in + 1, sol_get<int64_t>(in + 5), in[6]);
}

extern "C" SOL_EXPORT int32_t sol_guard(const int64_t* in) {
  return true;
}
