// Arguments of calls of Python, made of words; and a quick look at what a call gave. What does not look as declared is left to
// `runtime/variants/callbacks.py`.
#ifndef SOLJIT_OPERANDS_H
#define SOLJIT_OPERANDS_H
#include "callback.h"

enum { FEW_ARGUMENTS = 16 };

// --- arguments -----------------------------------------------------------------------------------------------------------

// The words of the operands, and the arrays that were made of them, which are held until the call has ended.
struct Operands {
  const Call* call;
  const int64_t* words;
  PyObject* arrays[2 * FEW_ARGUMENTS];  // a shortcut may have made some in vain
  int count;
};

static PyObject* make_argument(const Source& s, Operands& in);

static PyObject* make_parts(const Source& s, Operands& in) {
  PyObject* made = s.kind == Source::LIST ? PyList_New(s.count) : PyTuple_New(s.count);
  for (int k = 0; k < s.count && made; k++) {
    PyObject* o = make_argument(s.parts[k], in);
    if (!o) { Py_DecRef(made); return nullptr; }
    if (s.kind == Source::LIST) PyList_SetItem(made, k, o);
    else PyTuple_SetItem(made, k, o);
  }
  return made;
}

static PyObject* make_slice(const Source& s, Operands& in) {
  PyObject* start = make_argument(s.parts[0], in);
  PyObject* stop = start ? make_argument(s.parts[1], in) : nullptr;
  PyObject* step = stop ? make_argument(s.parts[2], in) : nullptr;
  PyObject* made = step ? PySlice_New(start, stop, step) : nullptr;
  release(start);
  release(stop);
  release(step);
  return made;
}

static PyObject* make_argument(const Source& s, Operands& in) {
  switch (s.kind) {
    case Source::OPERAND: {
      const int64_t* words = in.words + s.at;
      if (s.leaf.kind == CallbackLeaf::OBJECT) return owned((PyObject*)*words);
      if (s.leaf.kind != CallbackLeaf::ARRAY) return scalar_object(s.leaf.type, s.leaf.kind == CallbackLeaf::PYTHON, words);
      PyObject* o = operand_array(in.call, s.leaf, window(words, s.leaf.ndim));
      return o ? owned(in.arrays[in.count++] = o) : nullptr;
    }
    case Source::CONSTANT: return owned(s.value);
    case Source::CALL: {
      if (s.value == (PyObject*)&PySlice_Type && s.count == 3) return make_slice(s, in);
      PyObject* arguments = make_parts(s, in);
      PyObject* made = arguments ? PyObject_Call(s.value, arguments, nullptr) : nullptr;
      release(arguments);
      return made;
    }
    default: return make_parts(s, in);
  }
}

// --- results -------------------------------------------------------------------------------------------------------------

struct Given {
  PyObject* object;
  int64_t* out;
  const Expected* as;
};

static bool give(const Given& g) {
  if (g.as->kind == Expected::ARRAY) return give_array({CallbackLeaf::ARRAY, g.as->type, g.as->ndim}, g.object, g.out);
  return give_object(g.object, g.out);
}

