// Does a call fit a variant? One pass over the arguments checks types and fills the words.
#ifndef SOLJIT_MATCH_H
#define SOLJIT_MATCH_H
#include "error_states.h"
#include "parameters.h"

// One call in progress. `frame` comes first: the services find the call from the frame.
// A bit generator whose lock is held, and what releases it. A generator of Python's, for which the GIL is held, and what it keeps.
struct Locked {
  PyObject *bits, *unlock;
  sol_kept kept, before;
};

struct Call {
  sol_frame frame;
  Variant* variant;
  const Parameters* parameters;
  double begin;                      // when its arguments began to be looked at, if `is_short_and_open`
  PyObject* const* arguments;        // one for each parameter
  PyThreadState* thread;             // NULL while the kernel holds the GIL
  int64_t turns;                     // calls of Python for which it was kept
  int64_t failed;                    // the call back that raised, or -1
  double look_at;                    // when signals are looked for next; 0: it has just begun (`signals.h`)
  int nleaves, narrays, ncontainers;
  PyObject* containers[MAX_LEAVES];  // lists, dicts and instances that were taken apart, and objects: held
  bool taken_apart[MAX_LEAVES];
  PyObject* leaves[MAX_LEAVES];      // held, if `variant->nested` or fetched; else borrowed from the caller
  int array_leaf[MAX_LEAVES], array_node[MAX_LEAVES];
  int nowned;                        // device arrays among the leaves, see device_arrays.h
  PyObject* owned[MAX_LEAVES];       // borrowed
  int owned_leaf[MAX_LEAVES];
  PyObject *keeps, *views;           // the device on which results stay without one, or NULL; views of the host's memory, held
  const char *lo[MAX_LEAVES], *hi[MAX_LEAVES];
  int64_t* word;                     // where the next argument word goes
  int nlocked;                       // while the kernel runs
  Locked locked[SOL_STREAMS];
};

// Of slices and ranges: 0.0 is not -0.0, 1 is not True, and ranges with the same numbers may end elsewhere.
static bool same_ends(PyObject* now, PyObject* then) {
  static const char* const names[] = {"start", "stop", "step"};
  for (const char* name : names) {
    PyObject* a = PyObject_GetAttrString(now, name);
    PyObject* b = PyObject_GetAttrString(then, name);
    const bool same = a && b && same_value(a, b);
    release(a);
    release(b);
    if (!same) return false;
  }
  return true;
}

// No `__eq__` of the program is asked. What else may be the same (dtypes that are made anew), the slow path compares.
static bool same_static(PyObject* now, PyObject* then) {
  if (same_value(now, then)) return true;
  PyTypeObject* t = now->ob_type;
  if (t != then->ob_type) return false;
  if (t == &PySlice_Type || t == &PyRange_Type) return same_ends(now, then);
  return t == &PyBytes_Type && PyObject_RichCompareBool(now, then, 2) == 1;
}

// rank_of of ir/core/signature.py: an axis of length 1 has no say, those of stride 0 are the fastest.
static bool has_rank(const ArgNode& n, const ArrayObject* a) {
  int order[MAX_DIMS], count = 0;  // from fastest to slowest
  for (int axis = n.ndim - 1; axis >= 0; axis--) {
    if (a->strides[axis] == 0 && a->dimensions[axis] != 1) order[count++] = axis;
  }
  if (count != n.still) return false;
  for (int axis = n.ndim - 1; axis >= 0; axis--) {
    if (a->strides[axis] == 0 && a->dimensions[axis] != 1) continue;
    int i = count++, place = i;
    int64_t t = a->dimensions[axis] == 1 ? 0 : llabs(a->strides[axis]);
    for (int k = i - 1; k >= n.still && t; k--) {
      int64_t s = a->dimensions[order[k]] == 1 ? 0 : llabs(a->strides[order[k]]);
      if (0 < s && s <= t) break;
      if (s) place = k;
    }
    for (int k = i; k > place; k--) order[k] = order[k - 1];
    order[place] = axis;
  }
  for (int k = 0; k < n.ndim; k++) if (order[n.ndim - 1 - k] != n.rank[k]) return false;
  return true;
}

