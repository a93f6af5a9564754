// Memory of a device.
#ifndef SOLJIT_MEMORY_H
#define SOLJIT_MEMORY_H
#include <algorithm>

#include "gpu.h"

static inline CUresult allocate_once(sol_gpu& g, CUdeviceptr* at, size_t bytes) {
  g.counts.allocations++;
  return g.pool ? SOL_CALL(g, allocate_in_order, at, bytes, g.stream) : SOL_CALL(g, allocate, at, bytes);
}

// Memory that is kept for later, or will be when what is queued is done, goes back to the system.
static inline CUresult empty_cache(sol_gpu& g) {
  CUresult r = g.synchronize();
  if (!r && g.pool) r = SOL_CALL(g, trim_pool, g.pool, 0);
  return r;
}

static bool drop_oldest(sol_gpu& g);  // shadow.h

// Memory for `bytes`, more than none. Copies that were kept make room for it if need be.
static inline CUresult take_memory(sol_gpu& g, CUdeviceptr* at, int64_t bytes) {
  if (CUresult r = g.is_dead()) return r;
  CUresult r = allocate_once(g, at, (size_t)bytes);
  if (r == CUDA_ERROR_OUT_OF_MEMORY) {
    g.busy = true;  // what was given back counts as queued
    r = empty_cache(g);
    if (!r) r = allocate_once(g, at, (size_t)bytes);
    while (r == CUDA_ERROR_OUT_OF_MEMORY && drop_oldest(g)) {
      g.busy = true;
      r = empty_cache(g);
      if (!r) r = allocate_once(g, at, (size_t)bytes);
    }
  }
  g.note(SOL_TAKE, nullptr, bytes, r);
  if (r) return r;
  g.counts.allocated_bytes += bytes;
  g.sizes[*at] = bytes;
  g.used += bytes;
  g.most = std::max(g.most, g.used);
  return 0;
}

static inline CUresult give_memory(sol_gpu& g, CUdeviceptr at) {
  if (CUresult r = g.is_dead()) return r;
  const auto found = g.sizes.find(at);
  if (found == g.sizes.end()) return CUDA_ERROR_INVALID_VALUE;
  g.note(SOL_GIVE, nullptr, found->second, 0);
  g.used -= found->second;
  g.sizes.erase(found);
  g.counts.frees++;
  return g.pool ? SOL_CALL(g, release_in_order, at, g.stream) : SOL_CALL(g, release, at);
}

#endif
