// From compiled code back into Python: operands as NumPy objects over the program's memory, results as words.
//
// Operand and result arrays travel as result arrays do: data, buffer (NULL if the memory belongs to an argument or is local to
// the kernel), shape, strides. A returned array's buffer holds the NumPy array and belongs to the kernel.
#ifndef SOLJIT_CALLBACK_H
#define SOLJIT_CALLBACK_H
#include "results.h"

static bool dense(const Window& w, const CallbackLeaf& leaf) {
  const int64_t size = type_size[leaf.type];
  return contiguous(leaf.ndim, w.shape, w.strides, size, false) || contiguous(leaf.ndim, w.shape, w.strides, size, true);
}

static PyObject* operand_array(const Call* c, const CallbackLeaf& leaf, const Window& w) {
  for (int k = 0; k < c->narrays; k++) {  // an argument handed on is the argument itself
    ArrayObject* a = (ArrayObject*)c->leaves[c->array_leaf[k]];
    if (same_window(a, leaf.type, leaf.ndim, w.data, w.shape, w.strides)) return owned(a);
  }
  PyObject* base = nullptr;
  if (w.buffer) {
    if (!w.buffer->object && w.data && w.data == (char*)w.buffer->data && dense(w, leaf)) {  // the array object that owns the memory
      ArrayObject* a = new_array(leaf.type, leaf.ndim, w.shape, w.strides, w.data, FLAG_WRITEABLE);
      if (!a) return nullptr;
      give_memory(a);
      w.buffer->object = a;
    }
    base = buffer_keeper(w.buffer);
    if (!base) return nullptr;
    if (w.buffer->object && is_array(base) && same_window((ArrayObject*)base, leaf.type, leaf.ndim, w.data, w.shape, w.strides))
      return base;
  } else {
    base = (PyObject*)argument_holding(c, w.data, -1);
    if (base) Py_IncRef(base);
  }
  return view_of(leaf.type, leaf.ndim, w.data, w.shape, w.strides, base);
}

// An operand over memory that dies with the kernel, but that the callee has kept: give it memory of its own.
static void detach(PyObject* o) {
  if (!is_array(o) || o->ob_refcnt == 1) return;
  ArrayObject* a = (ArrayObject*)o;
  if (a->base || (a->flags & FLAG_OWNDATA)) return;
  const char *lo, *hi;
  extent(a, type_size[array_element(a)], &lo, &hi);
  char* copy = (char*)malloc(hi - lo ? hi - lo : 1);
  if (!copy) return;
  memcpy(copy, lo, hi - lo);
  if (a->data == lo) { a->data = copy; give_memory(a); }
  else a->data = copy + (a->data - lo);  // negative strides: the copy is never freed rather than freed wrongly
}

static PyObject* operands_tuple(const Call* c, const CallbackRecord& r, const int64_t* in) {
  PyObject* tuple = PyTuple_New(r.nin);
  for (int k = 0; k < r.nin && tuple; k++) {
    const CallbackLeaf& leaf = r.in[k];
    PyObject* o;
    if (leaf.kind == CallbackLeaf::ARRAY) {
      o = operand_array(c, leaf, window(in, leaf.ndim));
    } else if (leaf.kind == CallbackLeaf::OBJECT) {
      o = owned((PyObject*)*in);
    } else {
      o = scalar_object(leaf.type, leaf.kind == CallbackLeaf::PYTHON, in);
    }
    in += operand_words(leaf);
    if (!o) { Py_DecRef(tuple); return nullptr; }
    PyTuple_SetItem(tuple, k, o);
  }
  return tuple;
}

static bool give_array(const CallbackLeaf& leaf, PyObject* o, int64_t* out) {
  if (!PyType_IsSubtype(o->ob_type, array_type)) return false;
  ArrayObject* a = (ArrayObject*)o;
  if (a->nd != leaf.ndim || array_element(a) != leaf.type) return false;
  sol_buffer* b = (sol_buffer*)malloc(sizeof(sol_buffer));
  if (!b) return false;
  *b = sol_buffer{};
  b->refs = 1;
  b->data = a->data;
  b->object = owned(o);
  out[0] = (int64_t)a->data;
  out[1] = (int64_t)b;
  for (int k = 0; k < leaf.ndim; k++) {
    out[2 + k] = a->dimensions[k];
    out[2 + leaf.ndim + k] = a->strides[k];
  }
  return true;
}

// Any object: the words are the object and a buffer that holds it.
static bool give_object(PyObject* o, int64_t* out) {
  sol_buffer* b = (sol_buffer*)malloc(sizeof(sol_buffer));
  if (!b) return false;
  *b = sol_buffer{};
  b->refs = 1;
  b->object = owned(o);
  out[0] = (int64_t)o;
  out[1] = (int64_t)b;
  return true;
}

// A NumPy scalar, or a Python number of the leaf's own type.
static void number_value(int type, PyObject* o, int64_t* out) {
  if (type == F64 && o->ob_type == &PyFloat_Type) {
    double x = PyFloat_AsDouble(o);
    memcpy(out, &x, 8);
  } else if (type == I64 && o->ob_type == &PyLong_Type) {
    *out = PyLong_AsLongLong(o);
  } else if (type == B1 && o->ob_type == &PyBool_Type) {
    *(char*)out = o == &_Py_TrueStruct;
  } else if (type == C128 && o->ob_type == &PyComplex_Type) {
    double x[2] = {PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o)};
    memcpy(out, x, 16);
  } else {
    scalar_value(o, out);
  }
}

// `results` is the tuple that `runtime/variants/callbacks.py` has checked: NumPy scalars and arrays of exactly the declared types.
static bool give_results(const CallbackRecord& r, PyObject* results, int64_t* out) {
  int64_t* start = out;
  for (int k = 0; k < r.nout; k++) {
    const CallbackLeaf& leaf = r.out[k];
    PyObject* o = item(results, k);
    bool ok = true;
    if (leaf.kind == CallbackLeaf::OBJECT) {
      ok = give_object(o, out);
      if (ok) out += 2;
    } else if (leaf.kind == CallbackLeaf::ARRAY) {
      ok = give_array(leaf, o, out);
      if (ok) out += 2 + 2 * leaf.ndim;
    } else {
      number_value(leaf.type, o, out);
      out += scalar_words(leaf.type);
    }
    if (ok) continue;
    for (int j = 0, at = 0; j < k; j++) {  // take back what was given
      const CallbackLeaf& given = r.out[j];
      const bool held = given.kind == CallbackLeaf::ARRAY || given.kind == CallbackLeaf::OBJECT;
      if (held) drop_reference((sol_buffer*)start[at + 1]);
      at += held ? 2 + 2 * given.ndim : scalar_words(given.type);
    }
    PyErr_SetString(PyExc_SystemError, "soljit: a callback's result does not have the declared type");
    return false;
  }
  return true;
}

// The call with a tuple of operands, which `runtime/variants/callbacks.py` puts where they belong.
static bool call_python(const Call* c, const CallbackRecord& r, const int64_t* in, int64_t* out) {
  bool ok = false;
  PyObject* operands = operands_tuple(c, r, in);
  if (operands) {
    PyObject* results = PyObject_Call(r.function, operands, nullptr);
    ok = results && give_results(r, results, out);
    release(results);
    // The tuple may have been kept; what only it holds need not be detached.
    if (operands->ob_refcnt == 1) {
      PendingError pending;
      for (int k = 0; k < r.nin; k++) if (r.in[k].kind == CallbackLeaf::ARRAY) detach(item(operands, k));
    }
    Py_DecRef(operands);
  }
  return ok;
}
#endif
