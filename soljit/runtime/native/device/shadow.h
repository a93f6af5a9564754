// Shadows: the device's copies of host arrays. They outlive the session that made them, so that the next one that wants the same bytes copies
// only what has changed on the host. A shadow stays as long as that can be known (watches.h) and memory suffices; those that were not used
// for the longest time go first.
//
// A session that may write a shadow has it alone: another one that wants it at the same time gets memory of its own, as if nothing were kept.
// Such memory, and that of arrays about which nothing is known later, goes with the session.
//
// What is equal, byte by byte: the host's memory and a shadow, but for what its watch calls changed, pages the tracker has not been asked
// about yet, and elements that kernels of an open session have written. When that session ends, the generated code has
// said of each copy that kernels write that it has been copied home since (`settle`). If it has not, the shadow goes.
#ifndef SOLJIT_SHADOW_H
#define SOLJIT_SHADOW_H
#include "owned.h"
#include "watches.h"

struct Shadow {
  Watch watch;
  CUdeviceptr memory = 0, place = 0;  // what was allocated; where the first byte lies
  bool kept = false;                  // it is in the table
  int users = 0;                      // open sessions
  bool alone = false;                 // the one user may write it
  uint64_t used = 0;                  // when, in turns of the device

  Shadow(uintptr_t lo, uintptr_t hi) : watch(lo, hi) {}
  int64_t bytes() const { return (int64_t)(watch.hi - watch.lo); }
  bool holds(uintptr_t lo, uintptr_t hi) const { return watch.lo <= lo && hi <= watch.hi; }
  bool touches(uintptr_t lo, uintptr_t hi) const { return watch.lo < hi && lo < watch.hi; }
  CUdeviceptr at(uintptr_t host) const { return place + (host - watch.lo); }
};

// A session's share in a shadow.
struct Use {
  Shadow* shadow;
  int unsettled = 0;    // arguments that its kernels may write, and that were not settled yet
  bool failed = false;  // a copy was not finished
};

struct Shadows {
  std::vector<std::unique_ptr<Shadow>> all;
  int64_t bytes = 0;
  uint64_t turn = 0;
};

static void forget_shadow(sol_gpu& g, Shadow* s) {
  watches.remove(s->watch);
  Shadows& table = *g.shadows;
  table.bytes -= s->bytes();
  give_memory(g, s->memory);
  const auto found = std::find_if(table.all.begin(), table.all.end(), [&](const auto& p) { return p.get() == s; });
  table.all.erase(found);
}

// The shadow that nobody uses, and that nobody has used for the longest time, goes.
static bool drop_oldest(sol_gpu& g) {
  Shadow* oldest = nullptr;
  for (const auto& s : g.shadows->all)
    if (!s->users && (!oldest || s->used < oldest->used)) oldest = s.get();
  if (!oldest) return false;
  g.counts.evictions++;
  forget_shadow(g, oldest);
  return true;
}

// Shadows that nobody uses go: all of them, or those with one of these bytes. Bytes of others count as changed.
static void drop_shadows(sol_gpu& g, uintptr_t lo = 0, uintptr_t hi = UINTPTR_MAX) {
  std::vector<Shadow*> found;
  for (const auto& s : g.shadows->all)
    if (s->touches(lo, hi)) found.push_back(s.get());
  for (Shadow* s : found) {
    if (s->users) watches.lose(s->watch, std::max(lo, s->watch.lo), std::min(hi, s->watch.hi));
    else forget_shadow(g, s);
  }
}

// Take a shadow of these bytes into the table, if it is worthwhile and there is room for it.
static void keep_shadow(sol_gpu& g, std::unique_ptr<Shadow>& s) {
  Shadows& table = *g.shadows;
  const int64_t most = g.memory / 100 * g.keep_percent;
  if (s->bytes() > most || owned_table.holding((const char*)s->watch.lo) || !watches.is_worthwhile(s->watch.lo, s->watch.hi)) return;
  while (table.bytes + s->bytes() > most)
    if (!drop_oldest(g)) return;
  s->kept = true;
  table.bytes += s->bytes();
  watches.add(s->watch);
  table.all.push_back(std::move(s));
}

