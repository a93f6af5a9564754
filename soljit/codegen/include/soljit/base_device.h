// What arithmetic is built on, in kernels of a GPU: what `base_host.h` offers, by the functions that NVRTC knows without any header.
// NVRTC has none of C's headers either. Its `long` has 64 bits, as on the host, so that literals such as 5l deduce the same types.
#ifndef SOLJIT_BASE_DEVICE_H
#define SOLJIT_BASE_DEVICE_H

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
static_assert(sizeof(int64_t) == 8, "long has 64 bits");
#define INT32_MIN (-2147483647 - 1)
#define INT64_MAX 9223372036854775807l
#define INT64_MIN (-INT64_MAX - 1)

#define SOL_DEVICE 1
#define SOL_INLINE static inline __attribute__((always_inline))
#define SOL_OUTLINE static
#define SOL_LIKELY(...) (__VA_ARGS__)
#define SOL_UNLIKELY(...) (__VA_ARGS__)
#define SOL_CONSTANT(x) false
#define SOL_NAN(T) ((T)__longlong_as_double(0x7FF8000000000000ll))
#define SOL_INF(T) ((T)__longlong_as_double(0x7FF0000000000000ll))

SOL_INLINE double sol_fused(double a, double b, double c) { return fma(a, b, c); }
SOL_INLINE float sol_fused(float a, float b, float c) { return fmaf(a, b, c); }
#if defined(SOL_FAST)  // quotients are not rounded correctly
#define SOL_FUSES 0
#else
#define SOL_FUSES 1
#endif
template <class T> SOL_INLINE T sol_rounded(T x) { return x; }  // nothing is contracted unless `fp` allows it

// --- bits -------------------------------------------------------------------------------------------------------------

SOL_INLINE uint64_t sol_bits(double x) { return (uint64_t)__double_as_longlong(x); }
SOL_INLINE uint32_t sol_bits(float x) { return __float_as_uint(x); }
SOL_INLINE double sol_from_bits(uint64_t u) { return __longlong_as_double((long long)u); }
SOL_INLINE float sol_from_bits(uint32_t u) { return __uint_as_float(u); }
#define SOL_LEADING_ZEROS(x) __clzll((long long)(x))
#define SOL_TRAILING_ZEROS(x) (__ffsll((long long)(x)) - 1)
#define SOL_ONES(x) __popcll((unsigned long long)(x))
SOL_INLINE bool sol_true(const bool& x) { return *(const unsigned char*)&x != 0; }

// Half precision: the processor's conversions, in both directions.
#ifndef SOL_HALF_BY_HAND
#define SOL_HALF_BITS 1
SOL_INLINE uint16_t sol_half_bits(float x) { uint16_t u; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(u) : "f"(x)); return u; }
SOL_INLINE uint16_t sol_half_bits(double x) { uint16_t u; asm("cvt.rn.f16.f64 %0, %1;" : "=h"(u) : "d"(x)); return u; }
SOL_INLINE float sol_half_value(uint16_t u) { float x; asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(u)); return x; }
#endif

#define SOL_QUOTIENT(T, b) false

template <class T> SOL_INLINE bool sol_add_overflows(T a, T b) {
  const T r = (T)((uint64_t)a + (uint64_t)b);
  return (T)-1 < (T)0 ? ((a ^ r) & (b ^ r)) < 0 : r < a;
}
template <class T> SOL_INLINE bool sol_sub_overflows(T a, T b) {
  const T r = (T)((uint64_t)a - (uint64_t)b);
  return (T)-1 < (T)0 ? ((a ^ b) & (a ^ r)) < 0 : a < b;
}
template <class T> SOL_INLINE bool sol_mul_overflows(T a, T b) {
  const T r = (T)((uint64_t)a * (uint64_t)b);
  return (T)-1 < (T)0 ? (__int128)a * b != r : (unsigned __int128)a * b != r;
}

#define SOL_LIBM(name) name  // CUDA has the functions of the C library under their names

// The same memory as elements of another type.
template <class T> SOL_INLINE T* sol_as(const void* p) { return (T*)p; }
#endif
