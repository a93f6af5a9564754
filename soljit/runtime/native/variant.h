// A compiled variant as the dispatcher sees it: parsed once from the tuple that `runtime/build/native_dispatcher.py` builds.
//
// Invariant: every PyObject* here is borrowed from `spec`, which the dispatcher owns, so that the garbage collector need
// only visit `spec`.
#ifndef SOLJIT_VARIANT_H
#define SOLJIT_VARIANT_H
#include "captured.h"
#include "frame.h"
#include "numpy_abi.h"

enum NodeKind { NODE_ARRAY, NODE_SCALAR, NODE_STATIC, NODE_OBJECT, NODE_TUPLE, NODE_DICT, NODE_INSTANCE };
enum Order { ORDER_C, ORDER_F, ORDER_A };
enum { MAX_DIMS = 64, MAX_LEAVES = 64, MAX_PARAMS = 32, STACK_WORDS = 256, MOST_NESTED = 16 };

// An attribute that an instance must have from its class: `value`, or a method of this function.
struct Absent {
  PyObject *name, *value;
  bool method;
};

// One node of an argument's type, in depth-first order.
struct ArgNode {
  NodeKind kind;
  int type, ndim, order;      // array; scalar: type
  int still;                  // array: how many of its axes have stride 0
  bool writable, weak, list;
  bool shared;                // array: its own elements may overlap
  int group, same;            // array: group of overlapping arguments, number of the object if it occurs again; -1 for none
  int count;                  // children of a tuple, dict or instance
  int nabsent;                // instance: attributes that it has from its class
  Absent* absent;
  signed char rank[MAX_DIMS];
  PyObject* like;             // static: what other functions must have in common with the value: (code, defaults, globals, cells), or NULL
  PyObject* value;            // static: the value; object: of an array, the dtype of its elements; tuple: its class; dict and instance: keys
  PyTypeObject* cls;
};

struct ResultLeaf {
  enum Kind { ARRAY, SCALAR, PYTHON, OBJECT } kind;
  int type, ndim, base, same;
  bool writable;
  int itself;
};

// Leaf of a callback's operands or results.
struct CallbackLeaf {
  enum Kind { ARRAY, SCALAR, PYTHON, OBJECT } kind;
  int type, ndim;
};

// One argument of a call that the dispatcher makes by itself: an operand, a constant, or made of others.
struct Source {
  enum Kind { OPERAND, CONSTANT, TUPLE, LIST, CALL } kind;
  CallbackLeaf leaf;   // operand: what it is, and
  int at;              // where its words start
  PyObject* value;     // constant; what a CALL calls
  int64_t small;       // constant: its value, if it is an int of 64 bits
  int count;
  Source* parts;
};

// What the result of such a call must be. wanted: it has words.
struct Expected {
  enum Kind { NUMBER, NUMPY, OBJECT, NONE, TUPLE, OTHER, ANYTHING, ARRAY, FLOAT } kind;
  int type;
  bool wanted;
  PyTypeObject* cls;   // object: NULL for any; tuple: the class
  int ndim, flags;     // array: its flags must hold these
  int count;
  Expected* parts;
};

struct Direct {
  enum Shortcut {
    NO_SHORTCUT, GET_ITEM, SET_ITEM, APPEND, LENGTH, TRUTH, STEPS, HAS_NEXT, TAKE, SAME, CONTAINS, UNPACK, GET_ATTRIBUTE,
    SET_ATTRIBUTE, FILL, SET_PLAINLY, CODES, CHARACTER, LOOK, ENTER, COUNTED, BINARY = 32, COMPARISON = 64
  };
  int shortcut;        // BINARY and COMPARISON: with the number of the operation
  PyObject *target, *names, *unexpected, *handler;  // names: of keyword arguments, or NULL; handler: of exceptions, or NULL
  int count, positional;
  bool arrays;         // does it take arrays?
  Source* arguments;
  Expected expected;
};

struct CallbackRecord {
  PyObject* function;
  int nin, nout;
  CallbackLeaf *in, *out;
  Direct* direct;  // NULL: `function` is called
};

enum Build { BUILD_LEAF, BUILD_CONST, BUILD_PARAM, BUILD_ARGUMENT, BUILD_TUPLE, BUILD_LIST, BUILD_DICT, BUILD_CALL, BUILD_EITHER, BUILD_JUMP };

enum { MOST_TRIALS = 8 };

// What `trial.h` has seen of a variant so far, or of its calls with arguments of about one size.
struct Trial {
  bool running, in_python, decided, plainly;  // is a run timed, and is it one in Python?
  int runs, wins[2];
  double seconds[2], compiled;  // the least of all calls that count, in compiled code and in Python; of the last compiled run
  bool worth;                   // of a program of which parts call Python: they take almost all of its time
  int watched;                  // runs that were looked at to find that out
  uint64_t sizes;
};

