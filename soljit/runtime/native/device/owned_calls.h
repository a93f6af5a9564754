// What Python asks of the memory of device arrays: the second half of device_api.h.
#ifndef SOLJIT_OWNED_CALLS_H
#define SOLJIT_OWNED_CALLS_H
#include <sys/mman.h>

static sol_owned* add_owned(sol_owned* o) {
  if (o->lo < o->hi) {
    std::lock_guard<std::mutex> locked(owned_table.lock);
    owned_table.entries[o->lo] = o;
  }
  return o;
}

// What this thread has kept for these bytes becomes theirs.
static void take_over_kept(sol_owned* o) {
  for (size_t k = kept_memory.size(); k--;) {
    const KeptMemory& m = kept_memory[k];
    if (m.gpu != o->gpu || o->lo < m.lo || o->hi > m.hi || o->lo == o->hi) continue;
    o->memory = m.at;
    o->at = m.at + (CUdeviceptr)(o->lo - m.lo);
    o->device = true;
    o->host = false;
    kept_memory.erase(kept_memory.begin() + (ptrdiff_t)k);
    return;
  }
}

extern "C" {

sol_owned* sol_owned_new(sol_gpu* g, char* lo, int64_t bytes, int32_t host) {
  sol_owned* const o = new (std::nothrow) sol_owned{g, lo, lo + bytes};
  if (!o) return nullptr;
  o->host = host != 0;
  take_over_kept(o);
  return add_owned(o);
}

sol_owned* sol_owned_outside(sol_gpu* g, uint64_t at, int64_t bytes) {
  void* const lo = mmap(nullptr, (size_t)std::max<int64_t>(bytes, 1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (lo == MAP_FAILED) return nullptr;
  sol_owned* const o = new sol_owned{g, (char*)lo, (char*)lo + bytes};
  o->at = at;
  o->outside = o->device = o->reserved = true;
  return add_owned(o);
}

void sol_owned_free(sol_owned* o) {
  {
    std::lock_guard<std::mutex> locked(owned_table.lock);
    const auto found = owned_table.entries.find(o->lo);
    if (found != owned_table.entries.end() && found->second == o) owned_table.entries.erase(found);
  }
  if (o->memory && !o->gpu->dead) with_device(o->gpu, [&] { return give_memory(*o->gpu, o->memory); });
  if (o->reserved) munmap(o->lo, (size_t)std::max<int64_t>(o->bytes(), 1));
  delete o;
}

void sol_owned_describe(sol_owned* o, sol_owned_facts* facts) {
  with_lock(o->gpu, [&] { *facts = {(uint64_t)(uintptr_t)o->lo, o->at, o->host, o->device, o->writers, o->viewers, o->outside}; });
}

int32_t sol_owned_to_device(sol_owned* o) {
  return with_device(o->gpu, [&] { return owned_arrive(*o); });
}

int32_t sol_owned_open(sol_owned* o, int64_t offset, int64_t bytes, int32_t writer) {
  if (o->gpu->dead && (o->host || !bytes)) return (writer ? o->writers : o->viewers)++, 0;
  return with_device(o->gpu, [&]() -> CUresult {
    char* const lo = o->lo + offset;
    if (writer) return owned_open(*o, lo, lo + bytes);
    if (CUresult r = owned_home(*o, lo, lo + bytes)) return r;
    o->viewers++;
    return 0;
  });
}

void sol_owned_close(sol_owned* o, int32_t writer) {
  with_lock(o->gpu, [&] { (writer ? o->writers : o->viewers)--; });
}

int32_t sol_owned_read(sol_owned* o, int64_t offset, int64_t bytes, char* to) {
  if (o->host) {
    memcpy(to, o->lo + offset, (size_t)bytes);
    return 0;
  }
  return with_device(o->gpu, [&]() -> CUresult {
    if (o->host) return memcpy(to, o->lo + offset, (size_t)bytes), 0;
    sol_gpu& g = *o->gpu;
    const CUresult r = copy_to_host(g, to, o->at + (CUdeviceptr)offset, bytes);
    g.counts.fetch_calls++;
    g.counts.fetch_bytes += bytes;
    g.note(SOL_FETCH, nullptr, bytes, r);
    return r;
  });
}

int32_t sol_owned_write(sol_owned* o, int64_t offset, int64_t bytes, const char* from) {
  return with_device(o->gpu, [&]() -> CUresult {
    const bool all = offset == 0 && bytes == o->bytes();
    if (o->host && (!all || o->goes_home())) {
      memcpy(o->lo + offset, from, (size_t)bytes);
      if (!o->device) return 0;
    } else {
      o->host = false;
    }
    if (CUresult r = owned_take(*o)) return r;
    if (CUresult r = owned_upload(*o->gpu, o->at + (CUdeviceptr)offset, from, bytes, nullptr)) return r;
    o->device = true;
    return 0;
  });
}

int32_t sol_owned_clear(sol_owned* o) {
  return with_device(o->gpu, [&]() -> CUresult {
    sol_gpu& g = *o->gpu;
    if (o->lo == o->hi) return 0;
    if (CUresult r = owned_take(*o)) return r;
    g.counts.fills++;
    g.busy = true;
    const CUresult r = SOL_QUEUE(g, set_bytes_async, o->at, (unsigned char)0, (size_t)o->bytes());
    g.note(SOL_FILL, nullptr, o->bytes(), r);
    if (!r) o->device = true, o->host = false;
    return r;
  });
}

int32_t sol_owned_show(sol_owned* o) {
  const CUresult r = with_device(o->gpu, [&]() -> CUresult {
    if (o->writers || o->viewers) return CUDA_ERROR_INVALID_VALUE;
    if (CUresult r = owned_arrive(*o)) return r;
    o->outside = true;
    o->host = false;
    return o->gpu->synchronize();
  });
  return r;
}

int32_t sol_gpu_wait_for(sol_gpu* g, uint64_t stream) {
  return with_device(g, [&] { return SOL_CALL(*g, synchronize, (CUstream)(uintptr_t)stream); });
}

int32_t sol_gpu_allocation(sol_gpu* g, uint64_t at, uint64_t* lo, int64_t* bytes) {
  size_t size = 0;
  CUdeviceptr first = 0;
  const CUresult r = with_device(g, [&]() -> CUresult { return g->driver->calls.allocation(&first, &size, at); });
  *lo = first;
  *bytes = (int64_t)size;
  return !r;
}
}
#endif
