// Words → Python objects: scalars, arrays with NumPy's ownership and `base`, and the tree that the function returns.
#ifndef SOLJIT_RESULTS_H
#define SOLJIT_RESULTS_H
#include "device_arrays.h"

static const char buffer_capsule[] = "soljit.buffer";

static void free_buffer(sol_buffer* b) {
  if (b->object) Py_DecRef((PyObject*)b->object);
  else free(b->data);
  free(b);
}
static void drop_reference(sol_buffer* b) {
  if (--b->refs == 0) free_buffer(b);
}
static void capsule_died(PyObject* capsule) {
  drop_reference((sol_buffer*)PyCapsule_GetPointer(capsule, buffer_capsule));
}
// An object that keeps the buffer alive, for use as an array's base.
static PyObject* buffer_keeper(sol_buffer* b) {
  if (b->object) return owned((PyObject*)b->object);
  PyObject* capsule = PyCapsule_New(b, buffer_capsule, capsule_died);
  if (capsule) b->refs++;
  return capsule;
}

static PyObject* nan_object;  // np.nan; nullptr: its bits are those of a computed NaN

// A NaN with the bits of np.nan is that object: containers find a NaN by its identity. Computed ones are new objects, as in Python.
static PyObject* float_object(double value) {
  const uint64_t nan = 0x7ff8000000000000;
  return !nan_object || memcmp(&value, &nan, 8) ? PyFloat_FromDouble(value) : owned(nan_object);
}

static PyObject* scalar_object(int type, bool python, const void* word) {
  if (!python) return array_scalar((void*)word, type);
  double re = 0, im = 0;
  switch (type) {
    case B1: return PyBool_FromLong(*(const unsigned char*)word != 0);
    case I8: return PyLong_FromLongLong(*(const int8_t*)word);
    case I16: return PyLong_FromLongLong(*(const int16_t*)word);
    case I32: return PyLong_FromLongLong(*(const int32_t*)word);
    case I64: return PyLong_FromLongLong(*(const int64_t*)word);
    case U8: return PyLong_FromLongLong(*(const uint8_t*)word);
    case U16: return PyLong_FromLongLong(*(const uint16_t*)word);
    case U32: return PyLong_FromLongLong(*(const uint32_t*)word);
    case U64: return PyLong_FromUnsignedLongLong(*(const uint64_t*)word);
    case F32: { float f; memcpy(&f, word, 4); return PyFloat_FromDouble(f); }
    case F64: memcpy(&re, word, 8); return float_object(re);
    case C64: { float f[2]; memcpy(f, word, 8); return PyComplex_FromDoubles(f[0], f[1]); }
    case C128: memcpy(&re, word, 8); memcpy(&im, (const char*)word + 8, 8); return PyComplex_FromDoubles(re, im);
  }
  PyErr_SetString(PyExc_SystemError, "no Python number for this element type");
  return nullptr;
}

// An array over memory that somebody else owns; steals `base` (which may be NULL).
static PyObject* view_of(int type, int nd, char* data, const int64_t* shape, const int64_t* strides, PyObject* base) {
  int flags = FLAG_WRITEABLE;
  if (base && PyType_IsSubtype(base->ob_type, array_type)) flags &= ((ArrayObject*)base)->flags;
  static int64_t nothing[2];
  ArrayObject* a = new_array(type, nd, shape, strides, data ? data : (char*)nothing, flags);
  if (!a) { release(base); return nullptr; }
  if (base && set_base(a, base) < 0) { Py_DecRef(a); return nullptr; }
  return a;
}

static bool same_window(const ArrayObject* a, int type, int nd, const char* data, const int64_t* shape, const int64_t* strides) {
  if (a->data != data || a->nd != nd || array_element(a) != type) return false;
  for (int k = 0; k < nd; k++)
    if (a->dimensions[k] != shape[k] || (a->strides[k] != strides[k] && shape[k] > 1)) return false;
  return true;
}

