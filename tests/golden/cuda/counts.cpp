// counts, compiled by soljit.
#include "soljit/prelude.h"
#include "soljit/offload.h"

extern "C" { SOL_EXPORT extern const char* const sol_imports[] = {nullptr}; }
extern "C" { SOL_EXPORT void* sol_slots[1] = {}; }

static const char* const sol_kernel_names[] = {"k0_counts", "k1_counts", nullptr};
static const sol_image sol_kernels = {7606760706347383388ul, 2, sol_kernel_names};

SOL_NOINLINE static int32_t counts_main(sol_frame* frame, int64_t* out, uint8_t* __restrict a, sol_buffer* a_buf, const int64_t* a_dims, int64_t* __restrict out_, sol_buffer* out__buf, const int64_t* out__dims, const int64_t i) {
  const int64_t N = a_dims[0];
  const int64_t M = a_dims[1];
  sol_session gpu(frame, &sol_kernels);
  if (const int32_t failed = gpu.failed) return sol_device_failed(frame, failed, 0, 1);
  sol_mirror a_dev_mirror(gpu, a, 3, a_dims, sizeof(uint8_t), true, true, "a");
  sol_mirror out_dev_mirror(gpu, out_, 1, out__dims, sizeof(int64_t), true, true, "out");
  sol_mirror* const gpu_mirrors[] = {&a_dev_mirror, &out_dev_mirror};
  if (const int32_t failed = sol_place(gpu, gpu_mirrors)) return sol_device_failed(frame, failed, 0, 1);
  const int64_t a_dev_s0 = 7 * M;
  const uint64_t a_dev = a_dev_mirror.at();
  const uint64_t out_dev = out_dev_mirror.at();
  if (10 <= N) {
    if (const int32_t failed = a_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = out_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
    {
      void* const with[] = {(void*)&a_dev, (void*)&out_dev, (void*)&M, (void*)&N, (void*)&a_dev_s0, (void*)&i};
      if (const int32_t failed = gpu.launch(0, M * 256, 256, 1, 1, 1, 1, with)) return sol_device_failed(frame, failed, 0, 1);
    }
    a_dev_mirror.newer = true;
    out_dev_mirror.newer = true;
    if (const int32_t failed = a_dev_mirror.later()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = out_dev_mirror.later()) return sol_device_failed(frame, failed, 0, 1);
  } else {
    if (const int32_t failed = a_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = out_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
    {
      void* const with[] = {(void*)&a_dev, (void*)&out_dev, (void*)&M, (void*)&N, (void*)&a_dev_s0, (void*)&i};
      if (const int32_t failed = gpu.launch(1, M, 256, 1, 1, 1, 1, with)) return sol_device_failed(frame, failed, 0, 1);
    }
    a_dev_mirror.newer = true;
    out_dev_mirror.newer = true;
    if (const int32_t failed = a_dev_mirror.later()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = out_dev_mirror.later()) return sol_device_failed(frame, failed, 0, 1);
  }
  return SOL_OK;
}

extern "C" SOL_EXPORT int32_t sol_kernel(sol_frame* frame) {
  const int64_t* const in = frame->in;
  sol_clean_registers();
  return counts_main(frame, frame->out, (uint8_t*)in[0], nullptr, in + 1, (int64_t*)in[7], nullptr, in + 8, sol_get<int64_t>(in + 10));
}

extern "C" SOL_EXPORT int32_t sol_guard(const int64_t* in) {
  return true;
}
