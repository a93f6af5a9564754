// The parameters of a function, and binding a call to them as Python does (`runtime/values/parameters.py`).
#ifndef SOLJIT_PARAMETERS_H
#define SOLJIT_PARAMETERS_H
#include "variant.h"

struct Parameters {
  PyObject *names, *defaults;     // names of all; default values (NULL: required)
  int count;
  int positional, positional_only;  // how many may be given by position (-1: every call is for the slow path), how many must
  int rest, more;                 // the numbers of *args and **kwargs, or -1
  PyObject* name[MAX_PARAMS];     // borrowed from `names`
  PyObject* fallback[MAX_PARAMS]; // borrowed from `defaults`, or NULL
};

// One argument for each parameter: borrowed, but for what *args and **kwargs are.
struct Bound {
  PyObject* values[MAX_PARAMS];
  PyObject *rest = nullptr, *more = nullptr;
  ~Bound() { release(rest); release(more); }
};

// defaults: for each parameter a tuple of the default, or None; shape: (positional, positional_only, rest, more)
static void set_parameters(Parameters* p, PyObject* names, PyObject* shape, PyObject* defaults) {
  p->names = owned(names);
  p->defaults = owned(defaults);
  p->count = (int)PyTuple_Size(names);
  p->positional = (int)number(shape, 0);
  p->positional_only = (int)number(shape, 1);
  p->rest = (int)number(shape, 2);
  p->more = (int)number(shape, 3);
  if (p->count > MAX_PARAMS) { p->count = 0; p->positional = p->rest = p->more = -1; }
  for (int k = 0; k < p->count; k++) {
    p->name[k] = item(names, k);
    p->fallback[k] = item(defaults, k) == none() ? nullptr : item(item(defaults, k), 0);
  }
}

static inline bool is_named(const Parameters& p, int k) { return k != p.rest && k != p.more; }

// The parameter that a keyword names; -1: none does; -2: Python has to say.
static int parameter_of(const Parameters& p, PyObject* keyword) {
  for (int k = p.positional_only; k < p.count; k++) if (p.name[k] == keyword && is_named(p, k)) return k;
  if (keyword->ob_type != &PyUnicode_Type) return -2;
  for (int k = p.positional_only; k < p.count; k++) if (is_named(p, k) && PyUnicode_Compare(p.name[k], keyword) == 0) return k;
  return -1;
}

// Keyword arguments and defaults → one argument a parameter; false if this is for the slow path.
static bool bind(const Parameters& p, PyObject* function, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, Bound& b) {
  if (p.positional < 0 || (nargs > p.positional && p.rest < 0)) return false;
  for (int k = 0; k < p.count; k++) b.values[k] = k < nargs && k < p.positional ? args[k] : nullptr;
  if (p.rest >= 0) {
    const Py_ssize_t n = nargs > p.positional ? nargs - p.positional : 0;
    if (!(b.values[p.rest] = b.rest = PyTuple_New(n))) { forget_error(); return false; }
    for (Py_ssize_t k = 0; k < n; k++) PyTuple_SetItem(b.rest, k, owned(args[p.positional + k]));
  }
  if (p.more >= 0 && !(b.values[p.more] = b.more = PyDict_New())) { forget_error(); return false; }
  Py_ssize_t nkw = kwnames ? PyTuple_Size(kwnames) : 0;
  for (Py_ssize_t j = 0; j < nkw; j++) {
    const int k = parameter_of(p, item(kwnames, j));
    if (k < -1 || (k == -1 && !b.more) || (k >= 0 && b.values[k])) return false;
    if (k >= 0) b.values[k] = args[nargs + j];
    else if (PyDict_SetItem(b.more, item(kwnames, j), args[nargs + j])) { forget_error(); return false; }
  }
  for (int k = 0; k < p.count; k++) {
    if (b.values[k]) continue;
    PyObject* keyword = k < p.positional ? nullptr : PyFunction_GetKwDefaults(function);  // a dict, which may be changed in place
    if (keyword && PyDict_GetItemWithError(keyword, p.name[k]) != p.fallback[k]) return false;
    b.values[k] = p.fallback[k];
    if (!b.values[k]) return false;
  }
  return true;
}

// Call a function that has these parameters with one value for each.
static PyObject* call_bound(const Parameters& p, PyObject* function, PyObject* const* values) {
  if (p.positional == p.count) return call_with(function, values, p.count, nullptr);
  const Py_ssize_t rest = p.rest < 0 ? 0 : PyTuple_Size(values[p.rest]);
  PyObject* all = PyTuple_New(p.positional + rest);
  PyObject* kwargs = all ? PyDict_New() : nullptr;
  bool ok = kwargs != nullptr;
  for (int k = 0; ok && k < p.positional; k++) PyTuple_SetItem(all, k, owned(values[k]));
  for (Py_ssize_t k = 0; ok && k < rest; k++) PyTuple_SetItem(all, p.positional + k, owned(item(values[p.rest], k)));
  for (int k = p.positional; ok && k < p.count; k++) if (is_named(p, k)) ok = !PyDict_SetItem(kwargs, p.name[k], values[k]);
  Py_ssize_t place = 0;
  PyObject *key, *value;
  while (ok && p.more >= 0 && PyDict_Next(values[p.more], &place, &key, &value)) ok = !PyDict_SetItem(kwargs, key, value);
  PyObject* result = ok ? PyObject_Call(function, all, kwargs) : nullptr;
  release(all);
  release(kwargs);
  return result;
}
#endif
