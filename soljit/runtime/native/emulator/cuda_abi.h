// The part of CUDA's driver interface that the fake driver has: types, numbers and layouts as CUDA's documentation gives them.
#ifndef SOLJIT_CUDA_ABI_H
#define SOLJIT_CUDA_ABI_H
#include <stddef.h>
#include <stdint.h>

typedef int CUresult, CUdevice;
typedef unsigned long long CUdeviceptr;
enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_ILLEGAL_STATE = 401,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_NOT_SUPPORTED = 801,
};

struct error_name {
  CUresult code;
  const char *name, *text;
};
static const error_name error_names[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_ILLEGAL_STATE, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
};

// Attributes of a device: number → value. Compute capability 0.0 says that this is the emulator.
struct attribute {
  int number, value;
};
static const attribute attributes[] = {
    {1, 1024},      // MAX_THREADS_PER_BLOCK
    {2, 1024},      // MAX_BLOCK_DIM_X
    {3, 1024},      // Y
    {4, 64},        // Z
    {5, 2147483647},  // MAX_GRID_DIM_X
    {6, 65535},     // Y
    {7, 65535},     // Z
    {8, 49152},     // MAX_SHARED_MEMORY_PER_BLOCK
    {9, 65536},     // TOTAL_CONSTANT_MEMORY
    {10, 32},       // WARP_SIZE
    {12, 65536},    // MAX_REGISTERS_PER_BLOCK
    {13, 1000000},  // CLOCK_RATE, kHz
    {14, 512},      // TEXTURE_ALIGNMENT
    {16, 4},        // MULTIPROCESSOR_COUNT
    {18, 0},        // INTEGRATED
    {19, 1},        // CAN_MAP_HOST_MEMORY
    {20, 0},        // COMPUTE_MODE
    {31, 1},        // CONCURRENT_KERNELS
    {36, 1000000},  // MEMORY_CLOCK_RATE, kHz
    {37, 1024},     // GLOBAL_MEMORY_BUS_WIDTH
    {38, 1 << 20},  // L2_CACHE_SIZE
    {39, 2048},     // MAX_THREADS_PER_MULTIPROCESSOR
    {40, 1},        // ASYNC_ENGINE_COUNT
    {41, 1},        // UNIFIED_ADDRESSING
    {75, 0},        // COMPUTE_CAPABILITY_MAJOR
    {76, 0},        // COMPUTE_CAPABILITY_MINOR
    {81, 233472},   // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
    {82, 65536},    // MAX_REGISTERS_PER_MULTIPROCESSOR
    {83, 0},        // MANAGED_MEMORY
    {88, 0},        // PAGEABLE_MEMORY_ACCESS
    {89, 0},        // CONCURRENT_MANAGED_ACCESS
    {95, 0},        // COOPERATIVE_LAUNCH
    {97, 232448},   // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    {115, 1},       // MEMORY_POOLS_SUPPORTED
};
enum { MOST_THREADS = 1024, MOST_GRID_YZ = 65535, MOST_BLOCK_Z = 64, SHARED_STATIC = 49152, SHARED_MOST = 232448 };

enum { MEMORY_HOST = 1, MEMORY_DEVICE = 2, MEMORY_UNIFIED = 4 };
struct CUDA_MEMCPY2D {
  size_t src_x, src_y;
  int src_type;
  const void* src_host;
  CUdeviceptr src_device;
  void* src_array;
  size_t src_pitch;
  size_t dst_x, dst_y;
  int dst_type;
  void* dst_host;
  CUdeviceptr dst_device;
  void* dst_array;
  size_t dst_pitch;
  size_t width, height;
};
struct CUDA_KERNEL_NODE_PARAMS {
  void* kernel;
  unsigned grid[3], block[3], shared;
  void **with, **extra;
  void *other_kernel, *context;
};
enum { CLUSTER_DIMENSION = 4 };
struct CUlaunchAttribute {
  int id, padding;
  unsigned cluster[16];
};
struct CUlaunchConfig {
  unsigned grid[3], block[3], shared;
  void* stream;
  void* attributes;
  unsigned count;
};
#endif
