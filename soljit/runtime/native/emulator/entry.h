// What every entry point of the driver begins with.
#ifndef SOLJIT_EMULATOR_ENTRY_H
#define SOLJIT_EMULATOR_ENTRY_H
#include <unistd.h>

#include "transfers.h"

#define SOL_ENTRY extern "C" __attribute__((visibility("default")))

namespace fake {

inline char primary;  // its address is the primary context
inline thread_local std::vector<void*> contexts;  // of this thread; the last one is current
inline int retained;

enum Needs { NOTHING, DRIVER, CONTEXT };

struct Entry {
  std::lock_guard<std::recursive_mutex> guard;
  CUresult failed = 0;
  explicit Entry(Needs needs, Kind kind = ANY, bool can_fail = true) : guard(state().lock) {
    State& s = state();
    ++s.counted.calls;
    if (needs != NOTHING && s.process != getpid()) failed = CUDA_ERROR_NOT_INITIALIZED;
    else if (needs == CONTEXT && (contexts.empty() || !contexts.back() || !retained)) failed = CUDA_ERROR_INVALID_CONTEXT;
    else if (needs == CONTEXT && s.broken) failed = told();
    else if (can_fail && s.fail_in > 0 && (s.fail_kind == ANY || s.fail_kind == kind) && --s.fail_in == 0) {
      ++s.failed;
      failed = s.fail_code;
    }
  }
};
// Enter, or return why not.
#define SOL_ENTER(...)          \
  fake::Entry entry(__VA_ARGS__); \
  if (entry.failed) return entry.failed

#define SOL_STREAM(name, handle)                         \
  fake::Stream* const name = fake::streams().of(handle); \
  if (!name) return fake::wrong(CUDA_ERROR_INVALID_HANDLE, "there is no such stream")
}  // namespace fake
#endif