// The argument array whose memory contains `data`; `first` is looked at first. NULL if there is none.
static ArrayObject* argument_holding(const Call* c, const char* data, int first) {
  const char *lo, *hi;
  if (first >= 0) {
    ArrayObject* a = (ArrayObject*)c->leaves[first];
    extent(a, type_size[array_element(a)], &lo, &hi);
    if ((lo <= data && data < hi) || lo == hi) return a;
  }
  for (int k = 0; k < c->narrays; k++) {
    ArrayObject* a = (ArrayObject*)c->leaves[c->array_leaf[k]];
    extent(a, type_size[array_element(a)], &lo, &hi);
    if (lo <= data && data < hi) return a;
  }
  return first >= 0 ? (ArrayObject*)c->leaves[first] : nullptr;
}

struct Window {
  char* data;
  sol_buffer* buffer;
  const int64_t *shape, *strides;
};

static inline Window window(const int64_t* words, int nd) {
  return {(char*)words[0], (sol_buffer*)words[1], words + 2, words + 2 + nd};
}

static int64_t window_bytes(const Window& w, const ResultLeaf& r) {
  int64_t n = type_size[r.type];
  for (int k = 0; k < r.ndim; k++) n *= w.shape[k];
  return n;
}

// What the leaves that share a buffer are views of, if the array that was made in it is not returned: a flat array.
static PyObject* flat_array(const Variant* v, const Window* windows, int first) {
  sol_buffer* b = windows[first].buffer;
  char* end = (char*)b->data;
  for (int k = first; k < v->nresults; k++) {
    if (windows[k].buffer != b) continue;
    char* last = windows[k].data + type_size[v->results[k].type];
    for (int d = 0; d < v->results[k].ndim; d++) {
      if (!windows[k].shape[d]) last = (char*)b->data;
      else if (windows[k].strides[d] > 0) last += (windows[k].shape[d] - 1) * windows[k].strides[d];
    }
    if (last > end) end = last;
  }
  const int type = v->results[first].type;
  const int64_t size = type_size[type], n = (end - (char*)b->data) / size;
  PyObject* keeper = buffer_keeper(b);
  return keeper ? view_of(type, 1, (char*)b->data, &n, &size, keeper) : nullptr;
}

// The leaves that share a malloc'd buffer: the largest contiguous one at its start becomes the array that owns the memory,
// the others are views of it. Fills `objects` for all of them; false on error.
static bool adopt(const Variant* v, const Window* windows, int first, PyObject** objects) {
  sol_buffer* b = windows[first].buffer;
  int owner = -1, sharing = 0;
  for (int k = first; k < v->nresults; k++) {
    if (windows[k].buffer != b) continue;
    sharing++;
    const ResultLeaf& r = v->results[k];
    const int64_t size = type_size[r.type];
    bool whole = windows[k].data == (char*)b->data && (contiguous(r.ndim, windows[k].shape, windows[k].strides, size, false) ||
                                                       contiguous(r.ndim, windows[k].shape, windows[k].strides, size, true));
    if (whole && (owner < 0 || window_bytes(windows[k], r) > window_bytes(windows[owner], v->results[owner]))) owner = k;
  }
  PyObject* base = nullptr;
  if (owner >= 0 && b->refs == sharing && b->data) {  // nobody else holds it: NumPy may free it
    const Window& w = windows[owner];
    const ResultLeaf& r = v->results[owner];
    static const int64_t none[MAX_DIMS] = {};  // the strides of NumPy's own empty arrays
    const int64_t* strides = window_bytes(w, r) ? w.strides : none;
    ArrayObject* a = new_array(r.type, r.ndim, w.shape, strides, w.data, FLAG_WRITEABLE);
    if (!a) { b->refs -= sharing - 1; drop_reference(b); return false; }
    give_memory(a);
    objects[owner] = base = a;
    free(b);
  } else {
    owner = -1;
    base = flat_array(v, windows, first);
    b->refs -= sharing - 1;
    drop_reference(b);
    if (!base) return false;
  }
  bool ok = true;
  for (int k = first; k < v->nresults && ok; k++) {
    if (windows[k].buffer != b || k == owner) continue;
    const Window& w = windows[k];
    objects[k] = view_of(v->results[k].type, v->results[k].ndim, w.data, w.shape, w.strides, owned(base));
    ok = objects[k] != nullptr;
  }
  if (owner < 0) Py_DecRef(base);
  return ok;
}

