// Shortcuts: what the commonest functions of `operator`, of containers, attributes and iterations do, done here without a call.
// One that does not fit the objects at hand does nothing (`NOT_HERE`), and the function is called.
#ifndef SOLJIT_SHORTCUTS_H
#define SOLJIT_SHORTCUTS_H
#include "operands.h"

static PyTypeObject* steps_type;

// An iteration that can be asked first: `steps` of support/objects.py.
struct Steps : PyObject {
  PyObject *rest, *next;
};

static void steps_dealloc(PyObject* self) {
  PyTypeObject* type = self->ob_type;
  release(((Steps*)self)->rest);
  release(((Steps*)self)->next);
  PyObject_Free(self);
  Py_DecRef((PyObject*)type);
}

static PyType_Slot steps_slots[] = {{SLOT_DEALLOC, (void*)steps_dealloc}, {0, nullptr}};
static PyType_Spec steps_spec = {"soljit.runtime.Steps", sizeof(Steps), 0, TYPE_DEFAULT, steps_slots};

static PyObject* steps_of(PyObject* iterable) {
  PyObject* it = PyObject_GetIter(iterable);
  if (!it) return nullptr;
  Steps* made = (Steps*)PyType_GenericAlloc(steps_type, 0);
  if (made) made->rest = it;
  else Py_DecRef(it);
  return made;
}

// A constant, or an operand that is an object, borrowed; NULL: something else.
static inline PyObject* object_operand(const Source& s, const int64_t* in) {
  if (s.kind == Source::CONSTANT) return s.value;
  return s.kind == Source::OPERAND && s.leaf.kind == CallbackLeaf::OBJECT ? (PyObject*)in[s.at] : nullptr;
}

static inline bool index_operand(const Source& s, const int64_t* in, int64_t* index) {
  if (s.kind == Source::OPERAND && s.leaf.kind == CallbackLeaf::PYTHON && s.leaf.type == I64) *index = in[s.at];
  else if (s.kind == Source::CONSTANT && s.value->ob_type == &PyLong_Type) *index = s.small;
  else return false;
  return true;
}

// The item of a list or tuple, borrowed; NULL: Python shall look for it.
static inline PyObject* sequence_item(PyObject* o, int64_t k) {
  if (o->ob_type == &PyList_Type) {
    const Py_ssize_t n = PyList_Size(o);
    if (k < 0) k += n;
    return k < 0 || k >= n ? nullptr : PyList_GetItem(o, k);
  }
  if (o->ob_type == &PyTuple_Type) {
    const Py_ssize_t n = PyTuple_Size(o);
    if (k < 0) k += n;
    return k < 0 || k >= n ? nullptr : PyTuple_GetItem(o, k);
  }
  return nullptr;
}

enum Answer { NOT_HERE, DONE, FAILED };

static Answer answer(bool ok) { return ok ? DONE : FAILED; }

// A call's result, which is released; NULL: it has raised.
static Answer answer_with(const CallbackRecord& r, PyObject* result, int64_t* out) {
  const bool ok = result && give_directly(r, result, out);
  release(result);
  return answer(ok);
}

static Answer get_item(const CallbackRecord& r, PyObject* owner, Operands& in, int64_t* out) {
  const Source& key = r.direct->arguments[1];
  int64_t index;
  PyObject* found = index_operand(key, in.words, &index) ? sequence_item(owner, index) : nullptr;
  if (found) return answer(give_directly(r, found, out));
  PyObject* k = make_argument(key, in);
  if (!k) return FAILED;
  if (owner->ob_type == &PyDict_Type && (found = PyDict_GetItemWithError(owner, k))) Py_IncRef(found);
  else if (!PyErr_Occurred()) found = PyObject_GetItem(owner, k);
  Py_DecRef(k);
  return answer_with(r, found, out);
}

static Answer set_item(const CallbackRecord& r, PyObject* owner, Operands& in) {
  const Source &key = r.direct->arguments[1], &value = r.direct->arguments[2];
  int64_t k;
  if (owner->ob_type == &PyList_Type && index_operand(key, in.words, &k)) {
    const Py_ssize_t n = PyList_Size(owner);
    if (k < 0) k += n;
    if (k < 0 || k >= n) return NOT_HERE;
    PyObject* o = make_argument(value, in);
    return o ? answer(PyList_SetItem(owner, k, o) == 0) : FAILED;
  }
  PyObject* name = make_argument(key, in);
  PyObject* o = name ? make_argument(value, in) : nullptr;
  const bool ok = o && PyObject_SetItem(owner, name, o) == 0;
  release(name);
  release(o);
  return answer(ok);
}

