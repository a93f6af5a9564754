// The functions of CUDA's driver that are used, declared by hand and found by name: no header of CUDA is needed to build this, and no driver.
//
// Names and numbers are those of cuda.h; the suffixes name the version of each function that is meant.
#ifndef SOLJIT_DRIVER_H
#define SOLJIT_DRIVER_H
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef int32_t CUresult;
typedef int32_t CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUstream_st* CUstream;
typedef struct CUevent_st* CUevent;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUmemPoolHandle_st* CUmemoryPool;
typedef struct CUgraph_st* CUgraph;
typedef struct CUgraphNode_st* CUgraphNode;
typedef struct CUgraphExec_st* CUgraphExec;

enum : CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_ILLEGAL_STATE = 401,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_UNKNOWN = 999
};

// After these nothing works any more in the context, whoever uses it.
static inline bool is_sticky(CUresult r) {
  switch (r) {
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_UNKNOWN: return true;
    default: return r >= CUDA_ERROR_HARDWARE_STACK_ERROR && r <= CUDA_ERROR_LAUNCH_FAILED;  // bad instructions, addresses, counters
  }
}

enum { CU_STREAM_DEFAULT = 0, CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2, CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2 };
enum { CU_EVENT_DISABLE_TIMING = 2 };
enum { CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4 };
enum { CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14 };
enum { CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4 };
enum {
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115
};

typedef struct CUDA_MEMCPY2D {
  size_t srcXInBytes, srcY;
  int32_t srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  void* srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  int32_t dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  void* dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

typedef struct CUlaunchAttribute {
  int32_t id, padding;
  union {
    char room[64];
    uint32_t cluster[3];
    int32_t cooperative;
  } value;
} CUlaunchAttribute;

typedef struct CUlaunchConfig {
  uint32_t blocks[3], threads[3], shared;
  CUstream stream;
  CUlaunchAttribute* attributes;
  uint32_t count;
} CUlaunchConfig;

typedef struct CUDA_KERNEL_NODE_PARAMS {
  CUfunction function;
  uint32_t blocks_x, blocks_y, blocks_z, threads_x, threads_y, threads_z, shared;
  void** with;
  void** extra;
  void *kernel, *context;
} CUDA_KERNEL_NODE_PARAMS;

// X(name here, its name in the library, parameters)
#define SOL_DRIVER_FUNCTIONS(X)                                                                                                \
  X(init, "cuInit", (unsigned))                                                                                                \
  X(driver_version, "cuDriverGetVersion", (int*))                                                                              \
  X(error_name, "cuGetErrorName", (CUresult, const char**))                                                                    \
  X(error_text, "cuGetErrorString", (CUresult, const char**))                                                                  \
  X(device_count, "cuDeviceGetCount", (int*))                                                                                  \
  X(device_get, "cuDeviceGet", (CUdevice*, int))                                                                               \
  X(device_name, "cuDeviceGetName", (char*, int, CUdevice))                                                                    \
  X(device_attribute, "cuDeviceGetAttribute", (int*, int, CUdevice))                                                           \
  X(device_memory, "cuDeviceTotalMem_v2", (size_t*, CUdevice))                                                                 \
  X(primary_context, "cuDevicePrimaryCtxRetain", (CUcontext*, CUdevice))                                                       \
  X(push_context, "cuCtxPushCurrent_v2", (CUcontext))                                                                          \
  X(pop_context, "cuCtxPopCurrent_v2", (CUcontext*))                                                                           \
  X(make_stream, "cuStreamCreate", (CUstream*, unsigned))                                                                      \
  X(synchronize, "cuStreamSynchronize", (CUstream))                                                                            \
  X(make_event, "cuEventCreate", (CUevent*, unsigned))                                                                         \
  X(record_event, "cuEventRecord", (CUevent, CUstream))                                                                        \
  X(wait_for_event, "cuEventSynchronize", (CUevent))                                                                           \
  X(load_module, "cuModuleLoadData", (CUmodule*, const void*))                                                                 \
  X(unload_module, "cuModuleUnload", (CUmodule))                                                                               \
  X(get_function, "cuModuleGetFunction", (CUfunction*, CUmodule, const char*))                                                 \
  X(set_function, "cuFuncSetAttribute", (CUfunction, int, int))                                                                \
  X(launch, "cuLaunchKernel",                                                                                                  \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**, void**))              \
  X(launch_as, "cuLaunchKernelEx", (const CUlaunchConfig*, CUfunction, void**, void**))                                        \
  X(clusters, "cuOccupancyMaxActiveClusters", (int*, CUfunction, const CUlaunchConfig*))                                       \
  X(allocate, "cuMemAlloc_v2", (CUdeviceptr*, size_t))                                                                         \
  X(release, "cuMemFree_v2", (CUdeviceptr))                                                                                    \
  X(allocate_in_order, "cuMemAllocAsync", (CUdeviceptr*, size_t, CUstream))                                                    \
  X(release_in_order, "cuMemFreeAsync", (CUdeviceptr, CUstream))                                                               \
  X(default_pool, "cuDeviceGetDefaultMemPool", (CUmemoryPool*, CUdevice))                                                      \
  X(set_pool, "cuMemPoolSetAttribute", (CUmemoryPool, int, void*))                                                             \
  X(trim_pool, "cuMemPoolTrimTo", (CUmemoryPool, size_t))                                                                      \
  X(allocation, "cuMemGetAddressRange_v2", (CUdeviceptr*, size_t*, CUdeviceptr))                                               \
  X(memory_left, "cuMemGetInfo_v2", (size_t*, size_t*))                                                                        \
  X(pointer_attribute, "cuPointerGetAttribute", (void*, int, CUdeviceptr))                                                     \
  X(allocate_pinned, "cuMemHostAlloc", (void**, size_t, unsigned))                                                             \
  X(copy_in, "cuMemcpyHtoD_v2", (CUdeviceptr, const void*, size_t))                                                            \
  X(copy_in_async, "cuMemcpyHtoDAsync_v2", (CUdeviceptr, const void*, size_t, CUstream))                                       \
  X(copy_out_async, "cuMemcpyDtoHAsync_v2", (void*, CUdeviceptr, size_t, CUstream))                                            \
  X(copy_within_async, "cuMemcpyDtoDAsync_v2", (CUdeviceptr, CUdeviceptr, size_t, CUstream))                                  \
  X(copy_rows_async, "cuMemcpy2DAsync_v2", (const CUDA_MEMCPY2D*, CUstream))                                                   \
  X(set_bytes_async, "cuMemsetD8Async", (CUdeviceptr, unsigned char, size_t, CUstream))

