// block, compiled by soljit.
#include "soljit/prelude.h"
#include "soljit/look.h"
#include "soljit/real.h"
#include "soljit/complex.h"
#include "soljit/offload.h"

extern "C" { SOL_EXPORT extern const char* const sol_imports[] = {nullptr}; }
extern "C" { SOL_EXPORT void* sol_slots[1] = {}; }

static const char* const sol_kernel_names[] = {"k0_block", "k1_block", "k2_block", "k3_block", "k4_block", "k5_block", "k6_block", "k7_block", "k8_block", "k9_block", "k10_block", nullptr};
static const sol_image sol_kernels = {5675411186762485818ul, 11, sol_kernel_names};

SOL_NOINLINE static int32_t block_main(sol_frame* frame, int64_t* out, double* __restrict A, sol_buffer* A_buf, const int64_t* A_dims, sol_c64* __restrict x, sol_buffer* x_buf, const int64_t* x_dims, float* __restrict out_, sol_buffer* out__buf, const int64_t* out__dims, int64_t* __restrict seen, sol_buffer* seen_buf, const int64_t* seen_dims, bool* __restrict hot, sol_buffer* hot_buf, const int64_t* hot_dims) {
  const sol_services* const services = frame->services;
  int64_t left = SOL_LOOK;
  const int64_t N = A_dims[0];
  const int64_t M = A_dims[1];
  sol_session gpu(frame, &sol_kernels);
  if (const int32_t failed = gpu.failed) return sol_device_failed(frame, failed, 0, 1);
  sol_mirror A_dev_mirror(gpu, A, 2, A_dims, sizeof(double), true, true, "A");
  sol_mirror hot_dev_mirror(gpu, hot, 1, hot_dims, sizeof(bool), true, false, "hot");
  sol_mirror out_dev_mirror(gpu, out_, 1, out__dims, sizeof(float), true, true, "out");
  sol_mirror seen_dev_mirror(gpu, seen, 1, seen_dims, sizeof(int64_t), true, true, "seen");
  sol_mirror x_dev_mirror(gpu, x, 1, x_dims, sizeof(sol_c64), true, true, "x");
  if (const int32_t failed = out_dev_mirror.visit(true)) return sol_device_failed(frame, failed, 0, 1);
  if (const int32_t failed = seen_dev_mirror.visit(true)) return sol_device_failed(frame, failed, 0, 1);
  sol_mirror* const gpu_mirrors[] = {&A_dev_mirror, &hot_dev_mirror, &out_dev_mirror, &seen_dev_mirror, &x_dev_mirror};
  if (const int32_t failed = sol_place(gpu, gpu_mirrors)) return sol_device_failed(frame, failed, 0, 1);
  const uint64_t A_dev = A_dev_mirror.at();
  const uint64_t hot_dev = hot_dev_mirror.at();
  const uint64_t out_dev = out_dev_mirror.at();
  const uint64_t seen_dev = seen_dev_mirror.at();
  const uint64_t x_dev = x_dev_mirror.at();
  const sol_memory any_mem(services, sol_take(services, 1, sizeof(bool), false));
  if (SOL_UNLIKELY(!any_mem.data)) return frame->place = 0, SOL_RAISE;
  bool* const __restrict any = (bool*)any_mem.data;
  sol_mirror any_dev_mirror(gpu, any, 0, nullptr, sizeof(bool), true, true, "any");
  if (SOL_UNLIKELY(!any_dev_mirror.take())) return frame->place = 0, SOL_RAISE;
  const uint64_t any_dev = any_dev_mirror.at();
  const sol_memory norm_mem(services, sol_take(services, 1, sizeof(double), false));
  if (SOL_UNLIKELY(!norm_mem.data)) return frame->place = 0, SOL_RAISE;
  double* const __restrict norm = (double*)norm_mem.data;
  sol_mirror norm_dev_mirror(gpu, norm, 0, nullptr, sizeof(double), true, true, "norm");
  if (SOL_UNLIKELY(!norm_dev_mirror.take())) return frame->place = 0, SOL_RAISE;
  const uint64_t norm_dev = norm_dev_mirror.at();
  const sol_memory top_mem(services, sol_take(services, 1, sizeof(float), false));
  if (SOL_UNLIKELY(!top_mem.data)) return frame->place = 0, SOL_RAISE;
  float* const __restrict top = (float*)top_mem.data;
  sol_mirror top_dev_mirror(gpu, top, 0, nullptr, sizeof(float), true, true, "top");
  if (SOL_UNLIKELY(!top_dev_mirror.take())) return frame->place = 0, SOL_RAISE;
  const uint64_t top_dev = top_dev_mirror.at();
  const sol_device_memory pivot_there_mem(gpu, 8);
  if (SOL_UNLIKELY(!pivot_there_mem.at)) return frame->place = 0, SOL_RAISE;
  const uint64_t pivot_there = pivot_there_mem.at;
  norm[0] = 0.0;
  if (0.0 < ((double)M * ((double)N * 11.0 * -6.606060606060607e-05 + 2.0 + ((double)N * 2.0 * -6.606060606060607e-05 + 2.0) + 2.0 + (sol_max(0.0, (double)N - (double)M / 2.0 - 1.0) * 6.0 * -6.606060606060607e-05 + 2.0 + (((double)N - (double)M / 2.0 - 1.0) * ((double)M - (double)M / 2.0 - 1.0) * 6.0 * -3.5606060606060608e-06 + 2.0)) * 0.5 + ((double)M * 12.0 * -6.606060606060607e-05 + 2.0) + 16.0 * ((double)M * 3.0 * -6.606060606060607e-05 + 2.0)))) {
    const sol_memory norm_there_mem(services, sol_take(services, 1, sizeof(double), false));
    if (SOL_UNLIKELY(!norm_there_mem.data)) return frame->place = 0, SOL_RAISE;
    double* const __restrict norm_there = (double*)norm_there_mem.data;
    sol_mirror norm_there_dev_mirror(gpu, norm_there, 0, nullptr, sizeof(double), true, true, "norm_there");
    if (SOL_UNLIKELY(!norm_there_dev_mirror.take())) return frame->place = 0, SOL_RAISE;
    const uint64_t norm_there_dev = norm_there_dev_mirror.at();
    if (const int32_t failed = A_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = hot_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = norm_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = out_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = seen_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = x_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
    {
      void* const with[] = {(void*)&A_dev, (void*)&hot_dev, (void*)&norm_dev, (void*)&norm_there_dev, (void*)&out_dev, (void*)&seen_dev, (void*)&x_dev, (void*)&M, (void*)&N};
      if (const int32_t failed = gpu.gpu->launch_together(gpu.session, 0, (4096 <= sol_imax<int64_t>(0, sol_add<int64_t>(sol_sub<int64_t>(sol_sub<int64_t>(sol_sub<int64_t>(sol_sub<int64_t>(sol_add<int64_t>(sol_add<int64_t>(sol_mul<int64_t>(2, sol_floordiv<int64_t>(M, 2)), sol_mul<int64_t>(sol_floordiv<int64_t>(M, 2), sol_floordiv<int64_t>(M, 2))), sol_mul<int64_t>(M, N)), M), N), sol_mul<int64_t>(M, sol_floordiv<int64_t>(M, 2))), sol_mul<int64_t>(N, sol_floordiv<int64_t>(M, 2))), 1))) ? sol_floordiv<int64_t>(sol_imax<int64_t>(0, 2 * sol_floordiv<int64_t>(M, 2) + sol_floordiv<int64_t>(M, 2) * sol_floordiv<int64_t>(M, 2) + M * N - M - N - M * sol_floordiv<int64_t>(M, 2) - N * sol_floordiv<int64_t>(M, 2) + 1) + 511, 512) : 1, 512, with)) return sol_device_failed(frame, failed, 0, 1);
    }
    A_dev_mirror.newer = true;
    out_dev_mirror.newer = true;
    seen_dev_mirror.newer = true;
    x_dev_mirror.newer = true;
    if (const int32_t failed = A_dev_mirror.later()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = norm_there_dev_mirror.leave()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = out_dev_mirror.later()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = seen_dev_mirror.later()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = x_dev_mirror.later()) return sol_device_failed(frame, failed, 0, 1);
    norm[0] = norm_there[0];
  } else {
    const int64_t each = sol_mul<int64_t>(256, sol_floordiv<int64_t>(sol_sub<int64_t>(sol_add<int64_t>(sol_mul<int64_t>(256, sol_imax<int64_t>(1, sol_imin<int64_t>(1024, sol_floordiv<int64_t>(sol_add<int64_t>(sol_imax<int64_t>(N, 0), 2047), 2048)))), sol_imax<int64_t>(N, 0)), 1), sol_mul<int64_t>(256, sol_imax<int64_t>(1, sol_imin<int64_t>(1024, sol_floordiv<int64_t>(sol_add<int64_t>(sol_imax<int64_t>(N, 0), 2047), 2048))))));
    const int64_t norm_parts_n0 = sol_imax<int64_t>(1, sol_imin<int64_t>(1024, sol_floordiv<int64_t>(sol_imax<int64_t>(N, 0) + 2047, 2048)));
    const sol_device_memory norm_parts_mem(gpu, sol_count(norm_parts_n0, 8));
    if (SOL_UNLIKELY(!norm_parts_mem.at)) return frame->place = 0, SOL_RAISE;
    const uint64_t norm_parts = norm_parts_mem.at;
    const int64_t x_parts_n0 = sol_imax<int64_t>(1, sol_imin<int64_t>(1024, sol_floordiv<int64_t>(sol_imax<int64_t>(N, 0) + 2047, 2048)));
    const sol_device_memory x_parts_mem(gpu, sol_count(x_parts_n0, 16));
    if (SOL_UNLIKELY(!x_parts_mem.at)) return frame->place = 0, SOL_RAISE;
    const uint64_t x_parts = x_parts_mem.at;
    const sol_device_memory norm_total_mem(gpu, 8);
    if (SOL_UNLIKELY(!norm_total_mem.at)) return frame->place = 0, SOL_RAISE;
    const uint64_t norm_total = norm_total_mem.at;
    const int64_t each_1 = sol_mul<int64_t>(256, sol_floordiv<int64_t>(sol_sub<int64_t>(sol_add<int64_t>(sol_mul<int64_t>(256, sol_imax<int64_t>(1, sol_imin<int64_t>(1024, sol_floordiv<int64_t>(sol_add<int64_t>(sol_imax<int64_t>(N, 0), 2047), 2048)))), sol_imax<int64_t>(N, 0)), 1), sol_mul<int64_t>(256, sol_imax<int64_t>(1, sol_imin<int64_t>(1024, sol_floordiv<int64_t>(sol_add<int64_t>(sol_imax<int64_t>(N, 0), 2047), 2048))))));
    const int64_t any_parts_n0 = sol_imax<int64_t>(1, sol_imin<int64_t>(1024, sol_floordiv<int64_t>(sol_imax<int64_t>(N, 0) + 2047, 2048)));
    const sol_device_memory any_parts_mem(gpu, sol_count(any_parts_n0, 1));
    if (SOL_UNLIKELY(!any_parts_mem.at)) return frame->place = 0, SOL_RAISE;
    const uint64_t any_parts = any_parts_mem.at;
    const sol_device_memory any_total_mem(gpu, 1);
    if (SOL_UNLIKELY(!any_total_mem.at)) return frame->place = 0, SOL_RAISE;
    const uint64_t any_total = any_total_mem.at;
    const int64_t each_2 = sol_mul<int64_t>(256, sol_floordiv<int64_t>(sol_sub<int64_t>(sol_add<int64_t>(sol_mul<int64_t>(256, sol_imax<int64_t>(1, sol_imin<int64_t>(341, sol_floordiv<int64_t>(sol_add<int64_t>(sol_imax<int64_t>(M, 0), 2047), 2048)))), sol_imax<int64_t>(M, 0)), 1), sol_mul<int64_t>(256, sol_imax<int64_t>(1, sol_imin<int64_t>(341, sol_floordiv<int64_t>(sol_add<int64_t>(sol_imax<int64_t>(M, 0), 2047), 2048))))));
    const int64_t top_parts_n1 = sol_imax<int64_t>(1, sol_imin<int64_t>(341, sol_floordiv<int64_t>(sol_imax<int64_t>(M, 0) + 2047, 2048)));
    const sol_device_memory top_parts_mem(gpu, sol_count(sol_count(3, top_parts_n1), 4));
    if (SOL_UNLIKELY(!top_parts_mem.at)) return frame->place = 0, SOL_RAISE;
    const uint64_t top_parts = top_parts_mem.at;
    const sol_device_memory top_total_mem(gpu, 4);
    if (SOL_UNLIKELY(!top_total_mem.at)) return frame->place = 0, SOL_RAISE;
    const uint64_t top_total = top_total_mem.at;
    if (const int32_t failed = A_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = x_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = hot_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
    for (int64_t k = 0; k < M; ++k) {
      {
        void* const with[] = {(void*)&A_dev, (void*)&norm_parts, (void*)&x_parts, (void*)&M, (void*)&N, (void*)&each, (void*)&k};
        if (const int32_t failed = gpu.launch(1, sol_len(0, sol_imax<int64_t>(1, sol_imin<int64_t>(1024, sol_floordiv<int64_t>(sol_imax<int64_t>(N, 0) + 2047, 2048)))) * 256, 256, 1, 1, 1, 1, with)) return sol_device_failed(frame, failed, 0, 1);
      }
      {
        void* const with[] = {(void*)&norm_dev, (void*)&norm_parts, (void*)&norm_total, (void*)&x_dev, (void*)&x_parts, (void*)&N, (void*)&k};
        if (const int32_t failed = gpu.launch(2, 1 * 512, 512, 1, 1, 1, 1, with)) return sol_device_failed(frame, failed, 0, 1);
      }
      x_dev_mirror.newer = true;
      if (const int32_t failed = norm_dev_mirror.leave()) return sol_device_failed(frame, failed, 0, 1);
      {
        void* const with[] = {(void*)&any_parts, (void*)&hot_dev, (void*)&N, (void*)&each_1};
        if (const int32_t failed = gpu.launch(3, sol_len(0, sol_imax<int64_t>(1, sol_imin<int64_t>(1024, sol_floordiv<int64_t>(sol_imax<int64_t>(N, 0) + 2047, 2048)))) * 256, 256, 1, 1, 1, 1, with)) return sol_device_failed(frame, failed, 0, 1);
      }
      {
        void* const with[] = {(void*)&any_dev, (void*)&any_parts, (void*)&any_total, (void*)&N};
        if (const int32_t failed = gpu.launch(4, 1 * 512, 512, 1, 1, 1, 1, with)) return sol_device_failed(frame, failed, 0, 1);
      }
      if (const int32_t failed = any_dev_mirror.leave()) return sol_device_failed(frame, failed, 0, 1);
      out_[k] = (float)norm[0];
      seen[k] = sol_add<int64_t>(seen[k - 1], 1);
      if (any[0]) {
        const int64_t work = sol_work(sol_add<int64_t>(sol_add<int64_t>(sol_mul<int64_t>(sol_imax<int64_t>(0, sol_sub<int64_t>(sol_sub<int64_t>(N, k), 1)), 7), sol_mul<int64_t>(sol_mul<int64_t>(sol_sub<int64_t>(sol_sub<int64_t>(N, k), 1), sol_sub<int64_t>(sol_sub<int64_t>(M, k), 1)), 6)), 2));
        left -= work;
        {
          void* const with[] = {(void*)&A_dev, (void*)&pivot_there, (void*)&M, (void*)&k};
          if (const int32_t failed = gpu.launch(5, 1, 256, 1, 1, 1, 1, with)) return sol_device_failed(frame, failed, 0, 1);
        }
        {
          void* const with[] = {(void*)&A_dev, (void*)&pivot_there, (void*)&M, (void*)&N, (void*)&k};
          if (const int32_t failed = gpu.launch(6, sol_trip(N - 1, k, -1), 256, 1, 1, 1, 1, with)) return sol_device_failed(frame, failed, 0, 1);
        }
        A_dev_mirror.newer = true;
        {
          void* const with[] = {(void*)&A_dev, (void*)&M, (void*)&N, (void*)&k};
          if (const int32_t failed = gpu.launch(7, sol_len(k + 1, M), 32, sol_len(k + 1, N), 8, 1, 1, with)) return sol_device_failed(frame, failed, 0, 1);
        }
        A_dev_mirror.newer = true;
      }
      top[0] = out_[0];
      if (const int32_t failed = out_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
      {
        void* const with[] = {(void*)&out_dev, (void*)&top_parts, (void*)&M, (void*)&each_2, (void*)&top_parts_n1};
        if (const int32_t failed = gpu.launch(8, sol_len(0, sol_imax<int64_t>(1, sol_imin<int64_t>(341, sol_floordiv<int64_t>(sol_imax<int64_t>(M, 0) + 2047, 2048)))) * 256, 256, 3, 1, 1, 1, with)) return sol_device_failed(frame, failed, 0, 1);
      }
      if (const int32_t failed = top_dev_mirror.arrive()) return sol_device_failed(frame, failed, 0, 1);
      {
        void* const with[] = {(void*)&top_dev, (void*)&top_parts, (void*)&top_total, (void*)&M, (void*)&top_parts_n1};
        if (const int32_t failed = gpu.launch(9, 1 * 512, 512, 1, 1, 1, 1, with)) return sol_device_failed(frame, failed, 0, 1);
      }
      if (const int32_t failed = top_dev_mirror.leave()) return sol_device_failed(frame, failed, 0, 1);
      const int64_t work_1 = sol_work(sol_add<int64_t>(sol_add<int64_t>(sol_mul<int64_t>(M, 3), M), 7));
      while (top[0] > out_[k]) {
        top[0] = top[0] * 0.5f;
        {
          void* const with[] = {(void*)&out_dev, (void*)&M};
          if (const int32_t failed = gpu.launch(10, M, 256, 1, 1, 1, 1, with)) return sol_device_failed(frame, failed, 0, 1);
        }
        out_dev_mirror.newer = true;
        if (const int32_t failed = out_dev_mirror.leave()) return sol_device_failed(frame, failed, 0, 1);
        if (norm[0] > 100.0) {
          break;
        }
        if (SOL_UNLIKELY((left -= work_1) < 0) && !(left = sol_look(frame, 2))) return SOL_PYTHON;
      }
      if (SOL_UNLIKELY((left -= 1024) < 0) && !(left = sol_look(frame, 2))) return SOL_PYTHON;
    }
    if (const int32_t failed = x_dev_mirror.later()) return sol_device_failed(frame, failed, 0, 1);
    if (const int32_t failed = A_dev_mirror.later()) return sol_device_failed(frame, failed, 0, 1);
  }
  sol_put<double>(out + 0, norm[0]);
  return SOL_OK;
}

extern "C" SOL_EXPORT int32_t sol_kernel(sol_frame* frame) {
  const int64_t* const in = frame->in;
  sol_clean_registers();
  return block_main(frame, frame->out, (double*)in[0], nullptr, in + 1, (sol_c64*)in[5], nullptr, in + 6, (float*)in[8], nullptr, in + 9, (int64_t*)in[11], nullptr, in + 12, (bool*)in[14], nullptr, in + 15);
}

extern "C" SOL_EXPORT int32_t sol_guard(const int64_t* in) {
  const int64_t* const A_dims = in + 1;
  const int64_t N = A_dims[0];
  const int64_t M = A_dims[1];
  return (2 <= N) && (2 <= M);
}
