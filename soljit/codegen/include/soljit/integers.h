// Integers with NumPy's meaning: everything wraps, nothing is undefined.
#ifndef SOLJIT_INTEGERS_H
#define SOLJIT_INTEGERS_H
#include "soljit/libm.h"

// A bool in memory as a number.
SOL_INLINE int32_t sol_bit(const bool& x) { return *(const unsigned char*)&x; }

template <int Size, bool Signed> struct sol_wide_of { typedef uint32_t u; };
template <bool Signed> struct sol_wide_of<8, Signed> { typedef uint64_t u; };
template <class T> struct sol_int {
  static const bool is_signed = (T)-1 < (T)0;
  typedef typename sol_wide_of<(int)sizeof(T), is_signed>::u U;  // arithmetic in U never overflows undefinedly
  static const int bits = 8 * (int)sizeof(T);
  static const T lowest = is_signed ? (T)((U)1 << (bits - 1)) : (T)0;
};
template <class T> SOL_INLINE T sol_add(T a, T b) { return (T)((typename sol_int<T>::U)a + (typename sol_int<T>::U)b); }
template <class T> SOL_INLINE T sol_sub(T a, T b) { return (T)((typename sol_int<T>::U)a - (typename sol_int<T>::U)b); }
template <class T> SOL_INLINE T sol_mul(T a, T b) { return (T)((typename sol_int<T>::U)a * (typename sol_int<T>::U)b); }
template <class T> SOL_INLINE T sol_neg(T a) { return (T)(0 - (typename sol_int<T>::U)a); }
template <class T> SOL_INLINE T sol_iabs(T a) {
#ifdef __CUDACC_RTC__
  if (sol_int<T>::is_signed && sizeof(T) == 2) {  // PTX's abs.s16 makes more than 16 bits of the lowest number: it must not be found here
    int32_t x = a;
    asm("" : "+r"(x));
    return (T)(x < 0 ? 0 - x : x);
  }
#endif
  return a < 0 ? sol_neg<T>(a) : a;
}
// The absolute value as a number without a sign, which the lowest one has, too.
template <class T> SOL_INLINE typename sol_int<T>::U sol_magnitude(T a) {
  typedef typename sol_int<T>::U U;
  const U m = sol_int<T>::is_signed && a < 0 ? 0 - (U)a : (U)a;
  return sizeof(T) < 4 ? m & (((U)1 << (sol_int<T>::bits & 31)) - 1) : m;
}
template <class T> SOL_INLINE T sol_isign(T a) { return (T)((a > 0) - (sol_int<T>::is_signed && a < 0)); }
template <class T> SOL_INLINE T sol_imin(T a, T b) { return b < a ? b : a; }
template <class T> SOL_INLINE T sol_imax(T a, T b) { return b > a ? b : a; }

