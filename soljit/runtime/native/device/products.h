// Products of matrices by cuBLAS, which counts elements down the columns: a matrix whose rows lie together is for it the transposed one.
//
// There is one handle a device, on the one stream of soljit's work, without atomic sums and without TF32: results are the same in each run.
#ifndef SOLJIT_PRODUCTS_H
#define SOLJIT_PRODUCTS_H
#include "memory.h"

// A CUresult for what cuBLAS says; `last_failure` tells the rest.
static inline CUresult told_by_cublas(sol_gpu& g, cublasStatus status, const std::string& call) {
  if (!status) return 0;
  last_failure = call + " failed with " + g.cublas->status_name(status);
  switch (status) {
    case CUBLAS_STATUS_ALLOC_FAILED: return CUDA_ERROR_OUT_OF_MEMORY;
    case CUBLAS_STATUS_NOT_INITIALIZED: return CUDA_ERROR_NOT_INITIALIZED;
    case CUBLAS_STATUS_INVALID_VALUE: return CUDA_ERROR_INVALID_VALUE;
    case CUBLAS_STATUS_ARCH_MISMATCH:
    case CUBLAS_STATUS_NOT_SUPPORTED: return CUDA_ERROR_NOT_SUPPORTED;
    default: return CUDA_ERROR_UNKNOWN;
  }
}

// Call cuBLAS; where it has no memory, give back what is kept and call it again.
template <class Call>
static CUresult ask_cublas(sol_gpu& g, const std::string& name, Call&& call) {
  if (CUresult r = send_gathered(g, false)) return r;
  cublasStatus status = call();
  if (status == CUBLAS_STATUS_ALLOC_FAILED) {
    g.busy = true;
    if (CUresult r = empty_cache(g)) return r;
    status = call();
  }
  return told_by_cublas(g, status, name);
}

static inline CUresult make_multiplier(sol_gpu& g) {
  if (g.multiplier) return 0;
  if (!g.cublas) return g.checked(CUDA_ERROR_NOT_INITIALIZED, "a product of matrices without cuBLAS");
  void* handle = nullptr;
  if (CUresult r = ask_cublas(g, "cublasCreate", [&] { return g.cublas->create(&handle); })) return r;
  const struct { cublasStatus status; const char* call; } set[] = {{g.cublas->set_stream(handle, g.stream), "cublasSetStream"},
                                                                  {g.cublas->set_pointers(handle, CUBLAS_POINTER_MODE_HOST), "cublasSetPointerMode"},
                                                                  {g.cublas->set_atomics(handle, CUBLAS_ATOMICS_NOT_ALLOWED), "cublasSetAtomicsMode"},
                                                                  {g.cublas->set_math(handle, CUBLAS_DEFAULT_MATH), "cublasSetMathMode"}};
  for (const auto& s : set)
    if (CUresult r = told_by_cublas(g, s.status, s.call)) return r;
  g.multiplier = handle;
  return 0;
}

// A matrix, or a stack of them, as cuBLAS sees it: columns one after the other, `lead` elements apart.
struct Columns {
  bool fits;
  bool turned;  // the rows lie together: cuBLAS sees the transposed matrix
  int64_t lead;

  Columns(const sol_operand& x, int64_t rows, int64_t columns) {
    turned = (x.right == 1 || columns == 1) && (x.down >= columns || rows == 1);
    fits = turned || ((x.down == 1 || rows == 1) && (x.right >= rows || columns == 1));
    lead = turned ? rows == 1 ? columns : x.down : columns == 1 ? rows : x.right;
  }
};

// An operand at a place that its type allows. Host arrays of complex numbers may lie at multiples of 8, and so do their mirrors: these are copied.
struct Aligned {
  sol_gpu& g;
  CUdeviceptr at, from, own = 0;
  int64_t bytes = 0;
  CUresult failed = 0;

  Aligned(sol_gpu& gpu, const sol_operand& x, int64_t rows, int64_t columns, int64_t count, int64_t item) : g(gpu), at(x.at), from(x.at) {
    if (from % (uint64_t)item == 0) return;
    bytes = item * (1 + (rows - 1) * x.down + (columns - 1) * x.right + (count - 1) * x.next);
    if ((failed = take_memory(g, &own, bytes))) return;
    at = own;
    g.busy = true;
    failed = SOL_QUEUE(g, copy_within_async, own, from, (size_t)bytes);
  }
  CUresult put_back() { return own ? SOL_QUEUE(g, copy_within_async, from, own, (size_t)bytes) : 0; }
  ~Aligned() {
    if (own) give_memory(g, own);
  }
  Aligned(const Aligned&) = delete;
  Aligned& operator=(const Aligned&) = delete;
};

