// Large copies between a device and pageable memory of the host. They go in chunks through pinned memory, which devices read and write much faster:
// while one chunk is on its way, several threads fill or empty others.
#ifndef SOLJIT_STAGING_H
#define SOLJIT_STAGING_H
#include "gpu.h"

enum : int64_t {
  CHUNK = 4 << 20,       // bytes of pinned memory for one, of which there are `Stage::CHUNKS`
  STAGED = 1 << 20,      // smaller copies are left to the driver
  LARGE_PAGE = 2 << 20,  // chunks end where pages of the host may end that are larger than others
};

// The next chunk of pinned memory, with nothing on its way in it, and where it is among all. Chunks are used in turn.
static inline CUresult take_chunk(sol_gpu& g, int* k) {
  Stage& s = g.stage;
  if (!s.memory) {
    void* memory = nullptr;
    for (CUevent& e : s.done)
      if (!e)
        if (CUresult r = SOL_CALL(g, make_event, &e, CU_EVENT_DISABLE_TIMING)) return r;
    if (CUresult r = SOL_CALL(g, allocate_pinned, &memory, (size_t)(CHUNK * Stage::CHUNKS), 0)) return r;
    s.memory = (char*)memory;
  }
  if (s.lost) {  // something is on its way, and it is not known where
    g.busy = true;
    if (CUresult r = g.synchronize()) return r;
    s.lost = false;
  }
  *k = s.next;
  if (s.queued[*k])
    if (CUresult r = SOL_CALL(g, wait_for_event, s.done[*k])) return r;
  s.queued[*k] = false;
  s.next = (*k + 1) % Stage::CHUNKS;
  return 0;
}

static inline char* chunk_at(sol_gpu& g, int k) { return g.stage.memory + CHUNK * k; }

// A copy from or to this chunk was queued.
static inline CUresult mark_chunk(sol_gpu& g, int k) {
  const CUresult r = SOL_QUEUE(g, record_event, g.stage.done[k]);
  g.stage.queued[k] = !r;
  g.stage.lost |= r != 0;
  return r;
}

// Where the chunk ends that begins at an address of the host: few bytes are cut in more than one, too, and many seldom.
static inline uintptr_t end_of_chunk(uintptr_t at, uintptr_t end, int64_t bytes) {
  const uintptr_t most = bytes < 4 * CHUNK ? (uintptr_t)LARGE_PAGE : (uintptr_t)CHUNK;
  return end - at <= most ? end : (at + most) & ~(uintptr_t)(LARGE_PAGE - 1);
}

// Queue a copy of bytes that may change as soon as this returns.
static inline CUresult stage_in(sol_gpu& g, CUdeviceptr at, const char* from, int64_t bytes) {
  const uintptr_t first = (uintptr_t)from, end = first + (uintptr_t)bytes;
  for (uintptr_t lo = first, hi; lo < end; lo = hi) {
    hi = end_of_chunk(lo, end, bytes);
    int k = 0;
    if (CUresult r = take_chunk(g, &k)) return r;
    crew->copy(chunk_at(g, k), (const void*)lo, (int64_t)(hi - lo));
    g.busy = true;
    if (CUresult r = SOL_QUEUE(g, copy_in_async, at + (lo - first), chunk_at(g, k), hi - lo)) return r;
    if (CUresult r = mark_chunk(g, k)) return r;
  }
  return 0;
}

// Copy bytes for the memory from `first` up to `end` out of the device: `put(lo, hi, chunk)` writes those from `lo` up to `hi`. Wait for all of them.
template <class Put>
static CUresult stage_out(sol_gpu& g, uintptr_t first, uintptr_t end, CUdeviceptr at, Put&& put) {
  struct { uintptr_t lo, hi; int k; } on_the_way[Stage::CHUNKS];
  int asked = 0, come = 0;
  for (uintptr_t next = first; next < end || come < asked;) {
    if (next < end && asked - come < Stage::CHUNKS) {
      const uintptr_t hi = end_of_chunk(next, end, (int64_t)(end - first));
      int k = 0;
      if (CUresult r = take_chunk(g, &k)) return r;
      g.busy = true;
      if (CUresult r = SOL_QUEUE(g, copy_out_async, chunk_at(g, k), at + (next - first), hi - next)) return r;
      if (CUresult r = mark_chunk(g, k)) return r;
      on_the_way[asked++ % Stage::CHUNKS] = {next, hi, k};
      next = hi;
    } else {
      const auto& one = on_the_way[come++ % Stage::CHUNKS];
      if (CUresult r = SOL_CALL(g, wait_for_event, g.stage.done[one.k])) return r;
      g.stage.queued[one.k] = false;
      put(one.lo, one.hi, (const char*)chunk_at(g, one.k));
    }
  }
  g.counts.syncs++;
  g.is_idle();  // the last chunk came last of all
  return 0;
}
#endif
