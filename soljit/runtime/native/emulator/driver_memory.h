// Entry points of the driver: memory and copies.
#ifndef SOLJIT_EMULATOR_DRIVER_MEMORY_H
#define SOLJIT_EMULATOR_DRIVER_MEMORY_H
#include "entry.h"

using namespace fake;

static CUresult allocate(CUdeviceptr* out, size_t bytes) {
  if (!out || !bytes) return wrong(CUDA_ERROR_INVALID_VALUE, "an allocation of 0 bytes");
  Allocation* a = memory().take(bytes);
  if (!a) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = a->address();
  return CUDA_SUCCESS;
}
// The allocation that begins at an address, to be freed; NULL and a fault if there is none.
static Allocation* to_be_freed(CUdeviceptr at) {
  Allocation* a = at >= AWAY ? memory().before((uintptr_t)(at - AWAY)) : nullptr;
  if (!a || a->address() != at) {
    note(text("free: 0x%llx is not where an allocation begins", at));
    return nullptr;
  }
  if (a->given) {
    note(text("freed twice: allocation %lld of %zu bytes", (long long)a->number, a->bytes));
    return nullptr;
  }
  return a;
}

SOL_ENTRY CUresult cuMemAlloc_v2(CUdeviceptr* out, size_t bytes) {
  SOL_ENTER(CONTEXT, ALLOCATION);
  return allocate(out, bytes);
}
SOL_ENTRY CUresult cuMemAllocAsync(CUdeviceptr* out, size_t bytes, void* stream) {
  SOL_ENTER(CONTEXT, ALLOCATION);
  SOL_STREAM(s, stream);
  (void)s;
  return allocate(out, bytes);
}
SOL_ENTRY CUresult cuMemFree_v2(CUdeviceptr at) {
  SOL_ENTER(CONTEXT);
  if (!at) return CUDA_SUCCESS;
  ++state().counted.implied_waits;
  if (const CUresult failed = streams().drain()) return failed;
  Allocation* a = to_be_freed(at);
  if (!a) return CUDA_ERROR_INVALID_VALUE;
  memory().give(*a);
  memory().unmap(*a);
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuMemFreeAsync(CUdeviceptr at, void* stream) {
  SOL_ENTER(CONTEXT);
  if (!at) return CUDA_SUCCESS;
  SOL_STREAM(s, stream);
  Allocation* a = to_be_freed(at);
  if (!a) return CUDA_ERROR_INVALID_VALUE;
  memory().give(*a);
  streams().push(*s, [a] {
    memory().unmap(*a);
    return (CUresult)CUDA_SUCCESS;
  });
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuMemGetAddressRange_v2(CUdeviceptr* first, size_t* bytes, CUdeviceptr at) {
  SOL_ENTER(CONTEXT);
  Allocation* a = at >= AWAY ? memory().holding((uintptr_t)(at - AWAY), 1) : nullptr;
  if (!a || !a->live) return CUDA_ERROR_NOT_FOUND;
  if (first) *first = a->address();
  if (bytes) *bytes = a->bytes;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuMemGetInfo_v2(size_t* left, size_t* all) {
  SOL_ENTER(CONTEXT);
  const State& s = state();
  *all = (size_t)s.memory;
  *left = s.memory > s.counted.live_bytes ? (size_t)(s.memory - s.counted.live_bytes) : 0;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuDeviceGetDefaultMemPool(void** out, CUdevice device) {
  SOL_ENTER(DRIVER);
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  *out = &primary;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuMemPoolSetAttribute(void* pool, int, void* value) {
  SOL_ENTER(DRIVER);
  return pool == &primary && value ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
SOL_ENTRY CUresult cuMemPoolTrimTo(void* pool, size_t) {
  SOL_ENTER(DRIVER);
  return pool == &primary ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SOL_ENTRY CUresult cuMemHostAlloc(void** out, size_t bytes, unsigned) {
  SOL_ENTER(CONTEXT, ALLOCATION);
  if (!out || !bytes) return CUDA_ERROR_INVALID_VALUE;
  const size_t n = (bytes + page() - 1) / page() * page();
  void* p = mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  memset(p, state().poison, n);
  pinned().all[(uintptr_t)p] = bytes;
  ++state().counted.pinned;
  state().counted.pinned_bytes += (int64_t)bytes;
  *out = p;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuMemFreeHost(void* p) {
  SOL_ENTER(CONTEXT);
  auto it = pinned().all.find((uintptr_t)p);
  if (it == pinned().all.end()) return wrong(CUDA_ERROR_INVALID_VALUE, "free: no pinned memory begins there");
  --state().counted.pinned;
  state().counted.pinned_bytes -= (int64_t)it->second;
  munmap(p, (it->second + page() - 1) / page() * page());
  pinned().all.erase(it);
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuPointerGetAttribute(void* out, int attribute, CUdeviceptr at) {
  SOL_ENTER(CONTEXT);
  if (attribute == 2 && pinned().hold((const void*)at, 1)) return *(unsigned*)out = MEMORY_HOST, CUDA_SUCCESS;
  Allocation* a = at >= AWAY ? memory().holding((uintptr_t)(at - AWAY), 1) : nullptr;
  if (!a || a->given) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case 1: return *(void**)out = &primary, CUDA_SUCCESS;                 // CONTEXT
    case 2: return *(unsigned*)out = MEMORY_DEVICE, CUDA_SUCCESS;         // MEMORY_TYPE
    case 3: return *(CUdeviceptr*)out = at, CUDA_SUCCESS;                 // DEVICE_POINTER
    case 9: return *(int*)out = 0, CUDA_SUCCESS;                          // DEVICE_ORDINAL
    case 11: return *(CUdeviceptr*)out = a->address(), CUDA_SUCCESS;      // RANGE_START_ADDR
    case 12: return *(size_t*)out = a->bytes, CUDA_SUCCESS;               // RANGE_SIZE
    default: return CUDA_ERROR_INVALID_VALUE;
  }
}

// --- copies -----------------------------------------------------------------------------------------------------------

static CUresult row(Stream& s, bool to_device, uint64_t to, bool from_device, uint64_t from, size_t n) {
  return transfer(s, {to_device, to, n}, {from_device, from, n}, n, 1);
}
SOL_ENTRY CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t n, void* stream) {
  SOL_ENTER(CONTEXT, COPY);
  SOL_STREAM(s, stream);
  return row(*s, true, to, false, (uint64_t)from, n);
}
SOL_ENTRY CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t n, void* stream) {
  SOL_ENTER(CONTEXT, COPY);
  SOL_STREAM(s, stream);
  return row(*s, false, (uint64_t)to, true, from, n);
}
SOL_ENTRY CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n, void* stream) {
  SOL_ENTER(CONTEXT, COPY);
  SOL_STREAM(s, stream);
  return row(*s, true, to, true, from, n);
}
// The same, of which one knows that they are done.
static CUresult done(CUresult failed) {
  ++state().counted.implied_waits;
  const CUresult later = streams().drain(streams().first);
  return failed ? failed : later;
}
SOL_ENTRY CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t n) {
  SOL_ENTER(CONTEXT, COPY);
  return done(row(streams().first, true, to, false, (uint64_t)from, n));
}
SOL_ENTRY CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t n) {
  SOL_ENTER(CONTEXT, COPY);
  return done(row(streams().first, false, (uint64_t)to, true, from, n));
}
SOL_ENTRY CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* c, void* stream) {
  SOL_ENTER(CONTEXT, COPY);
  SOL_STREAM(s, stream);
  if (!c || (c->src_type != MEMORY_HOST && c->src_type != MEMORY_DEVICE) || (c->dst_type != MEMORY_HOST && c->dst_type != MEMORY_DEVICE)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const size_t to_pitch = c->dst_pitch ? c->dst_pitch : c->dst_x + c->width, from_pitch = c->src_pitch ? c->src_pitch : c->src_x + c->width;
  if (c->height > 1 && (to_pitch < c->dst_x + c->width || from_pitch < c->src_x + c->width)) {
    return wrong(CUDA_ERROR_INVALID_VALUE, "a copy of rows that are longer than their pitch");
  }
  const bool to_device = c->dst_type == MEMORY_DEVICE, from_device = c->src_type == MEMORY_DEVICE;
  const uint64_t to = (to_device ? c->dst_device : (uint64_t)c->dst_host) + c->dst_y * to_pitch + c->dst_x;
  const uint64_t from = (from_device ? c->src_device : (uint64_t)c->src_host) + c->src_y * from_pitch + c->src_x;
  return transfer(*s, {to_device, to, to_pitch}, {from_device, from, from_pitch}, c->width, c->height);
}
SOL_ENTRY CUresult cuMemsetD8Async(CUdeviceptr at, unsigned char byte, size_t n, void* stream) {
  SOL_ENTER(CONTEXT, COPY);
  SOL_STREAM(s, stream);
  if (!n) return CUDA_SUCCESS;
  if (!device_bytes(at, n, "fill", false)) return CUDA_ERROR_INVALID_VALUE;
  ++state().counted.fills;
  state().counted.fill_bytes += (int64_t)n;
  streams().push(*s, [=] {
    char* const p = device_bytes(at, n, "fill", true);
    if (!p) return (CUresult)CUDA_ERROR_ILLEGAL_ADDRESS;
    memset(p, byte, n);
    Allocation* a = memory().holding((uintptr_t)p, n);
    a->shadow.wrote((size_t)(p - a->data), n);
    return (CUresult)CUDA_SUCCESS;
  });
  return CUDA_SUCCESS;
}
#endif
