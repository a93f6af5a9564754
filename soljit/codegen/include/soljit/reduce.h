// Sums of floats with NumPy's accuracy and, for contiguous data, in NumPy's order: halves of halves down to blocks of at most 128
// elements, each added up in eight lanes.
#ifndef SOLJIT_REDUCE_H
#define SOLJIT_REDUCE_H
#include "soljit/prelude.h"

#define SOL_BLOCK 128
#define SOL_SINGLY 8  // fewer elements than that NumPy adds up one by one

// Elements in the buffer of NumPy's iterators.
#define SOL_BUFFER 8192

// How many elements NumPy sums up at a time: `piece`, and fewer where `whole` are done. With arrays that it reads through its
// iterator's buffer that is as much as the buffer holds, of others all of it.
struct sol_buffered {
  int64_t count, piece, whole;
  explicit sol_buffered(int64_t count_) : sol_buffered(count_, count_) {}
  sol_buffered(int64_t count_, int64_t piece_) : count(count_), piece(piece_), whole(count_) {}
  // lengths and steps of the dimensions, from the innermost outwards
  sol_buffered(int dimensions, const int64_t* lengths, const int64_t* steps, bool converted) : count(1) {
    const int64_t capacity = SOL_BUFFER;
    int64_t rows[64], last = 0;
    int n = 0;
    for (int k = 0; k < dimensions; ++k) {
      count *= lengths[k];
      if (lengths[k] == 1) continue;
      if (n && rows[n - 1] * last == steps[k]) {
        rows[n - 1] *= lengths[k];
      } else {
        rows[n++] = lengths[k];
        last = steps[k];
      }
    }
    piece = whole = count;
    if (count <= capacity || (n <= 1 && !converted)) return;
    int k = converted ? 0 : 1;
    int64_t core = converted ? 1 : rows[0];
    while (k < n && core * rows[k] <= capacity) core *= rows[k++];
    piece = core < capacity ? capacity / core * core : core;
    whole = k < n ? core * rows[k] : core;
  }
};

// The sizes of the blocks of `count` elements, from left to right. After each block, `merges` tells how often the newest two
// partial sums are to be added. A complex number counts as two elements.
struct sol_blocks {
  int merges;
  explicit sol_blocks(const sol_buffered& all_, int unit_ = 1) : merges(0), all(all_), done(0), unit(unit_), depth(0) {}
  explicit sol_blocks(int64_t count, int unit_ = 1) : sol_blocks(sol_buffered(count), unit_) {}
  int64_t next() {
    if (!depth && done >= all.count) return 0;
    if (done || all.count * unit > SOL_BLOCK || all.count > all.piece) return following();
    merges = 0;  // all elements are one block
    return done = all.count;
  }
  bool end_a_piece() const { return !depth; }

 private:
  sol_buffered all;
  int64_t done;
  int unit, depth;
  bool again = false;
  int64_t pending[128];

  SOL_NOINLINE int64_t following() {
    if (!depth) {
      const int64_t rest = all.whole - done % all.whole, part = rest < all.piece ? rest : all.piece;
      again = done > 0;
      pending[depth++] = part * unit;
      done += part;
    }
    int64_t n = pending[--depth];
    while (n > SOL_BLOCK) {
      int64_t half = n / 2;
      half -= half % 8;
      pending[depth++] = 0;  // here two sums become one
      pending[depth++] = n - half;
      n = half;
    }
    for (merges = 0; depth && !pending[depth - 1]; --depth) ++merges;
    if (!depth && again) ++merges;  // the sum of this piece, to those before
    return n / unit;
  }
};

// A term, or what changes no sum. No branch.
SOL_INLINE double sol_term(double x, bool wanted) {
  uint64_t bits;
  __builtin_memcpy(&bits, &x, sizeof x);
  bits = (bits & -(uint64_t)wanted) | ((uint64_t)!wanted << 63);
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}
SOL_INLINE float sol_term(float x, bool wanted) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof x);
  bits = (bits & -(uint32_t)wanted) | ((uint32_t)!wanted << 31);
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

// Likewise where the order does not matter.
#define SOL_PIECE 1024
struct sol_pieces {
  explicit sol_pieces(int64_t count) : rest(count) {}
  int64_t next() {
    const int64_t n = rest < SOL_PIECE ? rest : SOL_PIECE;
    rest -= n;
    return n;
  }

