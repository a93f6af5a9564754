// A session: one run of a program on the device. Between `begin` and `end` the device's context is this thread's.
#ifndef SOLJIT_SESSION_H
#define SOLJIT_SESSION_H
#include "launches.h"
#include "products.h"
#include "shadow.h"

struct Session {
  sol_gpu& gpu;
  const sol_image* image;
  Kernels* kernels;                          // NULL: the program needs none
  bool arrays;                               // may device arrays be among the arguments, and do results stay?
  std::vector<Use> uses;                     // copies of host arrays
  std::vector<std::unique_ptr<Shadow>> own;  // those that go with the session
  std::vector<std::pair<sol_owned*, sol_span>> opened;  // device arrays that the host part of the program writes

  // The device array of this device that holds a span, or NULL.
  sol_owned* owner(const sol_span& span) const {
    sol_owned* const o = span.lo < span.hi ? owned_table.holding(span.lo) : nullptr;
    return o && o->gpu == &gpu ? o : nullptr;
  }
};

// The functions that `image` names, loaded when they are first needed on this device.
static CUresult find_kernels(sol_gpu& g, const sol_image* image, Kernels** out) {
  const auto found = g.images.find(image->id);
  if (found == g.images.end()) return g.checked(CUDA_ERROR_NO_BINARY_FOR_GPU, "looking for the kernels of this function");
  Image& im = found->second;
  for (auto& k : im.kernels)
    if (k->are_those_of(image)) return *out = k.get(), 0;
  if (!im.module) {
    CUmodule module = nullptr;
    if (CUresult r = SOL_CALL(g, load_module, &module, im.bytes.data())) return r;
    im.module = module;
    g.counts.images++;
  }
  auto kernels = std::make_unique<Kernels>();
  kernels->names.assign(image->names, image->names + image->count);
  kernels->functions.resize((size_t)image->count);
  for (int32_t k = 0; k < image->count; k++) {
    Function& f = kernels->functions[(size_t)k];
    if (CUresult r = SOL_CALL(g, get_function, &f.handle, im.module, image->names[k])) return r;
    ask_for_arguments(g, f);
  }
  *out = kernels.get();
  im.kernels.push_back(std::move(kernels));
  return 0;
}

static void* begin_session(sol_frame* frame, const sol_image* image, int32_t* failed) {
  sol_gpu& g = *(sol_gpu*)frame->services->device;
  lost_arrays.clear();
  const Turn turn(g);
  if ((*failed = turn.failed) || (*failed = enter_context(g))) return nullptr;
  Kernels* kernels = nullptr;
  if (image && image->count && (*failed = find_kernels(g, image, &kernels))) {
    leave_context(g);
    return nullptr;
  }
  g.counts.sessions++;
  return new Session{g, image, kernels, frame->arrays != 0, {}, {}, {}};
}

// What the host has written of other libraries' memory goes back there.
static void close_arrays(Session& s) {
  for (auto& [o, span] : s.opened) {
    o->writers--;
    if (o->outside && !s.gpu.dead) owned_upload(s.gpu, o->place(span.lo), span.lo, span.hi - span.lo, span.name);
  }
}

static void end_session(void* session) {
  const std::unique_ptr<Session> s((Session*)session);
  std::unique_lock<std::mutex> locked(s->gpu.lock, std::defer_lock);
  if (!s->gpu.forked) locked.lock();  // also of a dead device
  close_arrays(*s);
  if (s->gpu.forked) return;
  if (!s->gpu.dead) send_gathered(s->gpu, false);
  for (const Use& u : s->uses) end_use(s->gpu, u);
  leave_context(s->gpu);
}

