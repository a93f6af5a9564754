// Launches: at once, or gathered into CUDA graphs where many follow each other closely.
//
// Whatever else is queued on the stream comes behind what was gathered before: `SOL_QUEUE` sends that first. The program is further on by then, and takes the
// kernels for done: if one cannot be launched, not at a second try either, the device is dead, as it is after a fault in a kernel.
// So the first launch of a kernel, which tells whether it can be launched at all, is not gathered.
#ifndef SOLJIT_LAUNCHES_H
#define SOLJIT_LAUNCHES_H
#include "gpu.h"

static CUresult launch_now(sol_gpu& g, const Function& f, const uint32_t* n, uint32_t shared, void** with) {
  return SOL_CALL(g, launch, f.handle, n[0], n[1], n[2], n[3], n[4], n[5], shared, g.stream, with, nullptr);
}

// The first `count` of those that wait, one by one.
static CUresult launch_each(sol_gpu& g, size_t count) {
  std::vector<void*> with;
  for (size_t k = 0; k < count; k++) {
    const Launch l = g.gathered.waiting.all[k];
    g.gathered.waiting.arguments(l, with);
    CUresult r = launch_now(g, *l.function, l.n, l.shared, with.data());
    if (r && !g.dead) r = launch_now(g, *l.function, l.n, l.shared, with.data());
    if (r) return r;
  }
  return 0;
}

static CUDA_KERNEL_NODE_PARAMS node_of(const Launch& l, std::vector<void*>& with) {
  return {l.function->handle, l.n[0], l.n[1], l.n[2], l.n[3], l.n[4], l.n[5], l.shared, with.data(), nullptr, nullptr, nullptr};
}

static void drop_graph(sol_gpu& g, const Graph& x) {
  if (x.ready) {
    g.driver->calls.synchronize(g.stream);  // it may be on its way
    g.driver->later.drop_ready_graph(x.ready);
  }
  if (x.graph) g.driver->later.drop_graph(x.graph);
}

// A graph of the first `count` of those that wait, each behind the one before; false if the driver makes none.
static bool make_graph(sol_gpu& g, uint64_t hash, size_t count) {
  Gathered& all = g.gathered;
  const DriverLater& calls = g.driver->later;
  Graph x = {hash, 0, {}, nullptr, nullptr, {}};
  std::vector<void*> with;
  bool made = !calls.make_graph(&x.graph, 0);
  for (size_t k = 0; made && k < count; k++) {
    const Launch& l = all.waiting.all[k];
    all.waiting.arguments(l, with);
    const auto node = node_of(l, with);
    CUgraphNode at = nullptr;
    made = !calls.add_kernel(&at, x.graph, k ? &x.nodes.back() : nullptr, k ? 1 : 0, &node);
    x.nodes.push_back(at);
    x.with.add(*l.function, l.n, l.shared, with.data());
  }
  made = made && !calls.make_ready(&x.ready, x.graph, 0);
  if (!made) return drop_graph(g, x), false;
  if (all.graphs.size() >= Gathered::GRAPHS) {
    const auto oldest = std::min_element(all.graphs.begin(), all.graphs.end(), [](const Graph& a, const Graph& b) { return a.turn < b.turn; });
    drop_graph(g, *oldest);
    all.graphs.erase(oldest);
  }
  all.graphs.push_back(std::move(x));
  return true;
}

// Put what has changed into a graph, and launch it.
static CUresult launch_graph(sol_gpu& g, Graph& x) {
  Launches& now = g.gathered.waiting;
  std::vector<void*> with;
  for (size_t k = 0; k < x.nodes.size(); k++) {
    if (now.is_same(k, x.with)) continue;
    now.arguments(now.all[k], with);
    const auto node = node_of(now.all[k], with);
    if (CUresult r = g.checked(g.driver->later.change_kernel(x.ready, x.nodes[k], &node), "cuGraphExecKernelNodeSetParams_v2")) return r;
    x.with.put(k, now);
  }
  x.turn = ++g.gathered.turn;
  g.counts.graphs++;
  return g.checked(g.driver->later.launch_graph(x.ready, g.stream), "cuGraphLaunch");
}

// Send what was gathered. full: more of the same is to be expected, so that a graph is made at once, of whole turns, and what is left waits on
static CUresult send_gathered(sol_gpu& g, bool full) {
  Gathered& all = g.gathered;
  size_t count = all.waiting.all.size();
  if (!count) return 0;
  const size_t period = full ? all.waiting.period() : 0;
  if (period) count -= count % period;
  Graph* found = nullptr;
  if (all.on && count >= all.least && (period || !full)) {
    const uint64_t hash = all.waiting.hash(count);
    if (all.seen.size() >= Gathered::SEEN) all.seen.clear();
    found = all.find(hash, count);
    if (!found && (period || !all.seen.insert(hash).second)) {
      if (make_graph(g, hash, count)) found = &all.graphs.back(), all.failures = 0;
      else all.on = ++all.failures < Gathered::FAILURES;
    }
  }
  CUresult r = found ? launch_graph(g, *found) : launch_each(g, count);
  if (r && found && !g.dead) {  // nothing of it was queued
    drop_graph(g, *found);      // some of its nodes may have changed
    all.graphs.erase(all.graphs.begin() + (found - all.graphs.data()));
    r = launch_each(g, count);
  }
  if (r && !g.dead) {
    g.why_dead = last_failure;
    g.dead = r;
  }
  all.waiting.drop(r ? all.waiting.all.size() : count);
  return r;
}

// Queue a launch.
static CUresult queue_launch(sol_gpu& g, Function& f, const uint32_t* n, uint32_t shared, void* const* with) {
  Gathered& all = g.gathered;
  g.busy = true;
  if (!all.follows()) all.since_wait = 0;
  if (++all.since_wait <= all.direct || !f.known || !f.launched || !all.on) {
    if (CUresult r = send_gathered(g, false)) return r;
    if (CUresult r = launch_now(g, f, n, shared, (void**)with)) return r;
    f.launched = true;
    return 0;
  }
  all.waiting.add(f, n, shared, with);
  return all.waiting.all.size() < all.most ? 0 : send_gathered(g, true);
}

// How large the arguments of a function are, where the driver tells.
static void ask_for_arguments(const sol_gpu& g, Function& f) {
  if (!g.gathered.on) return;
  size_t at = 0, size = 0;
  CUresult r;
  while (!(r = g.driver->later.argument(f.handle, f.sizes.size(), &at, &size))) f.sizes.push_back((uint32_t)size);
  f.known = r == CUDA_ERROR_INVALID_VALUE;  // there is no such argument
}
#endif
