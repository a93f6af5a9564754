// Functions of complex numbers in kernels, where there is no C library with them: exp and sqrt, by the functions of their parts.
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
#endif
