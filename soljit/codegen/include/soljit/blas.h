// Products of matrices and vectors: NumPy's own BLAS where strides allow it, packed copies or plain loops elsewhere.
//
// Strides are in elements. `f` are the addresses of gemm, gemv and dot of the element type, NULL where there is no BLAS.
#ifndef SOLJIT_BLAS_H
#define SOLJIT_BLAS_H
#include "soljit/prelude.h"

struct sol_blas {
  void *gemm, *gemv, *dot;
};
enum { SOL_ROW = 101, SOL_COL = 102, SOL_NO = 111, SOL_YES = 112 };

// One multiply-add with the meaning of the type: floats as they are, integers wrap, bools or/and.
SOL_INLINE void sol_fma_into(float& c, float a, float b) { c += a * b; }
SOL_INLINE void sol_fma_into(double& c, double a, double b) { c += a * b; }
SOL_INLINE void sol_fma_into(bool& c, bool a, bool b) { c = c | (a & b); }
template <class T> SOL_INLINE void sol_fma_into(T& c, T a, T b) { c = sol_add<T>(c, sol_mul<T>(a, b)); }
#ifdef SOLJIT_COMPLEX_H
SOL_INLINE void sol_fma_into(sol_c64& c, sol_c64 a, sol_c64 b) { c = c + a * b; }
SOL_INLINE void sol_fma_into(sol_c128& c, sol_c128 a, sol_c128 b) { c = c + a * b; }
#endif
#ifdef SOLJIT_HALF_H
SOL_INLINE void sol_fma_into(sol_f16& c, sol_f16 a, sol_f16 b) { c = (sol_f16)((float)c + (float)(sol_f16)((float)a * (float)b)); }
#endif

// C = A B by loops, rows of B innermost where they are contiguous.
template <class T>
static void sol_gemm_loops(int64_t m, int64_t n, int64_t k, const T* a, int64_t ar, int64_t ac, const T* b, int64_t br, int64_t bc, T* c,
                           int64_t cr, int64_t cc) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * cr + j * cc] = T();
    if (bc == 1 && cc == 1) {
      for (int64_t p = 0; p < k; ++p) {
        const T x = a[i * ar + p * ac];
        for (int64_t j = 0; j < n; ++j) sol_fma_into(c[i * cr + j], x, b[p * br + j]);
      }
    } else {
      for (int64_t j = 0; j < n; ++j) {
        T s = T();
        for (int64_t p = 0; p < k; ++p) sol_fma_into(s, a[i * ar + p * ac], b[p * br + j * bc]);
        c[i * cr + j * cc] = s;
      }
    }
  }
}

// Can a BLAS read this matrix? One stride is 1 and the other at least the length; `t` says whether it is stored by columns.
SOL_INLINE bool sol_blasable(int64_t rows, int64_t cols, int64_t rs, int64_t cs, int& t, int64_t& ld) {
  if (cs == 1 && rs >= (cols > 1 ? cols : 1)) return t = SOL_NO, ld = rs, true;
  if (rs == 1 && cs >= (rows > 1 ? rows : 1)) return t = SOL_YES, ld = cs, true;
  if (rows == 1 && cs == 1) return t = SOL_NO, ld = cols > 1 ? cols : 1, true;
  if (cols == 1 && rs == 1) return t = SOL_YES, ld = rows > 1 ? rows : 1, true;
  return false;
}
template <class T> static T* sol_packed(int64_t rows, int64_t cols, const T* a, int64_t rs, int64_t cs) {
  T* p = (T*)sol_malloc(sol_count(rows, cols), sizeof(T), false);
  if (p)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < cols; ++j) p[i * cols + j] = a[i * rs + j * cs];
  return p;
}

#define SOL_BLAS_REAL(T) \
  static inline void sol_call_gemm(void* f, int ta, int tb, int64_t m, int64_t n, int64_t k, const T* a, int64_t lda, const T* b, int64_t ldb, T* c, int64_t ldc) { \
    ((void (*)(int, int, int, int64_t, int64_t, int64_t, T, const T*, int64_t, const T*, int64_t, T, T*, int64_t))f)(SOL_ROW, ta, tb, m, n, k, 1, a, lda, b, ldb, 0, c, ldc); \
  } \
  static inline void sol_call_gemv(void* f, int t, int64_t m, int64_t n, const T* a, int64_t lda, const T* x, int64_t ix, T* y, int64_t iy) { \
    ((void (*)(int, int, int64_t, int64_t, T, const T*, int64_t, const T*, int64_t, T, T*, int64_t))f)(SOL_ROW, t, m, n, 1, a, lda, x, ix, 0, y, iy); \
  } \
  static inline T sol_call_dot(void* f, int64_t n, const T* x, int64_t ix, const T* y, int64_t iy) { \
    return ((T(*)(int64_t, const T*, int64_t, const T*, int64_t))f)(n, x, ix, y, iy); \
  }