// What `plainly.h` has seen: calls given up in a row, how many calls the last rest had, and how many of them are left; all calls
// that were given up, and those that were not tried.
struct Rest {
  int given_up, length, left;
  int64_t tried, untried;
};

struct Variant {
  PyObject* spec;
  int users;  // calls that run it now, and the dispatcher's list: freed when none is left
  int32_t (*kernel)(sol_frame*);
  int32_t (*guard)(const int64_t*);
  void (*set_threads)(int);
  sol_services services;  // what its kernel is offered
  int nnodes, nparams, narrays, nleaves, ncaptured, nfetched, nresults, ncallbacks, nbuild, in_words, out_words;
  int reports;                   // floating-point errors that raise are looked for: 1 by NumPy's state, 2 by warnings, too
  bool check_alias, check_objects, check_contents, has_groups, nested, instances;
  ArgNode* nodes;
  Captured *captured, *fetched;  // fetched: captured values that are passed as further arguments, and then their twins
  ResultLeaf* results;
  CallbackRecord* callbacks;
  int32_t* build;                // pairs (Build, operand); empty: the only leaf
  PyObject *constants, *fail;
  PyObject* changed;             // what is said of each array that Python code has changed: `still.h`
  PyObject* plain;               // the function itself, if it may be faster; NULL: it is not tried
  uint64_t put_back;             // arrays by their numbers: `put_back.h`
  enum Work { CALLS, IN_PARTS, SHORT } work;  // what a program does of which that matters: only parts of it call Python; each step runs at most once
  Trial trials[MOST_TRIALS];     // one, or with `in_parts` one for each size of arguments
  int ntrials, last_trial;
  Rest rest;
};

static inline int scalar_words(int type) { return type == C128 ? 2 : 1; }
static inline int operand_words(const CallbackLeaf& leaf) {
  return leaf.kind == CallbackLeaf::ARRAY ? 2 + 2 * leaf.ndim : leaf.kind == CallbackLeaf::OBJECT ? 1 : scalar_words(leaf.type);
}

// Rows: (0, type, ndim, order, rank, writable, group, still, shared, same) (1, type, weak) (2, value, likeness or None) (3, class) (4, count, class or None, list)
// (5, count, keys) (6, count, keys, class, attributes from the class)
static void parse_node(PyObject* row, ArgNode* n) {
  n->kind = (NodeKind)number(row, 0);
  n->group = n->same = -1;
  switch (n->kind) {
    case NODE_ARRAY: {
      n->type = (int)number(row, 1);
      n->ndim = (int)number(row, 2);
      n->order = (int)number(row, 3);
      for (int k = 0; k < n->ndim && n->order == ORDER_A; k++) n->rank[k] = (signed char)number(item(row, 4), k);
      n->writable = number(row, 5);
      n->group = (int)number(row, 6);
      n->still = (int)number(row, 7);
      n->shared = number(row, 8);
      n->same = (int)number(row, 9);
      break;
    }
    case NODE_SCALAR: n->type = (int)number(row, 1); n->weak = number(row, 2); break;
    case NODE_STATIC:
      n->value = item(row, 1);
      n->like = item(row, 2) == none() ? nullptr : item(row, 2);
      break;
    case NODE_OBJECT:
      n->cls = (PyTypeObject*)item(row, 1);
      n->value = item(row, 2) == none() ? nullptr : item(row, 2);
      n->ndim = (int)number(row, 3);
      break;
    case NODE_TUPLE:
      n->count = (int)number(row, 1);
      n->cls = item(row, 2) == none() ? nullptr : (PyTypeObject*)item(row, 2);
      n->list = number(row, 3);
      break;
    case NODE_DICT: n->count = (int)number(row, 1); n->value = item(row, 2); break;
    case NODE_INSTANCE: {
      n->count = (int)number(row, 1);
      n->value = item(row, 2);
      n->cls = (PyTypeObject*)item(row, 3);
      PyObject* rows = item(row, 4);
      n->nabsent = (int)PyTuple_Size(rows);
      n->absent = (Absent*)calloc(n->nabsent + 1, sizeof(Absent));
      for (int k = 0; k < n->nabsent; k++) n->absent[k] = {item(item(rows, k), 0), item(item(rows, k), 1), number(item(rows, k), 2) != 0};
      break;
    }
  }
}

