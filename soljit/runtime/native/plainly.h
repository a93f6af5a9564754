// Calls that compiled code gives up before anything was done that a caller could see: an int has left 64 bits, or a call back gave what no variant
// was compiled for. They run again in plain Python. A variant that has given up some calls in a row lets the next ones run there at once, more of
// them each time, and then tries again.
#ifndef SOLJIT_PLAINLY_H
#define SOLJIT_PLAINLY_H
#include "variant.h"

enum { GIVEN_UP_IN_A_ROW = 4, SHORTEST_REST = 8, LONGEST_REST = 1024 };

static PyObject* class_of_plainly;  // the class of the exception that asks for it

static bool runs_again_plainly() { return PyErr_Occurred() == class_of_plainly; }

// A run of the kernel came to nothing, and the call was made again in plain Python.
static void note_given_up(Variant* v) {
  Rest& r = v->rest;
  r.tried++;
  if (++r.given_up < GIVEN_UP_IN_A_ROW) return;
  r.length = r.length ? 2 * r.length : SHORTEST_REST;
  if (r.length > LONGEST_REST) r.length = LONGEST_REST;
  r.left = r.length;
}

// What came of a run of the kernel. (What becomes of a call for which a call back gave something unforeseen, the slow path decides.)
static void note_outcome(Variant* v, bool ok) {
  if (ok) {
    if (v->rest.given_up) v->rest.given_up = v->rest.length = 0;
  } else if (runs_again_plainly()) {
    note_given_up(v);
  }
}

// Is this call one of those that do not try? Then the exception is set.
static bool rests(Variant* v) {
  if (!v->rest.left) return false;
  v->rest.left--;
  v->rest.untried++;
  PyErr_SetNone(class_of_plainly);
  return true;
}
#endif
