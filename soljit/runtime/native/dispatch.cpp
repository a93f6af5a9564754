// The dispatcher: what runs when a jitted function is called.
//
// A dispatcher is a Python object that holds the variants of one function; the callable that stands in the function's
// `__call__` slot is a builtin made from it. A call binds its arguments, tries the variants in order, most recent first, and
// runs the first one that fits; otherwise it goes to the slow path in Python, which compiles.
#include "openblas.h"
#include "direct.h"
#include "for_now.h"
#include "plainly.h"
#include "pool.h"
#include "put_back.h"
#include "signals.h"
#include "trial.h"
#ifndef _WIN32
#include <pthread.h>
#endif

struct Dispatcher : PyObject {
  PyObject *slow, *function, *again;  // slow(*args, **kwargs); the plain function; again(exception, args, kwargs), see plainly.h
  Parameters parameters;
  Variant** variants;
  Captured own;                       // the code and defaults of `function`, of which `expected` is owned
  int count, capacity, last;
  int64_t succeeded;                  // runs of variants that had a result
  ForNow for_now;                     // of calls that no variant takes
  PyObject* keeps;                    // the device on which results stay, or NULL
};

static PyTypeObject* dispatcher_type;
static int threads_wanted, threads_default = 1;   // 0: the default
static PyObject* not_taken;                       // instead of a result: no result of a program is this object
static uintptr_t alone;                           // the thread, if there is one, that runs kernels without others
static thread_local int threads_set;              // what was last told to OpenMP in this thread
static const sol_services services = {service_drop, service_callback, service_let_go, pool_take, pool_give, service_open, service_look, nullptr};

static uintptr_t this_thread() {
#ifdef _WIN32
  return 0;  // which does not fork
#else
  return (uintptr_t)pthread_self();
#endif
}

// OpenMP's thread pool does not survive a fork: the surviving thread of a child runs kernels alone (`runtime/system/forks.py`).
static inline void prepare_threads(const Variant* v) {
  if (!v->set_threads) return;
  int want = alone && alone == this_thread() ? 1 : threads_wanted ? threads_wanted : threads_set ? threads_default : 0;
  if (want && want != threads_set) {
    v->set_threads(want);
    threads_set = want;
  }
}

// Leave the user's lines of the traceback of the pending exception, without the two frames of `runtime/variants/failures.py` above them; those of
// the callers are added later.
static void shorten_traceback() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  for (int k = 0; k < 2 && traceback; k++) {
    PyObject* next = PyObject_GetAttrString(traceback, "tb_next");
    if (!next || next == none()) { release(next); forget_error(); break; }
    Py_DecRef(traceback);
    traceback = next;
  }
  PyErr_Restore(type, value, traceback);
}

// Raise from the user's line what `given` tells: words of the frame, or an exception.
static void raise_there(Variant* v, const sol_frame* frame, int64_t place, PyObject* given) {
  PyObject* arguments = PyTuple_New(3);
  PyTuple_SetItem(arguments, 0, PyLong_FromLongLong(place));
  PyTuple_SetItem(arguments, 1, given);
  PyTuple_SetItem(arguments, 2, PyBytes_FromStringAndSize((const char*)frame->through, frame->passed * sizeof *frame->through));
  release(PyObject_Call(v->fail, arguments, nullptr));
  Py_DecRef(arguments);
  if (PyErr_Occurred()) shorten_traceback();
  else PyErr_SetString(PyExc_SystemError, "soljit: a raise raised nothing");
}

// The pending exception comes from a call back, or the handler of a signal: let the user's line be in its traceback.
static void place_error(Variant* v, const sol_frame* frame, int64_t place) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback) PyException_SetTraceback(value, traceback);
  release(type); release(traceback);
  raise_there(v, frame, place, value);
}

