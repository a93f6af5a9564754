// Copies between host and device as CUDA's streams make them.
//
// What lies in pageable memory of the host is read at once, and a download to it waits. Pinned memory is read and written late: its source
// may not change meanwhile, which is checked, and its destination holds nothing of use, so the poison is put there.
#ifndef SOLJIT_EMULATOR_TRANSFERS_H
#define SOLJIT_EMULATOR_TRANSFERS_H
#include "streams.h"

namespace fake {

// Pages of the host that are locked.
struct Pinned {
  std::map<uintptr_t, size_t> all;
  bool hold(const void* p, size_t n) const {
    auto it = all.upper_bound((uintptr_t)p);
    if (it == all.begin()) return false;
    --it;
    return (uintptr_t)p - it->first <= it->second && n <= it->second - ((uintptr_t)p - it->first);
  }
};
inline Pinned& pinned() {
  static Pinned* const p = new Pinned;
  return *p;
}

// A box of rows; one row is a plain copy.
struct Side {
  bool device;
  uint64_t at;  // address of the first byte, the host's or the device's
  size_t pitch;
};

inline size_t extent(const Side& s, size_t width, size_t height) { return height ? (height - 1) * s.pitch + width : 0; }

// The emulator's own address of bytes of the device; NULL and a fault if they are not there.
inline char* device_bytes(uint64_t at, size_t n, const char* what, bool queued) {
  std::string fault;
  Allocation* a = memory().find(at, n, &fault, queued);
  if (!a) {
    note(std::string(fault) + " (" + what + ")");
    return nullptr;
  }
  return (char*)(at - AWAY);
}

inline void copy_rows(char* to, size_t to_pitch, const char* from, size_t from_pitch, size_t width, size_t height) {
  for (size_t k = 0; k < height; ++k) memmove(to + k * to_pitch, from + k * from_pitch, width);
}

// Which bytes of the device are written after a copy.
inline void note_written(const Side& to, const Side& from, size_t width, size_t height) {
  for (size_t k = 0; k < height; ++k) {
    const uintptr_t p = (uintptr_t)(to.at - AWAY) + k * to.pitch;
    Allocation* a = memory().holding(p, width);
    if (!from.device) {
      a->shadow.wrote(p - (uintptr_t)a->data, width);
    } else {
      const uintptr_t q = (uintptr_t)(from.at - AWAY) + k * from.pitch;
      Allocation* b = memory().holding(q, width);
      a->shadow.copy_written(p - (uintptr_t)a->data, b->shadow, q - (uintptr_t)b->data, width);
    }
  }
}

inline uint64_t sum_of(const char* p, size_t n) {
  uint64_t h = 1469598103934665603u;
  for (size_t k = 0; k < n; ++k) h = (h ^ (unsigned char)p[k]) * 1099511628211u;
  return h;
}

inline CUresult transfer(Stream& stream, Side to, Side from, size_t width, size_t height) {
  State& s = state();
  const char* const what = to.device ? from.device ? "copy" : "upload" : "download";
  const int64_t bytes = (int64_t)(width * height);
  if (!to.device && !from.device) return wrong(CUDA_ERROR_INVALID_VALUE, "a copy from host to host");
  const size_t to_extent = extent(to, width, height), from_extent = extent(from, width, height);
  if (bytes == 0) return CUDA_SUCCESS;
  if (to.device && !device_bytes(to.at, to_extent, what, false)) return CUDA_ERROR_INVALID_VALUE;
  if (from.device && !device_bytes(from.at, from_extent, what, false)) return CUDA_ERROR_INVALID_VALUE;
  if ((!to.device && to.at >= AWAY) || (!from.device && from.at >= AWAY)) {
    return wrong(CUDA_ERROR_INVALID_VALUE, text("device address in the place of a host address (%s)", what));
  }
  if (to.device && from.device) ++s.counted.copies, s.counted.copy_bytes += bytes;
  else if (to.device) ++s.counted.uploads, s.counted.upload_bytes += bytes;
  else ++s.counted.downloads, s.counted.download_bytes += bytes;

  if (to.device && !from.device && !pinned().hold((const void*)from.at, from_extent)) {
    std::string kept((const char*)from.at, from_extent);
    streams().push(stream, [=] {
      char* const p = device_bytes(to.at, to_extent, what, true);
      if (!p) return (CUresult)CUDA_ERROR_ILLEGAL_ADDRESS;
      copy_rows(p, to.pitch, kept.data(), from.pitch, width, height);
      note_written(to, from, width, height);
      return (CUresult)CUDA_SUCCESS;
    });
    return CUDA_SUCCESS;
  }
  const bool late_source = !from.device, late_end = !to.device && pinned().hold((const void*)to.at, to_extent);
  const uint64_t sum = late_source ? sum_of((const char*)from.at, from_extent) : 0;
  if (late_end)
    for (size_t k = 0; k < height; ++k) memset((char*)to.at + k * to.pitch, s.poison, width);
  streams().push(stream, [=] {
    const char* q = (const char*)from.at;
    char* p = (char*)to.at;
    if (late_source && !pinned().hold(q, from_extent)) {
      return wrong(CUDA_ERROR_ILLEGAL_ADDRESS, "staging: pinned memory was freed before it was copied");
    }
    if (late_end && !pinned().hold(p, to_extent)) {
      return wrong(CUDA_ERROR_ILLEGAL_ADDRESS, "staging: pinned memory was freed before it was filled");
    }
    if (late_source && sum_of(q, from_extent) != sum) {
      return wrong(CUDA_ERROR_LAUNCH_FAILED, "staging: pinned memory was changed before it was copied");
    }
    if (from.device && !(q = device_bytes(from.at, from_extent, what, true))) return (CUresult)CUDA_ERROR_ILLEGAL_ADDRESS;
    if (to.device && !(p = device_bytes(to.at, to_extent, what, true))) return (CUresult)CUDA_ERROR_ILLEGAL_ADDRESS;
    copy_rows(p, to.pitch, q, from.pitch, width, height);
    if (to.device) note_written(to, from, width, height);
    return (CUresult)CUDA_SUCCESS;
  });
  if (to.device || late_end) return CUDA_SUCCESS;
  ++s.counted.implied_waits;
  return streams().drain(stream);
}
}  // namespace fake
#endif