// A result that lives in memory of a Python object (an array that a callback returned). `taken`: another leaf is that object.
static PyObject* from_object(const Window& w, const ResultLeaf& r, bool taken) {
  PyObject* base = owned((PyObject*)w.buffer->object);
  drop_reference(w.buffer);
  const bool fits = is_array(base) && (r.writable || !(((ArrayObject*)base)->flags & FLAG_WRITEABLE));
  if (!taken && fits && same_window((ArrayObject*)base, r.type, r.ndim, w.data, w.shape, w.strides)) return base;
  return view_of(r.type, r.ndim, w.data, w.shape, w.strides, base);
}

static PyObject* from_argument(const Call* c, const Window& w, const ResultLeaf& r) {
  if (r.same >= 0) return owned(c->leaves[r.same]);
  ArrayObject* base = argument_holding(c, w.data, r.base);
  if (!base) {
    PyErr_SetString(PyExc_SystemError, "soljit: a result belongs to no argument");
    return nullptr;
  }
  return view_of(r.type, r.ndim, w.data, w.shape, w.strides, owned(base));
}

// Leaves that are array objects and show the same memory alike become one object.
static void identify(const Variant* v, const Window* windows, PyObject** objects) {
  for (int k = 0; k < v->nresults; k++) {
    const ResultLeaf& r = v->results[k];
    for (int j = 0; r.itself >= 0 && is_array(objects[k]) && j < k; j++) {
      const int other = v->results[j].itself;
      if (other < 0 || PyLong_AsLongLong(objects[other]) != PyLong_AsLongLong(objects[r.itself])) continue;
      if (windows[j].buffer != windows[k].buffer || !is_array(objects[j])) continue;
      if (!same_window((ArrayObject*)objects[j], r.type, r.ndim, windows[k].data, windows[k].shape, windows[k].strides)) continue;
      Py_DecRef(objects[k]);
      objects[k] = owned(objects[j]);
      break;
    }
  }
}

static bool make_leaves(const Call* c, PyObject** objects) {
  const Variant* v = c->variant;
  Window* windows = (Window*)__builtin_alloca((v->nresults + 1) * sizeof(Window));
  const int64_t* word = c->frame.out;
  const int64_t** start = (const int64_t**)__builtin_alloca((v->nresults + 1) * sizeof(int64_t*));
  for (int k = 0; k < v->nresults; k++) {
    const ResultLeaf& r = v->results[k];
    objects[k] = nullptr;
    start[k] = word;
    const bool held = r.kind == ResultLeaf::ARRAY || r.kind == ResultLeaf::OBJECT;
    windows[k] = held ? window(word, r.ndim) : Window{};
    word += held ? 2 + 2 * r.ndim : scalar_words(r.type);
  }
  char* kinds = (char*)__builtin_alloca(v->nresults + 1);  // as `wrap_results` takes them
  for (int k = 0; k < v->nresults; k++) {
    const bool array = v->results[k].kind == ResultLeaf::ARRAY, object = v->results[k].kind == ResultLeaf::OBJECT;
    kinds[k] = array && !windows[k].buffer ? 2 : (array || object) && windows[k].buffer ? (windows[k].buffer->object ? 3 : 1) : 0;
  }
  bool ok = true;
  for (int k = 0; k < v->nresults; k++) {  // goes on after an error, so that every buffer is taken
    const ResultLeaf& r = v->results[k];
    if (objects[k]) continue;
    if (r.kind == ResultLeaf::OBJECT) {
      objects[k] = windows[k].buffer ? owned((PyObject*)windows[k].buffer->object) : owned(none());
      if (windows[k].buffer) drop_reference(windows[k].buffer);
    } else if (r.kind != ResultLeaf::ARRAY) {
      objects[k] = scalar_object(r.type, r.kind == ResultLeaf::PYTHON, start[k]);
    } else if (!windows[k].buffer && !windows[k].data) {
      objects[k] = owned(none());  // another alternative of the structure was chosen
    } else if (!windows[k].buffer) {
      objects[k] = from_argument(c, windows[k], r);
    } else if (windows[k].buffer->object) {
      bool taken = false;
      for (int j = 0; j < k; j++) taken |= windows[j].buffer == windows[k].buffer && objects[j] == (PyObject*)windows[k].buffer->object;
      objects[k] = from_object(windows[k], r, taken);
    } else {
      bool seen = false;  // an earlier failed adoption took this buffer
      for (int j = 0; j < k; j++) seen |= windows[j].buffer == windows[k].buffer;
      if (!seen) adopt(v, windows, k, objects);
    }
    ok = ok && objects[k];
  }
  for (int k = 0; k < v->nresults && ok; k++) {
    const ResultLeaf& r = v->results[k];
    if (r.kind == ResultLeaf::ARRAY && !r.writable && r.same < 0 && objects[k] != none()) ((ArrayObject*)objects[k])->flags &= ~FLAG_WRITEABLE;
  }
  if (ok) identify(v, windows, objects);
  if (!ok || !wrap_results(c, kinds, objects)) for (int k = 0; k < v->nresults; k++) release(objects[k]), ok = false;
  return ok;
}

