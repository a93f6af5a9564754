// Copies between host and device. What is small goes through a ring of pinned memory, so that nobody waits for what is queued, and what is large in
// chunks through other pinned memory; what lies apart is put together there, so that only elements are written on the host.
#ifndef SOLJIT_TRANSFERS_H
#define SOLJIT_TRANSFERS_H
#include "rows.h"
#include "staging.h"

enum : int64_t {
  RING = 1 << 20,         // bytes of pinned memory
  SMALL = 1 << 16,        // what goes through it as a whole
  MOST_APART = 16,        // bytes that are moved for one byte of elements, before rows are copied one by one
  MOST_PITCH = INT32_MAX  // between rows that the driver copies
};

// Pinned memory that nothing queued uses: valid until what is queued next has been waited for.
static inline CUresult take_pinned(sol_gpu& g, int64_t bytes, char** at) {
  if (!g.ring) {
    void* ring = nullptr;
    if (CUresult r = SOL_CALL(g, allocate_pinned, &ring, RING, 0)) return r;
    g.ring = (char*)ring;
  }
  if (g.ring_used + bytes > RING) {
    g.busy = true;
    if (CUresult r = g.synchronize()) return r;
  }
  *at = g.ring + g.ring_used;
  g.ring_used += (bytes + 15) & ~(int64_t)15;
  return 0;
}

// Does memory of the host begin and end in what is pinned already? The device reads and writes it as fast as it can.
static inline bool is_pinned(sol_gpu& g, const void* at, int64_t bytes) {
  const auto ask = [&](const char* p) {
    unsigned kind = 0;
    return !g.driver->calls.pointer_attribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)p) && kind == CU_MEMORYTYPE_HOST;
  };
  return ask((const char*)at) && ask((const char*)at + bytes - 1);
}

// Queue a copy of bytes that may change as soon as this returns.
static inline CUresult copy_to_device(sol_gpu& g, CUdeviceptr at, const void* from, int64_t bytes) {
  if (bytes > STAGED && !is_pinned(g, from, bytes)) return stage_in(g, at, (const char*)from, bytes);
  if (bytes > SMALL) {
    if (CUresult r = send_gathered(g, false)) return r;
    return SOL_CALL(g, copy_in, at, from, (size_t)bytes);
  }
  char* pinned;
  if (CUresult r = take_pinned(g, bytes, &pinned)) return r;
  memcpy(pinned, from, (size_t)bytes);
  g.busy = true;
  return SOL_QUEUE(g, copy_in_async, at, pinned, (size_t)bytes);
}

// Copy bytes and wait for them.
static inline CUresult copy_to_host(sol_gpu& g, void* to, CUdeviceptr at, int64_t bytes) {
  if (bytes > STAGED && !is_pinned(g, to, bytes))
    return stage_out(g, (uintptr_t)to, (uintptr_t)to + (uintptr_t)bytes, at,
                     [](uintptr_t lo, uintptr_t hi, const char* chunk) { crew->copy((void*)lo, chunk, (int64_t)(hi - lo)); });
  char* pinned = (char*)to;
  if (bytes <= SMALL)
    if (CUresult r = take_pinned(g, bytes, &pinned)) return r;
  g.busy = true;
  if (CUresult r = SOL_QUEUE(g, copy_out_async, pinned, at, (size_t)bytes)) return r;
  if (CUresult r = g.synchronize()) return r;
  if (pinned != to) memcpy(to, pinned, (size_t)bytes);
  return 0;
}

// Queue a copy of elements that may change as soon as this returns, row by row; `from` and `at` are the places of the first.
static inline CUresult arrive_rows(sol_gpu& g, const Rows& rows, const char* from, CUdeviceptr at) {
  if (!rows.row) return 0;
  return walk_lines(rows, 0, rows.dims, 0, [&](int64_t offset) { return copy_to_device(g, at + offset, from + offset, rows.row); });
}

// A block of which much is elements: its bytes come in pieces, of which the elements are written.
static inline CUresult leave_dense(sol_gpu& g, const Rows& rows, int from, char* to, CUdeviceptr at, int64_t offset) {
  const int64_t end = offset + rows.extent(from);
  int64_t lo = 0, hi = 0;  // the piece that is at hand
  char* piece = nullptr;
  return walk_lines(rows, from, rows.dims, offset, [&](int64_t row) -> CUresult {
    if (rows.row > RING / 4) {
      g.counts.d2h_bytes += rows.row;
      return copy_to_host(g, to + row, at + row, rows.row);
    }
    if (row < lo || row + rows.row > hi) {
      lo = row;
      hi = std::min(end, row + RING / 2);
      if (CUresult r = take_pinned(g, hi - lo, &piece)) return r;
      g.busy = true;
      if (CUresult r = SOL_QUEUE(g, copy_out_async, piece, at + lo, (size_t)(hi - lo))) return r;
      if (CUresult r = g.synchronize()) return r;
      g.counts.d2h_bytes += hi - lo;
    }
    memcpy(to + row, piece + (row - lo), (size_t)rows.row);
    return 0;
  });
}

// A line of rows far from each other: the driver puts them together.
static inline CUresult leave_line(sol_gpu& g, int64_t row, int64_t count, int64_t stride, char* to, CUdeviceptr at) {
  const int64_t most = std::max<int64_t>(1, RING / 2 / row);
  for (int64_t first = 0, some; first < count; first += some) {
    some = std::min(most, count - first);
    char* packed;
    if (CUresult r = take_pinned(g, some * row, &packed)) return r;
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = at + first * stride;
    copy.srcPitch = (size_t)stride;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = packed;
    copy.dstPitch = copy.WidthInBytes = (size_t)row;
    copy.Height = (size_t)some;
    g.busy = true;
    if (CUresult r = SOL_QUEUE(g, copy_rows_async, &copy)) return r;
    if (CUresult r = g.synchronize()) return r;
    g.counts.d2h_bytes += some * row;
    for (int64_t k = 0; k < some; k++) memcpy(to + (first + k) * stride, packed + k * row, (size_t)row);
  }
  return 0;
}

// Copy elements and wait for them; `to` and `at` are the places of the first.
static inline CUresult leave_rows(sol_gpu& g, const Rows& rows, char* to, CUdeviceptr at) {
  if (!rows.row) return 0;
  const int from = rows.dense_from(MOST_APART);
  if (from < rows.dims || rows.dims == 0 || rows.row > SMALL || rows.strides[rows.dims - 1] > MOST_PITCH)
    return walk_lines(rows, 0, from, 0, [&](int64_t offset) { return leave_dense(g, rows, from, to, at, offset); });
  const int line = rows.dims - 1;
  return walk_lines(rows, 0, line, 0, [&](int64_t offset) {
    return leave_line(g, rows.row, rows.counts[line], rows.strides[line], to + offset, at + offset);
  });
}
#endif
