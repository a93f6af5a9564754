// Complex numbers as NumPy computes them: naive product, Smith's quotient, lexicographic order, absolute value and sign.
#ifndef SOLJIT_COMPLEX_H
#define SOLJIT_COMPLEX_H
#include "soljit/real.h"

struct sol_c128 {
  double re, im;
};
struct sol_c64 {
  float re, im;
};
SOL_INLINE sol_c128 sol_to_c128(sol_c64 z) { return sol_c128{z.re, z.im}; }
SOL_INLINE sol_c64 sol_to_c64(sol_c128 z) { return sol_c64{(float)z.re, (float)z.im}; }

// The functions are written for a number class C with components R, and libm's names end in `suffix`.
template <class C> struct sol_real_of;
template <> struct sol_real_of<sol_c128> { typedef double type; };
template <> struct sol_real_of<sol_c64> { typedef float type; };

template <class C, class R = typename sol_real_of<C>::type> SOL_INLINE C operator+(C a, C b) { return C{a.re + b.re, a.im + b.im}; }
template <class C, class R = typename sol_real_of<C>::type> SOL_INLINE C operator-(C a, C b) { return C{a.re - b.re, a.im - b.im}; }
template <class C, class R = typename sol_real_of<C>::type> SOL_INLINE C operator-(C a) { return C{-a.re, -a.im}; }
template <class C, class R = typename sol_real_of<C>::type> SOL_INLINE C operator*(C a, C b) {
  return C{sol_rounded(a.re * b.re) - a.im * b.im, sol_rounded(a.re * b.im) + a.im * b.re};
}
template <class C> SOL_INLINE C sol_cmul_fma(C a, C b) {
  return C{sol_fused(a.re, b.re, -(a.im * b.im)), sol_fused(a.re, b.im, a.im * b.re)};
}
template <class C, class R = typename sol_real_of<C>::type> SOL_INLINE C operator/(C a, C b) {
  const R re = sol_fabs(b.re), im = sol_fabs(b.im);
  if (re >= im) {
    if (re == 0 && im == 0) return C{a.re / re, a.im / re};
    const R q = b.im / b.re, s = (R)1 / (b.re + b.im * q);
    return C{(a.re + a.im * q) * s, (a.im - a.re * q) * s};
  }
  const R q = b.re / b.im, s = (R)1 / (b.im + b.re * q);
  return C{(sol_rounded(a.re * q) + a.im) * s, (sol_rounded(a.im * q) - a.re) * s};
}
template <class C, class R = typename sol_real_of<C>::type> SOL_INLINE bool operator==(C a, C b) { return a.re == b.re && a.im == b.im; }
template <class C, class R = typename sol_real_of<C>::type> SOL_INLINE bool operator!=(C a, C b) { return a.re != b.re || a.im != b.im; }

