// A cuBLAS for the fake driver: the functions that soljit's device layer asks for, by plain loops in wider arithmetic.
//
// It is as strict as its documentation allows: sizes, leading dimensions and places are checked, what nobody has written must not be read, results lie
// apart from operands, and a sum of nothing, about which the documentation says nothing, is a fault. Products wait in the stream as kernels do.
#ifndef SOLJIT_EMULATOR_CUBLAS_H
#define SOLJIT_EMULATOR_CUBLAS_H
#include <complex>

#include "entry.h"

using namespace fake;

namespace fake {
typedef int cublasStatus;
enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
};

struct Multiplier {
  void* stream = nullptr;
  int math = 0, atomics = 0, pointers = 0;
};
inline std::set<Multiplier*>& multipliers() {
  static auto* const all = new std::set<Multiplier*>;
  return *all;
}

inline cublasStatus status_of(CUresult r, bool planned) {
  if (!r || planned) return r;
  return r == CUDA_ERROR_OUT_OF_MEMORY ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_EXECUTION_FAILED;
}
inline cublasStatus refuse(const std::string& fault) {
  note(fault);
  return CUBLAS_STATUS_INVALID_VALUE;
}

// Type of elements, type for sums.
template <class T> struct Wide { typedef long double type; };
template <class R> struct Wide<std::complex<R>> { typedef std::complex<long double> type; };
template <class T> T narrowed(long double x) { return (T)x; }
template <class T> T narrowed(const std::complex<long double>& x) { return T((typename T::value_type)x.real(), (typename T::value_type)x.imag()); }
template <class R> std::complex<long double> times(const std::complex<R>& a, const std::complex<R>& b) {
  const std::complex<long double> x(a), y(b);
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}
inline long double times(long double a, long double b) { return a * b; }

// A matrix in the device's memory, columns `lead` elements apart.
template <class T> struct Columns {
  const char* name;
  uint64_t at;
  int64_t rows, columns, lead;

  size_t extent() const { return sizeof(T) * (size_t)((columns - 1) * lead + rows); }
  // Is it where a matrix can be? Tells why not.
  bool is_right(const char* call) const {
    if (at % sizeof(T)) return note(text("%s: misaligned: %s at 0x%llx", call, name, (unsigned long long)at)), false;
    return device_bytes(at, extent(), call, false) != nullptr;
  }
  T* elements(const char* call) const { return (T*)device_bytes(at, extent(), call, true); }
  bool is_written(const char* call) const {
    if (!state().check_unwritten) return true;
    const uintptr_t p = (uintptr_t)(at - AWAY);
    Allocation* const a = memory().holding(p, extent());
    for (int64_t k = 0; k < columns; ++k) {
      const size_t from = p - (uintptr_t)a->data + (size_t)(k * lead) * sizeof(T);
      if (!a->shadow.is_written(from, sizeof(T) * (size_t)rows)) {
        note(text("unwritten: %s reads %s, of which nobody has written column %lld", call, name, (long long)k));
        return false;
      }
    }
    return true;
  }
  void wrote() const {
    const uintptr_t p = (uintptr_t)(at - AWAY);
    Allocation* const a = memory().holding(p, extent());
    for (int64_t k = 0; k < columns; ++k)
      a->shadow.wrote(p - (uintptr_t)a->data + (size_t)(k * lead) * sizeof(T), sizeof(T) * (size_t)rows);
  }
  // Do the two have an element in common? Columns that lie apart differently are taken for it where their extents meet.
  bool meets(const Columns& o) const {
    if (at >= o.at + o.extent() || o.at >= at + extent()) return false;
    if (lead != o.lead) return true;
    const int64_t shift = ((int64_t)(o.at - at) / (int64_t)sizeof(T) % lead + lead) % lead;  // rows by which the other begins below
    return shift < rows || shift + o.rows > lead;
  }
};

