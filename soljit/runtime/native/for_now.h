// Calls for which nothing is compiled yet run in Python for now (`runtime/calls/patience.py`), and what they cost is put to account.
#ifndef SOLJIT_FOR_NOW_H
#define SOLJIT_FOR_NOW_H

// Of one function. cost: seconds that its calls took; the slow path looks for a variant when that is as much as `until`, or at the time
// `look_at`; active: such calls that have not returned.
// `untimed`: so many calls are taken to cost as much as `last`, the one that was timed last, since it was short and nobody waits for a time.
struct ForNow {
  double cost, until, look_at, last;
  int active, untimed;
};

enum { UNTIMED = 7 };
static const double SHORT_FOR_NOW = 5e-6, NEVER = 1e300;  // seconds

static double cost_in_python;           // of the process since somebody asked: seconds of the outermost such calls
static double waited_for_compiling;     // seconds that calls have waited, which is no cost of Python
static thread_local int depth_for_now;  // such calls in this thread
#endif