static PyObject* run_kernel(Call* c) {
  Variant* v = c->variant;
  int64_t few[STACK_WORDS];
  int64_t* out = v->out_words <= STACK_WORDS ? few : (int64_t*)malloc(v->out_words * sizeof(int64_t));
  if (!out) { release_leaves(c); return PyErr_NoMemory(); }
  c->frame.out = out;
  c->frame.services = &v->services;
  c->frame.variant = v;
  c->frame.place = c->frame.passed = c->frame.stopped = 0;
  if (!enter_arrays(c)) {
    release_leaves(c);
    if (out != few) free(out);
    return nullptr;
  }
  char* const kept = kept_arrays(c);
  prepare_threads(v);
  c->turns = 0;
  c->failed = -1;
  c->look_at = 0;
  Call* const outer = begin_streams(c);
  c->thread = v->work == Variant::SHORT ? nullptr : PyEval_SaveThread();  // others would wait no shorter
  gil_is_held = !c->thread;
  int32_t status = v->kernel(&c->frame);
  if (c->thread) PyEval_RestoreThread(c->thread);
  close_streams();
  drawing = outer;
  leave_kernel(c);
  PyObject* result = nullptr;
  if (status == SOL_OK) {
    result = build_result(c);
  } else if (status == SOL_RAISE) {
    raise_there(v, &c->frame, c->frame.place, PyBytes_FromStringAndSize((const char*)c->frame.operands, sizeof c->frame.operands));
  } else if (!PyErr_Occurred()) {
    PyErr_SetString(PyExc_SystemError, "soljit: compiled code failed without an exception");
  } else if (c->failed >= 0) {
    place_error(v, &c->frame, -1 - c->failed);
  } else if (c->frame.stopped) {
    place_error(v, &c->frame, c->frame.place);
  }
  put_arrays_back(c, kept);
  if (c->frame.arrays || c->views) leave_arrays(c);
  note_outcome(v, result);
  release_leaves(c);
  if (out != few) free(out);
  return result;
}

// Try one variant: NULL with *fits = false if it does not take these arguments.
static PyObject* attempt(Dispatcher* d, Variant* v, PyObject* const* arguments, bool* fits) {
  Call c;
  c.keeps = d->keeps;
  c.parameters = &d->parameters;
  if (is_short_and_open(v)) c.begin = seconds_now();
  int64_t few[STACK_WORDS];
  int64_t* words = v->in_words <= STACK_WORDS ? few : (int64_t*)malloc(v->in_words * sizeof(int64_t));
  if (!words) { *fits = true; return PyErr_NoMemory(); }
  c.frame.in = words;
  v->users++;
  *fits = match(&c, v, arguments, words);
  const bool tired = *fits && rests(v);
  if (tired) release_leaves(&c);
  PyObject* result = !*fits || tired ? nullptr : v->plain && !c.nowned ? run_in_turn(&c, arguments) : run_kernel(&c);
  leave_variant(v);
  if (result) d->succeeded++;
  if (words != few) free(words);
  return result;
}

// The arguments of a call as a tuple and a dict, or NULL for none.
static bool gather(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PyObject** tuple, PyObject** kwargs) {
  *kwargs = nullptr;
  *tuple = PyTuple_New(nargs);
  if (!*tuple) return false;
  for (Py_ssize_t k = 0; k < nargs; k++) PyTuple_SetItem(*tuple, k, owned(args[k]));
  if (kwnames && PyTuple_Size(kwnames)) {
    *kwargs = PyDict_New();
    for (Py_ssize_t k = 0; *kwargs && k < PyTuple_Size(kwnames); k++) PyDict_SetItem(*kwargs, item(kwnames, k), args[nargs + k]);
  }
  return true;
}

static PyObject* call_in_python(PyObject* callee, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  PyObject *tuple, *kwargs;
  if (!gather(args, nargs, kwnames, &tuple, &kwargs)) return nullptr;
  Py_IncRef(callee);
  PyObject* result = PyObject_Call(callee, tuple, kwargs);
  Py_DecRef(callee);
  Py_DecRef(tuple);
  release(kwargs);
  return result;
}

