// Mathematical functions computed by the vector library inside NumPy's own extension module, with NumPy's bits.
//
// g++ is told that `sol_v_exp` exists for eight doubles (or sixteen floats) under the name of the vector ABI, so that a loop
// that calls it is vectorized; both versions are defined here as calls through an import slot, and without the library each
// lane is computed by libm. The definitions do not see the pragma, or g++ would make vector versions of its own.
#ifndef SOLJIT_VECTOR_H
#define SOLJIT_VECTOR_H
#include "soljit/real.h"

typedef double sol_8d __attribute__((vector_size(64)));
typedef float sol_16f __attribute__((vector_size(64)));
// All lanes `x` (adding x to zeros would lose the sign of -0.0).
#define SOL_LANES(V, lanes, v, x) V v; for (int l = 0; l < lanes; ++l) v[l] = x;

#define SOL_VECTOR1(name, T, V, lanes, slot, fallback) \
  extern "C" SOL_HIDDEN V sol_lanes_##name(V x) __asm__("_ZGVeN" #lanes "v_sol_v_" #name); \
  extern "C" SOL_HIDDEN V sol_lanes_##name(V x) { \
    if (SOL_LIKELY(sol_slots[slot] != nullptr)) return ((V(*)(V))sol_slots[slot])(x); \
    for (int l = 0; l < lanes; ++l) x[l] = fallback(x[l]); \
    return x; \
  } \
  extern "C" SOL_HIDDEN T sol_one_##name(T x) __asm__("sol_v_" #name); \
  extern "C" SOL_HIDDEN T sol_one_##name(T x) { \
    if (SOL_UNLIKELY(sol_slots[slot] == nullptr)) return fallback(x); \
    SOL_LANES(V, lanes, v, x) \
    return ((V(*)(V))sol_slots[slot])(v)[0]; \
  }

#define SOL_VECTOR2(name, T, V, lanes, slot, fallback) \
  extern "C" SOL_HIDDEN V sol_lanes_##name(V x, V y) __asm__("_ZGVeN" #lanes "vv_sol_v_" #name); \
  extern "C" SOL_HIDDEN V sol_lanes_##name(V x, V y) { \
    if (SOL_LIKELY(sol_slots[slot] != nullptr)) return ((V(*)(V, V))sol_slots[slot])(x, y); \
    for (int l = 0; l < lanes; ++l) x[l] = fallback(x[l], y[l]); \
    return x; \
  } \
  extern "C" SOL_HIDDEN T sol_one_##name(T x, T y) __asm__("sol_v_" #name); \
  extern "C" SOL_HIDDEN T sol_one_##name(T x, T y) { \
    if (SOL_UNLIKELY(sol_slots[slot] == nullptr)) return fallback(x, y); \
    SOL_LANES(V, lanes, v, x) \
    SOL_LANES(V, lanes, w, y) \
    return ((V(*)(V, V))sol_slots[slot])(v, w)[0]; \
  }

// The same for numbers of which some are not wanted: their `w` is 0.0. A vector of which none is wanted costs no call.
typedef long long sol_8l __attribute__((vector_size(64)));
#define SOL_NONE(w) (!__builtin_ia32_ptestmq512((sol_8l)w, (sol_8l)w, (unsigned char)-1))
#define SOL_WANTED1(name, T, V, lanes) \
  extern "C" SOL_HIDDEN V sol_lanes_w_##name(V x, V w) __asm__("_ZGVeN" #lanes "vv_sol_w_" #name); \
  extern "C" SOL_HIDDEN V sol_lanes_w_##name(V x, V w) { return SOL_NONE(w) ? x : sol_lanes_##name(x); } \
  extern "C" SOL_HIDDEN T sol_one_w_##name(T x, T w) __asm__("sol_w_" #name); \
  extern "C" SOL_HIDDEN T sol_one_w_##name(T x, T w) { return w != 0 ? sol_one_##name(x) : x; }