// shares_elements of ir/core/signature.py.
static bool shares_elements(const ArrayObject* a) {
  int64_t reach = 0;
  bool passed[MAX_DIMS] = {};
  for (int turn = 0; turn < a->nd; turn++) {
    int next = -1;
    for (int k = 0; k < a->nd; k++) {
      if (!passed[k] && (next < 0 || llabs(a->strides[k]) < llabs(a->strides[next]))) next = k;
    }
    passed[next] = true;
    if (a->dimensions[next] == 1) continue;
    int64_t step = llabs(a->strides[next]);
    if (step <= reach) return true;
    reach += (a->dimensions[next] - 1) * step;
  }
  return false;
}

static PyTypeObject* device_array_type;  // `sol.Array`, once there are any
static Py_ssize_t host_array_at;         // the offset of its array in host memory

static inline PyObject* device_array_host(PyObject* o) { return *(PyObject**)((char*)o + host_array_at); }

// The host's array of a device array, which is written down; NULL for anything else.
static PyObject* enter_device_array(Call* c, PyObject* o) {
  if (o->ob_type != device_array_type) return nullptr;
  c->owned[c->nowned] = o;
  c->owned_leaf[c->nowned++] = c->nleaves;
  return device_array_host(o);
}

static bool match_array(Call* c, const ArgNode& n, int node, PyObject* o) {
  ArrayObject* a = (ArrayObject*)o;
  if (a->nd != n.ndim || array_element(a) != n.type) return false;
  int flags = a->flags;
  if (!(flags & FLAG_ALIGNED) || !(flags & FLAG_WRITEABLE) == n.writable) return false;
  int order = flags & FLAG_C ? ORDER_C : flags & FLAG_F ? ORDER_F : ORDER_A;
  if (order != n.order) return false;
  const int size = type_size[n.type];
  if (order == ORDER_A) {
    for (int k = 0; k < n.ndim; k++) if (a->strides[k] % size) return false;
    if (!has_rank(n, a) || shares_elements(a) != n.shared) return false;
  }
  int64_t* w = c->word;
  *w++ = (int64_t)a->data;
  for (int k = 0; k < n.ndim; k++) w[k] = a->dimensions[k];
  for (int k = 0; k < n.ndim; k++) w[n.ndim + k] = a->strides[k];
  c->word = w + 2 * n.ndim;
  c->array_leaf[c->narrays] = c->nleaves;
  c->array_node[c->narrays] = node;
  c->narrays++;
  return true;
}

static bool same_dtype(PyObject* now, PyObject* then);

static bool same_part(PyObject* now, PyObject* then, bool dtypes) {
  const bool same = now && then && (dtypes ? same_dtype(now, then) : now == then);
  release(now);
  release(then);
  return same;
}

// `==` of dtypes leaves out alignment and the class of records. (Metadata are read when the program runs.)
static bool same_dtype(PyObject* now, PyObject* then) {
  if (now == then) return true;
  if (PyObject_RichCompareBool(now, then, 2) != 1) return false;
  static const char* const parts[] = {"type", "isalignedstruct"};
  for (const char* name : parts)
    if (!same_part(PyObject_GetAttrString(now, name), PyObject_GetAttrString(then, name), false)) return false;
  PyObject* names = PyObject_GetAttrString(now, "names");
  bool same = names != nullptr;
  for (Py_ssize_t k = 0; same && names != none() && k < PyTuple_Size(names); k++)
    same = same_part(PyObject_GetItem(now, item(names, k)), PyObject_GetItem(then, item(names, k)), true);
  release(names);
  // of a field that is an array of others
  PyObject* base = same ? PyObject_GetAttrString(now, "base") : nullptr;
  if (base && base != now) return same_part(base, PyObject_GetAttrString(then, "base"), true);
  release(base);
  return same;
}

// Arrays whose elements are of no type of ours are objects.
static bool is_array_of(const ArgNode& n, ArrayObject* a) {
  return a->nd == n.ndim && same_dtype((PyObject*)a->descr, n.value);
}

static bool same_name(PyObject* now, PyObject* then, const char* name) {
  PyObject* a = PyObject_GetAttrString(now, name);
  PyObject* b = PyObject_GetAttrString(then, name);
  const bool same = a && b && same_value(a, b);
  release(a);
  release(b);
  return same;
}

static bool same_globals_and_code(PyObject* now, PyObject* then) {
  return PyFunction_GetCode(now) == PyFunction_GetCode(then) && PyFunction_GetGlobals(now) == PyFunction_GetGlobals(then);
}

// Of a default value that nobody has looked at further, if it is a function.
static bool same_default(PyObject* now, PyObject* then) {
  if (now->ob_type != &PyFunction_Type || then->ob_type != &PyFunction_Type) return same_value(now, then);
  return now == then || (same_globals_and_code(now, then) && !PyFunction_GetDefaults(now) && !PyFunction_GetDefaults(then));
}