// The items of a tuple or list, each for one target.
static Answer unpack(const CallbackRecord& r, PyObject* owner, int64_t* out) {
  const Expected& e = r.direct->expected;
  const bool list = owner->ob_type == &PyList_Type;
  if (e.kind != Expected::TUPLE || r.direct->arguments[2].small >= 0 || (!list && owner->ob_type != &PyTuple_Type)) return NOT_HERE;
  if ((list ? PyList_Size(owner) : PyTuple_Size(owner)) != e.count) return NOT_HERE;
  Given objects[FEW_ARGUMENTS];
  int count = 0;
  for (int k = 0; k < e.count; k++)
    if (!look(e.parts[k], list ? PyList_GetItem(owner, k) : PyTuple_GetItem(owner, k), &out, objects, &count)) return NOT_HERE;
  return answer(give_all(objects, count));
}

static PyObject* const_name(const Source& s) { return s.kind == Source::CONSTANT && s.value->ob_type == &PyUnicode_Type ? s.value : nullptr; }

// plainly: as `object.__setattr__` does it
static Answer set_attribute(const CallbackRecord& r, PyObject* owner, Operands& in, bool plainly) {
  PyObject* name = const_name(r.direct->arguments[1]);
  PyObject* value = name ? make_argument(r.direct->arguments[2], in) : nullptr;
  if (!name) return NOT_HERE;
  const bool ok = value && (plainly ? PyObject_GenericSetAttr(owner, name, value) : PyObject_SetAttr(owner, name, value)) == 0;
  release(value);
  return answer(ok);
}

// One of Python's numbers into an array, if it is of the type.
static bool put_number(PyObject* o, int type, char* data, Py_ssize_t k) {
  if (type == F64 && o->ob_type == &PyFloat_Type) {
    ((double*)data)[k] = PyFloat_AsDouble(o);
  } else if (type == I64 && o->ob_type == &PyLong_Type) {
    int overflow = 0;
    ((long long*)data)[k] = PyLong_AsLongLongAndOverflow(o, &overflow);
    return !overflow;
  } else if (type == B1 && (o == &_Py_TrueStruct || o == &_Py_FalseStruct)) {
    data[k] = o == &_Py_TrueStruct;
  } else if (type == C128 && o->ob_type == &PyComplex_Type) {
    ((double*)data)[2 * k] = PyComplex_RealAsDouble(o);
    ((double*)data)[2 * k + 1] = PyComplex_ImagAsDouble(o);
  } else {
    return false;
  }
  return true;
}

// All numbers of a list.
static bool put_numbers(PyObject* list, int type, char* data, Py_ssize_t at) {
  const Py_ssize_t n = PyList_Size(list);
  for (Py_ssize_t k = 0; k < n; k++)
    if (!put_number(PyList_GetItem(list, k), type, data, at + k)) return false;
  return true;
}

// The numbers of a list into an array, if they are all Python's of its type.
static Answer fill(PyObject* owner, const Source& to, const int64_t* in, int64_t* out) {
  if (to.kind != Source::OPERAND || to.leaf.kind != CallbackLeaf::ARRAY || owner->ob_type != &PyList_Type) return NOT_HERE;
  if (to.leaf.ndim != 1 || in[to.at + 2] != PyList_Size(owner)) return NOT_HERE;
  if (!put_numbers(owner, to.leaf.type, (char*)in[to.at], 0)) return NOT_HERE;
  *(char*)out = 1;
  return DONE;
}