static CallbackLeaf* parse_leaves(PyObject* rows, int* count) {
  *count = (int)PyTuple_Size(rows);
  CallbackLeaf* out = (CallbackLeaf*)calloc(*count + 1, sizeof(CallbackLeaf));
  for (int k = 0; k < *count; k++) {
    PyObject* row = item(rows, k);
    out[k] = {(CallbackLeaf::Kind)number(row, 0), (int)number(row, 1), (int)number(row, 2)};
  }
  return out;
}

static Source* parse_sources(PyObject* rows, const CallbackLeaf* in, int* count);

// Rows: (0, operand) (1, constant) (2, items of a tuple) (3, items of a list) (4, arguments, function)
static Source parse_source(PyObject* row, const CallbackLeaf* in) {
  Source s = {};
  s.kind = (Source::Kind)number(row, 0);
  if (s.kind == Source::OPERAND) {
    const int k = (int)number(row, 1);
    s.leaf = in[k];
    for (int j = 0; j < k; j++) s.at += operand_words(in[j]);
  } else if (s.kind == Source::CONSTANT) {
    s.value = item(row, 1);
    if (s.value->ob_type == &PyLong_Type) s.small = number(row, 1);
  } else {
    s.parts = parse_sources(item(row, 1), in, &s.count);
    if (s.kind == Source::CALL) s.value = item(row, 2);
  }
  return s;
}

static Source* parse_sources(PyObject* rows, const CallbackLeaf* in, int* count) {
  *count = (int)PyTuple_Size(rows);
  Source* out = (Source*)calloc(*count + 1, sizeof(Source));
  for (int k = 0; k < *count; k++) out[k] = parse_source(item(rows, k), in);
  return out;
}

// (kind, type, wanted, class or None, parts), an array's with (dimensions, order)
static Expected parse_expected(PyObject* row) {
  Expected e = {};
  e.kind = (Expected::Kind)number(row, 0);
  e.type = (int)number(row, 1);
  e.wanted = number(row, 2);
  e.cls = item(row, 3) == none() ? nullptr : (PyTypeObject*)item(row, 3);
  if (e.kind == Expected::ARRAY) {
    e.ndim = (int)number(row, 5);
    const int in_order[] = {FLAG_C, FLAG_F, 0};
    e.flags = in_order[number(row, 6)] | FLAG_ALIGNED | FLAG_WRITEABLE;
  }
  e.count = (int)PyTuple_Size(item(row, 4));
  e.parts = (Expected*)calloc(e.count + 1, sizeof(Expected));
  for (int k = 0; k < e.count; k++) e.parts[k] = parse_expected(item(item(row, 4), k));
  return e;
}

// (shortcut, target, number of positional arguments, names of the others or None, arguments, expected, unexpected, handler or None)
static Direct* parse_direct(PyObject* row, const CallbackLeaf* in, int nin) {
  if (row == none()) return nullptr;
  Direct* d = (Direct*)calloc(1, sizeof(Direct));
  d->shortcut = (int)number(row, 0);
  d->target = item(row, 1);
  d->positional = (int)number(row, 2);
  d->names = item(row, 3) == none() ? nullptr : item(row, 3);
  d->arguments = parse_sources(item(row, 4), in, &d->count);
  for (int k = 0; k < nin; k++) d->arrays |= in[k].kind == CallbackLeaf::ARRAY;
  d->expected = parse_expected(item(row, 5));
  d->unexpected = item(row, 6);
  d->handler = item(row, 7) == none() ? nullptr : item(row, 7);
  return d;
}

static void free_sources(Source* sources, int count) {
  for (int k = 0; k < count; k++) free_sources(sources[k].parts, sources[k].count);
  free(sources);
}

static void free_expected(const Expected& e) {
  for (int k = 0; k < e.count; k++) free_expected(e.parts[k]);
  free(e.parts);
}

static void free_callback(CallbackRecord& r) {
  if (r.direct) {
    free_sources(r.direct->arguments, r.direct->count);
    free_expected(r.direct->expected);
  }
  free(r.direct); free(r.in); free(r.out);
}

// Words of the argument leaves, counted from the nodes; the kernel was compiled for exactly these.
static void count_words(Variant* v) {
  for (int k = 0; k < v->nnodes; k++) {
    const ArgNode& n = v->nodes[k];
    if (n.kind == NODE_ARRAY) { v->in_words += 1 + 2 * n.ndim; v->narrays++; }
    if (n.kind == NODE_SCALAR) v->in_words += scalar_words(n.type);
    if (n.kind == NODE_OBJECT || n.kind == NODE_INSTANCE) v->in_words += 1;
    if (n.kind <= NODE_OBJECT || n.kind == NODE_INSTANCE) v->nleaves++;
    if (n.kind >= NODE_TUPLE) v->nested = true;
    if (n.kind == NODE_INSTANCE) v->instances = true;
    if (n.group >= 0) v->has_groups = true;
    if (v->nfetched) v->nested = true;  // fetched values, too, are held during the call
  }
  for (int k = 0; k < v->nresults; k++) {
    const ResultLeaf& r = v->results[k];
    v->out_words += r.kind == ResultLeaf::ARRAY || r.kind == ResultLeaf::OBJECT ? 2 + 2 * r.ndim : scalar_words(r.type);
  }
}