// Device arrays have memory. If several parts of one are arguments, it is current before any of them changes.
static CUresult place_with_arrays(Session& s, int32_t n, const sol_span* spans, uint64_t* at) {
  std::vector<sol_span> others;
  std::vector<uint64_t> places;
  std::vector<sol_owned*> owners((size_t)n);
  for (int32_t k = 0; k < n; k++) {
    sol_owned* const o = owners[(size_t)k] = s.owner(spans[k]);
    if (!o) {
      others.push_back(spans[k]);
      continue;
    }
    if (CUresult r = owned_take(*o)) return r;
    at[k] = o->place(spans[k].lo);
    for (int32_t j = 0; j < k && !o->writers; j++)
      if (owners[(size_t)j] == o && (spans[j].lo != spans[k].lo || spans[j].hi != spans[k].hi))
        if (CUresult r = owned_arrive(*o, spans[k].name)) return r;
  }
  places.resize(others.size());
  if (CUresult r = place_spans(s.gpu, (int32_t)others.size(), others.data(), places.data(), s.uses, s.own)) return r;
  for (int32_t k = 0, other = 0; k < n; k++)
    if (!owners[(size_t)k]) at[k] = places[(size_t)other++];
  return 0;
}

static int32_t place_mirrors(void* session, int32_t n, const sol_span* spans, uint64_t* at) {
  Session* const s = (Session*)session;
  const Turn turn(s->gpu);
  return turn.failed ? turn.failed : place_with_arrays(*s, n, spans, at);
}

// Before the program begins: its host part reads this argument before it is copied home, or writes it.
static int32_t visit(void* session, const sol_span* span, int32_t writes) {
  Session* const s = (Session*)session;
  sol_owned* const o = s->owner(*span);
  if (!o) return 0;
  const Turn turn(s->gpu);
  if (turn.failed) return turn.failed;
  if (!writes) return owned_home(*o, span->lo, span->hi, span->name);
  if (CUresult r = owned_open(*o, span->lo, span->hi, span->name)) return r;
  s->opened.emplace_back(o, *span);
  return 0;
}

static int32_t arrive(void* session, uint64_t at, const sol_span* span) {
  Session* const s = (Session*)session;
  sol_gpu& g = s->gpu;
  const Turn turn(g);
  if (turn.failed) return turn.failed;
  const int64_t bytes = span->hi - span->lo;
  if (bytes <= 0) return 0;
  if (sol_owned* const o = s->owner(*span); o && !o->writers) return owned_arrive(*o, span->name);
  if (Use* u = use_of(s->uses, at, span)) return update(g, *u, span);
  const CUresult r = copy_to_device(g, at, span->lo, bytes);
  g.counts.h2d_calls++;
  g.counts.h2d_bytes += bytes;
  g.note(SOL_ARRIVE, span->name, bytes, r);
  return r;
}

static int32_t arrive_apart(void* session, uint64_t at, const sol_span* span, const sol_walk* walk) {
  sol_gpu& g = ((Session*)session)->gpu;
  const Turn turn(g);
  if (turn.failed) return turn.failed;
  if (walk->dims < 0 || walk->dims > SOL_WALK_DIMS) return g.checked(CUDA_ERROR_INVALID_VALUE, "copying an array of too many dimensions");
  if (span->hi <= span->lo) return 0;
  const Rows rows(*walk);
  if (sol_owned* const o = ((Session*)session)->owner(*span); o && !o->writers) return owned_arrive(*o, span->name);
  lose_bytes(((Session*)session)->uses, at, span->hi - span->lo);
  const CUresult r = arrive_rows(g, rows, span->lo, at);
  g.counts.h2d_calls++;
  g.counts.h2d_bytes += rows.bytes(0);
  g.note(SOL_ARRIVE, span->name, rows.bytes(0), r);
  return r;
}

static int32_t leave(void* session, uint64_t at, const sol_span* span, const sol_walk* walk) {
  Session* const s = (Session*)session;
  sol_gpu& g = s->gpu;
  const Turn turn(g);
  if (turn.failed) return turn.failed;
  if (!span->writable || walk->dims < 0 || walk->dims > SOL_WALK_DIMS)
    return g.checked(CUDA_ERROR_INVALID_VALUE, "copying to an array that is read-only, or has too many dimensions,");
  if (span->hi <= span->lo) return 0;
  const int64_t before = g.counts.d2h_bytes;
  const CUresult r = bring_home(g, use_of(s->uses, at, span), at, span, walk);
  g.counts.d2h_calls++;
  g.note(SOL_LEAVE, span->name, g.counts.d2h_bytes - before, r);
  return r;
}

