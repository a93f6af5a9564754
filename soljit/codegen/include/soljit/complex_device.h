// Functions of complex numbers in kernels, where there is no C library with them: exp, sqrt, log and powers, by the functions of their parts.
// Infinite parts, NaN and zeros give what C99 says.
#ifndef SOLJIT_COMPLEX_DEVICE_H
#define SOLJIT_COMPLEX_DEVICE_H

// Where exp of the real part alone would overflow, a power of e that no cosine or sine of a number of this type makes small is multiplied last.
template <class C> static inline C sol_cexp(C a) {
  typedef typename sol_real_of<C>::type R;
  const bool wide = sizeof(R) == 8;
  if (!sol_isfinite(a.im)) {
    if (sol_isinf(a.re)) return a.re < 0 ? C{0, sol_copysign((R)0, a.im)} : C{a.re, SOL_NAN(R)};
    return C{SOL_NAN(R), SOL_NAN(R)};
  }
  if (a.im == 0) return C{sol_exp(a.re), a.im};
  const R far = wide ? (R)64 : (R)32, most = wide ? (R)709 : (R)88;
  const R last = wide ? (R)6.23514908081161688e27 : (R)7.8962960182680695e13;  // e ** far
  const bool over = a.re > most && !sol_isinf(a.re);
  const R e = sol_exp(over ? a.re - far : a.re), x = e * sol_cos(a.im), y = e * sol_sin(a.im);
  return over ? C{x * last, y * last} : C{x, y};
}

template <class C> static inline C sol_csqrt(C a) {
  typedef typename sol_real_of<C>::type R;
  const bool wide = sizeof(R) == 8;
  if (sol_isinf(a.im)) return C{SOL_INF(R), a.im};
  if (sol_isinf(a.re)) {
    const R none = sol_isnan(a.im) ? a.im : (R)0;
    return a.re < 0 ? C{none, sol_copysign(SOL_INF(R), a.im)} : C{a.re, sol_copysign(none, a.im)};
  }
  if (sol_isnan(a.re) || sol_isnan(a.im)) return C{SOL_NAN(R), SOL_NAN(R)};
  R x = sol_fabs(a.re), y = sol_fabs(a.im), back = 1;
  if (x == 0 && y == 0) return C{0, a.im};
  const R huge = wide ? (R)4e307 : (R)8e37, tiny = wide ? (R)1e-290 : (R)1e-30;
  if (x > huge || y > huge) x *= (R)0.25, y *= (R)0.25, back = 2;
  else if (x < tiny && y < tiny) {
    const R up = wide ? (R)0x1p200 : (R)0x1p80;
    x *= up, y *= up, back = wide ? (R)0x1p-100 : (R)0x1p-40;
  }
  const R t = sol_sqrt((x + sol_hypot(x, y)) * (R)0.5), s = y / (t + t) * back, r = t * back;
  return a.re < 0 ? C{s, sol_copysign(r, a.im)} : C{r, sol_copysign(s, a.im)};
}

// Near the unit circle the logarithm of the absolute value is small: there it comes from how far its square is from 1.
template <class C> static inline C sol_clog(C a) {
  typedef typename sol_real_of<C>::type R;
  const bool wide = sizeof(R) == 8;
  const R re = sol_fabs(a.re), im = sol_fabs(a.im), angle = sol_atan2(a.im, a.re);
  R x = re < im ? im : re, y = re < im ? re : im;
  if (x > (R)0.5 && x < (R)1.5) return C{sol_log1p((x - 1) * (x + 1) + y * y) * (R)0.5, angle};
  const R huge = wide ? (R)4e307 : (R)8e37, tiny = wide ? (R)1e-290 : (R)1e-30, ln2 = (R)0.693147180559945309417232121458176568;
  if (x > huge && !sol_isinf(x)) return C{sol_log(sol_hypot(x * (R)0.25, y * (R)0.25)) + 2 * ln2, angle};
  if (x < tiny && x > 0) {
    const R up = wide ? (R)0x1p200 : (R)0x1p80;
    return C{sol_log(sol_hypot(x * up, y * up)) - (wide ? 200 : 80) * ln2, angle};
  }
  return C{sol_log(sol_hypot(a.re, a.im)), angle};
}

// 1 and 0 in the place of infinite and finite parts, and 0 in the place of what is no number; the signs stay.
template <class R> static inline R sol_part_of_infinity(R x) { return sol_copysign((R)(sol_isinf(x) ? 1 : 0), x); }
template <class R> static inline R sol_zero_for_nan(R x) { return sol_isnan(x) ? sol_copysign((R)0, x) : x; }

// The product of C99, where a part that is infinite counts though another one is no number.
template <class C> static inline C sol_cmul_c99(C a, C b) {
  typedef typename sol_real_of<C>::type R;
  const R rr = a.re * b.re, ii = a.im * b.im, ri = a.re * b.im, ir = a.im * b.re;
  if (!sol_isnan(rr - ii) || !sol_isnan(ri + ir)) return C{rr - ii, ri + ir};
  const bool first = sol_cisinf(a), second = sol_cisinf(b);
  if (!first && !second && !sol_isinf(rr) && !sol_isinf(ii) && !sol_isinf(ri) && !sol_isinf(ir)) return C{rr - ii, ri + ir};
  if (first) a = C{sol_part_of_infinity(a.re), sol_part_of_infinity(a.im)};
  if (second) b = C{sol_part_of_infinity(b.re), sol_part_of_infinity(b.im)};
  a = C{sol_zero_for_nan(a.re), sol_zero_for_nan(a.im)}, b = C{sol_zero_for_nan(b.re), sol_zero_for_nan(b.im)};
  return C{SOL_INF(R) * (a.re * b.re - a.im * b.im), SOL_INF(R) * (a.re * b.im + a.im * b.re)};
}

template <class C> static inline C sol_cpow_general(C a, C b) { return sol_cexp(sol_cmul_c99(b, sol_clog(a))); }
#endif
