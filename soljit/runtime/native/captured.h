// Captured values: what a variant relied on outside its arguments, checked before each call.
//
// The rows come from `runtime/variants/captured.py`. Nothing here runs code of the program: rows that say how an attribute is found stand before it.
#ifndef SOLJIT_CAPTURED_H
#define SOLJIT_CAPTURED_H
#include "python_abi.h"

enum Look { LOOK_DICT, LOOK_CELL, LOOK_ATTRIBUTE, LOOK_CLASS_OF, LOOK_CLASS, LOOK_FUNCTION, LOOK_LEAF, LOOK_LEAF_CELL };

// `container` is a dict, a cell (then `key` is NULL), or an object that is asked for an attribute.
struct Captured {
  Look look;
  PyObject *container, *key, *expected;  // expected NULL: must be absent
  int parts;                             // function: which of code, defaults, keyword defaults
  int leaf, cell;                        // what is fetched: from this leaf, or a variable around the function that it is
  int twin;                              // of what is fetched: the number of the one that it must be, -1 for none
  int run;                               // dict: so many rows of it begin here
  uint64_t version;                      // of the dict or class, when its rows held; 0: unknown
};

static bool dict_versions;               // does every change of a dict change the number in its head? `self_test` of dispatch.py finds out
static uint32_t version_of_type_at;      // offset in a type; 0: unknown

static inline uint64_t dict_version(PyObject* dict) {
  return dict_versions ? *(const uint64_t*)((const char*)dict + sizeof(PyObject) + sizeof(Py_ssize_t)) : 0;
}

static inline uint32_t type_version(PyObject* type) {
  return version_of_type_at ? *(const uint32_t*)((const char*)type + version_of_type_at) : 0;
}

static void forget_error() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  release(type); release(value); release(traceback);
}

// The dispatcher's equality of captured and static values: the same object, or numbers and strings of one type with one value.
static bool same_value(PyObject* now, PyObject* then) {
  if (now == then) return true;
  if (!now || !then || now->ob_type != then->ob_type) return false;
  PyTypeObject* t = now->ob_type;
  if (t == &PyFloat_Type) {
    double a = PyFloat_AsDouble(now), b = PyFloat_AsDouble(then);
    return memcmp(&a, &b, sizeof a) == 0;
  }
  if (t == &PyMethod_Type)  // made anew by each look
    return PyMethod_Function(now) == PyMethod_Function(then) && PyMethod_Self(now) == PyMethod_Self(then);
  if (t == &PyCFunction_Type)
    return PyCFunction_GetFunction(now) == PyCFunction_GetFunction(then) && PyCFunction_GetSelf(now) == PyCFunction_GetSelf(then);
  if (t == &PyLong_Type || t == &PyUnicode_Type) return PyObject_RichCompareBool(now, then, 2) == 1;
  return false;
}

// The value in a captured dict, cell or attribute now, a new reference; NULL if absent.
static PyObject* captured_now(const Captured& d) {
  PyObject* value = nullptr;
  if (d.look == LOOK_CELL) return PyCell_Get(d.container);
  if (d.look == LOOK_DICT) {
    value = PyDict_GetItemWithError(d.container, d.key);
    return value ? owned(value) : nullptr;
  }
  value = PyObject_GetAttr(d.container, d.key);
  if (!value) forget_error();
  return value;
}

static inline bool has_value(const Captured& d) {
  PyObject* now = captured_now(d);
  bool same = same_value(now, d.expected);
  release(now);
  return same;
}

static bool dict_holds(Captured* d) {
  const uint64_t version = dict_version(d->container);
  if (version && version == d->version) return true;
  for (int k = 0; k < d->run; k++) if (!same_value(PyDict_GetItemWithError(d[k].container, d[k].key), d[k].expected)) return false;
  d->version = version;
  return true;
}

static bool class_holds(Captured* d) {
  if (version_of_type_at && !type_version(d->expected)) _PyType_Lookup(d->expected, d->key);  // then it gets one
  const uint32_t version = type_version(d->expected);
  if (version && version == d->version) return true;
  PyObject* now = PyObject_GetAttr(d->container, d->key);
  if (!now) { forget_error(); return false; }
  const bool same = now == &_Py_TrueStruct;
  Py_DecRef(now);
  d->version = same && version == type_version(d->expected) ? version : 0;
  return same;
}

static bool function_holds(const Captured* d) {
  PyObject* now[] = {PyFunction_GetCode(d->container), PyFunction_GetDefaults(d->container), PyFunction_GetKwDefaults(d->container)};
  for (int k = 0; k < 3; k++)
    if (d->parts >> k & 1 && (now[k] ? now[k] : none()) != item(d->expected, k)) return false;
  return true;
}

static bool captured_hold(Captured* rows, int count) {
  for (int k = 0; k < count; k += rows[k].run) {
    Captured* d = &rows[k];
    switch (d->look) {
      case LOOK_DICT: if (!dict_holds(d)) return false; break;
      case LOOK_CLASS_OF: if ((PyObject*)d->container->ob_type != d->expected) return false; break;
      case LOOK_CLASS: if (!class_holds(d)) return false; break;
      case LOOK_FUNCTION: if (!function_holds(d)) return false; break;
      default: if (!has_value(*d)) return false;
    }
  }
  return true;
}

// Rows: (look of a leaf, None, None, cell, leaf); (look, container, key or None, value, is it present?); for a function: its parts, and which of them matter; of a twin: its number.
static Captured* parse_captured(PyObject* list, int* count) {
  *count = (int)PyTuple_Size(list);
  Captured* out = (Captured*)calloc(*count + 1, sizeof(Captured));
  for (int k = *count - 1; k >= 0; k--) {
    PyObject* row = item(list, k);
    Captured& d = out[k];
    d.look = (Look)number(row, 0);
    d.container = item(row, 1);
    d.key = item(row, 2) == none() ? nullptr : item(row, 2);
    if (d.look >= LOOK_LEAF) { d.leaf = (int)number(row, 4); d.cell = (int)number(row, 3); d.run = 1; d.twin = -1; continue; }
    d.parts = (int)number(row, 4);
    d.twin = PyTuple_Size(row) > 5 ? (int)number(row, 5) : -1;
    d.expected = d.parts ? item(row, 3) : nullptr;
    const bool goes_on = d.look == LOOK_DICT && k + 1 < *count && out[k + 1].look == LOOK_DICT && out[k + 1].container == d.container;
    d.run = goes_on ? out[k + 1].run + 1 : 1;
  }
  return out;
}
#endif
