// Compiled code, or plain Python? A program whose loops do hardly anything but calls back may gain nothing.
//
// Calls of such a variant run by turns in both ways; each pair of calls is won by one of them, and the one that first has won enough, and whose least
// time is the least, takes all calls from then on. Short runs do not count at first: both ways have things to find for the first time.
//
// A program of which only parts call Python (`in_parts`) may be far slower in Python. Its first runs are watched, in compiled code: it is
// tried only if almost all of their time passes in Python. What a program does most depends on its arguments: each size has its own trial.
// A program each step of which runs at most once (`SHORT`) takes about as long as finding it and making its result: the least times of a few calls decide.
#ifndef SOLJIT_TRIAL_H
#define SOLJIT_TRIAL_H
#include "direct.h"
#include "plainly.h"

enum { FIRST_PAIRS = 2, WINS = 4, FEW_WINS = 2, MOST_WATCHED = 8, SHORT_RUNS = 5, MOST_PAIRS = 6 };
static const double LONG = 0.01;             // seconds
static const double CLEAR = 2;               // times as fast
static const double BETWEEN = 30e-9;             // seconds in compiled code for each call of Python, or
static const double PART_BETWEEN = 0.02;         // this part of the time: in Python that takes a few times as long as the calls at most

// Of this thread: on a busy machine others take turns.
static double processor_seconds() {
#ifdef CLOCK_THREAD_CPUTIME_ID
  timespec t;
  if (!clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)) return t.tv_sec + 1e-9 * t.tv_nsec;
#endif
  return seconds_now();
}

static PyObject* run_kernel(Call* c);

static PyObject* run_plainly(Call* c, PyObject* const* arguments) {
  release_leaves(c);
  return call_bound(*c->parameters, c->variant->plain, arguments);
}

// The least time of compiled code, or of Python.
static void note_least(Trial& t, int which, double time) {
  if (!t.seconds[which] || time < t.seconds[which]) t.seconds[which] = time;
}

static void judge_pair(Trial& t, double python) {
  const double compiled = t.compiled;
  const bool is_long = compiled > LONG || python > LONG;
  if (t.runs < 2 * FIRST_PAIRS && !is_long) return;
  note_least(t, 0, compiled);
  note_least(t, 1, python);
  const bool plainly = python < compiled, faster = t.seconds[1] < t.seconds[0];
  const bool is_clear = CLEAR * t.seconds[faster] < t.seconds[!faster];
  const int wins = ++t.wins[plainly], enough = is_long || is_clear ? FEW_WINS : WINS;
  // A collection of garbage, or a busy machine, may give a pair to either: the least times tell.
  t.decided = wins >= enough && (plainly == faster || t.wins[0] + t.wins[1] >= MOST_PAIRS);
  t.plainly = t.decided && faster;
}

// About how large: sizes within a factor of 16 count as one.
static int magnitude(PyObject* o) {
  PyTypeObject* t = o->ob_type;
  int64_t n = 0;
  if (is_array(o)) {
    n = 1;
    for (int k = 0; k < ((ArrayObject*)o)->nd; k++) n *= ((ArrayObject*)o)->dimensions[k];
  } else if (t == &PyLong_Type) {
    int overflow = 0;
    n = llabs(PyLong_AsLongLongAndOverflow(o, &overflow));
  } else if (t == &PyList_Type) n = PyList_Size(o);
  else if (t == &PyTuple_Type) n = PyTuple_Size(o);
  else if (t == &PyDict_Type) n = PyDict_Size(o);
  else if (t == &PyUnicode_Type) n = PyObject_Size(o);
  return n > 0 ? (67 - __builtin_clzll(n)) / 4 : 0;
}

static Trial& trial_of(Call* c) {
  Variant* v = c->variant;
  if (v->work != Variant::IN_PARTS) return v->trials[0];
  uint64_t sizes = 0;
  for (int k = 0; k < c->nleaves; k++) sizes = 31 * sizes + magnitude(c->leaves[k]);
  int k = 0;
  while (k < v->ntrials && v->trials[k].sizes != sizes) k++;
  if (k == MOST_TRIALS) k = sizes % MOST_TRIALS;  // as the calls of another size
  if (k == v->ntrials) v->trials[v->ntrials++].sizes = sizes;
  v->last_trial = k;
  return v->trials[k];
}

static void take_over_trials(Variant* v, const Variant* old) {
  memcpy(v->trials, old->trials, sizeof v->trials);
  for (Trial& t : v->trials) t.running = t.in_python = false;
  v->ntrials = old->ntrials;
  v->last_trial = old->last_trial;
}