// Is `o` what is declared? Numbers are written at once, arrays and other objects are gathered.
static bool look(const Expected& e, PyObject* o, int64_t** out, Given* objects, int* count) {
  switch (e.kind) {
    case Expected::NUMBER:
      if (e.type == I64) {
        int overflow = 0;
        if (o->ob_type != &PyLong_Type) return false;
        const int64_t x = PyLong_AsLongLongAndOverflow(o, &overflow);
        if (overflow) return false;
        if (e.wanted) *(*out)++ = x;
        return true;
      }
      if (o->ob_type != (e.type == F64 ? &PyFloat_Type : e.type == B1 ? &PyBool_Type : &PyComplex_Type)) return false;
      if (e.wanted) { number_value(e.type, o, *out); *out += scalar_words(e.type); }
      return true;
    case Expected::NUMPY:
      if (o->ob_type != scalar_type[e.type]) return false;
      if (e.wanted) { scalar_value(o, *out); *out += scalar_words(e.type); }
      return true;
    case Expected::FLOAT:  // Python's or NumPy's: which, and the number
      if (o->ob_type != &PyFloat_Type && o->ob_type != scalar_type[F64]) return false;
      *(*out)++ = o->ob_type != &PyFloat_Type;
      if (o->ob_type == &PyFloat_Type) number_value(F64, o, *out);
      else scalar_value(o, *out);
      (*out)++;
      return true;
    case Expected::OBJECT:
      if (e.cls && o->ob_type != e.cls) return false;
      if (e.wanted) {
        if (*count == FEW_ARGUMENTS) return false;
        objects[(*count)++] = {o, *out, &e};
        *out += 2;
      }
      return true;
    case Expected::ARRAY: {
      const ArrayObject* a = (ArrayObject*)o;
      if (!is_array(o) || a->nd != e.ndim || array_element(a) != e.type || (a->flags & e.flags) != e.flags) return false;
      for (int k = 0; k < e.ndim; k++) if (a->strides[k] % type_size[e.type]) return false;
      if (e.wanted) {
        if (*count == FEW_ARGUMENTS) return false;
        objects[(*count)++] = {o, *out, &e};
        *out += 2 + 2 * e.ndim;
      }
      return true;
    }
    case Expected::NONE: return o == none();
    case Expected::TUPLE:
      if (o->ob_type != e.cls || PyTuple_Size(o) != e.count) return false;
      for (int k = 0; k < e.count; k++) if (!look(e.parts[k], item(o, k), out, objects, count)) return false;
      return true;
    default: return e.kind == Expected::ANYTHING;
  }
}

static bool give_unexpected(const CallbackRecord& r, PyObject* result, int64_t* out) {
  PyObject* arguments = PyTuple_New(1);
  if (!arguments) return false;
  PyTuple_SetItem(arguments, 0, owned(result));
  PyObject* leaves = PyObject_Call(r.direct->unexpected, arguments, nullptr);
  Py_DecRef(arguments);
  const bool ok = leaves && give_results(r, leaves, out);
  release(leaves);
  return ok;
}

static bool give_all(const Given* objects, int count) {
  for (int k = 0; k < count; k++) {
    if (give(objects[k])) continue;
    while (k--) drop_reference((sol_buffer*)objects[k].out[1]);
    PyErr_NoMemory();
    return false;
  }
  return true;
}

static bool give_directly(const CallbackRecord& r, PyObject* result, int64_t* out) {
  Given objects[FEW_ARGUMENTS];
  int count = 0;
  int64_t* end = out;
  if (!look(r.direct->expected, result, &end, objects, &count)) return give_unexpected(r, result, out);
  if (!give_all(objects, count)) return false;
  if (r.direct->handler) *end = 0;
  return true;
}

// An exception that the program may handle: its number, and made-up results. False: it passes on.
static bool give_status(const CallbackRecord& r, int64_t* out) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyObject* arguments = PyTuple_New(1);
  PyTuple_SetItem(arguments, 0, owned(value));
  PyObject* status = PyObject_Call(r.direct->handler, arguments, nullptr);
  Py_DecRef(arguments);
  const int64_t number = status ? PyLong_AsLongLong(status) : 0;
  if (!status || !number) {
    if (!status) forget_error();
    release(status);
    PyErr_Restore(type, value, traceback);
    return false;
  }
  Py_DecRef(status);
  release(type); release(value); release(traceback);
  for (int k = 0; k < r.nout - 1; k++) {
    if (r.out[k].kind == CallbackLeaf::OBJECT) {
      give_object(none(), out);
      out += 2;
    } else {
      for (int n = scalar_words(r.out[k].type); n; n--) *out++ = 0;
    }
  }
  *out = number;
  return true;
}
#endif