 private:
  int64_t rest;
};

template <class T> SOL_INLINE T sol_plus(T a, T b) { return a + b; }
template <class T> SOL_INLINE T sol_no_sum() { return (T)-0.0; }

// Partial sums on their way to a sum.
template <class T> struct sol_tree {
  void push(T x, int merges) {
    for (; merges; --merges) {
      x = sol_plus(partial[--depth], x);
      asm("" : "+r"(depth));  // one or two rounds: written out for eight, as compilers do, they are most of the code of a sum
    }
    partial[depth++] = x;
  }
  T total() const { return depth ? partial[0] : sol_no_sum<T>(); }
  template <class H> void round_to() { partial[depth - 1] = (T)(H)partial[depth - 1]; }

 private:
  int depth = 0;
  T partial[64];
};

// A sum of values whose number is not known: partial[k] holds 2**k of them where bit k of `count` is set.
template <class T> struct sol_cascade {
  void push(T x) {
    int k = 0;
    for (uint64_t c = count++; c & 1; c >>= 1) x = sol_plus(partial[k++], x);
    partial[k] = x;
  }
  T total() const {
    T s = sol_no_sum<T>();
    for (int k = 0; count >> k; ++k)
      if (count >> k & 1) s = sol_plus(partial[k], s);
    return s;
  }

 private:
  uint64_t count = 0;
  T partial[64];
};

// The parts of a block that NumPy adds up next to each other, in an array or a vector.
template <class R> SOL_INLINE auto sol_lanes_sum(const R& r) { return ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7])); }

template <class T> static inline T sol_block_sum(const T* v, int64_t n) {
  if (n < 8) {
    T s = (T)-0.0;
    for (int64_t i = 0; i < n; ++i) s += v[i];
    return s;
  }
  T r[8];
  for (int l = 0; l < 8; ++l) r[l] = v[l];
  int64_t i = 8;
  for (; i + 8 <= n; i += 8)
    for (int l = 0; l < 8; ++l) r[l] += v[i + l];
  T s = sol_lanes_sum(r);
  for (; i < n; ++i) s += v[i];
  return s;
}

template <class T, T F(T, T)> static inline T sol_block_fold(T s, const T* v, int64_t n) {
  T r[32];
  for (int l = 0; l < 32; ++l) r[l] = s;
  int64_t i = 0;
  for (; i + 32 <= n; i += 32)
    for (int l = 0; l < 32; ++l) r[l] = F(r[l], v[i + l]);
  for (; i < n; ++i) s = F(s, v[i]);
  for (int l = 0; l < 16; ++l) r[l] = F(r[l], r[l + 16]);
  for (int l = 0; l < 8; ++l) r[l] = F(r[l], r[l + 8]);
  for (int l = 0; l < 4; ++l) r[l] = F(r[l], r[l + 4]);
  return F(s, F(F(r[0], r[1]), F(r[2], r[3])));
}
#ifdef SOLJIT_REAL_H
template <class T> static inline T sol_block_min(T s, const T* v, int64_t n) { return sol_block_fold<T, sol_min<T>>(s, v, n); }
template <class T> static inline T sol_block_max(T s, const T* v, int64_t n) { return sol_block_fold<T, sol_max<T>>(s, v, n); }

