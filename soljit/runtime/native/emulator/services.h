// The interface between the emulator and the kernels that g++ compiled for it. Both sides include it.
//
// A library of kernels exports `sol_emulated_kernels`, a table that ends with a kernel without a name, and `sol_emulated_attach`.
#ifndef SOLJIT_EMULATOR_SERVICES_H
#define SOLJIT_EMULATOR_SERVICES_H
#include <stdint.h>

// Where the thread that runs is. Dimensions are x, y, z.
struct sol_place {
  uint32_t thread[3], block[3], width[3], blocks[3];
  int32_t lane;
};

enum sol_access { SOL_READS, SOL_WRITES, SOL_CHANGES };  // the last: an atomic operation

// What the emulator does for kernels. What goes wrong ends the launch: the call does not return.
struct sol_emulator {
  const sol_place* place;
  const int32_t* ulps;  // are inexact functions as wrong as CUDA's may be?
  void (*barrier)(int32_t line);
  void (*meet)(int32_t line);                           // all threads of the grid
  void (*shuffle_down)(void* value, int32_t bytes, int32_t by);
  void* (*shared)(const void* site, int64_t bytes);     // memory of the block for the declaration `site`
  void* (*shared_later)(int64_t at);                    // in the memory that the launch asked for
  uint32_t (*ticket)(uint32_t* p, uint32_t n);
  void (*pause)(void);                                  // others may run now
  // Checked kernels tell each access: before it happens, and whence (a place in the code). `align`: what the address is a multiple of.
  void (*touch)(const void* p, int64_t bytes, int32_t access, int32_t align, const void* from);
};

struct sol_emulated_kernel {
  const char* name;
  const char* parameters;     // as the text declares them
  int32_t most_threads;       // of a block
  int32_t checked;            // does it tell its accesses?
  int32_t count;              // of parameters
  const int32_t* sizes;       // bytes of each; negative for pointers
  void (*run)(void* const* arguments);  // one thread
};
#endif
