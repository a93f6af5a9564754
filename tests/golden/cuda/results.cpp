// threadIdx, compiled by soljit.
#include "soljit/prelude.h"
#include "soljit/real.h"
#include "soljit/complex.h"
#include "soljit/offload.h"

extern "C" { SOL_EXPORT extern const char* const sol_imports[] = {nullptr}; }
extern "C" { SOL_EXPORT void* sol_slots[1] = {}; }

static const char* const sol_kernel_names[] = {"k0_threadIdx_", nullptr};
static const sol_image sol_kernels = {14093055878907119910ul, 1, sol_kernel_names};

SOL_NOINLINE static int32_t threadIdx__main(sol_frame* frame, int64_t* out, sol_c64* __restrict a, sol_buffer* a_buf, const int64_t* a_dims, bool* __restrict mask, sol_buffer* mask_buf, const int64_t* mask_dims, const float x, const int64_t n) {
  const sol_services* const services = frame->services;
  const int64_t N = a_dims[0];
  const int64_t M = a_dims[1];
  const int64_t S0 = a_dims[2] / 8;
  const int64_t S1 = a_dims[3] / 8;
  sol_session gpu(frame, &sol_kernels);
  if (const int32_t failed = gpu.failed) return sol_device_failed(frame, failed, 0, 1);
  sol_mirror a_dev_mirror(gpu, a, 2, a_dims, sizeof(sol_c64), false, false, "a");
  sol_mirror mask_dev_mirror(gpu, mask, 1, mask_dims, sizeof(bool), true, false, "mask");
  sol_mirror* const gpu_mirrors[] = {&a_dev_mirror, &mask_dev_mirror};
  if (const int32_t failed = sol_place(gpu, gpu_mirrors)) return sol_device_failed(frame, failed, 0, 1);
  const uint64_t a_dev = a_dev_mirror.at();
  const uint64_t mask_dev = mask_dev_mirror.at();
  sol_owner out__own(services, sol_new(sol_take(services, sol_count(M, N), sizeof(float), false)));
  if (SOL_UNLIKELY(!out__own.buffer)) return frame->place = 0, SOL_RAISE;
  float* const out_ = (float*)out__own.buffer->data;
  const int64_t out_dev_dims[] = {M, N, N * 4, 4};
  sol_mirror out_dev_mirror(gpu, out_, 2, out_dev_dims, sizeof(float), true, true, "out");
  out_dev_mirror.result = true;
  if (SOL_UNLIKELY(!out_dev_mirror.take())) return frame->place = 0, SOL_RAISE;
  const uint64_t out_dev = out_dev_mirror.at();
  if (const int32_t failed = a_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
  if (const int32_t failed = mask_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
  {
    void* const with[] = {(void*)&a_dev, (void*)&mask_dev, (void*)&out_dev, (void*)&M, (void*)&N, (void*)&S0, (void*)&S1, (void*)&n, (void*)&x};
    if (const int32_t failed = gpu.launch(0, N, 32, M, 8, 1, 1, with)) return sol_device_failed(frame, failed, 0, 1);
  }
  out_dev_mirror.newer = true;
  if (const int32_t failed = out_dev_mirror.later()) return sol_device_failed(frame, failed, 0, 1);
  if (SOL_UNLIKELY(sol_mul<int64_t>(2, n) > 3)) {
    sol_put<int64_t>(frame->operands + 0, sol_mul<int64_t>(2, n));
    return frame->place = 2, SOL_RAISE;
  }
  out_dev_mirror.hand_over();
  out[0] = (int64_t)(out_);
  out[1] = (int64_t)sol_retain(out__own.buffer);
  out[2] = M;
  out[3] = N;
  out[4] = N * 4;
  out[5] = 4;
  return SOL_OK;
}

extern "C" SOL_EXPORT int32_t sol_kernel(sol_frame* frame) {
  const int64_t* const in = frame->in;
  sol_clean_registers();
  return threadIdx__main(frame, frame->out, (sol_c64*)in[0], nullptr, in + 1, (bool*)in[5], nullptr, in + 6, sol_get<float>(in + 8), sol_get<int64_t>(in + 9));
}

extern "C" SOL_EXPORT int32_t sol_guard(const int64_t* in) {
  return true;
}
