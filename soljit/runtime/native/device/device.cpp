// The layer above a GPU's driver: what generated code calls (device.h), and what Python asks (device_api.h).
//
// Nothing of CUDA is needed to build it. The driver is loaded by path, so that another library with the same functions may stand in for it.
extern "C" {
#include "device_api.h"
}
#include <pthread.h>

#include "session.h"

// Every device of this process. Nothing is taken down at the end: other threads may still run, and other libraries use the driver.
static std::vector<sol_gpu*>& all_devices() {
  static auto& devices = *new std::vector<sol_gpu*>;
  return devices;
}

// CUDA does not work in a forked child: its devices are dead.
static void in_forked_child() {
  new (&trace.lock) std::mutex;
  new (&owned_table.lock) std::mutex;
  watches.in_forked_child();
  crew = new Crew;  // another one may have been at work
  for (sol_gpu* g : all_devices()) {
    g->forked = true;
    g->why_dead = "CUDA does not work in a forked process whose parent has used it";
    g->dead = CUDA_ERROR_DEINITIALIZED;
  }
}

static void before_fork() { owned_table.lock.lock(); }  // a child needs the table to be whole
static void after_fork() { owned_table.lock.unlock(); }
static const int told_of_forks = pthread_atfork(before_fork, after_fork, in_forked_child);

static int keep_percent = 50;  // of new devices

static void put_text(char* text, int32_t room, const std::string& words) {
  if (room > 0) snprintf(text, (size_t)room, "%s", words.c_str());
}

// Do something with the device in its context.
template <class Action>
static CUresult with_device(sol_gpu* g, Action&& action) {
  const Turn turn(*g);
  if (turn.failed) return turn.failed;
  if (CUresult r = enter_context(*g)) return r;
  const CUresult r = action();
  leave_context(*g);
  return r;
}

// Nothing is asked of the driver.
template <class Action>
static void with_lock(sol_gpu* g, Action&& action) {
  std::unique_lock<std::mutex> locked(g->lock, std::defer_lock);
  if (!g->forked) locked.lock();
  action();
}

#include "owned_calls.h"

