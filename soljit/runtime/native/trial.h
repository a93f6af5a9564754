// Compiled code, or plain Python? A program whose loops do hardly anything but calls back may gain nothing.
//
// Calls of such a variant run by turns in both ways; each pair of calls is won by one of them, and the one that first has won enough
// takes all calls from then on. Short runs do not count at first: both ways have things to find for the first time.
#ifndef SOLJIT_TRIAL_H
#define SOLJIT_TRIAL_H
#include <time.h>
#include "match.h"

enum { FIRST_PAIRS = 2, WINS = 4, WINS_OF_LONG = 2 };
static const double LONG = 0.01;  // seconds

static double seconds_now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static PyObject* run_kernel(Call* c);

static PyObject* run_plainly(Call* c, PyObject* const* arguments) {
  release_leaves(c);
  return call_with(c->variant->plain, arguments, c->variant->nparams, nullptr);
}

static void judge_pair(Trial& t, double python) {
  const double compiled = t.compiled;
  const bool is_long = compiled > LONG || python > LONG;
  if (t.runs < 2 * FIRST_PAIRS && !is_long) return;
  t.seconds[0] += compiled;
  t.seconds[1] += python;
  const int wins = ++t.wins[python < compiled];
  t.decided = wins == (is_long ? WINS_OF_LONG : WINS);
  t.plainly = t.decided && python < compiled;
}

// Run one call that fits, and learn from it.
static PyObject* run_in_turn(Call* c, PyObject* const* arguments) {
  Trial& t = c->variant->trial;
  if (t.decided) return t.plainly ? run_plainly(c, arguments) : run_kernel(c);
  if (t.running) return run_plainly(c, arguments);  // a call from within a run that is timed
  const bool plainly = t.runs++ % 2;
  t.running = true;
  const double start = seconds_now();
  PyObject* result = plainly ? run_plainly(c, arguments) : run_kernel(c);
  const double time = seconds_now() - start;
  t.running = false;
  if (plainly) judge_pair(t, time);
  else t.compiled = time;
  return result;
}
#endif
