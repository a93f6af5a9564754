// Calls of Python that the dispatcher makes by itself: a shortcut, or the function called without a tuple.
#ifndef SOLJIT_DIRECT_H
#define SOLJIT_DIRECT_H
#include <time.h>
#include "shortcuts.h"
#include "still.h"
#include "streams.h"

enum { GIL_TURNS = 4096 };

static double seconds_now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

// How long is Python at work in a run? (trial.h)
struct Watch {
  int64_t calls, drops;
  double seconds;
};

static thread_local Watch* watch;  // of the run in this thread that is watched

struct Watching {
  Watch* const w;
  const double start;
  Watching(int64_t Watch::*what) : w(watch), start(w ? seconds_now() : 0) {
    watch = nullptr;  // what Python calls belongs to it
    if (w) (w->*what)++;
  }
  ~Watching() {
    if (w) w->seconds += seconds_now() - start;
    watch = w;
  }
};

static bool call_target(const CallbackRecord& r, Operands& in, int64_t* out) {
  const Direct& d = *r.direct;
  if (d.shortcut) {
    const Answer a = shortcut(r, in, out);
    if (a != NOT_HERE) return a == DONE;
  }
  PyObject* arguments[FEW_ARGUMENTS];
  int made = 0;
  while (made < d.count && (arguments[made] = make_argument(d.arguments[made], in))) made++;
  PyObject* result = made == d.count ? call_with(d.target, arguments, d.positional, d.names) : nullptr;
  while (made) Py_DecRef(arguments[--made]);
  const bool ok = result ? give_directly(r, result, out) : d.handler && give_status(r, out);
  release(result);
  return ok;
}

static bool call_directly(const Call* c, const CallbackRecord& r, const int64_t* words, int64_t* out) {
  Operands in;
  in.call = c;
  in.words = words;
  in.count = 0;
  const bool ok = call_target(r, in, out);
  while (in.count) {
    PyObject* o = in.arrays[--in.count];
    detach(o);  // if the callee has kept it
    Py_DecRef(o);
  }
  return ok;
}

static int32_t service_callback(sol_frame* frame, int32_t id, const int64_t* in, int64_t* out) {
  Call* c = (Call*)frame;
  const CallbackRecord& r = c->variant->callbacks[id];
  if (const sol_device_services* const device = c->variant->services.device) device->hand_over(device);
  if (c->thread) PyEval_RestoreThread(c->thread);
  c->thread = nullptr;
  const Watching here(&Watch::calls);
  close_streams();
  bool ok = r.direct ? call_directly(c, r, in, out) : call_python(c, r, in, out);
  if (ok && c->narrays) ok = arrays_are_still_the_same(c);
  if (!ok) c->failed = id;
  if (r.direct && !r.direct->arrays && ++c->turns % GIL_TURNS) {  // more will follow soon
    gil_is_held = true;
  } else {
    gil_is_held = false;
    c->thread = PyEval_SaveThread();
  }
  return ok ? SOL_OK : SOL_PYTHON;
}

// Before long work without Python.
static void service_let_go(sol_frame* frame) {
  Call* c = (Call*)frame;
  if (c->thread) return;
  close_streams();
  gil_is_held = false;
  c->thread = PyEval_SaveThread();
}

static void service_drop(sol_buffer* b) {
  const Watching here(&Watch::drops);
  const bool held = gil_is_held;
  const int state = held ? 0 : PyGILState_Ensure();
  close_streams();
  if (PyErr_Occurred()) {
    PendingError pending;
    free_buffer(b);
  } else {
    free_buffer(b);
  }
  if (!held) PyGILState_Release(state);
  gil_is_held = held;  // a destructor may have called another kernel
}
#endif