// Floats: one instruction for the extreme, which forgets NaN, and one to see whether there was any.
template <class T, class Flag, bool Max> static inline T sol_float_extreme(T s, const T* v, int64_t n) {
  T r[32];
  Flag nan[32];
  for (int l = 0; l < 32; ++l) r[l] = s, nan[l] = 0;
  int64_t i = 0;
  for (; i + 32 <= n; i += 32)
    for (int l = 0; l < 32; ++l) {
      const T x = v[i + l];
      r[l] = (Max ? x > r[l] : x < r[l]) ? x : r[l];
      nan[l] |= (Flag)(x != x);
    }
  Flag any = 0;
  for (int l = 0; l < 32; ++l) any |= nan[l];
  for (; i < n; ++i) s = Max ? sol_max(s, v[i]) : sol_min(s, v[i]);
  if (SOL_UNLIKELY(any)) return s != s ? s : SOL_NAN(T);
  for (int l = 0; l < 16; ++l) r[l] = (Max ? r[l + 16] > r[l] : r[l + 16] < r[l]) ? r[l + 16] : r[l];
  for (int l = 0; l < 8; ++l) r[l] = (Max ? r[l + 8] > r[l] : r[l + 8] < r[l]) ? r[l + 8] : r[l];
  for (int l = 0; l < 8; ++l) s = Max ? sol_max(s, r[l]) : sol_min(s, r[l]);
  return s;
}
template <> inline double sol_block_min(double s, const double* v, int64_t n) { return sol_float_extreme<double, int64_t, false>(s, v, n); }
template <> inline double sol_block_max(double s, const double* v, int64_t n) { return sol_float_extreme<double, int64_t, true>(s, v, n); }
template <> inline float sol_block_min(float s, const float* v, int64_t n) { return sol_float_extreme<float, int32_t, false>(s, v, n); }
template <> inline float sol_block_max(float s, const float* v, int64_t n) { return sol_float_extreme<float, int32_t, true>(s, v, n); }
#endif

#ifdef SOLJIT_COMPLEX_H
template <> inline sol_c64 sol_no_sum<sol_c64>() { return sol_c64{-0.0f, -0.0f}; }
template <> inline sol_c128 sol_no_sum<sol_c128>() { return sol_c128{-0.0, -0.0}; }
// Four complex lanes, as NumPy's eight alternate between real and imaginary parts.
template <class C> static inline C sol_complex_block_sum(const C* v, int64_t n) {
  if (n < 4) {
    C s = sol_no_sum<C>();
    for (int64_t i = 0; i < n; ++i) s = s + v[i];
    return s;
  }
  C r[4];
  for (int l = 0; l < 4; ++l) r[l] = v[l];
  int64_t i = 4;
  for (; i + 4 <= n; i += 4)
    for (int l = 0; l < 4; ++l) r[l] = r[l] + v[i + l];
  C s = (r[0] + r[1]) + (r[2] + r[3]);
  for (; i < n; ++i) s = s + v[i];
  return s;
}
SOL_INLINE sol_c64 sol_block_sum(const sol_c64* v, int64_t n) { return sol_complex_block_sum(v, n); }
SOL_INLINE sol_c128 sol_block_sum(const sol_c128* v, int64_t n) { return sol_complex_block_sum(v, n); }
#endif

template <class T> struct sol_eight {
  typedef T type __attribute__((vector_size(8 * sizeof(T))));
};
template <class T> SOL_INLINE typename sol_eight<T>::type sol_eight_at(const T* v) {
  typename sol_eight<T>::type r;
  __builtin_memcpy(&r, v, sizeof r);
  return r;
}

// Several sums with the same blocks: partial sums on their way to each of them.
template <class T, int N> struct sol_sums {
  struct all {
    T of[N];
    T& operator[](int k) { return of[k]; }
  };
  void push(const T (*v)[SOL_BLOCK], int64_t n, int merges) {
    all s;
    int64_t i = 0;
    if (n < 8) {
      for (int k = 0; k < N; ++k) s[k] = (T)-0.0;
    } else {
      typename sol_eight<T>::type r[N];
      for (int k = 0; k < N; ++k) r[k] = sol_eight_at(v[k]);
      for (i = 8; i + 8 <= n; i += 8)
        for (int k = 0; k < N; ++k) r[k] += sol_eight_at(v[k] + i);
      for (int k = 0; k < N; ++k) s[k] = sol_lanes_sum(r[k]);
    }
    for (; i < n; ++i) {
      for (int k = 0; k < N; ++k) s[k] += v[k][i];
      SOL_ONE_BY_ONE(i);
    }
    add(s, merges);
  }
  void add(all s, int merges) {  // the sums of a block
    for (; merges; --merges) {
      --depth;
      for (int k = 0; k < N; ++k) s[k] = partial[depth][k] + s[k];
      SOL_ONE_BY_ONE(depth);
    }
    for (int k = 0; k < N; ++k) partial[depth][k] = s[k];
    ++depth;
  }
  T total(int k) const { return depth ? partial[0][k] : (T)-0.0; }

 private:
  int depth = 0;
  T partial[64][N];
};
#endif