// A shadow for the bytes of some arguments of a session; `writes`: how many of them kernels may write. New ones that are not kept are owned by the session.
static CUresult use_shadow(sol_gpu& g, uintptr_t lo, uintptr_t hi, int writes, std::vector<Use>& uses, std::vector<std::unique_ptr<Shadow>>& own) {
  Shadows& table = *g.shadows;
  Shadow* found = nullptr;
  bool busy = false;  // another session has such bytes
  for (const auto& s : table.all) {
    if (!s->touches(lo, hi)) continue;
    const bool free = !s->users || (!writes && !s->alone);
    if (free && s->holds(lo, hi)) found = s.get();
    else busy |= s->users > 0;
  }
  if (!found) {
    if (!busy) drop_shadows(g, lo, hi);
    auto made = std::make_unique<Shadow>(lo, hi);
    const int64_t shift = (int64_t)(lo & 15);  // allocations are aligned to 256
    if (CUresult r = take_memory(g, &made->memory, shift + made->bytes())) return r;
    made->place = made->memory + (CUdeviceptr)shift;
    found = made.get();
    if (!busy) keep_shadow(g, made);
    if (made) own.push_back(std::move(made));
  }
  found->users++;
  found->alone = writes > 0;
  found->used = ++table.turn;
  uses.push_back({found, writes});
  return 0;
}

// The end of a session's use.
static void end_use(sol_gpu& g, const Use& u) {
  Shadow* const s = u.shadow;
  s->users--;
  s->alone = false;
  if (!s->kept) give_memory(g, s->memory);
  else if (!s->users && (u.unsettled || u.failed || !watches.is_of_use(s->watch))) forget_shadow(g, s);
}

// Places of spans: those that overlap, directly or through others, share memory. What was found before a failure is in `uses` and `own`, too.
static CUresult place_spans(sol_gpu& g, int32_t n, const sol_span* spans, uint64_t* at, std::vector<Use>& uses,
                            std::vector<std::unique_ptr<Shadow>>& own) {
  std::vector<int32_t> order;
  for (int32_t k = 0; k < n; k++) {
    at[k] = 0;
    if (spans[k].lo < spans[k].hi) order.push_back(k);
  }
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return spans[a].lo < spans[b].lo; });
  for (size_t first = 0, next = 0; first < order.size(); first = next) {
    const char *const lo = spans[order[first]].lo, *hi = spans[order[first]].hi;
    for (next = first + 1; next < order.size() && spans[order[next]].lo < hi; next++) hi = std::max<const char*>(hi, spans[order[next]].hi);
    int writes = 0;
    for (size_t k = first; k < next; k++) writes += spans[order[k]].written != 0;
    if (CUresult r = use_shadow(g, (uintptr_t)lo, (uintptr_t)hi, writes, uses, own)) return r;
    for (size_t k = first; k < next; k++) at[order[k]] = uses.back().shadow->at((uintptr_t)spans[order[k]].lo);
  }
  return 0;
}

// Which of a session's shadows has this span at this place; NULL: it is memory of another kind.
static Use* use_of(std::vector<Use>& uses, uint64_t at, const sol_span* span) {
  for (Use& u : uses)
    if (u.shadow->holds((uintptr_t)span->lo, (uintptr_t)span->hi) && u.shadow->at((uintptr_t)span->lo) == at) return &u;
  return nullptr;
}

// The session writes bytes of the device that may belong to a copy: that is not the host's any more.
static void lose_bytes(const std::vector<Use>& uses, uint64_t at, int64_t bytes) {
  for (const Use& u : uses) {
    Shadow& s = *u.shadow;
    if (s.kept && s.place < at + (uint64_t)bytes && at < s.place + (uint64_t)s.bytes()) {
      const int64_t first = (int64_t)(at - s.place);
      watches.lose(s.watch, s.watch.lo + (uintptr_t)std::max<int64_t>(first, 0), s.watch.lo + (uintptr_t)std::min(first + bytes, s.bytes()));
    }
  }
}

// Does somebody's hardware write this memory without the processor's help?
static bool is_registered(sol_gpu& g, const sol_span* span) {
  unsigned kind = 0;
  const auto ask = [&](const char* p) { return !g.driver->calls.pointer_attribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)p); };
  return ask(span->lo) || ask(span->hi - 1);
}

