// Looks for signals, see `loops/looks.py`.
#ifndef SOLJIT_LOOK_H
#define SOLJIT_LOOK_H
#include "soljit/prelude.h"

// So many operations there are from one look to the next.
#define SOL_LOOK (1 << 16)
// An estimate of operations, as a number that counts.
SOL_INLINE int64_t sol_work(int64_t size) { return size < 1 ? 1 : size > 1 << 20 ? 1 << 20 : size; }

// It is time for a look: 0 if the loop has to end, because the handler of a signal has raised, else how many operations there are to the next look. Of a team
// the first thread looks, the others see what it has found.
__attribute__((cold, noinline, unused)) static int64_t sol_look(sol_frame* frame, int32_t place, int thread = 0) {
  if (thread) return __atomic_load_n(&frame->stopped, __ATOMIC_RELAXED) ? 0 : SOL_LOOK;
  return frame->services->look(frame, place) == SOL_OK ? SOL_LOOK : 0;
}

// Functions that call themselves look, too, every so many calls.
static thread_local int64_t sol_calls_left = 1;
__attribute__((cold, noinline, unused)) static bool sol_look_at_call(sol_frame* frame, int32_t place) {
  sol_calls_left = 4096;
  return sol_look(frame, place);
}
#endif