extern "C" {

sol_driver* sol_driver_open(const char* path, int32_t* failed, char* text, int32_t room) {
  char why[512] = "";
  auto d = std::make_unique<sol_driver>();
  d->path = path;
  *failed = 0;
  const bool opened = d->calls.open(path, d->later, why, sizeof why);
  if (opened && (*failed = d->calls.init(0))) d->explain(*failed, why, sizeof why);
  put_text(text, room, why);
  return opened && !*failed ? d.release() : nullptr;
}

int32_t sol_driver_version(sol_driver* d) {
  int version = 0;
  return d->calls.driver_version(&version) ? 0 : version;
}

int32_t sol_driver_devices(sol_driver* d) {
  int count = 0;
  return d->calls.device_count(&count) ? 0 : count;
}

void sol_driver_explain(sol_driver* d, int32_t failed, char* text, int32_t room) {
  if (room > 0) d->explain(failed, text, (size_t)room);
}

sol_gpu* sol_gpu_open(sol_driver* d, int32_t number) {
  for (sol_gpu* g : d->devices)
    if (g->number == number) return g;
  sol_gpu* const g = new sol_gpu();
  g->table = session_services;
  g->driver = d;
  g->number = number;
  g->shadows = new Shadows;
  g->keep_percent = keep_percent;
  d->devices.push_back(g);
  all_devices().push_back(g);
  return g;
}

int32_t sol_gpu_describe(sol_gpu* g, sol_gpu_facts* facts) {
  *facts = {};
  if (CUresult r = g->is_dead()) return r;
  CUdevice device = 0;
  size_t bytes = 0;
  int shared = 0;
  if (CUresult r = SOL_CALL(*g, device_get, &device, g->number)) return r;
  if (CUresult r = SOL_CALL(*g, device_name, facts->name, (int)sizeof facts->name, device)) return r;
  if (CUresult r = SOL_CALL(*g, device_memory, &bytes, device)) return r;
  const struct { int* to; int what; } asked[] = {{&facts->major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
                                                 {&facts->minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
                                                 {&facts->processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
                                                 {&facts->pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED},
                                                 {&shared, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN}};
  for (const auto& a : asked)
    if (CUresult r = SOL_CALL(*g, device_attribute, a.to, a.what, device)) return r;
  facts->memory = (int64_t)bytes;
  facts->shared = shared;
  return 0;
}

void sol_gpu_provide(sol_gpu* g, uint64_t id, const char* bytes, int64_t size) {
  with_lock(g, [&] {
    Image& image = g->images[id];
    if (!image.module) image.bytes.assign(bytes, (size_t)size);
  });
}

int32_t sol_gpu_use_cublas(sol_gpu* g, const char* path, int32_t newest, char* text, int32_t room) {
  std::string why;
  with_lock(g, [&] {
    if (g->cublas && g->cublas->path == path) return;
    Cublas* const found = open_cublas(path, newest, &why);
    if (!found) return;
    g->cublas = found;
    g->multiplier = nullptr;
  });
  put_text(text, room, why);
  return why.empty();
}

int32_t sol_gpu_synchronize(sol_gpu* g) {
  return with_device(g, [&] { return g->synchronize(); });
}

int32_t sol_gpu_memory_now(sol_gpu* g, sol_gpu_memory* now) {
  *now = {};
  return with_device(g, [&]() -> CUresult {
    size_t left = 0, total = 0;
    if (CUresult r = SOL_CALL(*g, memory_left, &left, &total)) return r;
    *now = {g->used, g->most, g->shadows->bytes, (int64_t)left, (int64_t)total};
    return 0;
  });
}

int32_t sol_gpu_empty_cache(sol_gpu* g) {
  return with_device(g, [&] {
    drop_shadows(*g);
    g->busy = true;
    return empty_cache(*g);
  });
}

int32_t sol_gpu_reuse(sol_gpu* g, int32_t on) {
  return with_device(g, [&] {
    g->reuses = on != 0;
    return empty_cache(*g);
  });
}

void sol_gpu_count(sol_gpu* g, sol_gpu_counts* counts) {
  with_lock(g, [&] { *counts = g->counts; });
}

void sol_gpu_reset_counts(sol_gpu* g) {
  with_lock(g, [&] { g->counts = {}; });
}

void sol_layer_trace(int32_t on) {
  std::lock_guard<std::mutex> locked(trace.lock);
  trace.events.clear();
  trace.on = on;
}

int64_t sol_layer_now(void) { return Trace::now(); }

int64_t sol_layer_events(sol_gpu_event* events, int64_t first, int64_t room) {
  std::lock_guard<std::mutex> locked(trace.lock);
  const int64_t count = (int64_t)trace.events.size();
  for (int64_t k = first; k < count && k < first + room; k++) events[k - first] = trace.events[(size_t)k];
  return count;
}

void sol_layer_keep(int32_t percent, int32_t track) {
  keep_percent = percent;
  watches.allow(track != 0);
  for (sol_gpu* g : all_devices())
    with_lock(g, [&] { g->keep_percent = percent; });
}

void sol_layer_tracker(char* text, int32_t room) { put_text(text, room, watches.why_off()); }

int64_t sol_layer_promise(const char* lo, const char* hi, int32_t checked) { return watches.promise((uintptr_t)lo, (uintptr_t)hi, checked != 0); }

void sol_layer_end_promise(int64_t number) { watches.end_promise(number); }

void sol_layer_forget(const char* lo, const char* hi) {
  watches.forget((uintptr_t)lo, (uintptr_t)hi);
  for (sol_gpu* g : all_devices())
    with_device(g, [&] { return drop_shadows(*g, (uintptr_t)lo, (uintptr_t)hi), 0; });
}

int32_t sol_gpu_dead(sol_gpu* g, char* text, int32_t room) {
  const CUresult r = g->dead;
  put_text(text, room, r ? g->why_dead : "");
  return r;
}

void sol_layer_failure(char* text, int32_t room) { put_text(text, room, last_failure); }

void sol_layer_lost(char* text, int32_t room) {
  put_text(text, room, lost_arrays);
  lost_arrays.clear();
}

int64_t sol_layer_size(int32_t k) {
  static const int64_t sizes[] = {sizeof(sol_device_services), sizeof(sol_gpu_counts), sizeof(sol_gpu_event), sizeof(sol_gpu_facts),
                                  sizeof(sol_gpu_memory),      sizeof(sol_image),      sizeof(sol_operand),   sizeof(sol_owned_facts),
                                  sizeof(sol_product),         sizeof(sol_span),       sizeof(sol_walk)};
  return k >= 0 && (size_t)k < sizeof sizes / sizeof *sizes ? sizes[k] : -1;
}
}