// Make the copy equal to the host: what has changed there is copied.
static CUresult update(sol_gpu& g, Use& u, const sol_span* span) {
  enum : uintptr_t { CLOSE = 1 << 15 };  // bytes between two pieces that are cheaper to copy than a call
  const uintptr_t lo = (uintptr_t)span->lo, hi = (uintptr_t)span->hi;
  const int64_t bytes = span->hi - span->lo;
  Watch& watch = u.shadow->watch;
  Intervals pieces(lo, hi);
  if (u.shadow->kept) {
    if (span->newer) watches.lose(watch, lo, hi);
    const Proof proof = watches.look(watch, lo, hi, pieces);
    if (proof == BROKEN) {
      u.failed = true;
      return g.checked(CUDA_ERROR_ILLEGAL_STATE, "using the copy of a frozen array, which has been changed since,");
    }
    if (proof == KNOWN) {
      g.counts.h2d_hits++;
      g.counts.h2d_saved_bytes += bytes;
      g.note(SOL_KNOWN, span->name, bytes, 0);
      return 0;
    }
    if (watch.tracked && is_registered(g, span)) watches.distrust(watch);
    pieces.join(CLOSE);
  }
  CUresult r = 0;
  for (const Interval& p : pieces)
    if (!r) r = copy_to_device(g, u.shadow->at(p.lo), (const void*)p.lo, (int64_t)(p.hi - p.lo));
  if (r && u.shadow->kept) watches.lose(watch, lo, hi);
  u.failed |= r != 0;
  const int64_t moved = pieces.bytes();
  g.counts.h2d_calls++;
  g.counts.h2d_bytes += moved;
  g.counts.h2d_partial += moved < bytes;
  g.counts.h2d_saved_bytes += bytes - moved;
  g.note(moved < bytes ? SOL_UPDATE : SOL_ARRIVE, span->name, moved, r);
  return r;
}

// Copy all bytes of a span home, which other threads may write at the same time. Each chunk is compared with the device's once its pages are armed: what
// others have written before shows there, and what they write after is seen.
static CUresult leave_watched(sol_gpu& g, Watch& watch, uintptr_t lo, uintptr_t hi, CUdeviceptr at) {
  return stage_out(g, lo, hi, at, [&](uintptr_t first, uintptr_t end, const char* chunk) {
    const int64_t bytes = (int64_t)(end - first);
    crew->copy((void*)first, chunk, bytes);
    watches.arm(watch, first, end);
    if (!crew->are_equal((const void*)first, chunk, bytes)) watches.lose(watch, first, end);
    g.counts.d2h_bytes += bytes;
  });
}

// The host's elements become those of the copy. `u`: NULL for memory of another kind.
static CUresult bring_home(sol_gpu& g, Use* u, uint64_t at, const sol_span* span, const sol_walk* walk) {
  const uintptr_t lo = (uintptr_t)span->lo, hi = (uintptr_t)span->hi;
  const Rows rows(*walk);
  const bool whole = rows.dims == 0 && rows.row == span->hi - span->lo;
  Watch* const watch = u && u->shadow->kept ? &u->shadow->watch : nullptr;
  const bool watched = whole && watch && watches.will_write(*watch, lo, hi);
  const CUresult r = watched ? leave_watched(g, *watch, lo, hi, at) : leave_rows(g, rows, span->lo, at);
  watches.have_written(watch, lo, hi, whole && !r, watched);
  if (r && watch) watches.lose(*watch, lo, hi);
  if (u) u->failed |= r != 0;
  if (watch && whole && watch->tracked && is_registered(g, span)) watches.distrust(*watch);
  return r;
}

// Memory that a session took for an array of its own stays as the shadow of that array, which was copied home as a whole a moment ago.
static bool adopt_memory(sol_gpu& g, uint64_t at, const sol_span* span, std::vector<Use>& uses) {
  const uintptr_t lo = (uintptr_t)span->lo, hi = (uintptr_t)span->hi;
  if ((lo & 15) || hi - lo < LEAST_TRACKED) return false;
  for (const auto& s : g.shadows->all)
    if (s->touches(lo, hi) && s->users) return false;
  drop_shadows(g, lo, hi);
  auto made = std::make_unique<Shadow>(lo, hi);
  Shadow* const s = made.get();
  s->memory = s->place = at;
  keep_shadow(g, made);
  if (made) return false;
  s->users = 1;
  s->alone = true;
  s->used = ++g.shadows->turn;
  uses.push_back({s, 1});
  watches.have_written(&s->watch, lo, hi, true);
  return true;
}
#endif
