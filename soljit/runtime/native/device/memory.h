// Memory of a device: temporaries, and the copies of host arrays that a session asks for.
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

// Memory for `bytes`, more than none.
static inline CUresult take_memory(sol_gpu& g, CUdeviceptr* at, int64_t bytes) {
  if (CUresult r = g.is_dead()) return r;
  CUresult r = allocate_once(g, at, (size_t)bytes);
  if (r == CUDA_ERROR_OUT_OF_MEMORY) {
    g.busy = true;  // what was given back counts as queued
    r = empty_cache(g);
    if (!r) r = allocate_once(g, at, (size_t)bytes);
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

// Places of spans: those that overlap, directly or through others, share memory. What was allocated is added to `owned`, also when a later allocation fails.
static inline CUresult place_spans(sol_gpu& g, int32_t n, const sol_span* spans, uint64_t* at, std::vector<CUdeviceptr>& owned) {
  std::vector<int32_t> order;
  for (int32_t k = 0; k < n; k++) {
    at[k] = 0;
    if (spans[k].lo < spans[k].hi) order.push_back(k);
  }
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return spans[a].lo < spans[b].lo; });
  for (size_t first = 0, next = 0; first < order.size(); first = next) {
    char *const lo = spans[order[first]].lo, *hi = spans[order[first]].hi;
    for (next = first + 1; next < order.size() && spans[order[next]].lo < hi; next++) hi = std::max(hi, spans[order[next]].hi);
    const int64_t shift = (intptr_t)lo & 15;  // allocations are aligned to 256
    CUdeviceptr place;
    if (CUresult r = take_memory(g, &place, shift + (hi - lo))) return r;
    owned.push_back(place);
    for (size_t k = first; k < next; k++) at[order[k]] = place + shift + (spans[order[k]].lo - lo);
  }
  return 0;
}
#endif