// c = alpha * op(a) op(b) + beta * c, for one matrix of a stack.
template <class T> struct Product {
  const char* call;
  int turn_a, turn_b;
  int64_t m, n, k;
  T alpha, beta;
  Columns<T> a, b, c;

  CUresult run() const {
    typedef typename Wide<T>::type W;
    const bool reads = alpha != T(0), adds = beta != T(0);
    const T *const pa = a.elements(call), *const pb = b.elements(call);
    T* const pc = c.elements(call);
    if (!pa || !pb || !pc) return CUDA_ERROR_ILLEGAL_ADDRESS;
    if (reads && !(a.is_written(call) && b.is_written(call))) return CUDA_ERROR_LAUNCH_FAILED;
    if (adds && !c.is_written(call)) return CUDA_ERROR_LAUNCH_FAILED;
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = 0; i < m; ++i) {
        W sum = 0;
        for (int64_t l = 0; l < k && reads; ++l) {
          sum += times(turn_a ? pa[l + i * a.lead] : pa[i + l * a.lead], turn_b ? pb[j + l * b.lead] : pb[l + j * b.lead]);
        }
        W out = reads ? W(alpha) * sum : W(0);
        if (adds) out += times(beta, pc[i + j * c.lead]);
        pc[i + j * c.lead] = narrowed<T>(out);
      }
    }
    c.wrote();
    return CUDA_SUCCESS;
  }
};

template <class T> T factor(const void* p) {
  T out;
  memcpy(&out, p, sizeof(T));
  return out;
}

