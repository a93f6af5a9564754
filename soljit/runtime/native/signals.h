// Signals that Python handles, such as Ctrl-C, while compiled code runs: only the main thread runs their handlers, and these may raise.
//
// Loops come here every few microseconds (`analysis/cost/looks.py`), to look at the clock. That a signal has come only Python knows, which is asked some times a second; where other threads of
// Python make that long, not so often.
#ifndef SOLJIT_SIGNALS_H
#define SOLJIT_SIGNALS_H
#include "direct.h"

static const double LOOK_EVERY = 0.05;    // seconds from one look to the next
static const double LOOK_SHARE = 30;      // times as long as the GIL was waited for, at the least
static unsigned long main_thread;         // as `threading.get_ident` has it

// Some milliseconds do not matter.
static double seconds_about() {
#ifdef CLOCK_MONOTONIC_COARSE
  timespec t;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
#else
  return seconds_now();
#endif
}

// Run the handlers. False: one has raised.
static bool run_handlers(Call* c) {
  const double begin = seconds_now();
  if (c->thread) PyEval_RestoreThread(c->thread);
  c->thread = nullptr;
  const double waited = seconds_now() - begin;
  if (LOOK_SHARE * waited > LOOK_EVERY) c->look_at += LOOK_SHARE * waited - LOOK_EVERY;
  if (const sol_device_services* const device = c->variant->services.device) device->hand_over(device);
  close_streams();
  const bool ok = !PyErr_CheckSignals() && (!c->narrays || arrays_are_still_the_same(c));
  gil_is_held = false;
  c->thread = PyEval_SaveThread();
  return ok;
}

static int32_t service_look(sol_frame* frame, int32_t place) {
  Call* c = (Call*)frame;
  const double now = seconds_about();
  if (now < c->look_at) return SOL_OK;
  const bool is_new = !c->look_at;
  c->look_at = now + LOOK_EVERY;
  if (is_new || PyThread_get_thread_ident() != main_thread || run_handlers(c)) return SOL_OK;
  frame->place = place;
  __atomic_store_n(&frame->stopped, 1, __ATOMIC_RELAXED);
  return SOL_PYTHON;
}
#endif
