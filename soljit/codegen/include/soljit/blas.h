// Products of matrices and vectors through NumPy's own BLAS, choosing among its routines as NumPy does, so that results have
// the same bits. What the BLAS cannot take is packed first; without a BLAS, and for tiny operands, plain loops do the work.
#ifndef SOLJIT_BLAS_H
#define SOLJIT_BLAS_H
#include "soljit/blas_jobs.h"

// Addresses of the routines for one element type; NULL where the library lacks them. All integers are 64 bits wide.
struct sol_blas {
  void *gemm, *gemv, *dot, *syrk;
  void* threads;  // a sol_blas_threads
};
enum { SOL_FEW = 8, SOL_LITTLE = 512 };  // products in a sum, and in all sums, for which a call would cost more than loops
enum { SOL_ROWS = 101, SOL_COLUMNS = 102, SOL_PLAIN = 111, SOL_TRANSPOSED = 112, SOL_UPPER = 121, SOL_LOWER = 122 };

// A matrix with strides in elements.
template <class T> struct sol_matrix {
  T* data;
  int64_t rows, columns, down, right;
  T& at(int64_t i, int64_t j) const { return data[i * down + j * right]; }
  sol_matrix transposed() const { return {data, columns, rows, right, down}; }
  sol_matrix part(int64_t i, int64_t n, int64_t j, int64_t m) const { return {data + i * down + j * right, n, m, down, right}; }
};

// --- plain loops ----------------------------------------------------------------------------------------------------

template <class T> struct sol_arithmetic {  // integers
  typedef T sum;
  static T zero() { return 0; }
  static T step(T s, T a, T b) { return sol_add<T>(s, sol_mul<T>(a, b)); }
  static T scaled(T a, T b) { return sol_mul<T>(a, b); }
  static T added(T a, T b) { return sol_add<T>(a, b); }
};
template <> struct sol_arithmetic<bool> {
  typedef bool sum;
  static bool zero() { return false; }
  static bool step(bool s, bool a, bool b) { return s | (a & b); }
  static bool scaled(bool a, bool b) { return a & b; }
  static bool added(bool a, bool b) { return a | b; }
};
template <class T, class S> struct sol_real_arithmetic {
  typedef S sum;
  static S zero() { return S{}; }
  static S step(S s, T a, T b) { return s + (S)a * (S)b; }
  static S scaled(S a, S b) { return a * b; }
  static S added(S a, S b) { return a + b; }
};
template <class T> struct sol_fused_arithmetic : sol_real_arithmetic<T, T> {  // as the kernels of the BLAS add
  static T step(T s, T a, T b) { return sol_fused(a, b, s); }
};
template <> struct sol_arithmetic<float> : sol_fused_arithmetic<float> {};
template <> struct sol_arithmetic<double> : sol_fused_arithmetic<double> {};
#ifdef SOLJIT_HALF_H
template <> struct sol_arithmetic<sol_f16> : sol_real_arithmetic<sol_f16, float> {};
#endif
#ifdef SOLJIT_COMPLEX_H
template <> struct sol_arithmetic<sol_c64> : sol_real_arithmetic<sol_c64, sol_c64> {};
template <> struct sol_arithmetic<sol_c128> : sol_real_arithmetic<sol_c128, sol_c128> {};
#endif

// How the product enters the output: out = alpha * product + beta * out; plain: alpha is 1, and the old output is not read.
template <class T> struct sol_scales {
  T alpha, beta;
  bool plain;
};
template <class T> SOL_INLINE T sol_scaled(typename sol_arithmetic<T>::sum s, T old, const sol_scales<T>& scales) {
  typedef sol_arithmetic<T> A;
  typedef typename A::sum S;
  return scales.plain ? (T)s : (T)A::added(A::scaled((S)scales.alpha, s), A::scaled((S)scales.beta, (S)old));
}