// A factor in the type of the elements, at a place that is right for complex ones, too: cuBLAS reads both parts at once.
struct Scale {
  alignas(8) float narrow[2];
  alignas(16) double wide[2];
  Scale(const double* x) : narrow{(float)x[0], (float)x[1]}, wide{x[0], x[1]} {}
  Factor of(int32_t type) const { return type == SOL_F32 || type == SOL_C64 ? (Factor)narrow : (Factor)wide; }
};

static inline CUresult multiply(sol_gpu& g, const sol_product& p) {
  static const int64_t sizes[] = {4, 8, 8, 16};
  const int64_t n = p.rows, m = p.columns, k = p.inner, many = p.count;
  if (n <= 0 || m <= 0 || many <= 0) return 0;
  if (k <= 0 && p.beta[0] == 1 && p.beta[1] == 0) return 0;
  const Columns out(p.out, n, m), left(p.a, n, k), right(p.b, k, m);
  if (!out.fits || (k > 0 && (!left.fits || !right.fits)))
    return g.checked(CUDA_ERROR_INVALID_VALUE, "a product of matrices that cuBLAS cannot address");
  if (CUresult r = make_multiplier(g)) return r;
  const int t = p.type;
  const double zero[2] = {};
  const Scale alpha(p.alpha), beta(p.beta), none(zero);
  Aligned c(g, p.out, n, m, many, sizes[t]);
  if (c.failed) return c.failed;
  void* const h = g.multiplier;
  const Cublas& blas = *g.cublas;
  std::string name;
  CUresult r = 0;
  g.busy = true;
  if (k <= 0) {  // the sum of nothing
    name = Cublas::name_of("geam", t);
    const int64_t down = out.turned ? m : n, across = out.turned ? n : m;
    for (int64_t i = 0; i < many && !r; i++) {
      void* const to = (void*)(c.at + (uint64_t)(i * p.out.next * sizes[t]));
      r = ask_cublas(g, name, [&] {
        return blas.geam[t](h, CUBLAS_OP_N, CUBLAS_OP_N, down, across, beta.of(t), to, out.lead, none.of(t), to, out.lead, to, out.lead);
      });
    }
  } else {
    const Aligned a(g, p.a, n, k, many, sizes[t]), b(g, p.b, k, m, many, sizes[t]);
    if (a.failed || b.failed) return a.failed ? a.failed : b.failed;
    const void *const pa = (const void*)a.at, *const pb = (const void*)b.at;
    void* const pc = (void*)c.at;
    const auto as = [](bool turned) { return turned ? CUBLAS_OP_T : CUBLAS_OP_N; };
    if (many == 1 && (m == 1 || n == 1)) {
      name = Cublas::name_of("gemv", t);
      const bool column = m == 1;  // a matrix and a vector; else the other way round, with the transposed matrix
      const Columns& matrix = column ? left : right;
      const int64_t rows = column ? n : k, columns = column ? k : m;  // of the matrix as it is written
      const int64_t x = column ? p.b.down : p.a.right, y = column ? p.out.down : p.out.right;
      const int64_t result = column ? n : m;
      r = ask_cublas(g, name, [&] {
        return blas.gemv[t](h, as(matrix.turned == column), matrix.turned ? columns : rows, matrix.turned ? rows : columns, alpha.of(t),
                            column ? pa : pb, matrix.lead, column ? pb : pa, k == 1 ? 1 : x, beta.of(t), pc, result == 1 ? 1 : y);
      });
    } else if (many == 1) {
      name = Cublas::name_of("gemm", t);
      r = ask_cublas(g, name, [&] {
        return out.turned ? blas.gemm[t](h, as(!right.turned), as(!left.turned), m, n, k, alpha.of(t), pb, right.lead, pa, left.lead, beta.of(t), pc, out.lead)
                          : blas.gemm[t](h, as(left.turned), as(right.turned), n, m, k, alpha.of(t), pa, left.lead, pb, right.lead, beta.of(t), pc, out.lead);
      });
    } else {
      name = Cublas::name_of("gemmStridedBatched", t);
      const long long next_a = p.a.next, next_b = p.b.next, next_c = p.out.next;
      r = ask_cublas(g, name, [&] {
        return out.turned ? blas.gemms[t](h, as(!right.turned), as(!left.turned), m, n, k, alpha.of(t), pb, right.lead, next_b, pa, left.lead, next_a,
                                          beta.of(t), pc, out.lead, next_c, many)
                          : blas.gemms[t](h, as(left.turned), as(right.turned), n, m, k, alpha.of(t), pa, left.lead, next_a, pb, right.lead, next_b,
                                          beta.of(t), pc, out.lead, next_c, many);
      });
    }
  }
  if (!r) r = c.put_back();
  g.counts.launches++;
  g.counts.gemms++;
  g.note(SOL_GEMM, name.c_str(), n * m * k * many, r);
  return r;
}
#endif