template <class C> SOL_INLINE bool sol_cisnan(C a) { return sol_isnan(a.re) || sol_isnan(a.im); }
template <class C> SOL_INLINE bool sol_cisinf(C a) { return sol_isinf(a.re) || sol_isinf(a.im); }
template <class C> SOL_INLINE bool sol_cisfinite(C a) { return sol_isfinite(a.re) && sol_isfinite(a.im); }
template <class C> SOL_INLINE bool sol_truth(C a) { return a.re != 0 || a.im != 0; }
// A NaN among the imaginary parts decides only where the real parts are equal.
template <class C> SOL_INLINE bool sol_clt(C a, C b) {
  return a.re < b.re ? !sol_isnan(a.im) && !sol_isnan(b.im) : a.re == b.re && a.im < b.im;
}
template <class C> SOL_INLINE bool sol_cle(C a, C b) {
  return a.re < b.re ? !sol_isnan(a.im) && !sol_isnan(b.im) : a.re == b.re && a.im <= b.im;
}
template <class C> SOL_INLINE bool sol_cgt(C a, C b) { return sol_clt(b, a); }
template <class C> SOL_INLINE bool sol_cge(C a, C b) { return sol_cle(b, a); }
template <class C> SOL_INLINE C sol_cmin(C a, C b) { return sol_cisnan(a) || sol_cle(a, b) ? a : b; }
template <class C> SOL_INLINE C sol_cmax(C a, C b) { return sol_cisnan(a) || sol_cge(a, b) ? a : b; }
template <class C> SOL_INLINE C sol_cfmin(C a, C b) { return sol_cisnan(b) || sol_cle(a, b) ? a : b; }
template <class C> SOL_INLINE C sol_cfmax(C a, C b) { return sol_cisnan(b) || sol_cge(a, b) ? a : b; }
// One of two numbers, without a branch: the compiler has no vectors of pairs that are loaded or stored under conditions.
template <class C> SOL_INLINE C sol_chosen(bool c, C a, C b) {
  const auto all = (decltype(sol_bits(a.re)))0 - c;
  return C{sol_from_bits((sol_bits(a.re) & all) | (sol_bits(b.re) & ~all)), sol_from_bits((sol_bits(a.im) & all) | (sol_bits(b.im) & ~all))};
}
template <class C> SOL_INLINE C sol_conj(C a) { return C{a.re, -a.im}; }
template <class C> SOL_INLINE C sol_crint(C a) { return C{sol_rint(a.re), sol_rint(a.im)}; }
template <class C> SOL_INLINE typename sol_real_of<C>::type sol_cabs(C a) { return sol_hypot(a.re, a.im); }
// The absolute value as NumPy's loop over arrays computes it: the larger part times a root, no call.
template <class C, class R = typename sol_real_of<C>::type> SOL_INLINE R sol_cabs_loop(C a) {
  const R x = sol_fabs(a.re), y = sol_fabs(a.im), most = x > y ? x : y, least = x > y ? y : x;
  const R q = least / most, m = most * sol_sqrt(sol_fused(q, q, (R)1));
  return sol_isinf(x) || sol_isinf(y) ? SOL_INF(R) : x + y == 0 ? (R)0 : m;
}
template <class C> static inline C sol_csign(C a) {
  typedef typename sol_real_of<C>::type R;
  const R m = sol_hypot(a.re, a.im);
  if (sol_isnan(m)) return C{SOL_NAN(R), SOL_NAN(R)};
  if (sol_isinf(m)) {
    if (sol_isinf(a.re) && sol_isinf(a.im)) return C{SOL_NAN(R), SOL_NAN(R)};
    return C{sol_isinf(a.re) ? sol_copysign((R)1, a.re) : (R)0, sol_isinf(a.im) ? sol_copysign((R)1, a.im) : (R)0};
  }
  if (m == 0) return C{0, 0};
  return C{a.re / m, a.im / m};
}

#ifdef SOL_DEVICE
#include "soljit/complex_device.h"
#else
#include "soljit/complex_libm.h"
#endif

template <class C> static inline C sol_clog2(C a) {
  typedef typename sol_real_of<C>::type R;
  const R k = (R)1.442695040888963407359924681001892137;
  const C l = sol_clog(a);
  return C{l.re * k, l.im * k};
}
template <class C> static inline C sol_clog10(C a) {
  typedef typename sol_real_of<C>::type R;
  const R k = (R)0.434294481903251827651128918916605082;
  const C l = sol_clog(a);
  return C{l.re * k, l.im * k};
}

// Powers as NumPy takes them: special values first, small whole exponents by repeated products.
template <class C> static inline C sol_cpow(C a, C b) {
  typedef typename sol_real_of<C>::type R;
  if (b.re == 0 && b.im == 0) return C{1, 0};
  if (a.re == 0 && a.im == 0) {
    if (b.re > 0) return C{0, 0};
    return C{SOL_NAN(R), SOL_NAN(R)};
  }
  if (b.im == 0 && b.re == sol_trunc(b.re)) {
    if (b.re == 1) return a;
    if (b.re == 2) return a * a;
    if (b.re == 3) return a * (a * a);
    if (b.re > -100 && b.re < 100) {
      const int n = (int)b.re;
      int k = n < 0 ? -n : n, mask = 1;
      C out = {1, 0}, p = a;
      for (;;) {
        if (k & mask) out = out * p;
        mask <<= 1;
        if (k < mask || mask <= 0) break;
        p = p * p;
      }
      return n < 0 ? C{1, 0} / out : out;
    }
  }
  return sol_cpow_general(a, b);
}

template <class C> static inline C sol_cexp2(C a) {
  typedef typename sol_real_of<C>::type R;
  const R k = (R)0.693147180559945309417232121458176568;
  return sol_cexp(C{a.re * k, a.im * k});
}
template <class C> static inline C sol_clog1p(C a) {
  typedef typename sol_real_of<C>::type R;
  const R l = sol_hypot(a.re + 1, a.im);
  return C{sol_log(l), sol_atan2(a.im, a.re + 1)};
}
template <class C> static inline C sol_cexpm1(C a) {
  typedef typename sol_real_of<C>::type R;
  const R s = sol_sin(a.im / 2);
  return C{sol_expm1(a.re) * sol_cos(a.im) - 2 * s * s, sol_exp(a.re) * sol_sin(a.im)};
}
#endif