// A call in Python that is put to account, and begins at `begin`; 0: it is not timed.
static PyObject* call_counted(Dispatcher* d, double begin, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  ForNow& f = d->for_now;
  const double waited = waited_for_compiling;
  PyObject *self = owned(d), *function = owned(d->function);
  f.active++;
  depth_for_now++;
  PyObject* result = call_with(function, args, nargs, kwnames);
  depth_for_now--;
  f.active--;
  double spent = begin ? seconds_now() - begin - (waited_for_compiling - waited) : f.last;
  if (begin && spent < SHORT_FOR_NOW && f.look_at == NEVER) f.untimed = UNTIMED;
  if (begin) f.last = spent;
  if (spent > 0 && !f.active) f.cost += spent;
  if (spent > 0 && !depth_for_now) cost_in_python += spent;
  Py_DecRef(function);
  Py_DecRef(self);
  return result;
}

// A call that no variant takes, as long as nobody has to look for one.
static PyObject* call_for_now(Dispatcher* d, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  ForNow& f = d->for_now;
  const double begin = f.untimed ? 0 : seconds_now();
  if (f.untimed) f.untimed--;
  else if (begin >= f.look_at) return call_in_python(d->slow, args, nargs, kwnames);
  return call_counted(d, begin, args, nargs, kwnames);
}

// The pending exception asks for plain Python: without a reason if others have told it before.
static PyObject* call_plainly(Dispatcher* d, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  PyObject *type, *value, *traceback, *tuple, *kwargs;
  PyErr_Fetch(&type, &value, &traceback);
  release(type); release(traceback);
  if (!value) return call_counted(d, seconds_now(), args, nargs, kwnames);
  PyObject* all = gather(args, nargs, kwnames, &tuple, &kwargs) ? PyTuple_New(3) : nullptr;
  if (!all) return nullptr;
  PyTuple_SetItem(all, 0, value);
  PyTuple_SetItem(all, 1, tuple);
  PyTuple_SetItem(all, 2, kwargs ? kwargs : owned(none()));
  PyObject* again = owned(d->again);
  PyObject* result = PyObject_Call(again, all, nullptr);
  Py_DecRef(again);
  Py_DecRef(all);
  return result;
}

// What a variant gave, or what another way gives: the slow path finds another variant if a call back gave what this one was not
// compiled for (the exception is raised again there).
static PyObject* settle(Dispatcher* d, Variant* v, PyObject* result, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (result) return result;
  if (runs_again_plainly()) return call_plainly(d, args, nargs, kwnames);
  if (PyErr_Occurred() != unforeseen) return nullptr;
  forget_error();
  PyObject* self = owned(d);
  v->users++;
  const int64_t before = d->succeeded;
  result = call_in_python(d->slow, args, nargs, kwnames);
  if (result && d->succeeded == before) note_given_up(v);
  leave_variant(v);
  Py_DecRef(self);
  return result;
}

static PyObject* dispatch(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  Dispatcher* d = (Dispatcher*)self;
  Bound bound;
  PyObject* const* arguments = args;
  bool fits = nargs == d->parameters.count && nargs == d->parameters.positional && !(kwnames && PyTuple_Size(kwnames));
  if (!fits && d->count) {
    fits = bind(d->parameters, d->function, args, nargs, kwnames, bound);
    arguments = bound.values;
  }
  if (fits && d->count && function_holds(&d->own)) {
    int last = d->last;
    if (is_for_python(d->variants[last], arguments)) {
      PyObject* function = owned(d->function);
      PyObject* result = call_with(function, args, nargs, kwnames);
      Py_DecRef(function);
      return result;
    }
    Variant* v = d->variants[last];
    v->users++;
    PyObject* result = attempt(d, v, arguments, &fits);
    if (fits) result = settle(d, v, result, args, nargs, kwnames);
    leave_variant(v);
    if (fits) return result;
    for (int k = 0; k < d->count; k++) {
      if (k == last) continue;
      v = d->variants[k];
      v->users++;
      result = attempt(d, v, arguments, &fits);
      if (fits && result) d->last = k;
      if (fits) result = settle(d, v, result, args, nargs, kwnames);
      leave_variant(v);
      if (fits) return result;
    }
  }
  if (d->for_now.cost < d->for_now.until) return call_for_now(d, args, nargs, kwnames);
  return call_in_python(d->slow, args, nargs, kwnames);
}

