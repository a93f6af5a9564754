// either, compiled by soljit.
#include "soljit/prelude.h"
#include "soljit/real.h"

extern "C" { SOL_EXPORT extern const char* const sol_imports[] = {nullptr}; }
extern "C" { SOL_EXPORT void* sol_slots[1] = {}; }

SOL_NOINLINE static int32_t either_main(sol_frame* frame, int64_t* out, double* A, sol_buffer* A_buf, const int64_t* A_dims, const int64_t k) {
  const int64_t N = A_dims[0];
  if (k > 0) {
    if (k > 5) {
      out[0] = 0;
      out[1] = 0;
      out[2] = 0;
      sol_put<int64_t>(out + 5, 3);
      return SOL_OK;
    }
    out[0] = 0;
    out[1] = (int64_t)(A);
    out[2] = (int64_t)sol_retain(A_buf);
    out[3] = N;
    out[4] = 8;
    sol_put<int64_t>(out + 5, k);
    return SOL_OK;
  }
  sol_put<double>(out + 0, A[0]);
  out[1] = 0;
  out[2] = 0;
  out[5] = 0;
  return SOL_OK;
}

extern "C" SOL_EXPORT int32_t sol_kernel(sol_frame* frame) {
  const int64_t* const in = frame->in;
  sol_clean_registers();
  return either_main(frame, frame->out, (double*)in[0], nullptr, in + 1, sol_get<int64_t>(in + 3));
}

extern "C" SOL_EXPORT int32_t sol_guard(const int64_t* in) {
  return true;
}
