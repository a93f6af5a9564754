// What the fake driver knows as a whole: counters, faults, and what tests have asked for.
#ifndef SOLJIT_EMULATOR_STATE_H
#define SOLJIT_EMULATOR_STATE_H
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#include <deque>
#include <mutex>
#include <string>

#include "cuda_abi.h"
extern "C" {
#include "controls.h"
}

namespace fake {

enum Kind { ANY, ALLOCATION, LAUNCH, COPY, WAIT, MODULE, LIBRARY };

struct State {
  std::recursive_mutex lock;
  pid_t process = 0;  // that has initialized the driver
  sol_fake_counters counted = {};
  std::deque<std::string> faults;
  CUresult broken = 0;    // after a fault in a kernel every call fails, as with CUDA
  bool survives = false;  // but the first one alone, if that is asked for
  int poison = 0xFF;
  uint64_t seed = 1;
  int64_t memory = (int64_t)2 << 30;
  bool defer = true, check_unwritten = true;
  int32_t ulps = 0;
  Kind fail_kind = ANY;
  int64_t fail_in = 0, failed = 0;
  CUresult fail_code = 0;
  uint64_t launch = 0;  // number of the launch that runs or ran last
};
inline State& state() {
  static State* const s = new State;  // never destroyed: others may call until the end of the process
  return *s;
}

__attribute__((format(printf, 1, 2))) inline std::string text(const char* form, ...) {
  va_list list;
  va_start(list, form);
  char out[2048];
  vsnprintf(out, sizeof(out), form, list);
  va_end(list);
  return out;
}
inline void note(const std::string& fault) { state().faults.push_back(fault); }

// A call that is wrong in itself.
inline CUresult wrong(CUresult code, const std::string& fault) {
  note(fault);
  return code;
}

// The failure that is left behind, for a call that reports it.
inline CUresult told() {
  State& s = state();
  if (!s.broken || !s.survives) return s.broken;
  s.broken = 0;
  return CUDA_ERROR_ILLEGAL_STATE;
}

// Pseudo-random numbers (splitmix64).
struct Draws {
  uint64_t x;
  uint64_t next() {
    uint64_t z = (x += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t n) { return n < 2 ? 0 : next() % n; }
};
}  // namespace fake
#endif