static int dispatcher_traverse(PyObject* self, visitproc visit, void* arg) {
  Dispatcher* d = (Dispatcher*)self;
  PyObject* held[] = {d->slow, d->function, d->again, d->parameters.names, d->parameters.defaults, d->own.expected, (PyObject*)self->ob_type};
  for (PyObject* o : held) if (o) if (int answer = visit(o, arg)) return answer;
  for (int k = 0; k < d->count; k++) if (int answer = visit(d->variants[k]->spec, arg)) return answer;
  return 0;
}

static int dispatcher_clear(PyObject* self) {
  Dispatcher* d = (Dispatcher*)self;
  PyObject* held[] = {d->slow, d->function, d->again, d->parameters.names, d->parameters.defaults, d->own.expected, d->keeps};
  d->keeps = nullptr;
  d->own.expected = d->slow = d->function = d->again = d->parameters.names = d->parameters.defaults = nullptr;
  int count = d->count;
  d->count = d->parameters.count = 0;
  d->parameters.positional = -1;
  for (int k = 0; k < count; k++) leave_variant(d->variants[k]);
  for (PyObject* o : held) release(o);
  return 0;
}

static void dispatcher_dealloc(PyObject* self) {
  PyTypeObject* type = self->ob_type;
  PyObject_GC_UnTrack(self);
  dispatcher_clear(self);
  free(((Dispatcher*)self)->variants);
  PyObject_GC_Del(self);
  Py_DecRef((PyObject*)type);
}

static PyType_Slot dispatcher_slots[] = {{SLOT_TRAVERSE, (void*)dispatcher_traverse},
                                         {SLOT_CLEAR, (void*)dispatcher_clear},
                                         {SLOT_DEALLOC, (void*)dispatcher_dealloc},
                                         {0, nullptr}};
static PyType_Spec dispatcher_spec = {"soljit.runtime.Dispatcher", sizeof(Dispatcher), 0, TYPE_DEFAULT | TYPE_HAVE_GC,
                                      dispatcher_slots};
static PyMethodDef dispatch_method = {"jitted", dispatch, METH_FASTCALL | METH_KEYWORDS, nullptr};

// A jitted function as an attribute of an instance: (instance or None, class or nothing).
static PyObject* bind_method(PyObject* function, PyObject* const* args, Py_ssize_t nargs, PyObject*) {
  if (nargs < 1) { PyErr_SetString(PyExc_TypeError, "__get__() missing 1 required positional argument: 'instance'"); return nullptr; }
  return args[0] == none() ? owned(function) : PyMethod_New(function, args[0]);
}
static PyMethodDef bind_method_method = {"__get__", bind_method, METH_FASTCALL | METH_KEYWORDS, nullptr};