// What drivers before 12.4 lack.
#define SOL_LATER_FUNCTIONS(X)                                                                                                 \
  X(argument, "cuFuncGetParamInfo", (CUfunction, size_t, size_t*, size_t*))                                                    \
  X(make_graph, "cuGraphCreate", (CUgraph*, unsigned))                                                                         \
  X(drop_graph, "cuGraphDestroy", (CUgraph))                                                                                   \
  X(add_kernel, "cuGraphAddKernelNode_v2", (CUgraphNode*, CUgraph, const CUgraphNode*, size_t, const CUDA_KERNEL_NODE_PARAMS*)) \
  X(make_ready, "cuGraphInstantiateWithFlags", (CUgraphExec*, CUgraph, unsigned long long))                                    \
  X(change_kernel, "cuGraphExecKernelNodeSetParams_v2", (CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS*))             \
  X(launch_graph, "cuGraphLaunch", (CUgraphExec, CUstream))                                                                    \
  X(drop_ready_graph, "cuGraphExecDestroy", (CUgraphExec))

struct DriverLater {
#define X(name, symbol, parameters) CUresult(*name) parameters = nullptr;
  SOL_LATER_FUNCTIONS(X)
#undef X
  bool there = false;  // all of them

  void open(void* library) {
    there = true;
#define X(name, symbol, parameters)                      \
  name = (CUresult(*) parameters)dlsym(library, symbol); \
  there = there && name;
    SOL_LATER_FUNCTIONS(X)
#undef X
  }
};

struct Driver {
#define X(name, symbol, parameters) CUresult(*name) parameters = nullptr;
  SOL_DRIVER_FUNCTIONS(X)
#undef X
#define X(name, symbol, parameters) static constexpr const char* symbol_of_##name = symbol;
  SOL_DRIVER_FUNCTIONS(X)
#undef X

  // Find all functions; false with the reason in `why` if the library cannot be loaded or lacks one.
  bool open(const char* path, DriverLater& later, char* why, size_t room) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return snprintf(why, room, "%s", dlerror()), false;
#define X(name, symbol, parameters)                                                       \
  name = (CUresult(*) parameters)dlsym(library, symbol);                                  \
  if (!name) return snprintf(why, room, "%s has no %s", path, symbol), false;
    SOL_DRIVER_FUNCTIONS(X)
#undef X
    later.open(library);
    return true;
  }
};
#endif
