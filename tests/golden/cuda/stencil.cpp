// jacobi, compiled by soljit.
#include "soljit/prelude.h"
#include "soljit/look.h"
#include "soljit/real.h"
#include "soljit/offload.h"

extern "C" { SOL_EXPORT extern const char* const sol_imports[] = {nullptr}; }
extern "C" { SOL_EXPORT void* sol_slots[1] = {}; }

static const char* const sol_kernel_names[] = {"k0_jacobi", "k1_jacobi", "k2_jacobi", nullptr};
static const sol_image sol_kernels = {10496055730922771863ul, 3, sol_kernel_names};

SOL_NOINLINE static int32_t jacobi_main(sol_frame* frame, int64_t* out, const int64_t T, double* __restrict A, sol_buffer* A_buf, const int64_t* A_dims, double* __restrict B, sol_buffer* B_buf, const int64_t* B_dims, const double w) {
  int64_t left = SOL_LOOK;
  const int64_t N = A_dims[0];
  const int64_t M = A_dims[1];
  sol_session gpu(frame, &sol_kernels);
  if (const int32_t failed = gpu.failed) return sol_device_failed(frame, failed, 0, 1);
  sol_mirror A_dev_mirror(gpu, A, 2, A_dims, sizeof(double), true, true, "A");
  sol_mirror B_dev_mirror(gpu, B, 2, B_dims, sizeof(double), true, true, "B");
  sol_mirror* const gpu_mirrors[] = {&A_dev_mirror, &B_dev_mirror};
  if (const int32_t failed = sol_place(gpu, gpu_mirrors)) return sol_device_failed(frame, failed, 0, 1);
  const uint64_t A_dev = A_dev_mirror.at();
  const uint64_t B_dev = B_dev_mirror.at();
  if (0.0 < (((double)T - 1.0) * (((double)N - 2.0) * ((double)M - 2.0) * 12.0 * -3.5606060606060608e-06 + 2.0 + (sol_max(0.0, (double)N - 2.0) * sol_max(0.0, ((double)M + 1.0) / 2.0 - 1.0) * 2.0 * -3.5606060606060608e-06 + 2.0)))) {
    if (const int32_t failed = A_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = B_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
    {
      void* const with[] = {(void*)&A_dev, (void*)&B_dev, (void*)&M, (void*)&N, (void*)&T, (void*)&w};
      if (const int32_t failed = gpu.gpu->launch_together(gpu.session, 0, (4096 <= sol_imax<int64_t>(sol_imax<int64_t>(0, sol_add<int64_t>(sol_sub<int64_t>(sol_sub<int64_t>(sol_mul<int64_t>(M, N), sol_mul<int64_t>(2, M)), sol_mul<int64_t>(2, N)), 4)), sol_mul<int64_t>(sol_imax<int64_t>(0, sol_sub<int64_t>(sol_floordiv<int64_t>(sol_add<int64_t>(M, 1), 2), 1)), sol_imax<int64_t>(0, sol_sub<int64_t>(N, 2))))) ? sol_floordiv<int64_t>(sol_imax<int64_t>(sol_imax<int64_t>(0, M * N - 2 * M - 2 * N + 4), sol_imax<int64_t>(0, sol_floordiv<int64_t>(M + 1, 2) - 1) * sol_imax<int64_t>(0, N - 2)) + 511, 512) : 1, 512, with)) return sol_device_failed(frame, failed, 0, 1);
    }
    A_dev_mirror.newer = true;
    B_dev_mirror.newer = true;
    if (const int32_t failed = A_dev_mirror.later()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = B_dev_mirror.later()) return sol_device_failed(frame, failed, 0, 1);
  } else {
    if (const int32_t failed = A_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = B_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
    const int64_t work = sol_work(sol_add<int64_t>(sol_mul<int64_t>(sol_mul<int64_t>(sol_imax<int64_t>(0, sol_sub<int64_t>(N, 2)), sol_imax<int64_t>(0, sol_sub<int64_t>(sol_floordiv<int64_t>(sol_add<int64_t>(M, 1), 2), 1))), 2), 21));
    for (int64_t t = 1; t < T; ++t) {
      const int64_t some = (1048576l <= sol_mul<int64_t>(sol_imax<int64_t>(0, sol_sub<int64_t>(M, 2)), sol_imax<int64_t>(0, sol_sub<int64_t>(N, 2)))) ? 8 : 1;
      const int64_t pieces = sol_floordiv<int64_t>(sol_sub<int64_t>(sol_add<int64_t>(some, sol_imax<int64_t>(0, sol_sub<int64_t>(N, 2))), 1), some);
      {
        void* const with[] = {(void*)&A_dev, (void*)&B_dev, (void*)&M, (void*)&N, (void*)&pieces, (void*)&some, (void*)&w};
        if (const int32_t failed = gpu.launch(1, sol_len(0, M - 2), 64, sol_len(0, pieces), 4, 1, 1, with)) return sol_device_failed(frame, failed, 0, 1);
      }
      B_dev_mirror.newer = true;
      {
        void* const with[] = {(void*)&A_dev, (void*)&B_dev, (void*)&M, (void*)&N};
        if (const int32_t failed = gpu.launch(2, sol_trip(1, M - 1, 2), 32, sol_trip(N - 2, 0, -1), 8, 1, 1, with)) return sol_device_failed(frame, failed, 0, 1);
      }
      A_dev_mirror.newer = true;
      if (SOL_UNLIKELY((left -= work) < 0) && !(left = sol_look(frame, 2))) return SOL_PYTHON;
    }
    if (const int32_t failed = B_dev_mirror.later()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = A_dev_mirror.later()) return sol_device_failed(frame, failed, 0, 1);
  }
  return SOL_OK;
}

extern "C" SOL_EXPORT int32_t sol_kernel(sol_frame* frame) {
  const int64_t* const in = frame->in;
  sol_clean_registers();
  return jacobi_main(frame, frame->out, sol_get<int64_t>(in + 0), (double*)in[1], nullptr, in + 2, (double*)in[6], nullptr, in + 7, sol_get<double>(in + 11));
}

extern "C" SOL_EXPORT int32_t sol_guard(const int64_t* in) {
  const int64_t* const A_dims = in + 2;
  const int64_t N = A_dims[0];
  const int64_t M = A_dims[1];
  return (3 <= N) && (3 <= M);
}
