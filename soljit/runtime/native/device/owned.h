// Memory of device arrays: it belongs to objects of Python, not to sessions, and has a place in host memory that may never have been touched.
//
// Programs take a device array by that place, as if it were an array of the host. Which side is current stands here:
//   device only   what a kernel has written, and nobody has looked at
//   both          as after a download
//   host only     what the host has written: it goes up when a kernel needs it
// While somebody else holds a view of the host's memory, that memory is what counts: a writer makes every kernel get it anew, and
// what kernels write goes home at once for viewers, too.
#ifndef SOLJIT_OWNED_H
#define SOLJIT_OWNED_H
#include <map>

#include "memory.h"
#include "transfers.h"

struct sol_owned {
  sol_gpu* gpu;
  char *lo, *hi;
  CUdeviceptr memory = 0;   // what was allocated for it; 0: nothing yet, or
  CUdeviceptr at = 0;       // the place of `lo` on the device
  bool outside = false;     // other libraries may write the device's memory at any time: it is what counts
  bool reserved = false;    // the host's memory is only a range of addresses that was reserved for it
  bool host = false, device = false;
  int32_t writers = 0, viewers = 0;

  int64_t bytes() const { return hi - lo; }
  CUdeviceptr place(const char* of) const { return at + (CUdeviceptr)(of - lo); }
  bool goes_home() const { return writers || viewers; }
};

// Of the whole process, by the first byte.
struct OwnedTable {
  std::mutex lock;
  std::map<const char*, sol_owned*> entries;

  sol_owned* holding(const char* at) {
    std::lock_guard<std::mutex> locked(lock);
    auto next = entries.upper_bound(at);
    if (next == entries.begin()) return nullptr;
    sol_owned* const o = std::prev(next)->second;
    return at < o->hi ? o : nullptr;
  }
};
static OwnedTable& owned_table = *new OwnedTable;

// Memory of results that a session has left on the device, until the runtime has made arrays of them. Of this thread.
struct KeptMemory {
  sol_gpu* gpu;
  const char *lo, *hi;
  CUdeviceptr at;
};
static thread_local std::vector<KeptMemory> kept_memory;

// --- in a turn ---------------------------------------------------------------------------------------------------------------

static inline CUresult owned_take(sol_owned& o) {
  if (o.at || o.hi == o.lo) return 0;
  const int64_t shift = (intptr_t)o.lo & 15;
  if (CUresult r = take_memory(*o.gpu, &o.memory, shift + o.bytes())) return r;
  o.at = o.memory + (CUdeviceptr)shift;
  return 0;
}

static inline CUresult owned_upload(sol_gpu& g, CUdeviceptr at, const char* from, int64_t bytes, const char* name) {
  const CUresult r = copy_to_device(g, at, from, bytes);
  g.counts.h2d_calls++;
  g.counts.h2d_bytes += bytes;
  g.note(SOL_ARRIVE, name, bytes, r);
  return r;
}

static inline CUresult owned_download(sol_gpu& g, char* to, CUdeviceptr at, int64_t bytes, const char* name) {
  const CUresult r = copy_to_host(g, to, at, bytes);
  g.counts.d2h_calls++;
  g.counts.d2h_bytes += bytes;
  g.note(SOL_LEAVE, name, bytes, r);
  return r;
}

// All of the host's memory becomes current; of memory that others may write, what lies in [lo, hi), and only for now.
static inline CUresult owned_home(sol_owned& o, char* lo, char* hi, const char* name = nullptr) {
  if (lo == hi || o.host) return 0;
  if (o.outside) return owned_download(*o.gpu, lo, o.place(lo), hi - lo, name);
  if (!o.device) return o.host = true, 0;  // nobody has written any of it
  if (CUresult r = owned_download(*o.gpu, o.lo, o.at, o.bytes(), name)) return r;
  o.host = true;
  return 0;
}

// All of the device's memory becomes current.
static inline CUresult owned_arrive(sol_owned& o, const char* name = nullptr) {
  if (o.device || o.hi == o.lo) return 0;
  if (CUresult r = owned_take(o)) return r;
  if (!o.host) return o.device = true, 0;
  if (CUresult r = owned_upload(*o.gpu, o.at, o.lo, o.bytes(), name)) return r;
  o.device = !o.writers;
  return 0;
}

// From now on the host's memory may be written at any time.
static inline CUresult owned_open(sol_owned& o, char* lo, char* hi, const char* name = nullptr) {
  if (CUresult r = owned_home(o, lo, hi, name)) return r;
  o.writers++;
  if (!o.outside) o.device = false;
  return 0;
}
#endif
