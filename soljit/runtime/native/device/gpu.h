// One device: its context, its stream, its lock, and what is known of it. Work is queued on one stream, which waits for the legacy default
// stream and is waited for by it, so that other libraries of the process need no events.
//
// Sessions of several threads take turns at every call, not as a whole: Python code that is called within one may wait for
// another thread that uses the device. Work of one thread stays in order, since it is queued in that order on the one stream.
//
// A device is dead after an error that its context does not survive, and in a forked child. Nothing is asked of the driver then.
#ifndef SOLJIT_GPU_H
#define SOLJIT_GPU_H
#include <string.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include "blocks.h"
#include "crew.h"
#include "cublas.h"
#include "device_api.h"
#include "driver.h"
#include "gathered.h"

struct sol_driver {
  Driver calls;
  DriverLater later;
  std::string path;
  std::vector<sol_gpu*> devices;

  void explain(CUresult r, char* text, size_t room) const {
    const char *name = nullptr, *words = nullptr;
    calls.error_name(r, &name);
    calls.error_text(r, &words);
    if (name && words) snprintf(text, room, "%s: %s", name, words);
    else snprintf(text, room, "CUDA error %d", (int)r);
  }
};

// The functions of an image in the order in which a library names them.
struct Kernels {
  std::vector<std::string> names;
  std::vector<Function> functions;

  bool are_those_of(const sol_image* image) const {
    if (names.size() != (size_t)image->count) return false;
    for (size_t k = 0; k < names.size(); k++)
      if (names[k] != image->names[k]) return false;
    return true;
  }
};

struct Image {
  std::string bytes;
  CUmodule module = nullptr;
  std::vector<std::unique_ptr<Kernels>> kernels;
};

// Events of all devices, in order, while somebody wants them.
struct Trace {
  enum { MOST = 1 << 20 };
  std::atomic<bool> on{false};
  std::mutex lock;
  std::vector<sol_gpu_event> events;

  static int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  void add(sol_gpu* g, int kind, const char* name, int64_t bytes, CUresult failed, int64_t begin, int64_t end) {
    sol_gpu_event e = {g, kind, failed, bytes, begin, end, {}};
    if (name) snprintf(e.name, sizeof e.name, "%s", name);
    std::lock_guard<std::mutex> locked(lock);
    if (events.size() < MOST) events.push_back(e);
  }
};
static Trace& trace = *new Trace;

// The last failure that this thread was told of.
static thread_local std::string last_failure;
// Names of arrays, in quotes, that programs of this thread could not copy home, since somebody asked.
static thread_local std::string lost_arrays;

struct Shadows;  // shadow.h

// Pinned memory for large copies, see staging.h.
struct Stage {
  enum { CHUNKS = 3 };
  char* memory = nullptr;
  CUevent done[CHUNKS] = {};
  bool queued[CHUNKS] = {};  // a copy is on its way, which `done` tells
  bool lost = false;         // or one of which it does not
  int next = 0;
};

// Memory in use: what was asked for, and how large its block is.
struct Taken { int64_t bytes, size; };

struct sol_gpu;
static CUresult send_gathered(sol_gpu&, bool full);  // launches.h

struct sol_gpu {
  sol_device_services table;  // first: `frame->services->device` leads here
  const sol_driver* driver;
  int number;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  CUmemoryPool pool = nullptr;  // NULL: memory is allocated without one
  std::mutex lock;              // held during each call
  std::atomic<CUresult> dead{0};
  bool forked = false;          // this process is a child of the one that opened the device
  std::string why_dead;
  bool busy = false;  // work is queued for which nobody has waited
  Gathered gathered;  // launches that the driver has not got yet
  sol_gpu_counts counts = {};
  std::unordered_map<uint64_t, Image> images;
  std::unordered_map<CUdeviceptr, Taken> sizes;  // of memory in use
  FreeBlocks blocks;
  bool reuses = true;  // are blocks kept that were given back? Not on the emulated device, which watches each one from its allocation to its end
  int64_t used = 0, most = 0;
  Cublas* cublas = nullptr;        // NULL: nobody needs it so far
  void* multiplier = nullptr;      // cuBLAS's handle, made when it is first needed
  Shadows* shadows = nullptr;
  bool clusters = false;  // else blocks that wait for each other are launched cooperatively,
  int processors = 1;     // each on a multiprocessor of its own; 1: not at all
  int64_t memory = 0;     // bytes that the device has, known with its context
  int keep_percent = 50;  // of it that shadows may take
  char* ring = nullptr;  // pinned memory for small copies, see transfers.h
  size_t ring_used = 0;
  Stage stage;
  int64_t since = 0;  // when the turn of now, or its last event, began; only while events are written down