SOL_BLAS_REAL(double)
SOL_BLAS_REAL(float)
#ifdef SOLJIT_COMPLEX_H
#define SOL_BLAS_COMPLEX(T) \
  static inline void sol_call_gemm(void* f, int ta, int tb, int64_t m, int64_t n, int64_t k, const T* a, int64_t lda, const T* b, int64_t ldb, T* c, int64_t ldc) { \
    const T one = {1, 0}, zero = {0, 0}; \
    ((void (*)(int, int, int, int64_t, int64_t, int64_t, const T*, const T*, int64_t, const T*, int64_t, const T*, T*, int64_t))f)(SOL_ROW, ta, tb, m, n, k, &one, a, lda, b, ldb, &zero, c, ldc); \
  } \
  static inline void sol_call_gemv(void* f, int t, int64_t m, int64_t n, const T* a, int64_t lda, const T* x, int64_t ix, T* y, int64_t iy) { \
    const T one = {1, 0}, zero = {0, 0}; \
    ((void (*)(int, int, int64_t, int64_t, const T*, const T*, int64_t, const T*, int64_t, const T*, T*, int64_t))f)(SOL_ROW, t, m, n, &one, a, lda, x, ix, &zero, y, iy); \
  } \
  static inline T sol_call_dot(void* f, int64_t n, const T* x, int64_t ix, const T* y, int64_t iy) { \
    T r; \
    ((void (*)(int64_t, const T*, int64_t, const T*, int64_t, T*))f)(n, x, ix, y, iy, &r); \
    return r; \
  }
SOL_BLAS_COMPLEX(sol_c64)
SOL_BLAS_COMPLEX(sol_c128)
#endif

template <class T> struct sol_has_blas { static const bool value = false; };
template <> struct sol_has_blas<double> { static const bool value = true; };
template <> struct sol_has_blas<float> { static const bool value = true; };
#ifdef SOLJIT_COMPLEX_H
template <> struct sol_has_blas<sol_c64> { static const bool value = true; };
template <> struct sol_has_blas<sol_c128> { static const bool value = true; };
#endif

template <class T, bool> struct sol_product {  // types without a BLAS
  static T dot(const sol_blas&, int64_t n, const T* x, int64_t ix, const T* y, int64_t iy) {
    T s = T();
    for (int64_t i = 0; i < n; ++i) sol_fma_into(s, x[i * ix], y[i * iy]);
    return s;
  }
  static bool gemm(const sol_blas&, int64_t m, int64_t n, int64_t k, const T* a, int64_t ar, int64_t ac, const T* b, int64_t br, int64_t bc, T* c, int64_t cr, int64_t cc) {
    sol_gemm_loops(m, n, k, a, ar, ac, b, br, bc, c, cr, cc);
    return true;
  }
};

template <class T> struct sol_product<T, true> {
  static T dot(const sol_blas& f, int64_t n, const T* x, int64_t ix, const T* y, int64_t iy) {
    if (!f.dot || n < 1 || ix < 1 || iy < 1) return sol_product<T, false>::dot(f, n, x, ix, y, iy);
    return sol_call_dot(f.dot, n, x, ix, y, iy);
  }
  static bool gemm(const sol_blas& f, int64_t m, int64_t n, int64_t k, const T* a, int64_t ar, int64_t ac, const T* b, int64_t br, int64_t bc, T* c, int64_t cr, int64_t cc) {
    if (!f.gemm || !f.gemv || m * n * k <= 64 || m < 1 || n < 1 || k < 1) {
      sol_gemm_loops(m, n, k, a, ar, ac, b, br, bc, c, cr, cc);
      return true;
    }
    int ta, tb;
    int64_t lda, ldb;
    if (n == 1 && br > 0 && cr > 0 && sol_blasable(m, k, ar, ac, ta, lda)) {
      if (ta == SOL_NO) sol_call_gemv(f.gemv, SOL_NO, m, k, a, lda, b, br, c, cr);
      else sol_call_gemv(f.gemv, SOL_YES, k, m, a, lda, b, br, c, cr);
      return true;
    }
    if (m == 1 && ac > 0 && cc > 0 && sol_blasable(k, n, br, bc, tb, ldb)) {
      if (tb == SOL_NO) sol_call_gemv(f.gemv, SOL_YES, k, n, b, ldb, a, ac, c, cc);
      else sol_call_gemv(f.gemv, SOL_NO, n, k, b, ldb, a, ac, c, cc);
      return true;
    }
    if (cc != 1 && cr == 1) return gemm(f, n, m, k, b, bc, br, a, ac, ar, c, cc, cr);  // C' = B' A'
    T *pa = nullptr, *pb = nullptr, *pc = nullptr;
    bool ok = true;
    if (!sol_blasable(m, k, ar, ac, ta, lda)) {
      ok = (pa = sol_packed(m, k, a, ar, ac)) != nullptr;
      a = pa, ta = SOL_NO, lda = k;
    }
    if (ok && !sol_blasable(k, n, br, bc, tb, ldb)) {
      ok = (pb = sol_packed(k, n, b, br, bc)) != nullptr;
      b = pb, tb = SOL_NO, ldb = n;
    }
    const bool direct = cc == 1 && cr >= n;
    if (ok && !direct) ok = (pc = (T*)sol_malloc(sol_count(m, n), sizeof(T), false)) != nullptr;
    if (ok) {
      sol_call_gemm(f.gemm, ta, tb, m, n, k, a, lda, b, ldb, direct ? c : pc, direct ? cr : n);
      if (!direct)
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) c[i * cr + j * cc] = pc[i * n + j];
    }
    __builtin_free(pa);
    __builtin_free(pb);
    __builtin_free(pc);
    return ok;
  }
};

template <class T> static inline T sol_dot(const sol_blas& f, int64_t n, const T* x, int64_t ix, const T* y, int64_t iy) {
  return sol_product<T, sol_has_blas<T>::value>::dot(f, n, x, ix, y, iy);
}
template <class T>
static inline bool sol_gemm(const sol_blas& f, int64_t m, int64_t n, int64_t k, const T* a, int64_t ar, int64_t ac, const T* b, int64_t br, int64_t bc, T* c, int64_t cr, int64_t cc) {
  return sol_product<T, sol_has_blas<T>::value>::gemm(f, m, n, k, a, ar, ac, b, br, bc, c, cr, cc);
}
#endif
