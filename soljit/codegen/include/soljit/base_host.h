// What arithmetic is built on, as a processor's compiler (g++ or clang) offers it. `base_device.h` offers the same for kernels of a GPU,
// so that everything above is written once: `integers.h`, `real.h`, `half.h`, `complex.h`, `floats.h`, `special.h`.
#ifndef SOLJIT_BASE_HOST_H
#define SOLJIT_BASE_HOST_H
#include <stdint.h>

#define SOL_INLINE static inline __attribute__((always_inline))
#define SOL_OUTLINE static __attribute__((noinline, const, unused))  // of the arguments alone: calls leave loops
#define SOL_LIKELY(...) __builtin_expect(!!(__VA_ARGS__), 1)
#define SOL_UNLIKELY(...) __builtin_expect(!!(__VA_ARGS__), 0)
#define SOL_CONSTANT(x) __builtin_constant_p(x)  // known while the text is compiled
#define SOL_NAN(T) ((T)__builtin_nan(""))
#define SOL_INF(T) ((T)__builtin_inf())

// a * b + c with one rounding, where the processor can; then SOL_FUSES is true.
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
SOL_INLINE double sol_fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
SOL_INLINE float sol_fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#if defined(__FAST_MATH__)
#define SOL_FUSES 0
#else
#define SOL_FUSES 1
#endif
#else
template <class T> SOL_INLINE T sol_fused(T a, T b, T c) { return a * b + c; }
#define SOL_FUSES 0
#endif

// A value rounded before anything else is done with it. Without this g++ 12 and later, told not to contract, still make fused
// multiply-adds of vectors in which differences and sums of products alternate.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
template <class T> SOL_INLINE T sol_rounded(T x) { return __builtin_assoc_barrier(x); }
#else
template <class T> SOL_INLINE T sol_rounded(T x) { return x; }
#endif

// --- bits -------------------------------------------------------------------------------------------------------------

SOL_INLINE uint64_t sol_bits(double x) { uint64_t u; __builtin_memcpy(&u, &x, 8); return u; }
SOL_INLINE uint32_t sol_bits(float x) { uint32_t u; __builtin_memcpy(&u, &x, 4); return u; }
SOL_INLINE double sol_from_bits(uint64_t u) { double x; __builtin_memcpy(&x, &u, 8); return x; }
SOL_INLINE float sol_from_bits(uint32_t u) { float x; __builtin_memcpy(&x, &u, 4); return x; }
#define SOL_LEADING_ZEROS(x) __builtin_clzll(x)  // of 64 bits, as the next two
#define SOL_TRAILING_ZEROS(x) __builtin_ctzll(x)
#define SOL_ONES(x) __builtin_popcountll(x)

// Is a bool in memory true? Beside numbers g++ makes vector code of comparisons, and none of a bool's bits.
SOL_INLINE bool sol_true(const bool& x) {
#if defined(__clang__)
  return x;
#else
  return *(const unsigned char*)&x != 0;
#endif
}

// Integers of at most 32 bits are divided as floats, which vectors can, if the divisor is not known.
#if defined(__SSE4_1__) || defined(__aarch64__)
#define SOL_QUOTIENT(T, b) (sizeof(T) < 8 && !__builtin_constant_p(b))
#else
#define SOL_QUOTIENT(T, b) false
#endif

template <class T> SOL_INLINE bool sol_add_overflows(T a, T b) { T r; return __builtin_add_overflow(a, b, &r); }
template <class T> SOL_INLINE bool sol_sub_overflows(T a, T b) { T r; return __builtin_sub_overflow(a, b, &r); }
template <class T> SOL_INLINE bool sol_mul_overflows(T a, T b) { T r; return __builtin_mul_overflow(a, b, &r); }

// How a function of the C library is called.
#define SOL_LIBM(name) __builtin_##name

// The same memory as elements of another type.
template <class T> struct sol_aliased { typedef T type __attribute__((may_alias)); };
template <class T> SOL_INLINE typename sol_aliased<T>::type* sol_as(const void* p) { return (typename sol_aliased<T>::type*)p; }
#endif