// Element by element: for the BLAS's types where the BLAS would not pay or is missing.
template <class T> static SOL_NOINLINE void sol_product_simple(sol_matrix<const T> a, sol_matrix<const T> b, sol_matrix<T> c, sol_scales<T> scales, int triangle) {
  typedef sol_arithmetic<T> A;
  for (int64_t i = 0; i < c.rows; ++i) {
    const int64_t first = triangle == SOL_UPPER ? i : 0, last = triangle == SOL_LOWER ? i + 1 : c.columns;
    for (int64_t j = first; j < last; ++j) {
      typename A::sum s = A::zero();
      for (int64_t k = 0; k < a.columns; ++k) s = A::step(s, a.at(i, k), b.at(k, j));
      c.at(i, j) = sol_scaled<T>(s, scales.plain ? T{} : c.at(i, j), scales);
    }
  }
}

// With vectors along the rows of b where they are contiguous: for the types that the BLAS does not know.
template <class T> static SOL_NOINLINE void sol_product_loops(sol_matrix<const T> a, sol_matrix<const T> b, sol_matrix<T> c, sol_scales<T> scales, int triangle) {
  typedef sol_arithmetic<T> A;
  typedef typename A::sum S;
  const int64_t n = a.columns;
  for (int64_t i = 0; i < c.rows; ++i) {
    const int64_t first = triangle == SOL_UPPER ? i : 0, last = triangle == SOL_LOWER ? i + 1 : c.columns;
    if (b.right != 1 || last - first < 8) {
      for (int64_t j = first; j < last; ++j) {
        S s = A::zero();
        if (a.right == 1 && b.down == 1) {
          const T *x = &a.at(i, 0), *y = &b.at(0, j);
          for (int64_t k = 0; k < n; ++k) s = A::step(s, x[k], y[k]);
        } else {
          for (int64_t k = 0; k < n; ++k) s = A::step(s, a.at(i, k), b.at(k, j));
        }
        c.at(i, j) = sol_scaled<T>(s, scales.plain ? T{} : c.at(i, j), scales);
      }
      continue;
    }
    for (int64_t j = first; j < last; j += 256) {
      S sums[256];
      const int64_t width = last - j < 256 ? last - j : 256;
      for (int64_t q = 0; q < width; ++q) sums[q] = A::zero();
      for (int64_t k = 0; k < n; ++k) {
        const T x = a.at(i, k), *y = &b.at(k, j);
        for (int64_t q = 0; q < width; ++q) sums[q] = A::step(sums[q], x, y[q]);
      }
      for (int64_t q = 0; q < width; ++q)
        c.at(i, j + q) = sol_scaled<T>(sums[q], scales.plain ? T{} : c.at(i, j + q), scales);
    }
  }
}

// --- the BLAS's calling conventions ---------------------------------------------------------------------------------