// Queue `count` products if they are right.
template <class T>
cublasStatus queue(const Multiplier& h, Product<T> p, int64_t next_a, int64_t next_b, int64_t next_c, int64_t count) {
  if (p.m < 0 || p.n < 0 || p.k < 0 || count < 0) return refuse(text("%s: a size below 0", p.call));
  for (const Columns<T>* x : {&p.a, &p.b, &p.c})
    if (x->lead < (x->rows > 1 ? x->rows : 1))
      return refuse(text("%s: the columns of %s have %lld elements and lie %lld apart", p.call, x->name, (long long)x->rows, (long long)x->lead));
  if (!p.m || !p.n || !count) return CUBLAS_STATUS_SUCCESS;
  if (!p.k) return refuse(text("%s: a sum of nothing", p.call));
  if (count > 1 && next_c < 1) return refuse(text("%s: results that lie at one place", p.call));
  Stream* const s = streams().of(h.stream);
  if (!s) return refuse(text("%s: there is no such stream", p.call));
  std::vector<Product<T>> all;
  for (int64_t i = 0; i < count; ++i) {
    Product<T> one = p;
    one.a.at += (uint64_t)(i * next_a) * sizeof(T);
    one.b.at += (uint64_t)(i * next_b) * sizeof(T);
    one.c.at += (uint64_t)(i * next_c) * sizeof(T);
    if (!one.a.is_right(p.call) || !one.b.is_right(p.call) || !one.c.is_right(p.call)) return CUBLAS_STATUS_INVALID_VALUE;
    if (one.c.meets(one.a) || one.c.meets(one.b)) return refuse(text("%s: the result overlaps an operand", p.call));
    all.push_back(one);
  }
  ++state().counted.products;
  streams().push(*s, [all] {
    for (const Product<T>& one : all)
      if (const CUresult failed = one.run()) return failed;
    return (CUresult)CUDA_SUCCESS;
  });
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
Product<T> product(const char* call, int ta, int tb, int64_t m, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda, const void* b,
                   int64_t ldb, const void* beta, void* c, int64_t ldc) {
  return {call, ta, tb, m, n, k, factor<T>(alpha), factor<T>(beta), {"A", (uint64_t)a, ta ? k : m, ta ? m : k, lda},
          {"B", (uint64_t)b, tb ? n : k, tb ? k : n, ldb}, {"C", (uint64_t)c, m, n, ldc}};
}
// A vector is a matrix of one row.
template <class T>
cublasStatus queue_vector(const Multiplier& h, const char* call, int ta, int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda,
                          const void* x, int64_t step_x, const void* beta, void* y, int64_t step_y) {
  if (step_x < 1 || step_y < 1) return refuse(text("%s: a vector with the step %lld", call, (long long)(step_x < 1 ? step_x : step_y)));
  const int64_t in = ta ? m : n, out = ta ? n : m;
  if (lda < (m > 1 ? m : 1)) return refuse(text("%s: the columns of A have %lld elements and lie %lld apart", call, (long long)m, (long long)lda));
  Product<T> p{call, 0, !ta, 1, out, in, factor<T>(alpha), factor<T>(beta), {"x", (uint64_t)x, 1, in, step_x}, {"A", (uint64_t)a, m, n, lda},
               {"y", (uint64_t)y, 1, out, step_y}};
  return queue(h, p, 0, 0, 0, 1);
}
// c = alpha * a + beta * b, where a and b may be c.
template <class T>
cublasStatus queue_sum(const Multiplier& h, const char* call, int ta, int tb, int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda,
                       const void* beta, const void* b, int64_t ldb, void* c, int64_t ldc) {
  if (ta || tb || b != c || ldb != ldc || a != c || lda != ldc || factor<T>(beta) != T(0)) return refuse(text("%s: only c = alpha * c is emulated", call));
  const Columns<T> to{"C", (uint64_t)c, m, n, ldc};
  if (m < 0 || n < 0 || ldc < (m > 1 ? m : 1)) return refuse(text("%s: wrong sizes", call));
  if (!m || !n) return CUBLAS_STATUS_SUCCESS;
  Stream* const s = streams().of(h.stream);
  if (!s || !to.is_right(call)) return CUBLAS_STATUS_INVALID_VALUE;
  const T by = factor<T>(alpha);
  ++state().counted.products;
  streams().push(*s, [=] {
    T* const p = to.elements(call);
    if (!p) return (CUresult)CUDA_ERROR_ILLEGAL_ADDRESS;
    if (by != T(0) && !to.is_written(call)) return (CUresult)CUDA_ERROR_LAUNCH_FAILED;
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i) p[i + j * ldc] = by == T(0) ? T(0) : narrowed<T>(times(by, p[i + j * ldc]));
    to.wrote();
    return (CUresult)CUDA_SUCCESS;
  });
  return CUBLAS_STATUS_SUCCESS;
}
}  // namespace fake

// Enter, or return why not; `h` is the handle's state.
#define SOL_ENTER_CUBLAS()                                      \
  const int64_t failures = state().failed;                      \
  fake::Entry entry(CONTEXT, LIBRARY);                          \
  if (entry.failed) return status_of(entry.failed, state().failed != failures && state().fail_kind == LIBRARY)
#define SOL_MULTIPLIER(handle)                                                          \
  SOL_ENTER_CUBLAS();                                                                   \
  if (!multipliers().count((Multiplier*)(handle))) return refuse("cuBLAS: there is no such handle"); \
  Multiplier& h = *(Multiplier*)(handle)