extern "C" {

// `__get__` for the class of jitted functions.
PyObject* sol_bind_method(PyObject* cls) { return PyDescr_NewMethod((PyTypeObject*)cls, &bind_method_method); }

// A dispatcher. names, shape, defaults: see `set_parameters`
PyObject* sol_make_dispatcher(PyObject* slow, PyObject* function, PyObject* again, PyObject* names, PyObject* shape, PyObject* defaults) {
  Dispatcher* d = (Dispatcher*)_PyObject_GC_New(dispatcher_type);
  if (!d) return nullptr;
  memset((char*)d + sizeof(PyObject), 0, sizeof(Dispatcher) - sizeof(PyObject));
  d->slow = owned(slow);
  d->function = owned(function);
  d->again = owned(again);
  set_parameters(&d->parameters, names, shape, defaults);
  d->own.container = function;
  d->own.parts = 7;
  d->own.expected = PyTuple_New(3);
  PyObject* parts[] = {PyFunction_GetCode(function), PyFunction_GetDefaults(function), PyFunction_GetKwDefaults(function)};
  for (int k = 0; k < 3; k++) PyTuple_SetItem(d->own.expected, k, owned(parts[k] ? parts[k] : none()));
  PyObject_GC_Track(d);
  return d;
}

// The builtin to call.
PyObject* sol_callable(PyObject* dispatcher) { return PyCFunction_NewEx(&dispatch_method, dispatcher, nullptr); }

// A variant and what its kernel is offered, from its specification.
static Variant* make_variant(PyObject* spec) {
  Variant* v = parse_variant(spec);
  if (!v) return nullptr;
  const struct sol_device_services* device = v->services.device;
  v->services = services;
  v->services.device = device;
  return v;
}

// From now on calls that no variant takes run in Python, until they have cost `until` seconds (`cost` of them before), or for `time` seconds (0: for ever).
void sol_run_for_now(PyObject* dispatcher, double cost, double until, double time) {
  ForNow& f = ((Dispatcher*)dispatcher)->for_now;
  f.cost = cost;
  f.until = until;
  f.look_at = time > 0 ? seconds_now() + time : NEVER;
  f.untimed = 0;
}

// (what the calls of a dispatcher have cost, what all such calls of the process have cost since the last time)
PyObject* sol_cost_for_now(PyObject* dispatcher) {
  PyObject* out = PyTuple_New(2);
  PyTuple_SetItem(out, 0, PyFloat_FromDouble(((Dispatcher*)dispatcher)->for_now.cost));
  PyTuple_SetItem(out, 1, PyFloat_FromDouble(cost_in_python));
  cost_in_python = 0;
  return out;
}

// All calls together have waited so many seconds for compiling.
void sol_note_waited(double total) { waited_for_compiling = total; }

// Add a variant; returns its index.
PyObject* sol_add_variant(PyObject* dispatcher, PyObject* spec) {
  Dispatcher* d = (Dispatcher*)dispatcher;
  Variant* v = make_variant(spec);
  if (!v) return nullptr;
  if (d->count == d->capacity) {
    int capacity = d->capacity ? 2 * d->capacity : 4;
    Variant** more = (Variant**)realloc(d->variants, capacity * sizeof(Variant*));
    if (!more) { free_variant(v); return PyErr_NoMemory(); }
    d->variants = more;
    d->capacity = capacity;
  }
  d->variants[d->count] = v;
  d->last = d->count++;
  return PyLong_FromLongLong(d->last);
}

// Let results stay on this device from now on; None: not.
void sol_keep_results(PyObject* dispatcher, PyObject* device) {
  Dispatcher* d = (Dispatcher*)dispatcher;
  PyObject* const before = d->keeps;
  d->keeps = device == none() ? nullptr : owned(device);
  release(before);
}

// Put another spec in the place of variant `index`, whose captured values are no longer the same objects.
PyObject* sol_replace_variant(PyObject* dispatcher, long index, PyObject* spec) {
  Dispatcher* d = (Dispatcher*)dispatcher;
  if (index < 0 || index >= d->count) { PyErr_SetString(PyExc_SystemError, "no such variant"); return nullptr; }
  Variant* v = make_variant(spec);
  if (!v) return nullptr;
  Variant* old = d->variants[index];
  take_over_trials(v, old);
  v->rest = old->rest;
  d->variants[index] = v;
  leave_variant(old);
  return owned(none());
}

// Run variant `index` on a tuple of arguments; `not_taken` if it does not take them.
PyObject* sol_run_variant(PyObject* dispatcher, long index, PyObject* arguments) {
  Dispatcher* d = (Dispatcher*)dispatcher;
  PyObject* list[MAX_LEAVES];
  Py_ssize_t n = PyTuple_Size(arguments);
  if (index < 0 || index >= d->count || n != d->variants[index]->nparams || n > MAX_LEAVES) return owned(not_taken);
  for (Py_ssize_t k = 0; k < n; k++) list[k] = item(arguments, k);
  bool fits = false;
  PyObject* result = attempt(d, d->variants[index], list, &fits);
  if (fits && result) d->last = (int)index;
  return fits ? result : owned(not_taken);
}

// (runs, decided, in Python?, seconds of compiled code, of Python, still to be found worth it?) of variant `index`, for the arguments
// of its last call; None if it is not tried.
PyObject* sol_trial(PyObject* dispatcher, long index) {
  Dispatcher* d = (Dispatcher*)dispatcher;
  if (index < 0 || index >= d->count || !d->variants[index]->plain) return owned(none());
  const Variant* v = d->variants[index];
  const Trial& t = v->trials[v->last_trial];
  PyObject* out = PyTuple_New(6);
  PyTuple_SetItem(out, 0, PyLong_FromLongLong(t.runs));
  PyTuple_SetItem(out, 1, PyBool_FromLong(t.decided));
  PyTuple_SetItem(out, 2, PyBool_FromLong(t.plainly));
  for (int k = 0; k < 2; k++) PyTuple_SetItem(out, 3 + k, PyFloat_FromDouble(t.seconds[k]));
  PyTuple_SetItem(out, 5, PyBool_FromLong(v->work == Variant::IN_PARTS && !t.worth));
  return out;
}

// (calls that variant `index` has given up, calls that ran in plain Python at once)
PyObject* sol_given_up(PyObject* dispatcher, long index) {
  Dispatcher* d = (Dispatcher*)dispatcher;
  const bool known = index >= 0 && index < d->count;
  PyObject* out = PyTuple_New(2);
  PyTuple_SetItem(out, 0, PyLong_FromLongLong(known ? d->variants[index]->rest.tried : 0));
  PyTuple_SetItem(out, 1, PyLong_FromLongLong(known ? d->variants[index]->rest.untried : 0));
  return out;
}

// Device arrays: their class, the offset of the array in host memory, which `sample` has in it, and two functions of
// `runtime/devices/arrays.py`. False if the offset is wrong.
PyObject* sol_watch_arrays(PyObject* type, long offset, PyObject* sample, PyObject* host, PyObject* views, PyObject* wrap) {
  if (*(PyObject**)((char*)sample + offset) != host) return PyBool_FromLong(0);
  host_array_at = offset;
  host_views = owned(views);
  wrap_result = owned(wrap);
  device_array_type = (PyTypeObject*)owned(type);
  return PyBool_FromLong(1);
}

// What the heads of dicts and types say: (number of changes of a dict, of a type).
PyObject* sol_versions(PyObject* dict, PyObject* type, long offset) {
  PyObject* out = PyTuple_New(2);
  PyTuple_SetItem(out, 0, PyLong_FromUnsignedLongLong(*(const uint64_t*)((const char*)dict + sizeof(PyObject) + sizeof(Py_ssize_t))));
  PyTuple_SetItem(out, 1, PyLong_FromUnsignedLongLong(*(const uint32_t*)((const char*)type + offset)));
  return out;
}

// Where NumPy and Python keep how floating-point errors are reported; is_quiet(warned) tells what a state means.
void sol_watch_errors(PyObject* variable, PyObject* names, PyObject* filters, PyObject* function) {
  state_variable = owned(variable);
  warnings_names = owned(names);
  filters_name = owned(filters);
  is_quiet = owned(function);
}

// May they be used to see that nothing has changed? offset: of the number in a type, 0 if not.
void sol_use_versions(int of_dicts, long offset) {
  dict_versions = of_dicts;
  version_of_type_at = (uint32_t)offset;
}

void sol_set_threads(int wanted, int normal) {
  threads_wanted = wanted;
  threads_default = normal;
}

// Now and after a fork: threads, as `threading.get_ident` has them: the one that runs kernels without others, 0 for none; the main one.
void sol_after_fork(unsigned long thread, unsigned long main) {
  alone = thread;
  main_thread = main;
  threads_set = 0;
}

// types: tuple of (dtype, scalar class, alias class or None) in the order of `Type`; the classes of exceptions for which the slow
// path seeks another variant, and for which a call runs again in plain Python; untaken: `not_taken`; nan: math.nan if its bits
// tell it from computed ones; layout: see `streams.h`. Must come first.
PyObject* sol_initialize(PyObject* capsule, PyObject* types, PyObject* unforeseen_class, PyObject* plainly_class, PyObject* untaken,
                         PyObject* nan, PyObject* layout) {
  unforeseen = owned(unforeseen_class);
  class_of_plainly = owned(plainly_class);
  not_taken = owned(untaken);
  stream_layout = owned(layout);
  nan_object = nan == none() ? nullptr : owned(nan);
  array_api = (void**)PyCapsule_GetPointer(capsule, nullptr);
  if (!array_api) return nullptr;
  array_type = (PyTypeObject*)array_api[2];
  if (PyTuple_Size(types) != TYPES) { PyErr_SetString(PyExc_SystemError, "element types"); return nullptr; }
  for (int k = 0; k < TYPES; k++) {
    PyObject* row = item(types, k);
    descr_of[k] = owned(item(row, 0));
    scalar_type[k] = (PyTypeObject*)owned(item(row, 1));
    scalar_alias[k] = item(row, 2) == none() ? nullptr : (PyTypeObject*)owned(item(row, 2));
  }
  dispatcher_type = (PyTypeObject*)PyType_FromSpec(&dispatcher_spec);
  steps_type = (PyTypeObject*)PyType_FromSpec(&steps_spec);
  return dispatcher_type && steps_type ? owned(none()) : nullptr;
}

// What the hand-declared structs say about an array: (type, nd, data, shape…, strides…, base or None, C, F, own, aligned,
// writeable, descr, handler as expected); Python compares it with the truth before the dispatcher is used.
PyObject* sol_describe(PyObject* array) {
  ArrayObject* a = (ArrayObject*)array;
  if (!is_array(array) || a->nd < 0 || a->nd > MAX_DIMS) return owned(none());
  PyObject* out = PyTuple_New(11 + 2 * a->nd);
  int k = 0;
  PyTuple_SetItem(out, k++, PyLong_FromLongLong(array_element(a)));
  PyTuple_SetItem(out, k++, PyLong_FromLongLong(a->nd));
  PyTuple_SetItem(out, k++, PyLong_FromLongLong((long long)a->data));
  for (int j = 0; j < a->nd; j++) PyTuple_SetItem(out, k++, PyLong_FromLongLong(a->dimensions[j]));
  for (int j = 0; j < a->nd; j++) PyTuple_SetItem(out, k++, PyLong_FromLongLong(a->strides[j]));
  PyTuple_SetItem(out, k++, owned(a->base ? a->base : none()));
  const int flags[] = {FLAG_C, FLAG_F, FLAG_OWNDATA, FLAG_ALIGNED, FLAG_WRITEABLE};
  for (int flag : flags)
    PyTuple_SetItem(out, k++, PyBool_FromLong(a->flags & flag));
  PyTuple_SetItem(out, k++, PyLong_FromLongLong((long long)(uintptr_t)a->descr));
  // Only an array with memory of its own has a handler, and NumPy's default one is an object of the table.
  bool handled = (a->flags & FLAG_OWNDATA) ? a->memory_handler == *(PyObject**)array_api[306] : !a->memory_handler;
  PyTuple_SetItem(out, k++, PyBool_FromLong(handled));
  return out;
}
}