template <class T> SOL_INLINE T sol_ifmod(T a, T b) {  // remainder with the sign of `a`; 0 for a zero divisor
  if (b == 0 || (sol_int<T>::is_signed && b == (T)-1)) return 0;
  return (T)(a % b);
}
// Floor quotients of integers of at most 32 bits by vectors of floats: (a ± ½) / b is at least half of 1 / b away from any whole number, which
// is more than all roundings on the way to it. 2 ** 31 itself, the only quotient that does not fit, wraps.
template <int Size> struct sol_exact_in { typedef double type; };
template <> struct sol_exact_in<1> { typedef float type; };
template <> struct sol_exact_in<2> { typedef float type; };
template <class T> SOL_INLINE T sol_quotient(T a, T b) {
  typedef typename sol_exact_in<(int)sizeof(T)>::type R;
  const R inverse = b == 0 ? (R)0 : (R)1 / (R)b, half = b < 0 ? (R)-0.5 : (R)0.5;
  const R q = sol_floor(((R)a + half) * inverse);
  if (sizeof(T) < 4) return (T)(int32_t)q;
  if (!sol_int<T>::is_signed) return (T)(int64_t)q;
  return (T)(int32_t)(q < (R)2147483648.0 ? q : (R)-2147483648.0);
}
// A power of two, known while the text is compiled: floor quotients are shifts and remainders are masks, for negative numbers, too.
#define SOL_POWER_OF_TWO(b) (SOL_CONSTANT(b) && (b) > 0 && ((b) & ((b) - 1)) == 0)
template <class T> SOL_INLINE T sol_floordiv(T a, T b) {
  if (SOL_POWER_OF_TWO(b)) return (T)(a >> SOL_TRAILING_ZEROS((unsigned long long)b));
  if (SOL_QUOTIENT(T, b)) return sol_quotient<T>(a, b);
  if (b == 0) return 0;
  if (sizeof(T) == 8 && sol_int<T>::is_signed && SOL_CONSTANT(b) && b > 0) {  // ~(~a / b) for negative ones
    const uint64_t sign = 0 - (uint64_t)(a < 0);
    return (T)((((uint64_t)a ^ sign) / (uint64_t)b) ^ sign);
  }
  if (sol_int<T>::is_signed) {
    if (b == (T)-1) return sol_neg<T>(a);
    const T q = (T)(a / b);
    return (T)(q - (((a < 0) != (b < 0)) & (a % b != 0)));  // no branch: nobody can predict remainders
  }
  return (T)(a / b);
}
template <class T> SOL_INLINE T sol_mod(T a, T b) {
  if (SOL_POWER_OF_TWO(b)) return (T)(a & (b - 1));
  if (SOL_QUOTIENT(T, b)) return b == 0 ? (T)0 : sol_sub<T>(a, sol_mul<T>(sol_quotient<T>(a, b), b));
  const T r = sol_ifmod<T>(a, b);
  if (!sol_int<T>::is_signed) return r;
  return (T)(r + (((r != 0) & ((r < 0) != (b < 0))) ? b : (T)0));
}
template <class T> SOL_INLINE T sol_shl(T a, T n) {
  if (n < 0 || (uint64_t)n >= (uint64_t)sol_int<T>::bits) return 0;
  return (T)((typename sol_int<T>::U)a << n);
}
template <class T> SOL_INLINE T sol_shr(T a, T n) {
  if (n < 0 || (uint64_t)n >= (uint64_t)sol_int<T>::bits) return (T)(a < 0 ? -1 : 0);
  return (T)(a >> n);
}
// `const`, so that powers of sizes leave loops.
template <class T> SOL_OUTLINE T sol_ipow(T a, T n) {
  typedef typename sol_int<T>::U U;
  U base = (U)a, out = 1;
  for (; n > 0; n = (T)(n >> 1), base *= base)
    if (n & 1) out *= base;
  return (T)out;
}
// Python's a / b of ints: rounded once, from the exact quotient. 0 for a zero divisor.
SOL_OUTLINE double sol_int_div(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return b < 0 ? -0.0 : 0.0;
  const uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
  const int shift = 64 + SOL_LEADING_ZEROS(x);
  const unsigned __int128 n = (unsigned __int128)x << shift;
  unsigned __int128 q = n / y;  // 64 to 128 bits
  bool rest = n % y != 0;
  int k = 0;
  if (const uint64_t high = (uint64_t)(q >> 64)) k = 64 - SOL_LEADING_ZEROS(high);
  rest |= k && (q << (128 - k)) != 0;
  const double d = sol_libm_ldexp((double)((uint64_t)(q >> k) | rest), k - shift);
  return (a < 0) != (b < 0) ? -d : d;
}
template <class U> SOL_INLINE U sol_common(U x, U y) {  // greatest common divisor
  while (y) {
    const U r = x % y;
    x = y;
    y = r;
  }
  return x;
}
template <class T> SOL_INLINE T sol_gcd(T a, T b) { return (T)sol_common(sol_magnitude<T>(a), sol_magnitude<T>(b)); }
// a ** max(b, 0) % n, with the sign of n (n = 0: 0): by squaring, in products of twice the width.
template <class T> static inline T sol_powmod(T a, T b, T n) {
  typedef typename sol_int<T>::U U;
  const U m = sol_magnitude<T>(n);
  if (m == 0) return 0;
  U base = sol_magnitude<T>(a) % m, r = 1 % m;
  if (sol_int<T>::is_signed && a < 0 && base) base = m - base;
  for (; b > 0; b >>= 1) {
    if (b & 1) r = (U)((unsigned __int128)r * base % m);
    base = (U)((unsigned __int128)base * base % m);
  }
  return sol_int<T>::is_signed && n < 0 && r ? (T)(r - m) : (T)r;
}
template <class T> SOL_INLINE T sol_lcm(T a, T b) {
  typedef typename sol_int<T>::U U;
  const U x = sol_magnitude<T>(a), y = sol_magnitude<T>(b), common = sol_common(x, y);
  return common == 0 ? (T)0 : (T)(x / common * y);
}
template <class T> SOL_INLINE T sol_popcount(T a) { return (T)SOL_ONES(sol_magnitude<T>(a)); }  // of the absolute value, as np.bitwise_count
// len(range(start, stop, step)); step is not 0.
SOL_INLINE int64_t sol_trip(int64_t start, int64_t stop, int64_t step) {
  if (step > 0) return start < stop ? (int64_t)(((uint64_t)stop - (uint64_t)start - 1) / (uint64_t)step) + 1 : 0;
  return start > stop ? (int64_t)(((uint64_t)start - (uint64_t)stop - 1) / (0 - (uint64_t)step)) + 1 : 0;
}
SOL_INLINE int64_t sol_len(int64_t start, int64_t stop) { return stop > start ? stop - start : 0; }
#endif
