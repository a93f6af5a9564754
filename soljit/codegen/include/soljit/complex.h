// Complex numbers with NumPy's arithmetic: plain products, Smith's division, the C library's functions.
#ifndef SOLJIT_COMPLEX_H
#define SOLJIT_COMPLEX_H
#include "soljit/real.h"

template <class T> struct sol_complex {
  T re, im;
  sol_complex() = default;
  constexpr sol_complex(T r, T i) : re(r), im(i) {}
  template <class U> explicit constexpr sol_complex(const sol_complex<U>& z) : re((T)z.re), im((T)z.im) {}
};
typedef sol_complex<float> sol_c64;
typedef sol_complex<double> sol_c128;
template <class T> using sol_z = sol_complex<T>;

template <class T> SOL_INLINE sol_z<T> operator+(sol_z<T> a, sol_z<T> b) { return {a.re + b.re, a.im + b.im}; }
template <class T> SOL_INLINE sol_z<T> operator-(sol_z<T> a, sol_z<T> b) { return {a.re - b.re, a.im - b.im}; }
template <class T> SOL_INLINE sol_z<T> operator-(sol_z<T> a) { return {-a.re, -a.im}; }
template <class T> SOL_INLINE sol_z<T> operator*(sol_z<T> a, sol_z<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// NumPy's vector loop over arrays multiplies with fused operations.
SOL_INLINE sol_z<double> sol_cmul_fma(sol_z<double> a, sol_z<double> b) {
  return {__builtin_fma(a.re, b.re, -(a.im * b.im)), __builtin_fma(a.re, b.im, a.im * b.re)};
}
SOL_INLINE sol_z<float> sol_cmul_fma(sol_z<float> a, sol_z<float> b) {
  return {__builtin_fmaf(a.re, b.re, -(a.im * b.im)), __builtin_fmaf(a.re, b.im, a.im * b.re)};
}
template <class T> static inline sol_z<T> operator/(sol_z<T> a, sol_z<T> b) {
  const T br = sol_fabs(b.re), bi = sol_fabs(b.im);
  if (br >= bi) {
    if (br == 0 && bi == 0) return {a.re / br, a.im / br};
    const T r = b.im / b.re, s = (T)1 / (b.re + b.im * r);
    return {(a.re + a.im * r) * s, (a.im - a.re * r) * s};
  }
  const T r = b.re / b.im, s = (T)1 / (b.im + b.re * r);
  return {(a.re * r + a.im) * s, (a.im * r - a.re) * s};
}
template <class T> SOL_INLINE bool operator==(sol_z<T> a, sol_z<T> b) { return a.re == b.re && a.im == b.im; }
template <class T> SOL_INLINE bool operator!=(sol_z<T> a, sol_z<T> b) { return a.re != b.re || a.im != b.im; }
template <class T> SOL_INLINE bool sol_truth(sol_z<T> a) { return a.re != 0 || a.im != 0; }
template <class T> SOL_INLINE bool sol_cisnan(sol_z<T> a) { return sol_isnan(a.re) || sol_isnan(a.im); }
template <class T> SOL_INLINE bool sol_cisinf(sol_z<T> a) { return sol_isinf(a.re) || sol_isinf(a.im); }
template <class T> SOL_INLINE bool sol_cisfinite(sol_z<T> a) { return sol_isfinite(a.re) && sol_isfinite(a.im); }
// NumPy's order of complex numbers: by real part, then imaginary part.
template <class T> SOL_INLINE bool sol_clt(sol_z<T> a, sol_z<T> b) { return (a.re < b.re && !sol_isnan(a.im) && !sol_isnan(b.im)) || (a.re == b.re && a.im < b.im); }
template <class T> SOL_INLINE bool sol_cgt(sol_z<T> a, sol_z<T> b) { return sol_clt(b, a); }
template <class T> SOL_INLINE bool sol_cle(sol_z<T> a, sol_z<T> b) { return (a.re < b.re && !sol_isnan(a.im) && !sol_isnan(b.im)) || (a.re == b.re && a.im <= b.im); }
template <class T> SOL_INLINE bool sol_cge(sol_z<T> a, sol_z<T> b) { return sol_cle(b, a); }
template <class T> SOL_INLINE sol_z<T> sol_cmin(sol_z<T> a, sol_z<T> b) { return sol_cisnan(a) || sol_cle(a, b) ? a : b; }
template <class T> SOL_INLINE sol_z<T> sol_cmax(sol_z<T> a, sol_z<T> b) { return sol_cisnan(a) || sol_cge(a, b) ? a : b; }
template <class T> SOL_INLINE sol_z<T> sol_cfmin(sol_z<T> a, sol_z<T> b) { return sol_cisnan(b) || sol_cle(a, b) ? a : b; }
template <class T> SOL_INLINE sol_z<T> sol_cfmax(sol_z<T> a, sol_z<T> b) { return sol_cisnan(b) || sol_cge(a, b) ? a : b; }
template <class T> SOL_INLINE sol_z<T> sol_conj(sol_z<T> a) { return {a.re, -a.im}; }
template <class T> SOL_INLINE sol_z<T> sol_crint(sol_z<T> a) { return {sol_rint(a.re), sol_rint(a.im)}; }
template <class T> SOL_INLINE T sol_cabs(sol_z<T> a) { return sol_hypot(a.re, a.im); }
template <class T> static inline sol_z<T> sol_csign(sol_z<T> a) {
  const T r = sol_cabs(a);
  if (r == 0) return {0, 0};
  if (sol_isinf(r)) {
    if (!sol_isinf(a.re)) return {0, sol_copysign((T)1, a.im)};
    if (!sol_isinf(a.im)) return {sol_copysign((T)1, a.re), 0};
    return {(T)__builtin_nan(""), (T)__builtin_nan("")};
  }
  return {a.re / r, a.im / r};
}

typedef __complex__ double sol_native_c128;
typedef __complex__ float sol_native_c64;
#define SOL_COMPLEX1(name) \
  extern "C" sol_native_c128 c##name(sol_native_c128) noexcept; \
  extern "C" sol_native_c64 c##name##f(sol_native_c64) noexcept; \
  static inline sol_c128 sol_c##name(sol_c128 a) { \
    sol_native_c128 z; __real__ z = a.re; __imag__ z = a.im; z = c##name(z); return {__real__ z, __imag__ z}; } \
  static inline sol_c64 sol_c##name(sol_c64 a) { \
    sol_native_c64 z; __real__ z = a.re; __imag__ z = a.im; z = c##name##f(z); return {__real__ z, __imag__ z}; }
SOL_COMPLEX1(sqrt)
SOL_COMPLEX1(exp)
SOL_COMPLEX1(log)
SOL_COMPLEX1(sin)
SOL_COMPLEX1(cos)
SOL_COMPLEX1(tan)
SOL_COMPLEX1(sinh)
SOL_COMPLEX1(cosh)
SOL_COMPLEX1(tanh)
SOL_COMPLEX1(asin)
SOL_COMPLEX1(acos)
SOL_COMPLEX1(atan)
SOL_COMPLEX1(asinh)
SOL_COMPLEX1(acosh)
SOL_COMPLEX1(atanh)
template <class T> static inline sol_z<T> sol_clog2(sol_z<T> a) { const sol_z<T> z = sol_clog(a); return {z.re * (T)1.442695040888963407359924681001892137, z.im * (T)1.442695040888963407359924681001892137}; }
template <class T> static inline sol_z<T> sol_clog10(sol_z<T> a) { const sol_z<T> z = sol_clog(a); return {z.re * (T)0.434294481903251827651128918916605082, z.im * (T)0.434294481903251827651128918916605082}; }
template <class T> static inline sol_z<T> sol_cexp2(sol_z<T> a) { return sol_cexp(sol_z<T>{a.re * (T)0.693147180559945309417232121458176568, a.im * (T)0.693147180559945309417232121458176568}); }
template <class T> static inline sol_z<T> sol_cexpm1(sol_z<T> a) {
  const T s = sol_sin(a.im / 2);
  return {sol_expm1(a.re) * sol_cos(a.im) - 2 * s * s, sol_exp(a.re) * sol_sin(a.im)};
}
template <class T> static inline sol_z<T> sol_clog1p(sol_z<T> a) { return {sol_log(sol_hypot(a.re + 1, a.im)), sol_atan2(a.im, a.re + 1)}; }
extern "C" sol_native_c128 cpow(sol_native_c128, sol_native_c128) noexcept;
extern "C" sol_native_c64 cpowf(sol_native_c64, sol_native_c64) noexcept;
static inline sol_c128 sol_native_pow(sol_c128 a, sol_c128 b) {
  sol_native_c128 x, y;
  __real__ x = a.re; __imag__ x = a.im; __real__ y = b.re; __imag__ y = b.im;
  x = cpow(x, y);
  return {__real__ x, __imag__ x};
}
static inline sol_c64 sol_native_pow(sol_c64 a, sol_c64 b) {
  sol_native_c64 x, y;
  __real__ x = a.re; __imag__ x = a.im; __real__ y = b.re; __imag__ y = b.im;
  x = cpowf(x, y);
  return {__real__ x, __imag__ x};
}
// Small integer powers by repeated squaring, as NumPy does.
template <class T> static inline sol_z<T> sol_cpow(sol_z<T> a, sol_z<T> b) {
  if (b.re == 0 && b.im == 0) return {1, 0};
  if (a.re == 0 && a.im == 0) {
    if (b.re > 0 && b.im == 0) return {0, 0};
    return {(T)__builtin_nan(""), (T)__builtin_nan("")};
  }
  const int64_t n = sol_fabs(b.re) < 100 ? (int64_t)b.re : 0;
  if (b.im == 0 && (T)n == b.re && n != 0) {
    if (n == 1) return a;
    if (n == 2) return a * a;
    if (n == 3) return a * (a * a);
    sol_z<T> r = {1, 0}, p = a;
    const int64_t m = n < 0 ? -n : n;
    for (int64_t mask = 1;;) {
      if (m & mask) r = r * p;
      mask <<= 1;
      if (m < mask || mask <= 0) break;
      p = p * p;
    }
    return n < 0 ? sol_z<T>{1, 0} / r : r;
  }
  return sol_native_pow(a, b);
}
#endif