  // Take note of a call that failed.
  CUresult checked(CUresult r, const char* call) {
    if (!r) return 0;
    char words[256];
    driver->explain(r, words, sizeof words);
    last_failure = std::string(call) + " failed with " + words;
    if (is_sticky(r) && !dead) {
      why_dead = last_failure;
      dead = r;
    }
    return r;
  }

  // Why nothing can be done; 0 if something can.
  CUresult is_dead() const {
    const CUresult r = dead;
    if (r) last_failure = why_dead;
    return r;
  }

  void note(int kind, const char* name, int64_t bytes, CUresult failed) {
    if (!trace.on) return;
    const int64_t end = Trace::now();
    trace.add(this, kind, name, bytes, failed, since, end);
    since = end;
  }

  // Wait for what is queued.
  CUresult synchronize() {
    if (CUresult r = is_dead()) return r;
    if (!busy) return 0;
    counts.syncs++;
    if (CUresult r = send_gathered(*this, false)) return r;
    if (CUresult r = checked(driver->calls.synchronize(stream), Driver::symbol_of_synchronize)) return r;
    is_idle();
    return 0;
  }

  // Somebody has waited for all that was queued.
  void is_idle() {
    busy = false;
    ring_used = 0;
    gathered.since_wait = 0;
  }
};

#define SOL_CALL(gpu, function, ...) (gpu).checked((gpu).driver->calls.function(__VA_ARGS__), Driver::symbol_of_##function)

// A call that queues work, behind what was gathered. The stream is its last argument.
#define SOL_QUEUE(gpu, function, ...) \
  (gpu).checked(send_gathered(gpu, false) ?: (gpu).driver->calls.function(__VA_ARGS__, (gpu).stream), Driver::symbol_of_##function)

// The context and the stream, made when they are first needed.
static inline CUresult make_context(sol_gpu& g) {
  if (CUresult r = SOL_CALL(g, device_get, &g.device, g.number)) return r;
  size_t memory = 0;
  if (CUresult r = SOL_CALL(g, device_memory, &memory, g.device)) return r;
  g.memory = (int64_t)memory;
  int major = 0;
  if (CUresult r = SOL_CALL(g, device_attribute, &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, g.device)) return r;
  g.reuses = major != 0;
  g.clusters = major == 0 || major >= 9;
  g.gathered.on = g.driver->later.there;
  if (!major) g.gathered.patient = true, g.gathered.most = 32, g.gathered.direct = 8;  // the emulated device
  int cooperative = 0;
  if (CUresult r = SOL_CALL(g, device_attribute, &cooperative, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, g.device)) return r;
  if (cooperative)
    if (CUresult r = SOL_CALL(g, device_attribute, &g.processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, g.device)) return r;
  CUcontext context = nullptr;
  if (CUresult r = SOL_CALL(g, primary_context, &context, g.device)) return r;
  if (CUresult r = SOL_CALL(g, push_context, context)) return r;
  CUresult r = SOL_CALL(g, make_stream, &g.stream, CU_STREAM_DEFAULT);
  int pools = 0;
  if (!r) r = SOL_CALL(g, device_attribute, &pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, g.device);
  if (!r && pools) r = SOL_CALL(g, default_pool, &g.pool, g.device);
  uint64_t all = UINT64_MAX;  // keep memory that was given back
  if (!r && g.pool) r = SOL_CALL(g, set_pool, g.pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all);
  g.driver->calls.pop_context(&context);
  if (!r) g.context = context;
  return r;
}

// A turn of this thread; `failed` if the device is dead. Nothing is locked in a forked child: whoever held the lock is not there.
struct Turn {
  std::unique_lock<std::mutex> locked;
  CUresult failed;
  explicit Turn(sol_gpu& g) : failed(g.is_dead()) {
    if (failed) return;
    locked = std::unique_lock<std::mutex>(g.lock);
    failed = g.is_dead();
    if (trace.on) g.since = Trace::now();
  }
};

// The device's context becomes this thread's, until `pop_context`. In a turn.
static inline CUresult enter_context(sol_gpu& g) {
  if (!g.context)
    if (CUresult r = make_context(g)) return r;
  return SOL_CALL(g, push_context, g.context);
}

static inline void leave_context(sol_gpu& g) {
  CUcontext before;
  if (!g.forked) g.driver->calls.pop_context(&before);
}
#endif