static PyObject* build_container(int op, int n, PyObject** items) {
  PyObject* out = op == BUILD_LIST ? PyList_New(n) : op == BUILD_DICT ? PyDict_New() : PyTuple_New(n);
  for (int k = 0; k < n; k++) {
    if (!out) { Py_DecRef(items[k]); continue; }
    if (op == BUILD_LIST) PyList_SetItem(out, k, items[k]);
    else if (op == BUILD_TUPLE || op == BUILD_CALL) PyTuple_SetItem(out, k, items[k]);
    else if (k % 2) { PyDict_SetItem(out, items[k - 1], items[k]); Py_DecRef(items[k - 1]); Py_DecRef(items[k]); }
  }
  if (op != BUILD_CALL || !out) return out;
  PyObject* cls = item(out, 0);  // the first item is what to call with the others
  PyObject* arguments = PyTuple_New(n - 1);
  for (int k = 1; arguments && k < n; k++) PyTuple_SetItem(arguments, k - 1, owned(item(out, k)));
  PyObject* made = arguments ? PyObject_Call(cls, arguments, nullptr) : nullptr;
  release(arguments);
  Py_DecRef(out);
  return made;
}

// Runs the little program of pairs that `runtime/build/native_dispatcher.py` made of `Program.structure`.
static PyObject* build_result(const Call* c) {
  const Variant* v = c->variant;
  PyObject** leaves = (PyObject**)__builtin_alloca((v->nresults + 1) * sizeof(PyObject*));
  PyObject** stack = (PyObject**)__builtin_alloca((v->nbuild + 1) * sizeof(PyObject*));  // every step pushes at most one
  if (!make_leaves(c, leaves)) return nullptr;
  if (!v->nbuild) return leaves[0];
  int top = 0;
  bool ok = true;
  for (int k = 0; k < v->nbuild && ok; k++) {
    const int op = v->build[2 * k], n = v->build[2 * k + 1];
    switch (op) {
      case BUILD_LEAF: stack[top++] = owned(leaves[n]); break;
      case BUILD_CONST: stack[top++] = owned(item(v->constants, n)); break;
      case BUILD_PARAM: {
        PyObject* array = c->nowned ? device_array_of(c, c->leaves[n]) : nullptr;
        stack[top++] = owned(array ? array : c->leaves[n]);
        break;
      }
      case BUILD_ARGUMENT: stack[top++] = owned(c->arguments[n]); break;
      case BUILD_EITHER: k += (int)PyLong_AsLongLong(leaves[n]); break;
      case BUILD_JUMP: k += n; break;
      default:
        top -= n;
        stack[top] = build_container(op, n, stack + top);
        ok = stack[top] != nullptr;
        top += ok;
    }
  }
  for (int k = 0; k < v->nresults; k++) Py_DecRef(leaves[k]);
  if (ok) return stack[0];
  while (top) Py_DecRef(stack[--top]);
  return nullptr;
}
#endif