#define SOL_WANTED2(name, T, V, lanes) \
  extern "C" SOL_HIDDEN V sol_lanes_w_##name(V x, V y, V w) __asm__("_ZGVeN" #lanes "vvv_sol_w_" #name); \
  extern "C" SOL_HIDDEN V sol_lanes_w_##name(V x, V y, V w) { return SOL_NONE(w) ? x : sol_lanes_##name(x, y); } \
  extern "C" SOL_HIDDEN T sol_one_w_##name(T x, T y, T w) __asm__("sol_w_" #name); \
  extern "C" SOL_HIDDEN T sol_one_w_##name(T x, T y, T w) { return w != 0 ? sol_one_##name(x, y) : x; }

// A function that NumPy computes in a loop of its own, for one number or for a vector of them.
#define SOL_VECTOR_LOOP(name, T, lanes, slot, fallback) \
  SOL_INLINE void sol_loop_##name(T* x, intptr_t n) { \
    typedef void (*Loop)(char**, const intptr_t*, const intptr_t*, void*); \
    T y[lanes]; \
    char* const operands[] = {(char*)x, (char*)y}; \
    const intptr_t steps[] = {sizeof(T), sizeof(T)}; \
    if (SOL_LIKELY(sol_slots[slot] != nullptr)) ((Loop)sol_slots[slot])((char**)operands, &n, steps, nullptr); \
    else for (int l = 0; l < n; ++l) y[l] = fallback(x[l]); \
    __builtin_memcpy(x, y, (size_t)n * sizeof(T)); \
  } \
  typedef T sol_vector_##name __attribute__((vector_size(32))); \
  extern "C" SOL_HIDDEN sol_vector_##name sol_lanes_##name(sol_vector_##name x) __asm__("_ZGVdN" #lanes "v_sol_v_" #name); \
  extern "C" SOL_HIDDEN sol_vector_##name sol_lanes_##name(sol_vector_##name x) { \
    T v[lanes]; \
    __builtin_memcpy(v, &x, sizeof v); \
    sol_loop_##name(v, lanes); \
    __builtin_memcpy(&x, v, sizeof v); \
    return x; \
  } \
  extern "C" SOL_HIDDEN T sol_one_##name(T x) __asm__("sol_v_" #name); \
  extern "C" SOL_HIDDEN T sol_one_##name(T x) { \
    sol_loop_##name(&x, 1); \
    return x; \
  }

// The same for as many numbers as there are; `x` and `y` lie apart.
#define SOL_STRIP 256
#define SOL_STRIP_LOOP(name, T, slot, fallback) \
  SOL_INLINE void sol_strip_##name(const T* x, T* y, intptr_t n) { \
    typedef void (*Loop)(char**, const intptr_t*, const intptr_t*, void*); \
    char* const operands[] = {(char*)x, (char*)y}; \
    const intptr_t steps[] = {sizeof(T), sizeof(T)}; \
    if (SOL_LIKELY(sol_slots[slot] != nullptr)) ((Loop)sol_slots[slot])((char**)operands, &n, steps, nullptr); \
    else for (intptr_t k = 0; k < n; ++k) y[k] = fallback(x[k]); \
  }

// A function of floats that is a polynomial but for large numbers (`floats.h`), sixteen of them at a time.
#define SOL_VECTOR_FLOATS(name, polynomial, limit) \
  extern "C" SOL_HIDDEN sol_16f sol_lanes_##name(sol_16f x) __asm__("_ZGVeN16v_sol_v_" #name); \
  extern "C" SOL_HIDDEN sol_16f sol_lanes_##name(sol_16f x) { \
    float a[16], b[16]; \
    int32_t large = 0; \
    __builtin_memcpy(a, &x, sizeof a); \
    for (int l = 0; l < 16; ++l) { \
      const bool fits = sol_fabs(a[l]) <= limit; \
      b[l] = polynomial(fits ? a[l] : 0.0f); \
      large |= !fits; \
    } \
    if (SOL_UNLIKELY(large)) for (int l = 0; l < 16; ++l) b[l] = sol_n_##name(a[l]); \
    __builtin_memcpy(&x, b, sizeof b); \
    return x; \
  } \
  extern "C" SOL_HIDDEN float sol_one_##name(float x) __asm__("sol_v_" #name); \
  extern "C" SOL_HIDDEN float sol_one_##name(float x) { return sol_n_##name(x); }
#endif
