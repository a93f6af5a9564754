// Memory of a device.
#ifndef SOLJIT_MEMORY_H
#define SOLJIT_MEMORY_H
#include <algorithm>

#include "gpu.h"

static inline CUresult release_block(sol_gpu& g, CUdeviceptr at) {
  if (g.pool) return SOL_QUEUE(g, release_in_order, at);
  if (CUresult r = send_gathered(g, false)) return r;
  return SOL_CALL(g, release, at);
}

// Memory for `bytes`: a block that is free, or one from the driver.
static inline CUresult find_block(sol_gpu& g, CUdeviceptr* at, int64_t bytes, int64_t* size) {
  *size = bytes;
  if (g.reuses) {
    const int64_t wanted = FreeBlocks::rounded(bytes);
    if ((*size = g.blocks.take(wanted, at))) return 0;
    *size = wanted;
  }
  return g.pool ? SOL_QUEUE(g, allocate_in_order, at, (size_t)*size) : SOL_CALL(g, allocate, at, (size_t)*size);
}

// Memory that is kept for later, or will be when what is queued is done, goes back to the system.
static inline CUresult empty_cache(sol_gpu& g) {
  CUresult r = 0;
  while (!r && !g.blocks.all.empty()) {
    g.busy = true;
    r = release_block(g, g.blocks.take_oldest());
  }
  if (!r) r = g.synchronize();
  if (!r && g.pool) r = SOL_CALL(g, trim_pool, g.pool, 0);
  return r;
}

static bool drop_oldest(sol_gpu& g);  // shadow.h

// Memory for `bytes`, more than none. Blocks and copies that were kept make room for it if need be.
static inline CUresult take_memory(sol_gpu& g, CUdeviceptr* at, int64_t bytes) {
  if (CUresult r = g.is_dead()) return r;
  int64_t size = 0;
  CUresult r = find_block(g, at, bytes, &size);
  if (r == CUDA_ERROR_OUT_OF_MEMORY) {
    g.busy = true;  // what was given back counts as queued
    r = empty_cache(g);
    if (!r) r = find_block(g, at, bytes, &size);
    while (r == CUDA_ERROR_OUT_OF_MEMORY && drop_oldest(g)) {
      g.busy = true;
      r = empty_cache(g);
      if (!r) r = find_block(g, at, bytes, &size);
    }
  }
  g.note(SOL_TAKE, nullptr, bytes, r);
  if (r) return r;
  g.counts.allocations++;
  g.counts.allocated_bytes += bytes;
  g.sizes[*at] = {bytes, size};
  g.used += bytes;
  g.most = std::max(g.most, g.used);
  return 0;
}

static inline CUresult give_memory(sol_gpu& g, CUdeviceptr at) {
  if (CUresult r = g.is_dead()) return r;
  const auto found = g.sizes.find(at);
  if (found == g.sizes.end()) return CUDA_ERROR_INVALID_VALUE;
  const Taken taken = found->second;
  g.sizes.erase(found);
  g.note(SOL_GIVE, nullptr, taken.bytes, 0);
  g.used -= taken.bytes;
  g.counts.frees++;
  if (!g.reuses) return release_block(g, at);
  g.blocks.give(at, taken.size);
  while (g.blocks.bytes > g.memory / 2)
    if (CUresult r = release_block(g, g.blocks.take_oldest())) return r;
  return 0;
}

#endif
