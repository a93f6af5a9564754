// Floating-point errors that raise, by NumPy's error state or by Python's filters of warnings: then a call is for the slow path.
//
// Both are compared with the last ones that `is_quiet` of runtime/system/error_states.py has seen to be quiet.
#ifndef SOLJIT_ERROR_STATES_H
#define SOLJIT_ERROR_STATES_H
#include "captured.h"

static PyObject *state_variable, *is_quiet;  // the context variable of NumPy; is_quiet(warned)
static PyObject *warnings_names, *filters_name;

// What was quiet: the state (owned), and the filters (compared only), without or with a look at them.
struct QuietState {
  PyObject *state, *filters, *first;
  Py_ssize_t count;
};
static QuietState quiet_states[2];

static bool errors_are_quiet(bool warned) {
  if (!state_variable) return true;
  PyObject* state = nullptr;
  if (PyContextVar_Get(state_variable, nullptr, &state) < 0) { forget_error(); return false; }
  QuietState now = {state, nullptr, nullptr, 0};
  if (warned) {
    now.filters = PyDict_GetItemWithError(warnings_names, filters_name);
    now.count = now.filters && now.filters->ob_type == &PyList_Type ? PyList_Size(now.filters) : -1;
    now.first = now.count > 0 ? PyList_GetItem(now.filters, 0) : nullptr;
  }
  QuietState& known = quiet_states[warned];
  bool quiet = known.state && known.state == state && known.filters == now.filters && known.first == now.first && known.count == now.count;
  if (!quiet) {
    PyObject* arguments = PyTuple_New(1);
    PyTuple_SetItem(arguments, 0, PyBool_FromLong(warned));
    PyObject* answer = PyObject_Call(is_quiet, arguments, nullptr);
    Py_DecRef(arguments);
    if (!answer) forget_error();
    quiet = answer == &_Py_TrueStruct;
    release(answer);
    if (quiet) {
      PyObject* before = known.state;
      known = now;
      release(before);
      return true;  // which keeps the state
    }
  }
  release(state);
  return quiet;
}
#endif
