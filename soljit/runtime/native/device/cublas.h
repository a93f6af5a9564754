// The functions of cuBLAS that are used, declared by hand and found by name: no header of CUDA is needed to build this.
//
// They are those with 64-bit sizes, which cuBLAS has from CUDA 12 on. Numbers and names are those of cublas_v2.h.
#ifndef SOLJIT_CUBLAS_H
#define SOLJIT_CUBLAS_H
#include <memory>
#include <string>
#include <type_traits>

#include "driver.h"

typedef int32_t cublasStatus;
enum : cublasStatus {
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_NOT_SUPPORTED = 15
};
enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };
enum { CUBLAS_DEFAULT_MATH = 0, CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_POINTER_MODE_HOST = 0, CUDA_MAJOR_VERSION = 0 };

// One function for each type of elements, in the order of SOL_F32, SOL_F64, SOL_C64, SOL_C128. Factors are read on the host.
typedef const void* Factor;
typedef cublasStatus (*Gemm)(void*, int, int, int64_t m, int64_t n, int64_t k, Factor, const void* a, int64_t lda, const void* b, int64_t ldb, Factor,
                             void* c, int64_t ldc);
typedef cublasStatus (*Gemms)(void*, int, int, int64_t m, int64_t n, int64_t k, Factor, const void* a, int64_t lda, long long next_a, const void* b,
                              int64_t ldb, long long next_b, Factor, void* c, int64_t ldc, long long next_c, int64_t count);
typedef cublasStatus (*Gemv)(void*, int, int64_t m, int64_t n, Factor, const void* a, int64_t lda, const void* x, int64_t step_x, Factor, void* y,
                             int64_t step_y);
typedef cublasStatus (*Geam)(void*, int, int, int64_t m, int64_t n, Factor, const void* a, int64_t lda, Factor, const void* b, int64_t ldb, void* c,
                             int64_t ldc);

struct Cublas {
  std::string path;
  cublasStatus (*create)(void**) = nullptr;
  cublasStatus (*property)(int, int*) = nullptr;
  cublasStatus (*set_stream)(void*, CUstream) = nullptr;
  cublasStatus (*set_math)(void*, int) = nullptr;
  cublasStatus (*set_atomics)(void*, int) = nullptr;
  cublasStatus (*set_pointers)(void*, int) = nullptr;
  const char* (*status_name)(cublasStatus) = nullptr;
  Gemm gemm[4] = {};
  Gemms gemms[4] = {};
  Gemv gemv[4] = {};
  Geam geam[4] = {};

  // Find all functions; "" or what is missing.
  std::string find(void* library) {
    std::string missing;
    const auto one = [&](auto& to, const std::string& name) {
      to = (std::remove_reference_t<decltype(to)>)dlsym(library, name.c_str());
      if (!to && missing.empty()) missing = name;
    };
    one(create, "cublasCreate_v2");
    one(property, "cublasGetProperty");
    one(set_stream, "cublasSetStream_v2");
    one(set_math, "cublasSetMathMode");
    one(set_atomics, "cublasSetAtomicsMode");
    one(set_pointers, "cublasSetPointerMode_v2");
    one(status_name, "cublasGetStatusName");
    for (int t = 0; t < 4; t++) {
      one(gemm[t], name_of("gemm_v2_64", t));
      one(gemms[t], name_of("gemmStridedBatched_64", t));
      one(gemv[t], name_of("gemv_v2_64", t));
      one(geam[t], name_of("geam_64", t));
    }
    return missing;
  }
  static std::string name_of(const char* what, int type) { return std::string("cublas") + "SDCZ"[type] + what; }
};

// The library, which is never closed again; NULL with the reason.
static inline Cublas* open_cublas(const char* path, int newest, std::string* why) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return *why = dlerror(), nullptr;
  auto found = std::make_unique<Cublas>();
  found->path = path;
  const std::string missing = found->find(library);
  if (!missing.empty()) return *why = std::string(path) + " has no " + missing + " (CUDA 12 has it)", nullptr;
  int major = 0;
  if (found->property(CUDA_MAJOR_VERSION, &major)) return *why = std::string(path) + " does not tell its version", nullptr;
  if (major > newest) {
    return *why = std::string(path) + " is for CUDA " + std::to_string(major) + ", and the driver for CUDA " + std::to_string(newest), nullptr;
  }
  return found.release();
}
#endif