// Is it a function made from the same code, or the very one, and still as it was when the variant was linked? (`runtime/variants/made_anew.py`)
static bool is_like(PyObject* o, const ArgNode& n) {
  if (o->ob_type != &PyFunction_Type || PyFunction_GetCode(o) != item(n.like, 0) || PyFunction_GetGlobals(o) != item(n.like, 2)) return false;
  PyObject *defaults = PyFunction_GetDefaults(o), *then = item(n.like, 1), *keywords = PyFunction_GetKwDefaults(o);
  if (keywords && keywords != none() && PyDict_Size(keywords)) return false;
  if ((defaults ? defaults : none()) != then) {
    if (!defaults || then == none() || PyTuple_Size(defaults) != PyTuple_Size(then)) return false;
    for (Py_ssize_t k = 0; k < PyTuple_Size(then); k++) if (!same_default(item(defaults, k), item(then, k))) return false;
  }
  PyObject *cells = item(n.like, 3), *closure = PyFunction_GetClosure(o);
  for (Py_ssize_t k = 0; k < PyTuple_Size(cells); k++) {
    PyObject* cell = item(cells, k);
    PyObject* now = PyCell_Get(item(closure, number(cell, 0)));
    const bool same = number(cell, 2) ? same_value(now, item(cell, 1)) : !now;
    release(now);
    if (!same) return false;
  }
  return o == n.value || (same_name(o, n.value, "__name__") && same_name(o, n.value, "__qualname__"));
}

// The value that is fetched from an argument, a new reference; NULL if absent.
static PyObject* fetched_from_leaf(const Call* c, const Captured& d) {
  PyObject* leaf = c->leaves[d.leaf];
  return d.look == LOOK_LEAF ? owned(leaf) : PyCell_Get(item(PyFunction_GetClosure(leaf), d.cell));
}

static bool match_scalar(Call* c, const ArgNode& n, PyObject* o) {
  int64_t* w = c->word;
  w[0] = 0;
  if (!n.weak) {
    if (o->ob_type != scalar_type[n.type] && o->ob_type != scalar_alias[n.type]) return false;
    scalar_value(o, w);
  } else if (n.type == F64) {
    if (o->ob_type != &PyFloat_Type) return false;
    double x = PyFloat_AsDouble(o);
    memcpy(w, &x, 8);
  } else if (n.type == I64) {
    if (o->ob_type != &PyLong_Type) return false;
    int overflow = 0;
    long long x = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow) return false;
    w[0] = x;
  } else if (n.type == B1) {
    if (o != &_Py_TrueStruct && o != &_Py_FalseStruct) return false;
    *(char*)w = o == &_Py_TrueStruct;
  } else if (n.type == C128) {
    if (o->ob_type != &PyComplex_Type) return false;
    double x[2] = {PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o)};
    memcpy(w, x, 16);
  } else {
    return false;
  }
  c->word = w + scalar_words(n.type);
  return true;
}

static inline void add_leaf(Call* c, PyObject* o) {
  c->leaves[c->nleaves++] = c->variant->nested ? owned(o) : o;
}

// A list, dict or instance that is taken apart must be met only once: what changes under one name changes under the other.
static bool met_once(Call* c, PyObject* o, bool taken_apart) {
  if (c->ncontainers == MAX_LEAVES) return false;
  for (int k = 0; k < c->ncontainers; k++)
    if (c->containers[k] == o && (taken_apart || c->taken_apart[k])) return false;
  c->taken_apart[c->ncontainers] = taken_apart;
  c->containers[c->ncontainers++] = owned(o);
  return true;
}

// Has an instance no attribute of its own that hides one of its class?
static bool is_of_the_class(PyObject* o, const Absent& a) {
  PyObject* value = PyObject_GetAttr(o, a.name);
  if (!value) { forget_error(); return false; }
  const bool fits = !a.method ? same_value(value, a.value)
                              : value->ob_type == &PyMethod_Type && PyMethod_Function(value) == a.value && PyMethod_Self(value) == o;
  Py_DecRef(value);
  return fits;
}