SOL_ENTRY int cublasCreate_v2(void** out) {
  SOL_ENTER_CUBLAS();
  Multiplier* const made = new Multiplier;
  multipliers().insert(made);
  *out = made;
  return CUBLAS_STATUS_SUCCESS;
}
SOL_ENTRY int cublasGetProperty(int which, int* out) { return *out = which == 0 ? 13 : 0, CUBLAS_STATUS_SUCCESS; }
SOL_ENTRY int cublasSetStream_v2(void* handle, void* stream) {
  SOL_MULTIPLIER(handle);
  if (!streams().of(stream)) return refuse("cuBLAS: there is no such stream");
  return h.stream = stream, CUBLAS_STATUS_SUCCESS;
}
SOL_ENTRY int cublasSetMathMode(void* handle, int mode) {
  SOL_MULTIPLIER(handle);
  if (mode) return refuse("cuBLAS: a mode in which sums of float32 are not taken in float32");
  return h.math = mode, CUBLAS_STATUS_SUCCESS;
}
SOL_ENTRY int cublasSetAtomicsMode(void* handle, int mode) {
  SOL_MULTIPLIER(handle);
  if (mode) return refuse("cuBLAS: a mode in which sums are taken in any order");
  return h.atomics = mode, CUBLAS_STATUS_SUCCESS;
}
SOL_ENTRY int cublasSetPointerMode_v2(void* handle, int mode) {
  SOL_MULTIPLIER(handle);
  if (mode) return refuse("cuBLAS: only factors in the host's memory are emulated");
  return h.pointers = mode, CUBLAS_STATUS_SUCCESS;
}
SOL_ENTRY const char* cublasGetStatusName(int status) {
  switch (status) {
    case 0: return "CUBLAS_STATUS_SUCCESS";
    case 1: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case 3: return "CUBLAS_STATUS_ALLOC_FAILED";
    case 7: return "CUBLAS_STATUS_INVALID_VALUE";
    case 8: return "CUBLAS_STATUS_ARCH_MISMATCH";
    case 11: return "CUBLAS_STATUS_MAPPING_ERROR";
    case 13: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case 14: return "CUBLAS_STATUS_INTERNAL_ERROR";
    case 15: return "CUBLAS_STATUS_NOT_SUPPORTED";
    default: return "an unknown status";
  }
}

#define SOL_CUBLAS_FUNCTIONS(L, T)                                                                                                                  \
  SOL_ENTRY int cublas##L##gemm_v2_64(void* handle, int ta, int tb, int64_t m, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda, \
                                      const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc) {                                         \
    SOL_MULTIPLIER(handle);                                                                                                                         \
    return queue<T>(h, product<T>("cublas" #L "gemm", ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc), 0, 0, 0, 1);                           \
  }                                                                                                                                                 \
  SOL_ENTRY int cublas##L##gemmStridedBatched_64(void* handle, int ta, int tb, int64_t m, int64_t n, int64_t k, const void* alpha, const void* a,   \
                                                 int64_t lda, long long next_a, const void* b, int64_t ldb, long long next_b, const void* beta,     \
                                                 void* c, int64_t ldc, long long next_c, int64_t count) {                                           \
    SOL_MULTIPLIER(handle);                                                                                                                         \
    return queue<T>(h, product<T>("cublas" #L "gemmStridedBatched", ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc), next_a, next_b, next_c,  \
                    count);                                                                                                                         \
  }                                                                                                                                                 \
  SOL_ENTRY int cublas##L##gemv_v2_64(void* handle, int ta, int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, const void* x,     \
                                      int64_t step_x, const void* beta, void* y, int64_t step_y) {                                                  \
    SOL_MULTIPLIER(handle);                                                                                                                         \
    return queue_vector<T>(h, "cublas" #L "gemv", ta, m, n, alpha, a, lda, x, step_x, beta, y, step_y);                                             \
  }                                                                                                                                                 \
  SOL_ENTRY int cublas##L##geam_64(void* handle, int ta, int tb, int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda,               \
                                   const void* beta, const void* b, int64_t ldb, void* c, int64_t ldc) {                                            \
    SOL_MULTIPLIER(handle);                                                                                                                         \
    return queue_sum<T>(h, "cublas" #L "geam", ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                                                  \
  }
SOL_CUBLAS_FUNCTIONS(S, float)
SOL_CUBLAS_FUNCTIONS(D, double)
SOL_CUBLAS_FUNCTIONS(C, std::complex<float>)
SOL_CUBLAS_FUNCTIONS(Z, std::complex<double>)
#undef SOL_CUBLAS_FUNCTIONS
#endif