template <class T> static int64_t sol_in_order(const sol_blas& blas);
template <class T> struct sol_blas_calls {  // real numbers: scalars by value
  static int64_t in_order(const sol_blas& blas) { return sol_in_order<T>(blas); }
  static void gemm(void* f, int ta, int tb, int64_t m, int64_t n, int64_t k, T alpha, const T* a, int64_t lda, const T* b, int64_t ldb, T beta, T* c, int64_t ldc) {
    const sol_clean_after clean;
    ((void (*)(int, int, int, int64_t, int64_t, int64_t, T, const T*, int64_t, const T*, int64_t, T, T*, int64_t))f)(SOL_ROWS, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  }
  static void syrk(void* f, int part, int t, int64_t n, int64_t k, T alpha, const T* a, int64_t lda, T beta, T* c, int64_t ldc) {
    const sol_clean_after clean;
    ((void (*)(int, int, int, int64_t, int64_t, T, const T*, int64_t, T, T*, int64_t))f)(SOL_ROWS, part, t, n, k, alpha, a, lda, beta, c, ldc);
  }
  static void gemv(void* f, int order, int64_t m, int64_t n, T alpha, const T* a, int64_t lda, const T* x, int64_t dx, T beta, T* y, int64_t dy) {
    const sol_clean_after clean;
    ((void (*)(int, int, int64_t, int64_t, T, const T*, int64_t, const T*, int64_t, T, T*, int64_t))f)(order, SOL_TRANSPOSED, m, n, alpha, a, lda, x, dx, beta, y, dy);
  }
  static T dot(void* f, int64_t n, const T* x, int64_t dx, const T* y, int64_t dy) {
    const sol_clean_after clean;
    return ((T (*)(int64_t, const T*, int64_t, const T*, int64_t))f)(n, x, dx, y, dy);
  }
  static bool is_zero(T x) { return x == 0; }
};
#ifdef SOLJIT_COMPLEX_H
template <class T> struct sol_blas_complex {  // scalars by address
  static int64_t in_order(const sol_blas&) { return 0; }
  static void gemm(void* f, int ta, int tb, int64_t m, int64_t n, int64_t k, T alpha, const T* a, int64_t lda, const T* b, int64_t ldb, T beta, T* c, int64_t ldc) {
    const sol_clean_after clean;
    ((void (*)(int, int, int, int64_t, int64_t, int64_t, const T*, const T*, int64_t, const T*, int64_t, const T*, T*, int64_t))f)(SOL_ROWS, ta, tb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
  }
  static void syrk(void* f, int part, int t, int64_t n, int64_t k, T alpha, const T* a, int64_t lda, T beta, T* c, int64_t ldc) {
    const sol_clean_after clean;
    ((void (*)(int, int, int, int64_t, int64_t, const T*, const T*, int64_t, const T*, T*, int64_t))f)(SOL_ROWS, part, t, n, k, &alpha, a, lda, &beta, c, ldc);
  }
  static void gemv(void* f, int order, int64_t m, int64_t n, T alpha, const T* a, int64_t lda, const T* x, int64_t dx, T beta, T* y, int64_t dy) {
    const sol_clean_after clean;
    ((void (*)(int, int, int64_t, int64_t, const T*, const T*, int64_t, const T*, int64_t, const T*, T*, int64_t))f)(order, SOL_TRANSPOSED, m, n, &alpha, a, lda, x, dx, &beta, y, dy);
  }
  static T dot(void* f, int64_t n, const T* x, int64_t dx, const T* y, int64_t dy) {
    T s;
    const sol_clean_after clean;
    ((void (*)(int64_t, const T*, int64_t, const T*, int64_t, T*))f)(n, x, dx, y, dy, &s);
    return s;
  }
  static bool is_zero(T x) { return x.re == 0 && x.im == 0; }
};
template <> struct sol_blas_calls<sol_c64> : sol_blas_complex<sol_c64> {};
template <> struct sol_blas_calls<sol_c128> : sol_blas_complex<sol_c128> {};
#endif

// --- choosing -------------------------------------------------------------------------------------------------------

// Can the BLAS take rows `down` elements apart whose elements are `right` apart?
SOL_INLINE bool sol_blasable(int64_t down, int64_t right, int64_t columns) { return right == 1 && down >= columns && down > 0; }
template <class M> SOL_INLINE bool sol_blasable(const M& m) {
  return sol_blasable(m.down, m.right, m.columns) || sol_blasable(m.right, m.down, m.rows);
}

template <class T> static SOL_NOINLINE void sol_assign(const sol_matrix<T>& to, const sol_matrix<const T>& from) {
  for (int64_t i = 0; i < to.rows; ++i)
    for (int64_t j = 0; j < to.columns; ++j) to.at(i, j) = from.at(i, j);
}

// A contiguous copy that lives as long as this object; `data` is NULL if there is no memory.
template <class T> struct sol_packed {
  sol_matrix<const T> matrix;
  T* data;
  explicit sol_packed(const sol_matrix<const T>& m, bool always = false) : matrix(m), data(nullptr) {
    if (!always && sol_blasable(m)) return;
    data = (T*)sol_malloc(sol_count(m.rows, m.columns), sizeof(T), false);
    if (!data) return;
    sol_assign<T>(mutable_matrix(), m);
    matrix = {data, m.rows, m.columns, m.columns, 1};
  }
  sol_matrix<T> mutable_matrix() const { return {data, matrix.rows, matrix.columns, matrix.columns, 1}; }
  ~sol_packed() { __builtin_free(data); }
  sol_packed(const sol_packed&) = delete;
  sol_packed& operator=(const sol_packed&) = delete;
};

template <class T> static void sol_gemm(const sol_blas& blas, const sol_matrix<const T>& a, const sol_matrix<const T>& b, const sol_matrix<T>& c, const sol_scales<T>& s) {
  typedef sol_blas_calls<T> B;
  const bool plain_a = sol_blasable(a.down, a.right, a.columns), plain_b = sol_blasable(b.down, b.right, b.columns);
  const int64_t lda = plain_a ? a.down : a.right, ldb = plain_b ? b.down : b.right;
  const int ta = plain_a ? SOL_PLAIN : SOL_TRANSPOSED, tb = plain_b ? SOL_PLAIN : SOL_TRANSPOSED;
  const bool square = a.data == b.data && a.rows == b.columns && a.down == b.right && a.right == b.down && ta != tb;
  if (square && blas.syrk && s.plain) {  // a @ a.T: one half, then its mirror image
    B::syrk(blas.syrk, SOL_UPPER, ta, a.rows, a.columns, s.alpha, a.data, lda, s.beta, c.data, c.down);
    for (int64_t i = 0; i < c.rows; ++i)
      for (int64_t j = i + 1; j < c.columns; ++j) c.at(j, i) = c.at(i, j);
    return;
  }
  B::gemm(blas.gemm, ta, tb, a.rows, b.columns, a.columns, s.alpha, a.data, lda, b.data, ldb, s.beta, c.data, c.down);
}

// A vector as the BLAS takes it; one that runs backwards is copied, as in NumPy. `data` is NULL if there is no memory.
template <class T> struct sol_line {
  const T* data;
  int64_t step;
  T* copy;
  sol_line(const T* from, int64_t by, int64_t n) : data(from), step(by), copy(nullptr) {
    if (by > 0) return;
    data = copy = (T*)sol_malloc(n, sizeof(T), false);
    step = 1;
    if (!copy) return;
    if (by == -1)
      for (int64_t i = 0; i < n; ++i) copy[i] = from[-i];  // in vectors
    else
      for (int64_t i = 0; i < n; ++i) copy[i] = from[i * by];
  }
  ~sol_line() { __builtin_free(copy); }
  sol_line(const sol_line&) = delete;
  sol_line& operator=(const sol_line&) = delete;
};

template <class T> static void sol_gemv(const sol_blas& blas, const sol_matrix<const T>& a, const T* x, int64_t dx, T* y, int64_t dy, const sol_scales<T>& s) {
  const bool plain = sol_blasable(a.down, a.right, a.columns);
  sol_blas_calls<T>::gemv(blas.gemv, plain ? SOL_COLUMNS : SOL_ROWS, a.columns, a.rows, s.alpha, a.data, plain ? a.down : a.right, x, dx, s.beta, y, dy);
}

// How many real products gemm adds from first to last as plain loops do, to the last bit. That is a matter of the BLAS's kernels for
// this processor (8 with OpenBLAS's for AVX-512, 7 with those for AVX2, none without FMA): found by trying, once a process.
template <class T> static SOL_NOINLINE int64_t sol_in_order(const sol_blas& blas) {
  static int64_t found = -1;
  int64_t known = __atomic_load_n(&found, __ATOMIC_RELAXED);
  if (known >= 0) return known;
  static const int64_t sizes[] = {2, 3, 4, 5, 7, 8, 12, 16, 21, 32, 64};
  T x[SOL_LITTLE], y[SOL_LITTLE], want[SOL_LITTLE], got[SOL_LITTLE];
  for (int64_t k = 0; k < SOL_LITTLE; ++k) x[k] = (T)(k * 37 % 101 - 50) / 7, y[k] = (T)(k * 53 % 97 - 48) / 11;
  bool same = true;
  for (known = 0; known < SOL_FEW && same; known += same) {
    const int64_t n = known + 1;
    for (int64_t m : sizes)
      for (int64_t p : sizes) {
        if (!same || m * p > SOL_LITTLE / n) continue;
        for (int layout = 0; layout < 4; ++layout) {
          const sol_matrix<const T> a = layout & 1 ? sol_matrix<const T>{x, m, n, 1, m} : sol_matrix<const T>{x, m, n, n, 1};
          const sol_matrix<const T> b = layout & 2 ? sol_matrix<const T>{y, n, p, 1, n} : sol_matrix<const T>{y, n, p, p, 1};
          const sol_scales<T> one = {1, 0, true};
          sol_product_simple<T>(a, b, {want, m, p, p, 1}, one, 0);
          sol_gemm<T>(blas, a, b, {got, m, p, p, 1}, one);
          same = same && !__builtin_memcmp(want, got, sizeof(T) * m * p);
        }
      }
  }
  __atomic_store_n(&found, known, __ATOMIC_RELAXED);
  return known;
}

template <class T> static void sol_product_by_blas(const sol_blas& blas, const sol_matrix<const T>& a, const sol_matrix<const T>& b, const sol_matrix<T>& c, const sol_scales<T>& s) {
  typedef sol_arithmetic<T> A;
  const int64_t m = a.rows, n = a.columns, p = b.columns;
  if (m == 1 && p == 1) {
    if (!blas.dot || n == 0) return sol_product_simple<T>(a, b, c, s, 0);
    const sol_line<T> x(a.data, a.right, n), y(b.data, b.down, n);
    if (!x.data || !y.data) return sol_product_simple<T>(a, b, c, s, 0);
    const T d = sol_blas_calls<T>::dot(blas.dot, n, x.data, x.step, y.data, y.step);
    c.data[0] = s.plain ? d : (T)A::added(A::scaled(s.alpha, d), A::scaled(s.beta, c.data[0]));
    return;
  }
  const bool little = m > 1 && p > 1 && 0 < n && n <= SOL_FEW && m * p <= SOL_LITTLE / n;
  if (!blas.gemm || !blas.gemv || n == 0 || (little && n <= sol_blas_calls<T>::in_order(blas)) || (n == 1 && (m == 1 || p == 1))) return sol_product_simple<T>(a, b, c, s, 0);
  if (m == 1 || p == 1) {
    const sol_matrix<const T> wide = m == 1 ? b.transposed() : a, vector = m == 1 ? a.transposed() : b;
    const sol_matrix<T> out = m == 1 ? c.transposed() : c;
    const sol_packed<T> packed(wide), line(vector);
    const int64_t dx = line.data ? 1 : vector.down;
    if (!sol_blasable(packed.matrix) || dx <= 0 || out.down <= 0) return sol_product_simple<T>(a, b, c, s, 0);
    return sol_gemv<T>(blas, packed.matrix, line.matrix.data, dx, out.data, out.down, s);
  }
  if (n == 1) return sol_product_simple<T>(a, b, c, s, 0);
  if (!sol_blasable(c.down, c.right, c.columns)) {
    if (sol_blasable(c.right, c.down, c.rows)) return sol_product_by_blas<T>(blas, b.transposed(), a.transposed(), c.transposed(), s);
    const sol_packed<T> result({c.data, c.rows, c.columns, c.down, c.right}, true);
    if (!result.data) return sol_product_simple<T>(a, b, c, s, 0);
    sol_product_by_blas<T>(blas, a, b, result.mutable_matrix(), s);
    return sol_assign<T>(c, result.matrix);
  }
  const sol_packed<T> left(a), right(b);
  if (!sol_blasable(left.matrix) || !sol_blasable(right.matrix)) return sol_product_simple<T>(a, b, c, s, 0);
  sol_gemm<T>(blas, left.matrix, right.matrix, c, s);
}

template <class T> SOL_HIDDEN SOL_NOINLINE void sol_matmul_full(const sol_blas& blas, const sol_matrix<const T>& a, const sol_matrix<const T>& b, const sol_matrix<T>& c, const sol_scales<T>& s) {
  const sol_few_threads few(blas.threads, sol_few_threads::most(blas.threads));
  const sol_blas_jobs jobs(blas.threads);
  sol_product_by_blas<T>(blas, a, b, c, s);
}

// Only one triangle of a square output: syrk where it is one, otherwise strips, with the blocks on the diagonal apart.
template <class T> SOL_HIDDEN SOL_NOINLINE void sol_matmul_triangle(const sol_blas& blas, const sol_matrix<const T>& a, const sol_matrix<const T>& b, const sol_matrix<T>& c, const sol_scales<T>& s, int triangle) {
  const sol_few_threads few(blas.threads, sol_few_threads::most(blas.threads));
  const sol_blas_jobs jobs(blas.threads);
  const int64_t n = c.rows, width = 96;
  const bool square = a.data == b.data && a.rows == b.columns && a.down == b.right && a.right == b.down;
  if (square && blas.syrk && a.columns > 0 && sol_blasable(a) && sol_blasable(c.down, c.right, n)) {
    const bool plain = sol_blasable(a.down, a.right, a.columns);
    sol_blas_calls<T>::syrk(blas.syrk, triangle, plain ? SOL_PLAIN : SOL_TRANSPOSED, n, a.columns, s.alpha, a.data, plain ? a.down : a.right, s.beta, c.data, c.down);
    return;
  }
  if (!blas.gemm || n * n <= 4096 / (a.columns + 1)) return sol_product_simple<T>(a, b, c, s, triangle);
  T block[96 * 96];
  for (int64_t i = 0; i < n; i += width) {
    const int64_t w = n - i < width ? n - i : width;
    const sol_matrix<const T> rows = a.part(i, w, 0, a.columns), columns = b.part(0, a.columns, i, w);
    const sol_matrix<T> out = c.part(i, w, i, w), temporary = {block, w, w, w, 1};
    if (!s.plain)
      for (int64_t k = 0; k < w * w; ++k) block[k] = out.at(k / w, k % w);
    sol_product_by_blas<T>(blas, rows, columns, temporary, s);
    for (int64_t k = 0; k < w; ++k)
      for (int64_t l = triangle == SOL_LOWER ? 0 : k; l < (triangle == SOL_LOWER ? k + 1 : w); ++l) out.at(k, l) = temporary.at(k, l);
    if (triangle == SOL_LOWER && i > 0) sol_product_by_blas<T>(blas, rows, b.part(0, a.columns, 0, i), c.part(i, w, 0, i), s);
    if (triangle == SOL_UPPER && i + w < n)
      sol_product_by_blas<T>(blas, rows, b.part(0, a.columns, i + w, n - i - w), c.part(i, w, i + w, n - i - w), s);
  }
}

// The products of a type of the BLAS's are compiled once for all programs, which are linked with them (codegen/routines/products.py).
#define SOL_PRODUCTS_HERE(T) SOL_PRODUCTS(, T)
#ifndef SOL_ALONE
#define SOL_PRODUCTS_ELSEWHERE(T) SOL_PRODUCTS(extern, T)
#else  // a text that is compiled for itself
#define SOL_PRODUCTS_ELSEWHERE(T)
#endif
#define SOL_PRODUCTS(WORD, T) \
  WORD template void sol_matmul_full<T>(const sol_blas&, const sol_matrix<const T>&, const sol_matrix<const T>&, const sol_matrix<T>&, const sol_scales<T>&); \
  WORD template void sol_matmul_triangle<T>(const sol_blas&, const sol_matrix<const T>&, const sol_matrix<const T>&, const sol_matrix<T>&, const sol_scales<T>&, int);

template <class T> SOL_INLINE void sol_matmul(const sol_blas& blas, const sol_matrix<const T>& a, const sol_matrix<const T>& b, const sol_matrix<T>& c, const sol_scales<T>& s) {
  if (c.rows && c.columns) sol_matmul_full<T>(blas, a, b, c, s);
}
#endif