static void settle(void* session, uint64_t at, const sol_span* span) {
  Session* const s = (Session*)session;
  const Turn turn(s->gpu);
  Use* const u = use_of(s->uses, at, span);
  if (u && !u->failed) u->unsettled--;
}

static int32_t adopt(void* session, uint64_t at, const sol_span* span) {
  Session* const s = (Session*)session;
  const Turn turn(s->gpu);
  return !turn.failed && adopt_memory(s->gpu, at, span, s->uses);
}

// What only the caller of the program wants: of a device array it is there when somebody looks.
static int32_t later(void* session, uint64_t at, const sol_span* span, const sol_walk* walk) {
  Session* const s = (Session*)session;
  sol_owned* const o = s->owner(*span);
  if (!o) return leave(session, at, span, walk);
  {
    const Turn turn(s->gpu);
    if (turn.failed) return turn.failed;
    if (!o->goes_home() && !o->device) o->device = Rows(*walk).row == o->bytes();  // all of it was written
    if (!o->goes_home() && o->device) {
      o->host = false;
      return 0;
    }
  }
  return leave(session, at, span, walk);
}

// The memory of a result stays on the device, for the runtime to make a device array of.
static void keep(void* session, uint64_t at, const sol_span* span) {
  kept_memory.push_back({&((Session*)session)->gpu, span->lo, span->hi, at});
}

static int32_t is_mine(const sol_device_services* device, const void* at) {
  const sol_owned* const o = owned_table.holding((const char*)at);
  return o && o->gpu == (sol_gpu*)device;
}

// Give back what no array was made of.
static void forget_kept() {
  for (const KeptMemory& k : kept_memory) {
    const Turn turn(*k.gpu);
    if (turn.failed || enter_context(*k.gpu)) continue;
    give_memory(*k.gpu, k.at);
    leave_context(*k.gpu);
  }
  kept_memory.clear();
}

// What was gathered is sent: somebody may look at what it changes without asking this layer.
static void hand_over(const sol_device_services* device) {
  sol_gpu& g = *(sol_gpu*)device;
  const Turn turn(g);
  if (turn.failed || g.gathered.waiting.all.empty() || enter_context(g)) return;
  send_gathered(g, false);
  leave_context(g);
}

static uint64_t take(void* session, int64_t bytes) {
  sol_gpu& g = ((Session*)session)->gpu;
  const Turn turn(g);
  CUdeviceptr at = 0;
  return turn.failed || take_memory(g, &at, std::max<int64_t>(bytes, 1)) ? 0 : at;
}

static void give(void* session, uint64_t at) {
  sol_gpu& g = ((Session*)session)->gpu;
  const Turn turn(g);
  if (at && !turn.failed) give_memory(g, at);
}

static int32_t fill(void* session, uint64_t at, int64_t bytes, int32_t byte) {
  sol_gpu& g = ((Session*)session)->gpu;
  const Turn turn(g);
  if (turn.failed) return turn.failed;
  if (bytes <= 0) return 0;
  lose_bytes(((Session*)session)->uses, at, bytes);
  g.counts.fills++;
  g.busy = true;
  const CUresult r = SOL_QUEUE(g, set_bytes_async, at, (unsigned char)byte, (size_t)bytes);
  g.note(SOL_FILL, nullptr, bytes, r);
  return r;
}

static int32_t fetch(void* session, void* host, uint64_t at, int64_t bytes) {
  sol_gpu& g = ((Session*)session)->gpu;
  const Turn turn(g);
  if (turn.failed) return turn.failed;
  const CUresult r = copy_to_host(g, host, at, bytes);
  watches.have_written(nullptr, (uintptr_t)host, (uintptr_t)host + (uintptr_t)bytes, false);
  g.counts.fetch_calls++;
  g.counts.fetch_bytes += bytes;
  g.note(SOL_FETCH, nullptr, bytes, r);
  return r;
}

static int32_t poke(void* session, uint64_t at, const void* host, int64_t bytes) {
  sol_gpu& g = ((Session*)session)->gpu;
  const Turn turn(g);
  if (turn.failed) return turn.failed;
  lose_bytes(((Session*)session)->uses, at, bytes);
  const CUresult r = copy_to_device(g, at, host, bytes);
  g.counts.poke_calls++;
  g.counts.poke_bytes += bytes;
  g.note(SOL_POKE, nullptr, bytes, r);
  return r;
}

