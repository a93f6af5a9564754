// Who runs the jobs of a product of NumPy's OpenBLAS: its own threads, or the team that runs the loops of the kernel from which it was called.
//
// OpenBLAS (0.3.28 and later) hands jobs to a function, if there is one (its `blas_server_callback.c`). That function is set once and stays, since
// other threads may be about to call it at any time. Calls that do not come from kernels get what they would without it.
#pragma once
#include "jobs.h"
#ifndef _WIN32
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <time.h>

namespace openblas {
const int64_t AWAKE = 30000000;  // nanoseconds: for how long its own threads wait actively; 2**26 ticks of the processor's clock, if nobody has set it
struct Imports {
  void (**callback)(int wait, void (*job)(int, void*, int), int count, size_t size, void* data, int extra);
  int (*give)(long position, void* jobs);  // to its own threads
  int (*wait)(long count, void* jobs);
};
static Imports imports;
static int room;                     // how many buffers for jobs it has; a job's number says which is its own
static int busy;                     // are the buffers of teams in use?
static int64_t last;                // when somebody else's jobs ended
static thread_local sol_crew crew;  // the team for the jobs of this thread

static void enter() {
  while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE)) sched_yield();
}
static void leave() { __atomic_store_n(&busy, 0, __ATOMIC_RELEASE); }

static int64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// Its own threads have the first buffers; where they are awake, for calls of NumPy's say, a team would fight with them for the cores.
static bool by_team(void (*job)(int, void*, int), int count, size_t size, char* data, int extra) {
  if (!crew || count >= room / 2 || now() - __atomic_load_n(&last, __ATOMIC_RELAXED) < AWAKE) return false;
  enter();
  const bool done = crew({job, data, size, count, room - 1 - count, extra});
  leave();
  return done;
}

static void run(int, void (*job)(int, void*, int), int count, size_t size, void* data, int extra) {
  if (by_team(job, count, size, (char*)data, extra)) return;
  void* const others = (char*)data + size;
  if (count > 1) imports.give(1, others);
  job(room - 1, data, extra);
  if (count > 1) imports.wait(count - 1, others);
  if (!crew) __atomic_store_n(&last, now(), __ATOMIC_RELAXED);
}
}  // namespace openblas

extern "C" {
// Let kernels decide who runs OpenBLAS's jobs. addresses: of what `Imports` has; buffers: see `room`.
void sol_hand_over_jobs(void* const* addresses, int buffers) {
  openblas::Imports& its = openblas::imports;
  if (openblas::room) return;
  __builtin_memcpy(&its, addresses, sizeof its);
  if (*its.callback) return;  // it has somebody else's
  if (pthread_atfork(openblas::enter, openblas::leave, openblas::leave)) return;  // which takes the buffers away
  openblas::room = buffers;
  __atomic_store_n(its.callback, (decltype(+openblas::run))openblas::run, __ATOMIC_RELEASE);
}
void sol_use_crew(sol_crew crew) { openblas::crew = crew; }
}
#else
extern "C" {
void sol_hand_over_jobs(void* const*, int) {}
void sol_use_crew(sol_crew) {}
}
#endif
