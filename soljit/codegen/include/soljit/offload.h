// Host code of a program that uses a GPU: the session, memory of the device, mirrors of host arrays, transfers, launches.
//
// What can fail returns a CUresult, 0 for success. Destructors give memory back and end the session. A mirror of an argument
// that is newer than the argument when the function is left goes home first: that is so only where an exception leaves it. If that
// fails, too, the layer takes note of the array's name, and the exception tells it. Copies that are equal to the host then may serve the next call.
#ifndef SOLJIT_OFFLOAD_H
#define SOLJIT_OFFLOAD_H
#include "device.h"
#include "prelude.h"

enum { SOL_OUT_OF_DEVICE_MEMORY = 2, SOL_NO_DEVICE = 100 };  // CUresults

struct sol_session {
  const sol_device_services* const gpu;
  void* session = nullptr;
  int32_t failed = 0;
  const bool arrays;  // may arguments be device arrays, and do results stay on the device?
  sol_session(sol_frame* frame, const sol_image* image) : gpu(frame->services->device), arrays(frame->arrays) {
    frame->services->let_go(frame);  // begin may wait for another thread, which may need the GIL
    if (!gpu) failed = SOL_NO_DEVICE;
    else session = gpu->begin(frame, image, &failed);
  }
  ~sol_session() {
    if (session) gpu->end(session);
  }
  sol_session(const sol_session&) = delete;
  sol_session& operator=(const sol_session&) = delete;
  // A kernel over so many iterations along x, y, z, by blocks of so many threads. Along y and z a thread goes on with what is left.
  int32_t launch(int32_t kernel, int64_t nx, uint32_t tx, int64_t ny, uint32_t ty, int64_t nz, uint32_t tz, void* const* with) {
    if (nx <= 0 || ny <= 0 || nz <= 0) return 0;
    const int64_t bx = (nx - 1) / tx + 1, by = (ny - 1) / ty + 1, bz = (nz - 1) / tz + 1;
    const uint32_t geometry[6] = {(uint32_t)(bx < INT32_MAX ? bx : INT32_MAX), (uint32_t)(by < 65535 ? by : 65535),
                                  (uint32_t)(bz < 65535 ? bz : 65535), tx, ty, tz};
    return gpu->launch(session, kernel, geometry, 0, with);
  }
};

// How a function is left when the device fails: the raise `memory` if there was not enough of it, else `other` with the CUresult.
SOL_INLINE int32_t sol_device_failed(sol_frame* frame, int32_t failed, int32_t memory, int32_t other) {
  frame->operands[0] = failed;
  frame->place = failed == SOL_OUT_OF_DEVICE_MEMORY ? memory : other;
  return SOL_RAISE;
}

// Memory for a temporary. `at` is 0 if there is none.
struct sol_device_memory {
  sol_session& s;
  const uint64_t at;
  sol_device_memory(sol_session& session, int64_t bytes) : s(session), at(bytes < 0 ? 0 : s.gpu->take(s.session, bytes)) {}
  ~sol_device_memory() { s.gpu->give(s.session, at); }
  sol_device_memory(const sol_device_memory&) = delete;
  sol_device_memory& operator=(const sol_device_memory&) = delete;
};

// Memory of the device that array variables share: given back when the last owner lets it go.
struct sol_device_block {
  sol_session* s;
  uint64_t at;
  int64_t refs;
};

SOL_INLINE sol_device_block* sol_device_retain(sol_device_block* b) {
  if (b) ++b->refs;
  return b;
}

struct sol_device_owner {
  sol_device_block* block = nullptr;
  sol_device_owner() = default;
  ~sol_device_owner() { take(nullptr); }
  sol_device_owner(const sol_device_owner&) = delete;
  sol_device_owner& operator=(const sol_device_owner&) = delete;
  void take(sol_device_block* b) {  // becomes the owner of a reference that the caller held
    sol_device_block* old = block;
    block = b;
    if (!old || --old->refs) return;
    old->s->gpu->give(old->s->session, old->at);
    __builtin_free(old);
  }
  // Memory for a temporary; 0 if there is none.
  uint64_t make(sol_session& s, int64_t bytes) {
    const uint64_t at = bytes < 0 ? 0 : s.gpu->take(s.session, bytes);
    if (!at) return 0;
    sol_device_block* const b = (sol_device_block*)__builtin_malloc(sizeof(sol_device_block));
    if (!b) {
      s.gpu->give(s.session, at);
      return 0;
    }
    *b = {&s, at, 1};
    take(b);
    return at;
  }
};