static void free_variant(Variant* v) {
  for (int k = 0; k < v->ncallbacks; k++) free_callback(v->callbacks[k]);
  for (int k = 0; k < v->nnodes; k++) free(v->nodes[k].absent);
  free(v->nodes); free(v->captured); free(v->fetched); free(v->results); free(v->callbacks); free(v->build);
  release(v->spec);
  free(v);
}

static inline void leave_variant(Variant* v) {
  if (--v->users == 0) free_variant(v);
}

// spec = (kernel, guard, set_threads, nparams, nodes, check_alias, captured, fetched, results, build, constants, callbacks, fail,
// library, function or None, Work, texts for `changed`, the device's table or 0, arrays for `put_back`)
static Variant* parse_variant(PyObject* spec) {
  Variant* v = (Variant*)calloc(1, sizeof(Variant));
  v->spec = owned(spec);
  v->users = 1;
  v->kernel = (int32_t(*)(sol_frame*))PyLong_AsVoidPtr(item(spec, 0));
  v->guard = (int32_t(*)(const int64_t*))PyLong_AsVoidPtr(item(spec, 1));
  v->set_threads = (void (*)(int))PyLong_AsVoidPtr(item(spec, 2));
  v->nparams = (int)number(spec, 3);
  PyObject* rows = item(spec, 4);
  v->nnodes = (int)PyTuple_Size(rows);
  v->nodes = (ArgNode*)calloc(v->nnodes + 1, sizeof(ArgNode));
  for (int k = 0; k < v->nnodes; k++) parse_node(item(rows, k), &v->nodes[k]);
  v->check_alias = number(spec, 5) & 1;
  v->check_objects = number(spec, 5) & 2;
  v->check_contents = number(spec, 5) & 4;
  v->reports = (int)number(spec, 5) >> 3;
  v->captured = parse_captured(item(spec, 6), &v->ncaptured);
  v->fetched = parse_captured(item(spec, 7), &v->nfetched);
  rows = item(spec, 8);
  v->nresults = (int)PyTuple_Size(rows);
  v->results = (ResultLeaf*)calloc(v->nresults + 1, sizeof(ResultLeaf));
  for (int k = 0; k < v->nresults; k++) {
    PyObject* row = item(rows, k);
    v->results[k] = {(ResultLeaf::Kind)number(row, 0), (int)number(row, 1), (int)number(row, 2), (int)number(row, 3),
                     (int)number(row, 4), number(row, 5) != 0, (int)number(row, 6)};
  }
  rows = item(spec, 9);
  v->nbuild = (int)PyTuple_Size(rows) / 2;
  v->build = (int32_t*)calloc(2 * v->nbuild + 1, sizeof(int32_t));
  for (int k = 0; k < 2 * v->nbuild; k++) v->build[k] = (int32_t)number(rows, k);
  v->constants = item(spec, 10);
  rows = item(spec, 11);
  v->ncallbacks = (int)PyTuple_Size(rows);
  v->callbacks = (CallbackRecord*)calloc(v->ncallbacks + 1, sizeof(CallbackRecord));
  for (int k = 0; k < v->ncallbacks; k++) {
    PyObject* row = item(rows, k);
    v->callbacks[k].function = item(row, 0);
    v->callbacks[k].in = parse_leaves(item(row, 1), &v->callbacks[k].nin);
    v->callbacks[k].out = parse_leaves(item(row, 2), &v->callbacks[k].nout);
    v->callbacks[k].direct = parse_direct(item(row, 3), v->callbacks[k].in, v->callbacks[k].nin);
  }
  v->fail = item(spec, 12);
  v->changed = item(spec, 16);
  v->services.device = (const struct sol_device_services*)PyLong_AsVoidPtr(item(spec, 17));
  v->plain = item(spec, 14) == none() ? nullptr : item(spec, 14);
  v->work = (Variant::Work)number(spec, 15);
  for (int k = 0; k < (int)PyTuple_Size(item(spec, 18)); k++) v->put_back |= (uint64_t)1 << number(item(spec, 18), k);
  count_words(v);
  if (PyErr_Occurred() || v->nleaves > MAX_LEAVES) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "too many argument leaves");
    free_variant(v);
    return nullptr;
  }
  return v;
}
#endif
