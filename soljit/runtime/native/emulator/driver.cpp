// A driver of CUDA without a GPU: the entry points that soljit's device layer asks for, on the processor.
//
// It is kinder than a GPU in nothing that can be helped: device addresses fault on the host, work waits until somebody waits for it, new
// memory is full of poison, addresses are never used twice, and every call and byte is counted. Kernels are libraries that g++ made of the
// same text that NVRTC gets. After a fault in a kernel all calls fail, as with CUDA.
#include "driver_memory.h"

#include "driver_graphs.h"

#include "cublas.h"

// --- device and context -----------------------------------------------------------------------------------------------

SOL_ENTRY CUresult cuInit(unsigned flags) {
  SOL_ENTER(NOTHING);
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  if (state().process && state().process != getpid()) return CUDA_ERROR_NOT_INITIALIZED;  // a fork cannot go on
  state().process = getpid();
  if (const char* seed = getenv("SOL_EMULATOR_SEED")) state().seed = strtoull(seed, nullptr, 0);
  if (const char* survives = getenv("SOL_EMULATOR_SURVIVES")) state().survives = strcmp(survives, "1") == 0;
  if (const char* ulps = getenv("SOL_EMULATOR_ULPS")) state().ulps = strcmp(ulps, "1") == 0;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuDriverGetVersion(int* out) {
  SOL_ENTER(NOTHING);
  *out = 13000;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuGetErrorName(CUresult code, const char** out) {
  for (auto& e : error_names)
    if (e.code == code) return *out = e.name, CUDA_SUCCESS;
  return *out = nullptr, CUDA_ERROR_INVALID_VALUE;
}
SOL_ENTRY CUresult cuGetErrorString(CUresult code, const char** out) {
  std::lock_guard<std::recursive_mutex> guard(state().lock);
  const bool left = code && (state().survives ? code == CUDA_ERROR_ILLEGAL_STATE : code == state().broken);
  if (left && !state().faults.empty()) return *out = state().faults.back().c_str(), CUDA_SUCCESS;  // what went wrong
  for (auto& e : error_names)
    if (e.code == code) return *out = e.text, CUDA_SUCCESS;
  return *out = nullptr, CUDA_ERROR_INVALID_VALUE;
}
SOL_ENTRY CUresult cuDeviceGetCount(int* out) {
  SOL_ENTER(DRIVER);
  *out = 1;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuDeviceGet(CUdevice* out, int number) {
  SOL_ENTER(DRIVER);
  if (number) return CUDA_ERROR_INVALID_DEVICE;
  *out = 0;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuDeviceGetName(char* out, int room, CUdevice device) {
  SOL_ENTER(DRIVER);
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  snprintf(out, (size_t)room, "emulated device");
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuDeviceTotalMem_v2(size_t* out, CUdevice device) {
  SOL_ENTER(DRIVER);
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  *out = (size_t)state().memory;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuDeviceGetAttribute(int* out, int number, CUdevice device) {
  SOL_ENTER(DRIVER);
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  for (auto& a : attributes)
    if (a.number == number) return *out = a.value, CUDA_SUCCESS;
  return CUDA_ERROR_INVALID_VALUE;
}
SOL_ENTRY CUresult cuDevicePrimaryCtxRetain(void** out, CUdevice device) {
  SOL_ENTER(DRIVER);
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  ++retained;
  *out = &primary;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  SOL_ENTER(DRIVER);
  if (device || !retained) return CUDA_ERROR_INVALID_VALUE;
  --retained;
  return CUDA_SUCCESS;
}
static bool is_context(void* c) { return !c || c == &primary; }
SOL_ENTRY CUresult cuCtxSetCurrent(void* context) {
  SOL_ENTER(DRIVER);
  if (!is_context(context)) return CUDA_ERROR_INVALID_CONTEXT;
  if (!contexts.empty()) contexts.pop_back();
  if (context) contexts.push_back(context);
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuCtxGetCurrent(void** out) {
  SOL_ENTER(DRIVER);
  *out = contexts.empty() ? nullptr : contexts.back();
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuCtxPushCurrent_v2(void* context) {
  SOL_ENTER(DRIVER);
  if (!context || !is_context(context)) return CUDA_ERROR_INVALID_CONTEXT;
  contexts.push_back(context);
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuCtxPopCurrent_v2(void** out) {
  SOL_ENTER(DRIVER, ANY, false);  // who has begun must be able to end
  if (contexts.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (out) *out = contexts.back();
  contexts.pop_back();
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuCtxSynchronize() {
  SOL_ENTER(CONTEXT, WAIT);
  ++state().counted.waits;
  return streams().drain();
}

// --- streams and events -----------------------------------------------------------------------------------------------

SOL_ENTRY CUresult cuStreamCreate(void** out, unsigned flags) {
  SOL_ENTER(CONTEXT);
  Stream* s = new Stream;
  s->blocking = !(flags & 1);
  streams().others.insert(s);
  *out = s;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuStreamDestroy_v2(void* handle) {
  SOL_ENTER(CONTEXT);
  SOL_STREAM(s, handle);
  if (s == &streams().first) return CUDA_ERROR_INVALID_HANDLE;
  streams().run(*s);
  streams().others.erase(s);
  for (Event* e : streams().events)
    if (e->stream == s) e->stream = nullptr;
  delete s;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuStreamSynchronize(void* handle) {
  SOL_ENTER(CONTEXT, WAIT);
  SOL_STREAM(s, handle);
  ++state().counted.waits;
  if (s == &streams().first) return streams().drain();
  if (s->blocking) streams().run(streams().first);
  return streams().drain(*s);
}
static Event* event_of(void* handle) { return streams().events.count((Event*)handle) ? (Event*)handle : nullptr; }
SOL_ENTRY CUresult cuEventCreate(void** out, unsigned) {
  SOL_ENTER(CONTEXT);
  Event* e = new Event;
  streams().events.insert(e);
  *out = e;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuEventDestroy_v2(void* handle) {
  SOL_ENTER(CONTEXT);
  if (!event_of(handle)) return CUDA_ERROR_INVALID_HANDLE;
  streams().events.erase((Event*)handle);  // it stays: what is queued may still tell it
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuEventRecord(void* handle, void* stream) {
  SOL_ENTER(CONTEXT);
  SOL_STREAM(s, stream);
  Event* const e = event_of(handle);
  if (!e) return CUDA_ERROR_INVALID_HANDLE;
  e->stream = s;
  e->pending = true;
  const uint64_t record = ++e->record;
  streams().push(*s, [=] {
    if (e->record == record) e->pending = false;
    return (CUresult)CUDA_SUCCESS;
  });
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuEventQuery(void* handle) {
  SOL_ENTER(CONTEXT);
  Event* const e = event_of(handle);
  if (!e) return CUDA_ERROR_INVALID_HANDLE;
  if (!e->pending) return CUDA_SUCCESS;
  streams().approach(*e);
  if (state().broken) return told();
  return e->pending ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuEventSynchronize(void* handle) {
  SOL_ENTER(CONTEXT, WAIT);
  Event* const e = event_of(handle);
  if (!e) return CUDA_ERROR_INVALID_HANDLE;
  ++state().counted.waits;
  while (e->pending) streams().approach(*e);
  return told();
}

// --- what tests ask for -----------------------------------------------------------------------------------------------

SOL_ENTRY void sol_fake_counted(sol_fake_counters* out) {
  Entry entry(NOTHING, ANY, false);
  --state().counted.calls;
  *out = state().counted;
}
SOL_ENTRY void sol_fake_reset(void) {
  Entry entry(NOTHING, ANY, false);
  State& s = state();
  for (Stream* stream : streams().others) stream->queue.clear();
  streams().first.queue.clear();
  sol_fake_counters kept = {};
  kept.live = s.counted.live;
  kept.live_bytes = kept.peak_bytes = s.counted.live_bytes;
  kept.pinned = s.counted.pinned;
  kept.pinned_bytes = s.counted.pinned_bytes;
  s.counted = kept;
  s.faults.clear();
  s.broken = 0;
  s.fail_in = s.failed = 0;
}
SOL_ENTRY int64_t sol_fake_newest(void) { return memory().newest; }
SOL_ENTRY void sol_fake_free_later(int64_t number) {
  std::lock_guard<std::recursive_mutex> guard(state().lock);
  streams().drain();
  for (auto& a : memory().all) {
    if (a.second.number <= number || !a.second.live) continue;
    if (!a.second.given) memory().give(a.second);
    memory().unmap(a.second);
  }
}
SOL_ENTRY int32_t sol_fake_faults(void) { return (int32_t)state().faults.size(); }
SOL_ENTRY const char* sol_fake_fault(int32_t k) { return state().faults[(size_t)k].c_str(); }
SOL_ENTRY void sol_fake_poison(int32_t byte) { state().poison = byte & 0xFF; }
SOL_ENTRY void sol_fake_seed(uint64_t seed) { state().seed = seed; }
SOL_ENTRY void sol_fake_ulps(int32_t on) { state().ulps = on != 0; }
SOL_ENTRY void sol_fake_survive(int32_t on) { state().survives = on != 0; }
SOL_ENTRY void sol_fake_memory(int64_t bytes) { state().memory = bytes; }
SOL_ENTRY void sol_fake_defer(int32_t on) { state().defer = on != 0; }
SOL_ENTRY void sol_fake_check_unwritten(int32_t on) { state().check_unwritten = on != 0; }
SOL_ENTRY void sol_fake_fail(int32_t kind, int64_t k, int32_t code) {
  state().fail_kind = (Kind)kind;
  state().fail_in = k;
  state().fail_code = code;
}
SOL_ENTRY int64_t sol_fake_failed(void) { return state().failed; }
