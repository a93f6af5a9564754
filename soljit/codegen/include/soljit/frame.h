// The binary interface between generated code and the runtime. Plain C; included by both sides.
//
// A generated library exports
//   int32_t sol_kernel(sol_frame*)            run; SOL_OK, SOL_RAISE or SOL_PYTHON
//   int32_t sol_guard(const int64_t* in)      do the guards of this variant hold for these argument words?
//   const char* const sol_imports[]           names of foreign functions it needs, NULL-terminated, such as
//                                             "blas:cblas_dgemm", "lapack:dgetrf", "svml:__svml_exp8_ha"
//   void* sol_slots[]                         where the loader writes their addresses, in the same order
//
// Words. Values travel as int64_t words. A scalar stands at the start of its word in its own dtype (bool one byte, float
// four bytes, …); complex128 takes two words. An array argument is: data pointer, shape[nd], strides[nd] (bytes, as in
// NumPy). An object argument is its PyObject*. An array result is: data pointer, sol_buffer* (NULL: the memory belongs to
// an argument), shape[nd], strides[nd] (bytes).
#ifndef SOLJIT_FRAME_H
#define SOLJIT_FRAME_H
#include <stdint.h>

enum { SOL_OK = 0, SOL_RAISE = 1, SOL_PYTHON = 2 };

// Shared owner of a block of memory. Counted without atomics outside parallel regions: owners change hands only in
// sequential code. `object` is a PyObject* that owns the data, or NULL if `data` came from malloc.
typedef struct sol_buffer {
  int64_t refs;
  void* data;
  void* object;
  int64_t bytes;  // how much `data` holds if the runtime may keep it for another temporary, else 0
} sol_buffer;

typedef struct sol_frame sol_frame;

// A generator of random numbers from which compiled code draws.
typedef struct sol_stream {
  void* generator;  // the Python object while it may be drawn from, or NULL
  void* bits;       // the `bitgen_t` of a generator of NumPy's, or NULL
  void* kept;       // what a RandomState, or a generator of Python's, keeps between two normal numbers; NULL if nobody knows
  uint32_t* words;  // 624 words of a Mersenne Twister, NULL for other generators
  int32_t* used;    // how many of them are used up
  int64_t turns;    // blocks of numbers from Python's generator since it was opened; below 0 for NumPy's
} sol_stream;
enum { SOL_STREAMS = 4, SOL_TURNS = 256 };  // streams of a frame; turns after which other threads of Python get their turn

// What generators keep between two normal numbers, as NumPy lays it out. For Python's, `bits` is not used.
typedef struct sol_kept {
  void* bits;
  int32_t has_normal;
  double normal;
} sol_kept;

// What the runtime offers to generated code.
typedef struct sol_services {
  // Release a buffer whose `object` is set (takes the GIL).
  void (*drop)(sol_buffer*);
  // Run callback number `id` of this variant: words in, words out (array leaves carry a buffer that the caller owns).
  // Returns SOL_OK or SOL_PYTHON (a Python exception is pending).
  int32_t (*callback)(sol_frame*, int32_t id, const int64_t* in, int64_t* out);
  // Let other threads of Python run: before long work that follows callbacks.
  void (*let_go)(sol_frame*);
  // Memory for a temporary of so many bytes that an earlier one has left, and how much it is; NULL if there is none.
  void* (*take)(int64_t bytes, int64_t* got);
  // Keep or free what malloc or `take` gave. Both may be NULL.
  void (*give)(void* data, int64_t bytes);
  // Let stream `k` draw from this Python object, whose lock is held until Python code runs. False if that must be left to Python now.
  int32_t (*open)(sol_frame*, void* generator, int32_t k);
  // Run the handlers of signals that have come, such as Ctrl-C; most calls only look at the clock. SOL_OK, or SOL_PYTHON: one has raised, and the
  // exception is pending; `place` is that of the loop that ends, as with SOL_RAISE. Only from the thread that called the kernel.
  int32_t (*look)(sol_frame*, int32_t place);
  // The GPU that this variant runs on, see device.h; NULL: none.
  const struct sol_device_services* device;
} sol_services;

struct sol_frame {
  const int64_t* in;    // argument words
  int64_t* out;         // result words
  const sol_services* services;
  void* variant;        // the runtime's record of this variant
  int32_t place;        // with SOL_RAISE: index into the variant's table of raises
  int32_t arrays;       // not 0: arguments may be device arrays, and results stay on the device (device.h)
  int64_t operands[32];  // with SOL_RAISE: words of the message's operands
  int32_t passed;        // with SOL_RAISE or SOL_PYTHON: so many calls of functions of the program are left by the exception,
  int32_t through[15];   // these, the innermost first: indices into the variant's table of calls
  sol_stream streams[SOL_STREAMS];
  int32_t stopped;       // `look` has given SOL_PYTHON: the threads of a team read it
};
#endif
