// What a GPU offers to generated code. Plain C, like frame.h: `frame->services->device` leads here, or is NULL where a variant has no device.
//
// A program that uses the device opens a session (`begin`), which makes the device's context current, and closes it (`end`), which gives
// back the memory of all mirrors. Sessions nest: Python code that is called in between may run another program, and wait for other threads that do.
// All calls of a session come from one thread. Device addresses are uint64_t, as in CUDA; sizes and strides are bytes.
//
// What can fail returns a CUresult: 0 for success, CUDA_ERROR_OUT_OF_MEMORY (2) when there is no memory even after kept memory was
// given back. Launches and fills are queued in order and may fail later; whoever waits for the device is told then.
#ifndef SOLJIT_DEVICE_H
#define SOLJIT_DEVICE_H
#include "frame.h"

// The kernels that a library needs: the image that holds them, and their names. Exported by the library as `sol_image`.
typedef struct sol_image {
  uint64_t id;
  int32_t count;
  const char* const* names;
} sol_image;

// Bytes of a host array, or of a part of it: from `lo` up to `hi`.
typedef struct sol_span {
  char *lo, *hi;
  int32_t writable;
  int32_t written;   // may kernels of this program write the device's copy?
  int32_t newer;     // have they, since it was last equal to the host's?
  const char* name;  // what the user calls it, for traces; NULL if it has no name
} sol_span;

// The elements within a span, from the lowest address on: `dims` lengths and strides in any order, strides of either sign.
enum { SOL_WALK_DIMS = 64 };  // as many as NumPy allows
typedef struct sol_walk {
  int32_t dims;
  int64_t item;  // bytes of an element
  int64_t shape[64], strides[64];
} sol_walk;

// Matrices on the device, one or a stack of them: the place of the first element, and distances in elements between rows, between columns and between
// matrices. A matrix has distance 1 along one dimension, and along the other one at least as much as that has elements.
typedef struct sol_operand {
  uint64_t at;
  int64_t down, right, next;
} sol_operand;

// out = alpha * (a @ b) + beta * out, `count` times. Factors are real and imaginary parts; if beta is 0, what is in `out` is not read. `out` lies apart from a and b.
enum { SOL_F32, SOL_F64, SOL_C64, SOL_C128 };
typedef struct sol_product {
  int32_t type;
  int64_t rows, columns, inner, count;
  sol_operand a, b, out;
  double alpha[2], beta[2];
} sol_product;

typedef struct sol_device_services {
  // A session, whose kernels are numbered as in the image; NULL if it cannot be, for the reason `*failed`.
  void* (*begin)(sol_frame*, const sol_image*, int32_t* failed);
  // The session is over; work that was queued goes on.
  void (*end)(void* session);
  // Places for the device's copies of `n` spans, until the session ends: at[k] is the place of spans[k].lo, and equal to it modulo 16. Spans that overlap
  // share memory, as they do on the host; an empty span has the place 0. What is there is not defined before `arrive`; it may be what an earlier session left.
  int32_t (*mirrors)(void* session, int32_t n, const sol_span* spans, uint64_t* at);
  // Make the copy equal to the span: all bytes that are not known to be so are copied. The host's may change as soon as this returns.
  int32_t (*arrive)(void* session, uint64_t at, const sol_span*);
  // Copy the elements to the host, and no byte between them; they are there when this returns. The span must be writable.
  int32_t (*leave)(void* session, uint64_t at, const sol_span*, const sol_walk*);
  // No kernel has written the copy since it last arrived or left: later sessions may rely on it. Once for each span that is `written`, at the end of a
  // program; a copy of which this is not said is forgotten.
  void (*settle)(void* session, uint64_t at, const sol_span*);
  // A copy in memory that `take` gave has left a moment ago, as the only one of its array: may later sessions rely on it? If so (1), the memory belongs
  // to the layer from now on.
  int32_t (*adopt)(void* session, uint64_t at, const sol_span*);
  // Memory for a temporary; 0 if there is none, even after kept memory was given back. Of 0 bytes: some address, to be given back like others.
  uint64_t (*take)(void* session, int64_t bytes);
  // Give back what `take` gave, or 0. Work that was queued before may still use it.
  void (*give)(void* session, uint64_t at);
  // Set all bytes.
  int32_t (*fill)(void* session, uint64_t at, int64_t bytes, int32_t byte);
  // Wait, and copy a few bytes to the host.
  int32_t (*fetch)(void* session, void* host, uint64_t at, int64_t bytes);
  // Copy a few bytes to the device, in order with what is queued. The host's may change as soon as this returns.
  int32_t (*poke)(void* session, uint64_t at, const void* host, int64_t bytes);
  // Queue a kernel. geometry: blocks along x, y, z, then threads of a block along x, y, z; shared: bytes of memory for each block that the
  // kernel did not declare; with: a pointer to each argument. No blocks: nothing happens.
  int32_t (*launch)(void* session, int32_t kernel, const uint32_t* geometry, uint32_t shared, void* const* with);
  // Queue a kernel whose blocks, along x, wait for each other in `sol_meet`: about as many as wanted, at most as many as the device can run so.
  int32_t (*launch_together)(void* session, int32_t kernel, int64_t blocks, uint32_t threads, void* const* with);
  // Wait for all that is queued, and tell whether it failed.
  int32_t (*wait)(void* session);
  // Take note that what the device had computed for the array of this name could not be copied to it: the exception that leaves the program says so.
  void (*lost)(void* session, const char* name);
  // Queue a product of matrices by cuBLAS, which the device must have been given.
  int32_t (*product)(void* session, const sol_product*);
  // Copy the elements to the device, and no byte between them. The host's may change as soon as this returns.
  int32_t (*arrive_apart)(void* session, uint64_t at, const sol_span*, const sol_walk*);

  // The following is for programs with `frame->arrays`: arguments may be device arrays, of which only the device may have what is current. Their
  // mirrors are the memory of the arrays; `arrive` copies only what is not there.

  // Before `mirrors`: host code of the program reads this argument before it is copied home, or writes it (then all copies of it are made).
  int32_t (*visit)(void* session, const sol_span*, int32_t writes);
  // As `leave`, for what only the caller wants to see: of device arrays nothing is copied.
  int32_t (*later)(void* session, uint64_t at, const sol_span*, const sol_walk*);
  // Memory that `take` gave and that holds what a result is: it stays until the runtime has made a device array of the host memory `span`.
  void (*keep)(void* session, uint64_t at, const sol_span*);
  // Does a device array of this device have this host address? Without a session.
  int32_t (*is_mine)(const struct sol_device_services*, const void* at);
  // Give back the memory that this thread's programs have kept and that nobody took over. Without a session.
  void (*forget)(void);
  // Before Python code runs within a program: kernels that were gathered are queued, so that other libraries' work comes behind them. Without a session.
  void (*hand_over)(const struct sol_device_services*);
} sol_device_services;
#endif