// Match the node at *at and everything below it against `o`; on success *at is the next node.
static bool match_node(Call* c, int* at, PyObject* o) {
  int node = *at;
  const ArgNode& n = c->variant->nodes[node];
  *at = node + 1;
  switch (n.kind) {
    case NODE_ARRAY:
      if (!is_array(o) && !(o = enter_device_array(c, o))) return false;
      if (!match_array(c, n, node, o)) return false;
      add_leaf(c, o);
      return true;
    case NODE_SCALAR:
      if (!match_scalar(c, n, o)) return false;
      add_leaf(c, o);
      return true;
    case NODE_STATIC:
      if (n.like ? !is_like(o, n) : !same_static(o, n.value)) return false;
      add_leaf(c, o);
      return true;
    case NODE_OBJECT:
      if (o->ob_type != n.cls) return false;
      if (n.value && !is_array_of(n, (ArrayObject*)o)) return false;
      if (c->variant->nested && !met_once(c, o, false)) return false;
      *c->word++ = (int64_t)o;
      add_leaf(c, o);
      return true;
    case NODE_TUPLE: {
      PyTypeObject* expected = n.cls ? n.cls : n.list ? &PyList_Type : &PyTuple_Type;
      if (o->ob_type != expected || (n.list ? PyList_Size(o) : PyTuple_Size(o)) != n.count) return false;
      if (n.list && !met_once(c, o, true)) return false;
      for (int k = 0; k < n.count; k++)
        if (!match_node(c, at, n.list ? PyList_GetItem(o, k) : PyTuple_GetItem(o, k))) return false;
      return true;
    }
    case NODE_DICT: {
      if (o->ob_type != &PyDict_Type || PyDict_Size(o) != n.count || !met_once(c, o, true)) return false;
      Py_ssize_t place = 0;
      PyObject *key, *value;
      for (int k = 0; PyDict_Next(o, &place, &key, &value); k++) {
        if (!same_value(key, item(n.value, k))) return false;
        if (!match_node(c, at, value)) return false;
      }
      return true;
    }
    case NODE_INSTANCE:
      if (o->ob_type != n.cls || !met_once(c, o, true)) return false;
      *c->word++ = (int64_t)o;
      add_leaf(c, o);
      for (int k = 0; k < n.nabsent; k++) if (!is_of_the_class(o, n.absent[k])) return false;
      for (int k = 0; k < n.count; k++) {
        PyObject* value = PyObject_GetAttr(o, item(n.value, k));
        if (!value) { forget_error(); return false; }
        bool fits = match_node(c, at, value);
        release(value);
        if (!fits) return false;
      }
      return true;
  }
  return false;
}

static bool overlap(const Call* c, int i, int j) {
  const ArgNode* nodes = c->variant->nodes;
  if (!nodes[c->array_node[i]].writable && !nodes[c->array_node[j]].writable) return false;
  return c->lo[i] < c->hi[j] && c->lo[j] < c->hi[i];
}

// Are exactly those arguments overlapping that the variant was compiled for?
static bool match_alias(Call* c) {
  const ArgNode* nodes = c->variant->nodes;
  for (int i = 0; i < c->narrays; i++)
    extent((ArrayObject*)c->leaves[c->array_leaf[i]], type_size[nodes[c->array_node[i]].type], &c->lo[i], &c->hi[i]);
  if (!c->variant->has_groups) {
    for (int i = 1; i < c->narrays; i++)
      for (int j = 0; j < i; j++) if (overlap(c, i, j)) return false;
    return true;
  }
  int group[MAX_LEAVES], number_of[MAX_LEAVES], next = 0;
  for (int i = 0; i < c->narrays; i++) group[i] = i;
  for (int i = 1; i < c->narrays; i++)
    for (int j = 0; j < i; j++)
      if (overlap(c, i, j) && group[i] != group[j])
        for (int k = 0, from = group[i], to = group[j]; k < c->narrays; k++) if (group[k] == from) group[k] = to;
  for (int i = 0; i < c->narrays; i++) number_of[i] = -1;
  for (int i = 0; i < c->narrays; i++) {
    int members = 0;
    for (int j = 0; j < c->narrays; j++) members += group[j] == group[i];
    int expected = nodes[c->array_node[i]].group;
    if (members == 1) { if (expected != -1) return false; continue; }
    if (number_of[group[i]] < 0) number_of[group[i]] = next++;
    if (expected != number_of[group[i]]) return false;
  }
  return true;
}

static bool is_taken_apart(const Call* c, PyObject* o) {
  for (int k = 0; k < c->ncontainers; k++) if (c->taken_apart[k] && c->containers[k] == o) return true;
  return false;
}