// How many numbers of a type a list holds, or the lists in it do.
static Answer look(PyObject* owner, const Direct& d, int64_t* out) {
  const Source &depth = d.arguments[1], &name = d.arguments[2];
  if (owner->ob_type != &PyList_Type || depth.kind != Source::CONSTANT || name.kind != Source::CONSTANT) return NOT_HERE;
  Py_ssize_t size;
  const char* text = PyUnicode_AsUTF8AndSize(name.value, &size);
  if (!text) return FAILED;
  const int type = *text == 'f' ? F64 : *text == 'i' ? I64 : *text == 'b' ? B1 : C128;
  const bool nested = depth.small == 2;
  const Py_ssize_t n = nested ? PyList_Size(owner) : 1;
  int64_t total = 0;
  double number[2];
  for (Py_ssize_t k = 0; k < n; k++) {
    PyObject* row = nested ? PyList_GetItem(owner, k) : owner;
    if (row->ob_type != &PyList_Type) return NOT_HERE;
    const Py_ssize_t m = PyList_Size(row);
    for (Py_ssize_t j = 0; j < m; j++)
      if (!put_number(PyList_GetItem(row, j), type, (char*)number, 0)) return NOT_HERE;
    total += m;
  }
  *out = total;
  return DONE;
}

// How many items a list holds, or the lists in it do.
static Answer counted(PyObject* owner, const Direct& d, int64_t* out) {
  if (owner->ob_type != &PyList_Type || d.arguments[1].kind != Source::CONSTANT) return NOT_HERE;
  const Py_ssize_t n = PyList_Size(owner);
  int64_t total = d.arguments[1].small == 2 ? 0 : n;
  for (Py_ssize_t k = 0; k < n && d.arguments[1].small == 2; k++) {
    PyObject* row = PyList_GetItem(owner, k);
    if (row->ob_type != &PyList_Type) return NOT_HERE;
    total += PyList_Size(row);
  }
  *out = total;
  return DONE;
}

// These numbers into an array, and how many each of the lists holds into another one.
static Answer enter(PyObject* owner, const Direct& d, const int64_t* in, int64_t* out) {
  const Source &to = d.arguments[2], &sizes = d.arguments[3];
  if (to.kind != Source::OPERAND || to.leaf.kind != CallbackLeaf::ARRAY || owner->ob_type != &PyList_Type) return NOT_HERE;
  char* data = (char*)in[to.at];
  Py_ssize_t left = in[to.at + 2];
  if (sizes.kind != Source::OPERAND) {
    if (PyList_Size(owner) != left || !put_numbers(owner, to.leaf.type, data, 0)) return NOT_HERE;
  } else {
    const Py_ssize_t n = PyList_Size(owner);
    if (sizes.leaf.kind != CallbackLeaf::ARRAY || sizes.leaf.type != I64 || in[sizes.at + 2] != n) return NOT_HERE;
    int64_t* counts = (int64_t*)in[sizes.at];
    Py_ssize_t at = 0;
    for (Py_ssize_t k = 0; k < n; k++) {
      PyObject* row = PyList_GetItem(owner, k);
      if (row->ob_type != &PyList_Type) return NOT_HERE;
      counts[k] = PyList_Size(row);
      if (counts[k] > left - at || !put_numbers(row, to.leaf.type, data, at)) return NOT_HERE;
      at += counts[k];
    }
  }
  *(char*)out = 1;
  return DONE;
}

static PyObject* is_ascii;  // `str.isascii`

// The codes of bytes, or of a text in ASCII, where they lie in the object, which is held for as long as they are used.
static Answer codes(const CallbackRecord& r, PyObject* owner, int64_t* out) {
  if (r.nout != 1 || r.out[0].kind != CallbackLeaf::ARRAY || r.out[0].type != U8) return NOT_HERE;
  const char* data;
  Py_ssize_t n;
  if (owner->ob_type == &PyBytes_Type) {
    data = PyBytes_AsString(owner);
    n = PyBytes_Size(owner);
  } else if (owner->ob_type == &PyUnicode_Type) {
    if (!is_ascii && !(is_ascii = PyObject_GetAttrString((PyObject*)&PyUnicode_Type, "isascii"))) return FAILED;
    PyObject* ascii = call_with(is_ascii, &owner, 1, nullptr);
    release(ascii);
    if (ascii != &_Py_TrueStruct) return ascii ? NOT_HERE : FAILED;
    data = PyUnicode_AsUTF8AndSize(owner, &n);
  } else {
    return NOT_HERE;
  }
  if (!data || !give_object(owner, out)) return FAILED;
  ((sol_buffer*)out[1])->data = (void*)data;
  out[0] = (int64_t)data;
  out[2] = n;
  out[3] = 1;
  return DONE;
}

static Answer character(const CallbackRecord& r, const Source& code, const int64_t* in, int64_t* out) {
  int64_t k;
  return index_operand(code, in, &k) && k >= 0 && k <= 0x10ffff ? answer_with(r, PyUnicode_FromOrdinal((int)k), out) : NOT_HERE;
}

