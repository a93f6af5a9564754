// Calls for which nothing is compiled yet run in Python for now (`runtime/calls/patience.py`), and what they cost is put to account.
#ifndef SOLJIT_FOR_NOW_H
#define SOLJIT_FOR_NOW_H

// Of one function. cost: seconds that its calls took; the slow path looks for a variant when that is as much as `until`, or at the time
// `look_at`; active: such calls that have not returned.
struct ForNow {
  double cost, until, look_at;
  int active;
};

static double cost_in_python;           // of the process since somebody asked: seconds of the outermost such calls
static double waited_for_compiling;     // seconds that calls have waited, which is no cost of Python
static thread_local int depth_for_now;  // such calls in this thread
#endif
