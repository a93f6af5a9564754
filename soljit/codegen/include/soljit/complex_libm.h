// Functions of complex numbers by those of the C library.
#ifndef SOLJIT_COMPLEX_LIBM_H
#define SOLJIT_COMPLEX_LIBM_H

#define SOL_COMPLEX_LIBM(name) \
  static inline sol_c128 sol_##name(sol_c128 a) { \
    __complex__ double z; \
    __real__ z = a.re; \
    __imag__ z = a.im; \
    z = __builtin_##name(z); \
    return sol_c128{__real__ z, __imag__ z}; \
  } \
  static inline sol_c64 sol_##name(sol_c64 a) { \
    __complex__ float z; \
    __real__ z = a.re; \
    __imag__ z = a.im; \
    z = __builtin_##name##f(z); \
    return sol_c64{__real__ z, __imag__ z}; \
  }
SOL_COMPLEX_LIBM(csqrt)
SOL_COMPLEX_LIBM(cexp)
SOL_COMPLEX_LIBM(clog)
SOL_COMPLEX_LIBM(csin)
SOL_COMPLEX_LIBM(ccos)
SOL_COMPLEX_LIBM(ctan)
SOL_COMPLEX_LIBM(casin)
SOL_COMPLEX_LIBM(cacos)
SOL_COMPLEX_LIBM(catan)
SOL_COMPLEX_LIBM(csinh)
SOL_COMPLEX_LIBM(ccosh)
SOL_COMPLEX_LIBM(ctanh)
SOL_COMPLEX_LIBM(casinh)
SOL_COMPLEX_LIBM(cacosh)
SOL_COMPLEX_LIBM(catanh)

// As NumPy has it before 2.3: the angle of what lies over zero at no known height is not known.
template <class C> static inline C sol_cacosh_of_nan(C a) {
  if (a.re == 0 && a.im != a.im) return C{a.im, a.im};
  return sol_cacosh(a);
}

SOL_INLINE sol_c128 sol_cpow_general(sol_c128 a, sol_c128 b) {
  __complex__ double x, y;
  __real__ x = a.re, __imag__ x = a.im, __real__ y = b.re, __imag__ y = b.im;
  x = __builtin_cpow(x, y);
  return sol_c128{__real__ x, __imag__ x};
}
SOL_INLINE sol_c64 sol_cpow_general(sol_c64 a, sol_c64 b) {
  __complex__ float x, y;
  __real__ x = a.re, __imag__ x = a.im, __real__ y = b.re, __imag__ y = b.im;
  x = __builtin_cpowf(x, y);
  return sol_c64{__real__ x, __imag__ x};
}
#endif