// `a <op> b`: what the functions of `operator` do.
static Answer operate(const CallbackRecord& r, Operands& in, int64_t* out) {
  static PyObject* (*const functions[])(PyObject*, PyObject*) = {
      PyNumber_Add, PyNumber_Subtract, PyNumber_Multiply, PyNumber_TrueDivide, PyNumber_FloorDivide, PyNumber_Remainder,
      PyNumber_Lshift, PyNumber_Rshift, PyNumber_And, PyNumber_Or, PyNumber_Xor};
  const int which = r.direct->shortcut;
  PyObject* a = make_argument(r.direct->arguments[0], in);
  PyObject* b = a ? make_argument(r.direct->arguments[1], in) : nullptr;
  PyObject* result = nullptr;
  if (b) result = which >= Direct::COMPARISON ? PyObject_RichCompare(a, b, which - Direct::COMPARISON) : functions[which - Direct::BINARY](a, b);
  release(a);
  release(b);
  return answer_with(r, result, out);
}

static Answer step(const CallbackRecord& r, PyObject* owner, int64_t* out) {
  Steps* s = (Steps*)owner;
  PyObject* old = s->next;
  s->next = PyIter_Next(s->rest);
  release(old);
  if (!s->next && PyErr_Occurred()) return FAILED;
  *(char*)out = s->next != nullptr;
  return DONE;
}

// Do without a call what the function would do, if the first argument is a fitting object.
static Answer shortcut(const CallbackRecord& r, Operands& in, int64_t* out) {
  const Direct& d = *r.direct;
  if (d.shortcut >= Direct::BINARY) return operate(r, in, out);
  if (d.shortcut == Direct::CHARACTER) return character(r, d.arguments[0], in.words, out);
  PyObject* owner = object_operand(d.arguments[0], in.words);
  if (!owner) return NOT_HERE;
  switch (d.shortcut) {
    case Direct::GET_ITEM: return get_item(r, owner, in, out);
    case Direct::SET_ITEM: return set_item(r, owner, in);
    case Direct::APPEND: {
      if (owner->ob_type != &PyList_Type) return NOT_HERE;
      PyObject* o = make_argument(d.arguments[1], in);
      const bool ok = o && PyList_Append(owner, o) == 0;
      release(o);
      return answer(ok);
    }
    case Direct::LENGTH: {
      const Py_ssize_t n = PyObject_Size(owner);
      *out = n;
      return answer(n >= 0);
    }
    case Direct::TRUTH: {
      const int x = PyObject_IsTrue(owner);
      *(char*)out = x == 1;
      return answer(x >= 0);
    }
    case Direct::STEPS: {
      PyObject* made = steps_of(owner);
      const bool ok = made && give_object(made, out);
      release(made);
      return answer(ok);
    }
    case Direct::HAS_NEXT: return owner->ob_type == steps_type ? step(r, owner, out) : NOT_HERE;
    case Direct::TAKE: return owner->ob_type == steps_type ? answer(give_directly(r, ((Steps*)owner)->next, out)) : NOT_HERE;
    case Direct::SAME: return answer(give_directly(r, owner, out));
    case Direct::CONTAINS: {
      PyObject* o = make_argument(d.arguments[1], in);
      const int x = o ? PySequence_Contains(owner, o) : -1;
      release(o);
      *(char*)out = x == 1;
      return answer(x >= 0);
    }
    case Direct::UNPACK: return unpack(r, owner, out);
    case Direct::GET_ATTRIBUTE: {
      PyObject* name = const_name(d.arguments[1]);
      return name ? answer_with(r, PyObject_GetAttr(owner, name), out) : NOT_HERE;
    }
    case Direct::SET_ATTRIBUTE: return set_attribute(r, owner, in, false);
    case Direct::SET_PLAINLY: return set_attribute(r, owner, in, true);
    case Direct::CODES: return codes(r, owner, out);
    case Direct::FILL: return fill(owner, d.arguments[1], in.words, out);
    case Direct::LOOK: return look(owner, d, out);
    case Direct::COUNTED: return counted(owner, d, out);
    case Direct::ENTER: return enter(owner, d, in.words, out);
    default: return NOT_HERE;
  }
}
#endif
