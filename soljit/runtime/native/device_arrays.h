// Device arrays (`sol.Array`) among the arguments of a call. Compiled code gets the hidden array in host memory that each of them has
// (`device/owned.h`): its type, shape, strides and addresses are those of any array, though what is there may be old.
//
// A program that runs on the device of all of them and calls no Python is told so by `frame.arrays`, and copies only what it must. Any other
// one gets views of memory that is made current (`runtime/devices/arrays.py`). Results become device arrays, too.
#ifndef SOLJIT_DEVICE_ARRAYS_H
#define SOLJIT_DEVICE_ARRAYS_H
#include "device.h"
#include "match.h"

static PyObject *host_views, *wrap_result;  // of `runtime/devices/arrays.py`, once there are device arrays

static PyObject* owned_arrays(const Call* c) {
  PyObject* tuple = PyTuple_New(c->nowned);
  for (int k = 0; k < c->nowned && tuple; k++) PyTuple_SetItem(tuple, k, owned(c->owned[k]));
  return tuple;
}

static bool are_resident(const Call* c) {
  const sol_device_services* device = c->variant->services.device;
  if (!device || c->variant->ncallbacks) return false;
  for (int k = 0; k < c->nowned; k++) {
    const ArrayObject* a = (ArrayObject*)c->leaves[c->owned_leaf[k]];
    const char *lo, *hi;
    extent(a, type_size[array_element(a)], &lo, &hi);
    if (lo < hi && !device->is_mine(device, lo)) return false;
  }
  return true;
}

static void swap_leaves(Call* c) {
  for (int k = 0; k < c->nowned; k++) {
    PyObject* const host = device_array_host(c->owned[k]);
    PyObject*& leaf = c->leaves[c->owned_leaf[k]];
    leaf = leaf == host ? item(c->views, k) : host;
  }
}

// Before the kernel runs; false with an exception.
static bool enter_arrays(Call* c) {
  c->views = nullptr;
  c->frame.arrays = c->nowned || c->keeps ? are_resident(c) : 0;
  if (!c->nowned || c->frame.arrays) return true;
  const bool writes = c->variant->check_alias || c->variant->ncallbacks;
  PyObject* arguments = PyTuple_New(2);
  PyObject* arrays = arguments ? owned_arrays(c) : nullptr;
  if (!arrays) { release(arguments); return false; }
  PyTuple_SetItem(arguments, 0, arrays);
  PyTuple_SetItem(arguments, 1, PyBool_FromLong(writes));
  c->views = PyObject_Call(host_views, arguments, nullptr);
  Py_DecRef(arguments);
  if (c->views) swap_leaves(c);
  return c->views;
}

// When it has run: results are made of what the caller has given.
static void leave_kernel(Call* c) {
  if (c->views) swap_leaves(c);
}

// When the results are made.
static void leave_arrays(Call* c) {
  PendingError pending;
  if (c->frame.arrays) c->variant->services.device->forget();
  release(c->views);
}

static PyObject* device_array_of(const Call* c, PyObject* host) {
  for (int k = 0; k < c->nowned; k++)
    if (device_array_host(c->owned[k]) == host || (c->views && item(c->views, k) == host)) return c->owned[k];
  return nullptr;
}

// The device array in the place of an array that was made for the caller, or is a view of an argument.
static PyObject* wrapped(const Call* c, PyObject* result, bool fresh) {
  if (PyObject* known = device_array_of(c, result)) return owned(known);
  PyObject* arguments = PyTuple_New(3);
  if (!arguments) return nullptr;
  PyTuple_SetItem(arguments, 0, owned(result));
  PyTuple_SetItem(arguments, 1, PyBool_FromLong(fresh));
  PyTuple_SetItem(arguments, 2, c->nowned ? owned_arrays(c) : owned(c->keeps));
  PyObject* made = PyObject_Call(wrap_result, arguments, nullptr);
  Py_DecRef(arguments);
  return made;
}

// Results become device arrays; those that Python code has made stay what they are, unless they are views of device arrays.
// kinds: 1 fresh, 2 of an argument, 3 of Python code, 0 no arrays.
static bool wrap_results(const Call* c, const char* kinds, PyObject** objects) {
  if (!c->nowned && !c->keeps) return true;
  const int n = c->variant->nresults;
  PyObject** plain = (PyObject**)__builtin_alloca((n + 1) * sizeof(PyObject*));
  int done = 0;
  bool ok = true;
  for (; done < n && ok; done++) {
    PyObject* const o = plain[done] = objects[done];
    if (!kinds[done] || !is_array(o)) continue;
    int same = 0;
    while (plain[same] != o) same++;
    PyObject* const made = same < done ? owned(objects[same]) : wrapped(c, o, kinds[done] == 1);
    if (made) objects[done] = made;
    else { plain[done] = nullptr; ok = false; }
  }
  for (int k = 0; k < done; k++)
    if (plain[k] && kinds[k] && is_array(plain[k])) Py_DecRef(plain[k]);
  return ok;
}
#endif