static int32_t launch(void* session, int32_t kernel, const uint32_t* n, uint32_t shared, void* const* with) {
  Session* const s = (Session*)session;
  sol_gpu& g = s->gpu;
  enum { PLAIN = 48 << 10 };  // of dynamic memory every kernel may use so much
  const Turn turn(g);
  if (turn.failed) return turn.failed;
  if (!n[0] || !n[1] || !n[2]) return 0;
  Function& f = s->kernels->functions[(size_t)kernel];
  if (shared > PLAIN && shared > f.shared) {
    if (CUresult r = SOL_CALL(g, set_function, f.handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared)) return r;
    f.shared = shared;
  }
  g.counts.launches++;
  const CUresult r = queue_launch(g, f, n, shared, with);
  g.note(SOL_LAUNCH, s->image->names[kernel], (int64_t)n[0] * n[1] * n[2] * n[3] * n[4] * n[5], r);
  return r;
}

// A launch of blocks that wait for each other: as one cluster, or cooperatively.
struct Together {
  CUlaunchAttribute attribute = {};
  CUlaunchConfig config = {};
  Together(const sol_gpu& g, uint32_t blocks, uint32_t threads) {
    attribute.id = g.clusters ? CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION : CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    if (g.clusters) attribute.value.cluster[0] = blocks, attribute.value.cluster[1] = attribute.value.cluster[2] = 1;
    else attribute.value.cooperative = 1;
    config = {{blocks, 1, 1}, {threads, 1, 1}, 0, g.stream, &attribute, blocks > 1};
  }
  Together(const Together&) = delete;
};

// How many blocks of a kernel can wait for each other: a power of 2.
static uint32_t most_together(sol_gpu& g, CUfunction f, uint32_t threads) {
  uint32_t most = 16;
  if (!g.clusters) {
    while (most > (uint32_t)g.processors) most /= 2;
    return most;
  }
  g.driver->calls.set_function(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);  // more than 8, where the device can
  for (; most > 1; most /= 2) {
    const Together as(g, most, threads);
    int clusters = 0;
    if (!g.driver->calls.clusters(&clusters, f, &as.config) && clusters > 0) break;
  }
  return most;
}

static int32_t launch_together(void* session, int32_t kernel, int64_t blocks, uint32_t threads, void* const* with) {
  Session* const s = (Session*)session;
  sol_gpu& g = s->gpu;
  const Turn turn(g);
  if (turn.failed) return turn.failed;
  Function& f = s->kernels->functions[(size_t)kernel];
  if (!f.together) f.together = most_together(g, f.handle, threads);
  uint32_t n = 1;
  while (n < blocks && n < f.together) n *= 2;
  if (CUresult r = send_gathered(g, false)) return r;
  g.counts.launches++;
  g.busy = true;
  const Together as(g, n, threads);
  const CUresult r = SOL_CALL(g, launch_as, &as.config, f.handle, (void**)with, nullptr);
  g.note(SOL_LAUNCH, s->image->names[kernel], (int64_t)n * threads, r);
  return r;
}

static int32_t wait(void* session) {
  sol_gpu& g = ((Session*)session)->gpu;
  const Turn turn(g);
  const CUresult r = turn.failed ? turn.failed : g.synchronize();
  g.note(SOL_WAIT, nullptr, 0, r);
  return r;
}

static void lost(void*, const char* name) { lost_arrays += std::string(lost_arrays.empty() ? "'" : ", '") + (name ? name : "") + "'"; }

static int32_t product(void* session, const sol_product* p) {
  sol_gpu& g = ((Session*)session)->gpu;
  const Turn turn(g);
  return turn.failed ? turn.failed : multiply(g, *p);
}

static const sol_device_services session_services = {begin_session, end_session, place_mirrors, arrive, leave, settle, adopt, take, give,
                                                     fill,          fetch,       poke,          launch, launch_together, wait,  lost, product,
                                                     arrive_apart,  visit,       later,         keep,   is_mine, forget_kept, hand_over};
#endif