// The device's copy of a host array: where that lies, and where its elements are.
struct sol_mirror {
  sol_session& s;
  sol_span span;
  sol_walk walk;
  int64_t first;       // from the lowest byte to the first element
  uint64_t place = 0;  // of the lowest byte, on the device
  bool own = false, stays = false, newer = false;
  bool result = false;  // the array is returned: its copy may be of use to the next call
  // `dims`: lengths, then strides in bytes
  sol_mirror(sol_session& session, void* data, int32_t n, const int64_t* dims, int64_t item, bool writable, bool written, const char* name)
      : s(session) {
    char *lo = (char*)data, *hi = lo + item;
    walk.dims = n, walk.item = item;
    for (int32_t k = 0; k < n; ++k) {
      const int64_t count = dims[k], step = dims[n + k];
      walk.shape[k] = count, walk.strides[k] = step;
      if (count == 0) hi = nullptr;
      else if (hi) (step < 0 ? lo : hi) += (count - 1) * step;
    }
    if (!hi) lo = hi = (char*)data;
    span = {lo, hi, writable, written, 0, name};
    first = (char*)data - lo;
  }
  ~sol_mirror() {
    bool home = !newer;
    if (newer && !result) {
      home = !later();
      if (!home) s.gpu->lost(s.session, span.name);
    }
    if (own) s.gpu->give(s.session, place);
    else if (home && span.written && place) s.gpu->settle(s.session, place, &span);
  }
  sol_mirror(const sol_mirror&) = delete;
  sol_mirror& operator=(const sol_mirror&) = delete;
  // Memory of its own, for the mirror of a temporary.
  bool take() {
    place = s.gpu->take(s.session, span.hi - span.lo);
    return own = place != 0;
  }
  // Memory that array variables may share.
  bool take(sol_device_owner& owner) { return (place = owner.make(s, span.hi - span.lo)) != 0; }
  // A kernel has written to this place: is it here?
  void wrote(uint64_t at) { newer |= holds(at); }
  bool holds(uint64_t at) const { return at - place < (uint64_t)(span.hi - span.lo); }
  // Does this place belong to an argument whose elements are home? Those of a device array need not be.
  bool is_home(uint64_t at) const { return holds(at) && !newer && !(s.arrays && s.gpu->is_mine(s.gpu, span.lo)); }
  int32_t clear() { return span.hi == span.lo ? 0 : s.gpu->fill(s.session, place, span.hi - span.lo, 0); }
  // A single element travels by value.
  int32_t arrive() {
    span.newer = newer;
    newer = false;
    if (span.hi == span.lo) return 0;
    return walk.dims || s.arrays ? s.gpu->arrive(s.session, place, &span) : s.gpu->poke(s.session, place, span.lo, walk.item);
  }
  int32_t leave() {
    int32_t failed = 0;
    if (span.hi != span.lo) failed = walk.dims ? s.gpu->leave(s.session, place, &span, &walk) : s.gpu->fetch(s.session, span.lo, place, walk.item);
    newer = newer && failed;
    if (span.hi != span.lo && own && result && !s.arrays && !failed && is_dense() && s.gpu->adopt(s.session, place, &span)) own = false;
    return failed;
  }
  // Are all bytes those of elements, each of one?
  bool is_dense() const {
    int64_t bytes = walk.item;
    for (int32_t k = 0; k < walk.dims; ++k) bytes *= walk.shape[k];
    return bytes == span.hi - span.lo;
  }
  // Only the caller wants to see it: a device array, or a result that becomes one, stays where it is.
  int32_t later() {
    if (!s.arrays) return leave();
    int32_t failed = 0;
    if (own) stays = true;
    else if (span.hi != span.lo) failed = s.gpu->later(s.session, place, &span, &walk);
    newer = newer && failed;
    return failed;
  }
  // It is returned, and the device has all of it.
  void hand_over() {
    if (!stays || !own || span.hi == span.lo) return;
    s.gpu->keep(s.session, place, &span);
    own = false;
  }
  // Host code reads it before it is copied home, or writes it.
  int32_t visit(bool writes) const { return s.arrays ? s.gpu->visit(s.session, &span, writes) : 0; }
  uint64_t at() const { return place + (uint64_t)first; }
};

// What an array variable stands for, and its mirror at the place `at`: the elements are copied, and no byte between them.
struct sol_variable : sol_mirror {
  sol_variable(sol_session& session, void* data, int32_t n, const int64_t* dims, int64_t item, const char* name, uint64_t at)
      : sol_mirror(session, data, n, dims, item, true, false, name) {
    place = at - (uint64_t)first;
  }
  int32_t arrive() {
    if (span.hi == span.lo || !walk.dims) return sol_mirror::arrive();
    return s.gpu->arrive_apart(s.session, place, &span, &walk);
  }
};

// Memory of the device for the mirrors of all arguments; those that overlap share it.
template <int N> SOL_INLINE int32_t sol_place(sol_session& s, sol_mirror* const (&mirrors)[N]) {
  sol_span spans[N];
  uint64_t at[N];
  for (int k = 0; k < N; ++k) spans[k] = mirrors[k]->span;
  const int32_t failed = s.gpu->mirrors(s.session, N, spans, at);
  for (int k = 0; k < N && !failed; ++k) mirrors[k]->place = at[k];
  return failed;
}
#endif