static double clock_cost() {
  static double cost = -1;
  for (int k = 0; k < 16 && cost < 0; k++) {
    const double start = seconds_now();
    for (int j = 0; j < 16; j++) seconds_now();
    const double now = (seconds_now() - start) / 17;
    if (k == 15) cost = now;
  }
  return cost;
}

// Run compiled code and see how long Python is at work in it.
static PyObject* run_watched(Call* c, Trial& t) {
  const double clock = clock_cost();
  Watch seen = {};
  Watch* const around = watch;
  watch = &seen;
  const double start = seconds_now();
  PyObject* result = run_kernel(c);
  const double between = seconds_now() - start - seen.seconds - clock * (seen.calls + seen.drops);
  watch = around;
  if (!result && runs_again_plainly()) return result;  // no measure of it
  t.worth = seen.calls > 0 && (between <= BETWEEN * seen.calls || between <= PART_BETWEEN * seen.seconds);
  t.decided = !t.worth && ++t.watched == MOST_WATCHED;
  return result;
}

static bool is_short_and_open(const Variant* v) { return v->work == Variant::SHORT && v->plain && !v->trials[0].decided; }

// The same of a program that is short for all arguments. Compiled code pays for the look at these, see `is_for_python`.
static PyObject* run_short(Call* c, Trial& t, PyObject* const* arguments) {
  const bool in_python = t.runs++ % 2;
  const double start = in_python ? seconds_now() : c->begin;
  PyObject* result = in_python ? run_plainly(c, arguments) : run_kernel(c);
  note_least(t, in_python, seconds_now() - start);
  if (!result) t.runs--;  // no measure of either
  t.decided = t.runs >= 2 * SHORT_RUNS;
  t.plainly = t.decided && t.seconds[1] < t.seconds[0];
  return result;
}

// Does an argument look like one of those for which plain Python has won? Only its own type is looked at, since plain Python is never wrong.
static bool looks_alike(const ArgNode& n, PyObject* o) {
  switch (n.kind) {
    case NODE_ARRAY: return is_array(o) && ((ArrayObject*)o)->nd == n.ndim && array_element((ArrayObject*)o) == n.type;
    case NODE_SCALAR: {
      PyTypeObject* const weak = n.type == F64 ? &PyFloat_Type : n.type == I64 ? &PyLong_Type : n.type == B1 ? &PyBool_Type : &PyComplex_Type;
      return o->ob_type == (n.weak ? weak : scalar_type[n.type]);
    }
    case NODE_STATIC: return n.like ? is_like(o, n) : same_static(o, n.value);
    case NODE_OBJECT: return o->ob_type == n.cls && (!n.value || is_array_of(n, (ArrayObject*)o));
    case NODE_TUPLE: {
      if (o->ob_type != (n.cls ? n.cls : n.list ? &PyList_Type : &PyTuple_Type)) return false;
      return (n.list ? PyList_Size(o) : PyTuple_Size(o)) == n.count;
    }
    case NODE_DICT: return o->ob_type == &PyDict_Type && PyDict_Size(o) == n.count;
    case NODE_INSTANCE: return o->ob_type == n.cls;
  }
  return false;
}

// The node behind one and all below it.
static int behind(const Variant* v, int at) {
  const ArgNode& n = v->nodes[at++];
  if (n.kind >= NODE_TUPLE) for (int k = 0; k < n.count; k++) at = behind(v, at);
  return at;
}

// Is this a call for plain Python, which needs no more looks at its arguments?
static bool is_for_python(const Variant* v, PyObject* const* arguments) {
  const Trial& t = v->trials[0];
  if (!v->plain || v->work == Variant::IN_PARTS || !(t.decided ? t.plainly : t.in_python)) return false;
  for (int k = 0, at = 0; k < v->nparams; k++, at = behind(v, at))
    if (!looks_alike(v->nodes[at], arguments[k])) return false;
  return true;
}

// Run one call that fits, and learn from it.
static PyObject* run_in_turn(Call* c, PyObject* const* arguments) {
  Trial& t = trial_of(c);
  if (t.decided) return t.plainly ? run_plainly(c, arguments) : run_kernel(c);
  if (c->variant->work == Variant::SHORT) return run_short(c, t, arguments);
  if (c->variant->work == Variant::IN_PARTS && !t.worth) return run_watched(c, t);
  if (t.running) return run_plainly(c, arguments);  // a call from within a run that is timed
  const bool in_python = t.runs++ % 2;
  t.running = true;
  t.in_python = in_python;
  const double start = processor_seconds();
  PyObject* result = in_python ? run_plainly(c, arguments) : run_kernel(c);
  const double time = processor_seconds() - start;
  t.running = t.in_python = false;
  if (in_python) judge_pair(t, time);
  else if (!result && runs_again_plainly()) t.runs--;  // no measure of compiled code
  else t.compiled = time;
  return result;
}
#endif
