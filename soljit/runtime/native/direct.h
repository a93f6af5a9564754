// Calls of Python that the dispatcher makes by itself: arguments from words, the function called without a tuple, and a quick look
// at the result. What does not look as declared is left to `runtime/callbacks.py`.
//
// The commonest calls, of list items and the like, are shortcuts: what the function would do, done here. A shortcut that does not
// fit the objects at hand does nothing, and the function is called.
#ifndef SOLJIT_DIRECT_H
#define SOLJIT_DIRECT_H
#include "callback.h"

enum { FEW_ARGUMENTS = 16, GIL_TURNS = 4096 };

static thread_local bool gil_is_held;  // by the kernel that runs in this thread
static PyTypeObject* steps_type;

// An iteration that can be asked first: `steps` of base/objects.py.
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

static bool give_directly(const CallbackRecord& r, PyObject* result, int64_t* out) {
  Given objects[FEW_ARGUMENTS];
  int count = 0;
  int64_t* end = out;
  if (!look(r.direct->expected, result, &end, objects, &count)) return give_unexpected(r, result, out);
  for (int k = 0; k < count; k++) {
    if (give(objects[k])) continue;
    while (k--) drop_reference((sol_buffer*)objects[k].out[1]);
    PyErr_NoMemory();
    return false;
  }
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

// --- shortcuts -----------------------------------------------------------------------------------------------------------

static inline PyObject* object_operand(const Source& s, const int64_t* in) {
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

static Answer get_item(const CallbackRecord& r, PyObject* owner, Operands& in, int64_t* out) {
  const Source& key = r.direct->arguments[1];
  int64_t index;
  if (owner->ob_type == &PyDict_Type) {
    PyObject* k = make_argument(key, in);
    if (!k) return FAILED;
    PyObject* found = PyDict_GetItemWithError(owner, k);
    if (found) Py_IncRef(found);
    Py_DecRef(k);
    if (!found) return PyErr_Occurred() ? FAILED : NOT_HERE;
    const bool ok = give_directly(r, found, out);
    Py_DecRef(found);
    return answer(ok);
  }
  PyObject* found = index_operand(key, in.words, &index) ? sequence_item(owner, index) : nullptr;
  return found ? answer(give_directly(r, found, out)) : NOT_HERE;
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
  if (owner->ob_type != &PyDict_Type) return NOT_HERE;
  PyObject* name = make_argument(key, in);
  PyObject* o = name ? make_argument(value, in) : nullptr;
  const bool ok = o && PyDict_SetItem(owner, name, o) == 0;
  release(name);
  release(o);
  return answer(ok);
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
    default: return NOT_HERE;
  }
}

// --- the call ------------------------------------------------------------------------------------------------------------

static bool call_target(const CallbackRecord& r, Operands& in, int64_t* out) {
  const Direct& d = *r.direct;
  if (d.shortcut) {
    const Answer a = shortcut(r, in, out);
    if (a != NOT_HERE) return a == DONE;
  }
  PyObject* arguments[FEW_ARGUMENTS];
  int made = 0;
  while (made < d.count && (arguments[made] = make_argument(d.arguments[made], in))) made++;
  PyObject* result = made == d.count ? call_with(d.target, arguments, d.positional, d.names) : nullptr;
  while (made) Py_DecRef(arguments[--made]);
  const bool ok = result ? give_directly(r, result, out) : d.handler && give_status(r, out);
  release(result);
  return ok;
}

static bool call_directly(const Call* c, const CallbackRecord& r, const int64_t* words, int64_t* out) {
  Operands in;
  in.call = c;
  in.words = words;
  in.count = 0;
  const bool ok = call_target(r, in, out);
  while (in.count) {
    PyObject* o = in.arrays[--in.count];
    detach(o);  // if the callee has kept it
    Py_DecRef(o);
  }
  return ok;
}

static int32_t service_callback(sol_frame* frame, int32_t id, const int64_t* in, int64_t* out) {
  Call* c = (Call*)frame;
  const CallbackRecord& r = c->variant->callbacks[id];
  if (c->thread) PyEval_RestoreThread(c->thread);
  c->thread = nullptr;
  const bool ok = r.direct ? call_directly(c, r, in, out) : call_python(c, r, in, out);
  if (r.direct && !r.direct->arrays && ++c->turns % GIL_TURNS) {  // more will follow soon
    gil_is_held = true;
  } else {
    gil_is_held = false;
    c->thread = PyEval_SaveThread();
  }
  return ok ? SOL_OK : SOL_PYTHON;
}

// Before long work without Python.
static void service_let_go(sol_frame* frame) {
  Call* c = (Call*)frame;
  if (c->thread) return;
  gil_is_held = false;
  c->thread = PyEval_SaveThread();
}

static void service_drop(sol_buffer* b) {
  const bool held = gil_is_held;
  const int state = held ? 0 : PyGILState_Ensure();
  if (PyErr_Occurred()) {
    PendingError pending;
    free_buffer(b);
  } else {
    free_buffer(b);
  }
  if (!held) PyGILState_Release(state);
  gil_is_held = held;  // a destructor may have called another kernel
}
#endif
