// Entry points of the driver: modules, kernels, launches, and the table of entry points itself.
#ifndef SOLJIT_EMULATOR_DRIVER_LAUNCH_H
#define SOLJIT_EMULATOR_DRIVER_LAUNCH_H
#include <memory>

#include "entry.h"

using namespace fake;

struct Module {
  Image* image;
  std::map<std::string, Kernel> kernels;
};
static std::set<Module*>& modules() {
  static auto* const all = new std::set<Module*>;
  return *all;
}
static Kernel* kernel_of(void* handle) {
  for (Module* m : modules())
    for (auto& k : m->kernels)
      if (&k.second == handle) return &k.second;
  return nullptr;
}

SOL_ENTRY CUresult cuModuleLoadData(void** out, const void* data) {
  SOL_ENTER(CONTEXT, MODULE);
  Image* image = data ? load_image((const char*)data, &services) : nullptr;
  if (!image) return CUDA_ERROR_INVALID_IMAGE;
  Module* m = new Module{image, {}};
  for (const sol_emulated_kernel* k = image->kernels; k->name; ++k) m->kernels[k->name] = {k, image};
  modules().insert(m);
  ++state().counted.modules;
  *out = m;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuModuleLoadDataEx(void** out, const void* data, unsigned, int*, void**) { return cuModuleLoadData(out, data); }
SOL_ENTRY CUresult cuModuleUnload(void* handle) {
  SOL_ENTER(CONTEXT);
  auto it = modules().find((Module*)handle);
  if (it == modules().end()) return CUDA_ERROR_INVALID_HANDLE;
  for (Stream* s : streams().others) streams().run(*s);
  streams().run(streams().first);
  --state().counted.modules;
  (*it)->image->unload();
  delete (*it)->image;
  delete *it;
  modules().erase(it);
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuModuleGetFunction(void** out, void* handle, const char* name) {
  SOL_ENTER(CONTEXT);
  if (!modules().count((Module*)handle)) return CUDA_ERROR_INVALID_HANDLE;
  auto& kernels = ((Module*)handle)->kernels;
  auto it = kernels.find(name);
  if (it == kernels.end()) return CUDA_ERROR_NOT_FOUND;
  *out = &it->second;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuFuncGetAttribute(int* out, int attribute, void* handle) {
  SOL_ENTER(CONTEXT);
  const Kernel* k = kernel_of(handle);
  if (!k) return CUDA_ERROR_INVALID_HANDLE;
  if (attribute < 0 || attribute > 9) return CUDA_ERROR_INVALID_VALUE;
  *out = attribute == 0 ? k->as->most_threads : attribute == 8 ? k->shared_most : 0;  // MAX_THREADS_PER_BLOCK, MAX_DYNAMIC_SHARED_SIZE_BYTES
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuFuncSetAttribute(void* handle, int attribute, int value) {
  SOL_ENTER(CONTEXT);
  Kernel* k = kernel_of(handle);
  if (!k) return CUDA_ERROR_INVALID_HANDLE;
  if ((attribute != 8 && attribute != 9 && attribute != 14) || value < 0 || (attribute == 8 && value > SHARED_MOST)) return CUDA_ERROR_INVALID_VALUE;
  if (attribute == 8) k->shared_most = value;
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuFuncGetParamInfo(void* handle, size_t which, size_t* offset, size_t* size) {
  SOL_ENTER(CONTEXT);
  const Kernel* k = kernel_of(handle);
  if (!k) return CUDA_ERROR_INVALID_HANDLE;
  if (which >= (size_t)k->as->count) return CUDA_ERROR_INVALID_VALUE;
  const auto bytes = [&](size_t i) { return (size_t)(k->as->sizes[i] < 0 ? -k->as->sizes[i] : k->as->sizes[i]); };
  size_t at = 0;
  for (size_t i = 0; i <= which; ++i) {
    at = (at + bytes(i) - 1) / bytes(i) * bytes(i);
    if (i < which) at += bytes(i);
  }
  *offset = at;
  *size = bytes(which);
  return CUDA_SUCCESS;
}

static std::string why_not_launch(const Kernel& k, const unsigned* blocks, const unsigned* width, unsigned shared) {
  const uint64_t threads = (uint64_t)width[0] * width[1] * width[2];
  for (int d = 0; d < 3; ++d)
    if (!blocks[d] || !width[d]) return "launch: a grid or a block without threads";
  if (threads > MOST_THREADS || width[2] > MOST_BLOCK_Z) return text("launch too large: a block of %llu threads", (unsigned long long)threads);
  if (threads > (uint64_t)k.as->most_threads) {
    return text("launch too large: a block of %llu threads, and %s was compiled for %d", (unsigned long long)threads, k.as->name, k.as->most_threads);
  }
  if (blocks[0] > 0x7FFFFFFFu || blocks[1] > MOST_GRID_YZ || blocks[2] > MOST_GRID_YZ) {
    return text("launch too large: a grid of %u by %u by %u blocks", blocks[0], blocks[1], blocks[2]);
  }
  if (shared > (unsigned)k.shared_most) return text("launch too large: %u bytes for a block, and it may ask for %d", shared, k.shared_most);
  return "";
}
// What a launch asks for, with copies of its arguments.
static CUresult make_job(std::shared_ptr<Job>* out, void* handle, const unsigned* blocks, const unsigned* width, unsigned shared, void** with,
                         void** extra) {
  Kernel* const k = kernel_of(handle);
  if (!k) return wrong(CUDA_ERROR_INVALID_HANDLE, "launch: there is no such kernel");
  const std::string why = why_not_launch(*k, blocks, width, shared);
  if (!why.empty()) return wrong(CUDA_ERROR_INVALID_VALUE, why);
  if (extra || (k->as->count && !with)) return wrong(CUDA_ERROR_INVALID_VALUE, text("launch: no arguments for %s", k->as->name));
  auto job = std::make_shared<Job>(Job{k, {blocks[0], blocks[1], blocks[2]}, {width[0], width[1], width[2]}, shared, {}});
  for (int32_t i = 0; i < k->as->count; ++i) {
    const int32_t n = k->as->sizes[i] < 0 ? -k->as->sizes[i] : k->as->sizes[i];
    const char* const p = (const char*)with[i];
    if (!p) return wrong(CUDA_ERROR_INVALID_VALUE, text("launch: argument %d of %s is missing", i, k->as->name));
    job->with.emplace_back(p, p + n);
  }
  *out = std::move(job);
  return CUDA_SUCCESS;
}
static void push_job(Stream& s, const std::shared_ptr<Job>& job) {
  ++state().counted.launches;
  streams().push(s, [job] { return run(*job); });
}
static CUresult launch(void* handle, const unsigned* blocks, const unsigned* width, unsigned shared, void* stream, void** with, void** extra,
                       bool together = false) {
  SOL_STREAM(s, stream);
  std::shared_ptr<Job> job;
  if (CUresult r = make_job(&job, handle, blocks, width, shared, with, extra)) return r;
  job->together = together;
  push_job(*s, job);
  return CUDA_SUCCESS;
}
SOL_ENTRY CUresult cuLaunchKernel(void* handle, unsigned bx, unsigned by, unsigned bz, unsigned x, unsigned y, unsigned z, unsigned shared,
                                  void* stream, void** with, void** extra) {
  SOL_ENTER(CONTEXT, LAUNCH);
  const unsigned blocks[] = {bx, by, bz}, width[] = {x, y, z};
  return launch(handle, blocks, width, shared, stream, with, extra);
}
// All blocks of a launch may be one cluster; there is no other kind here.
static std::string why_no_cluster(const CUlaunchConfig& c) {
  if (!c.count) return "";
  const auto& a = *(const CUlaunchAttribute*)c.attributes;
  const uint64_t blocks = (uint64_t)c.grid[0] * c.grid[1] * c.grid[2], threads = (uint64_t)c.block[0] * c.block[1] * c.block[2];
  if (c.count != 1 || a.id != CLUSTER_DIMENSION || a.cluster[0] != c.grid[0] || a.cluster[1] != c.grid[1] || a.cluster[2] != c.grid[2]) {
    return "launch: blocks together that are not one cluster";
  }
  if (blocks * threads > MOST_AT_ONCE) return text("launch too large: a cluster of %llu blocks", (unsigned long long)blocks);
  return "";
}
SOL_ENTRY CUresult cuLaunchKernelEx(const CUlaunchConfig* c, void* handle, void** with, void** extra) {
  SOL_ENTER(CONTEXT, LAUNCH);
  if (!c) return CUDA_ERROR_INVALID_VALUE;
  const std::string why = why_no_cluster(*c);
  if (!why.empty()) return wrong(CUDA_ERROR_INVALID_VALUE, why);
  return launch(handle, c->grid, c->block, c->shared, c->stream, with, extra, c->count > 0);
}
SOL_ENTRY CUresult cuOccupancyMaxActiveClusters(int* out, void* handle, const CUlaunchConfig* c) {
  SOL_ENTER(CONTEXT);
  if (!kernel_of(handle) || !c) return CUDA_ERROR_INVALID_HANDLE;
  *out = why_no_cluster(*c).empty() ? 1 : 0;
  return CUDA_SUCCESS;
}

// Newer versions of an entry point have a number behind their names.
SOL_ENTRY CUresult cuGetProcAddress_v2(const char* name, void** out, int, uint64_t, int* status) {
  SOL_ENTER(NOTHING);
  Dl_info self;
  *out = nullptr;
  void* const library = dladdr((void*)cuGetProcAddress_v2, &self) ? dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD) : nullptr;
  if (library) {
    *out = dlsym(library, (std::string(name) + "_v2").c_str());
    if (!*out) *out = dlsym(library, name);
    dlclose(library);
  }
  if (status) *status = *out ? 0 : 1;
  return *out ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
#endif