// Does an object hold a list, dict or instance that was taken apart? As `_holds` of arguments.py.
static bool holds(const Call* c, PyObject* o, int depth) {
  PyTypeObject* t = o->ob_type;
  const bool is_list = t == &PyList_Type;
  if (!is_list && t != &PyTuple_Type && t != &PyDict_Type) return false;
  if (depth == MOST_NESTED) return true;
  PyObject *key, *x;
  if (t == &PyDict_Type) {
    Py_ssize_t place = 0;
    while (PyDict_Next(o, &place, &key, &x)) if (is_taken_apart(c, x) || holds(c, x, depth + 1)) return true;
    return false;
  }
  const Py_ssize_t n = is_list ? PyList_Size(o) : PyTuple_Size(o);
  for (Py_ssize_t k = 0; k < n; k++) {
    x = is_list ? PyList_GetItem(o, k) : PyTuple_GetItem(o, k);
    if (is_taken_apart(c, x) || holds(c, x, depth + 1)) return true;
  }
  return false;
}

// The same of the attributes of an instance.
static bool object_holds(const Call* c, PyObject* o) {
  if (holds(c, o, 0)) return true;
  PyTypeObject* t = o->ob_type;
  if (t == &PyList_Type || t == &PyTuple_Type || t == &PyDict_Type || is_array(o)) return false;
  PyObject* attributes = PyObject_GenericGetDict(o, nullptr);
  if (!attributes) { forget_error(); return false; }
  const bool found = holds(c, attributes, 0);
  Py_DecRef(attributes);
  return found;
}

static bool match_containers(const Call* c) {
  bool any = false;
  for (int k = 0; k < c->ncontainers; k++) any |= c->taken_apart[k];
  if (!any) return true;
  for (int k = 0; k < c->ncontainers; k++) if (!c->taken_apart[k] && object_holds(c, c->containers[k])) return false;
  return true;
}

// Are exactly those arguments one array object that were when the variant was compiled?
static bool match_objects(const Call* c) {
  const ArgNode* nodes = c->variant->nodes;
  for (int i = 0; i < c->narrays; i++) {
    const int same = nodes[c->array_node[i]].same;
    bool alone = true;
    for (int j = 0; j < c->narrays; j++) {
      if (i == j || c->leaves[c->array_leaf[i]] != c->leaves[c->array_leaf[j]]) continue;
      if (nodes[c->array_node[j]].same != same) return false;
      alone = false;
    }
    if (alone != (same < 0)) return false;
  }
  return true;
}

static void release_leaves(Call* c) {
  for (int k = 0; k < c->ncontainers; k++) Py_DecRef(c->containers[k]);
  c->ncontainers = 0;
  if (c->variant->nested) for (int k = 0; k < c->nleaves; k++) Py_DecRef(c->leaves[k]);
  c->nleaves = 0;
}

static bool is_leaf(const Call* c, int k, PyObject* o) {
  return (o->ob_type == device_array_type ? device_array_host(o) : o) == c->leaves[k];
}

// Types, captured values, overlap and guards: everything that must hold before the kernel may run. Words go to `words`.
static bool match(Call* c, Variant* v, PyObject* const* arguments, int64_t* words) {
  c->variant = v;
  c->arguments = arguments;
  c->nleaves = c->narrays = c->ncontainers = c->nowned = 0;
  c->word = words;
  int at = 0;
  if (v->instances && !captured_hold(v->captured, v->ncaptured)) goto no;  // else reading their attributes might run code
  for (int k = 0; k < v->nparams; k++) if (!match_node(c, &at, arguments[k])) goto no;
  if (!v->instances && !captured_hold(v->captured, v->ncaptured)) goto no;
  if (v->reports && !errors_are_quiet(v->reports > 1)) goto no;
  for (int k = 0, first = c->nleaves; k < v->nfetched; k++) {
    PyObject* value = v->fetched[k].look < LOOK_LEAF ? captured_now(v->fetched[k]) : fetched_from_leaf(c, v->fetched[k]);
    const int twin = v->fetched[k].twin;
    bool fits = value && (twin < 0 ? match_node(c, &at, value) : is_leaf(c, first + twin, value));
    release(value);  // the leaf holds it
    if (!fits) goto no;
  }
  if (v->check_contents && c->ncontainers && !match_containers(c)) goto no;
  if (v->check_alias && c->narrays > 1 && !match_alias(c)) goto no;
  if (v->check_objects && !match_objects(c)) goto no;
  if (v->guard && !v->guard(words)) goto no;
  return true;
no:
  release_leaves(c);
  return false;
}
#endif
