// layouts, compiled by soljit.
#include "soljit/prelude.h"
#include "soljit/real.h"
#include "soljit/complex.h"

extern "C" { SOL_EXPORT extern const char* const sol_imports[] = {nullptr}; }
extern "C" { SOL_EXPORT void* sol_slots[1] = {}; }

SOL_NOINLINE static int32_t layouts_main(sol_frame* frame, int64_t* out, double* __restrict x, sol_buffer* x_buf, const int64_t* x_dims, sol_c64* y, sol_buffer* y_buf, const int64_t* y_dims, const int64_t o, const int32_t n) {
  const sol_services* const services = frame->services;
  const int64_t N = x_dims[0];
  const int64_t s = y_dims[3] / 8;
  float b[2][2];
  sol_owner r_own(services);
  double* r = nullptr;
  int64_t r_n0 = 0, r_n1 = 0;
  sol_owner a_own(services, sol_new(sol_take(services, sol_count(N, 4), sizeof(double), true)));
  if (SOL_UNLIKELY(!a_own.buffer)) return frame->place = 0, SOL_RAISE;
  double* const a = (double*)a_own.buffer->data;
  double d_few[1];
  double* const __restrict d = d_few;
  r_own.take(sol_retain(a_own.buffer));
  r = a;
  r_n0 = N;
  r_n1 = 4;
  {
    SOL_IVDEP
    for (int64_t c0 = 0; c0 < N; ++c0) {
      a[c0] = x[N - 1 + c0 * -1];
    }
  }
  b[0][1] = sol_as<float>(y)[1];
  d[0] = r[1] + 1.0;
  const int64_t m = sol_add<int64_t>(r_n0, s);
  const int32_t k = sol_add<int32_t>(n, 1);
  if ((int64_t)k < m) {
    d[0] = x[0];
  } else if (k == n) {
  } else {
    d[0] = d[0] * 2.0;
  }
  return SOL_OK;
}

extern "C" SOL_EXPORT int32_t sol_kernel(sol_frame* frame) {
  const int64_t* const in = frame->in;
  sol_clean_registers();
  return layouts_main(frame, frame->out, (double*)in[0], nullptr, in + 1, (sol_c64*)in[3], nullptr, in + 4, in[8], sol_get<int32_t>(in + 9));
}

extern "C" SOL_EXPORT int32_t sol_guard(const int64_t* in) {
  return true;
}
