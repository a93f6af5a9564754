// Entry points of the driver: graphs of kernels, each node behind the one before it. Nodes that do not wait for each other might run in any order, and are refused.
#ifndef SOLJIT_EMULATOR_DRIVER_GRAPHS_H
#define SOLJIT_EMULATOR_DRIVER_GRAPHS_H
#include "driver_launch.h"

struct GraphNode {
  size_t number;
};
struct GraphOfKernels {
  std::vector<std::shared_ptr<Job>> jobs;
  std::vector<std::unique_ptr<GraphNode>> nodes;
};
struct ReadyGraph {
  const GraphOfKernels* made_of;
  std::vector<std::shared_ptr<Job>> jobs;
};
static std::set<GraphOfKernels*>& graphs() {
  static auto* const all = new std::set<GraphOfKernels*>;
  return *all;
}
static std::set<ReadyGraph*>& ready_graphs() {
  static auto* const all = new std::set<ReadyGraph*>;
  return *all;
}

SOL_ENTRY CUresult cuGraphCreate(void** out, unsigned flags) {
  SOL_ENTER(CONTEXT, LAUNCH);
  if (flags) return wrong(CUDA_ERROR_INVALID_VALUE, "graph: there are no flags");
  auto* const g = new GraphOfKernels;
  graphs().insert(g);
  *out = g;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuGraphDestroy(void* handle) {
  SOL_ENTER(CONTEXT, ANY, false);
  auto* const g = (GraphOfKernels*)handle;
  if (!graphs().erase(g)) return wrong(CUDA_ERROR_INVALID_HANDLE, "graph: there is no such graph");
  delete g;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuGraphAddKernelNode_v2(void** out, void* handle, void* const* behind, size_t count, const CUDA_KERNEL_NODE_PARAMS* p) {
  SOL_ENTER(CONTEXT, LAUNCH);
  auto* const g = (GraphOfKernels*)handle;
  if (!graphs().count(g) || !p) return wrong(CUDA_ERROR_INVALID_HANDLE, "graph: there is no such graph");
  if (g->nodes.empty() ? count != 0 : count != 1 || behind[0] != g->nodes.back().get()) {
    return wrong(CUDA_ERROR_INVALID_VALUE, "graph: a node that is not behind the one before it");
  }
  std::shared_ptr<Job> job;
  if (CUresult r = make_job(&job, p->kernel, p->grid, p->block, p->shared, p->with, p->extra)) return r;
  g->jobs.push_back(job);
  g->nodes.emplace_back(new GraphNode{g->nodes.size()});
  *out = g->nodes.back().get();
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuGraphInstantiateWithFlags(void** out, void* handle, unsigned long long flags) {
  SOL_ENTER(CONTEXT, LAUNCH);
  auto* const g = (GraphOfKernels*)handle;
  if (!graphs().count(g) || flags) return wrong(CUDA_ERROR_INVALID_HANDLE, "graph: there is no such graph");
  auto* const ready = new ReadyGraph{g, g->jobs};
  ready_graphs().insert(ready);
  *out = ready;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuGraphExecDestroy(void* handle) {
  SOL_ENTER(CONTEXT, ANY, false);
  auto* const ready = (ReadyGraph*)handle;
  if (!ready_graphs().erase(ready)) return wrong(CUDA_ERROR_INVALID_HANDLE, "graph: there is no such graph");
  delete ready;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuGraphExecKernelNodeSetParams_v2(void* handle, void* node, const CUDA_KERNEL_NODE_PARAMS* p) {
  SOL_ENTER(CONTEXT, LAUNCH);
  auto* const ready = (ReadyGraph*)handle;
  if (!ready_graphs().count(ready) || !graphs().count((GraphOfKernels*)ready->made_of) || !p) {
    return wrong(CUDA_ERROR_INVALID_HANDLE, "graph: there is no such graph");
  }
  for (const auto& n : ready->made_of->nodes) {
    if (n.get() != node) continue;
    std::shared_ptr<Job>& job = ready->jobs[n->number];
    if (p->kernel != job->kernel) return wrong(CUDA_ERROR_INVALID_VALUE, "graph: another kernel for a node");
    return make_job(&job, p->kernel, p->grid, p->block, p->shared, p->with, p->extra);
  }
  return wrong(CUDA_ERROR_INVALID_VALUE, "graph: a node of another graph");
}
SOL_ENTRY CUresult cuGraphLaunch(void* handle, void* stream) {
  SOL_ENTER(CONTEXT, LAUNCH);
  auto* const ready = (ReadyGraph*)handle;
  if (!ready_graphs().count(ready)) return wrong(CUDA_ERROR_INVALID_HANDLE, "graph: there is no such graph");
  SOL_STREAM(s, stream);
  for (const auto& job : ready->jobs) push_job(*s, job);
  return CUDA_SUCCESS;
}
#endif
