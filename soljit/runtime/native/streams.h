// Random generators from which a kernel draws without Python.
//
// A stream is open while the kernel holds the lock of its bit generator, as NumPy's own methods hold it during a draw. It is closed before any Python
// code runs in this thread, since that may draw, too, or give the generator another state or another bit generator. A lock that
// another thread has is not waited for: the draw goes the way through Python, which waits, so that nobody waits here who holds a lock.
#ifndef SOLJIT_STREAMS_H
#define SOLJIT_STREAMS_H
#include "match.h"

static thread_local bool gil_is_held;      // by the kernel that runs in this thread
static thread_local Call* drawing;         // the call in this thread that has open streams, or NULL
static PyObject* stream_layout;            // gives what `layout` in `support/random_streams.py` describes
static PyObject* stream_classes;           // that, once it was asked for

// While locks are held no object may be finalized: that may run Python code.
struct NoCollection {
  const int before;
  NoCollection() : before(PyGC_Disable()) {}
  ~NoCollection() { if (before) PyGC_Enable(); }
};

static const char kept_name[] = "gauss_next";

static PyObject* attribute(PyObject* o, const char* name) { return o ? PyObject_GetAttrString(o, name) : nullptr; }

// A kernel begins; gives the call around it that draws, if there is one.
static Call* begin_streams(Call* c) {
  Call* outer = drawing;
  drawing = nullptr;
  for (sol_stream& s : c->frame.streams) s = {};
  c->nlocked = 0;
  return outer;
}

// Python's generators keep their second normal number in an attribute: None or a float.
static bool read_normal(PyObject* generator, sol_kept* kept) {
  PyObject* o = attribute(generator, kept_name);
  const bool number = o && o->ob_type == &PyFloat_Type, known = number || o == none();
  *kept = {nullptr, number, number ? PyFloat_AsDouble(o) : 0.0};
  release(o);
  return known;
}

static void keep_normal(const Locked& l) {
  const sol_kept &now = l.kept, &then = l.before;
  if (now.has_normal == then.has_normal && !memcmp(&now.normal, &then.normal, sizeof now.normal)) return;
  PyObject* o = now.has_normal ? PyFloat_FromDouble(now.normal) : owned(none());
  if (o) PyObject_SetAttrString(l.bits, kept_name, o);
  release(o);
}

// Before Python code runs. The GIL is held; an exception may be pending.
static void close_streams() {
  Call* c = drawing;
  if (!c) return;
  drawing = nullptr;
  for (sol_stream& s : c->frame.streams) s.generator = nullptr;
  Locked locked[SOL_STREAMS];
  const int n = c->nlocked;
  for (int k = 0; k < n; k++) locked[k] = c->locked[k];
  c->nlocked = 0;
  PendingError pending;
  {
    const NoCollection quiet;
    for (int k = n; k--;) {
      if (locked[k].unlock) release(call_with(locked[k].unlock, nullptr, 0, nullptr));
      else keep_normal(locked[k]);
    }
    forget_error();
  }
  for (int k = n; k--;) {
    release(locked[k].unlock);
    Py_DecRef(locked[k].bits);
  }
}

// Hold the lock of this bit generator.
static bool lock_bits(Call* c, PyObject* bits) {
  for (int k = 0; k < c->nlocked; k++) if (c->locked[k].bits == bits) return true;
  PyObject* lock = attribute(bits, "lock");
  PyObject* acquire = attribute(lock, "acquire");
  PyObject* unlock = attribute(lock, "release");
  PyObject* arguments[] = {&_Py_FalseStruct};
  PyObject* answer = acquire && unlock ? call_with(acquire, arguments, 1, nullptr) : nullptr;
  const bool locked = answer == &_Py_TrueStruct;
  release(answer);
  release(acquire);
  release(lock);
  if (!locked) { release(unlock); return false; }
  c->locked[c->nlocked++] = {owned(bits), unlock};
  drawing = c;
  return true;
}

static bool is_class(PyObject* o, PyObject* cls) { return (PyObject*)o->ob_type == cls; }

static bool is_one_of(PyObject* o, PyObject* classes) {
  for (Py_ssize_t k = 0; k < PyTuple_Size(classes); k++) if (is_class(o, item(classes, k))) return true;
  return false;
}

static bool open_bits(Call* c, PyObject* generator, PyObject* bits, sol_stream* s) {
  if (!is_one_of(bits, item(stream_classes, 2))) return false;
  PyObject* capsule = attribute(bits, "capsule");
  s->bits = capsule ? PyCapsule_GetPointer(capsule, "BitGenerator") : nullptr;
  release(capsule);
  if (!s->bits || !lock_bits(c, bits)) return false;
  const int64_t kept = is_class(generator, item(stream_classes, 1)) ? number(stream_classes, 3) : 0;
  s->kept = kept ? (char*)generator + kept : nullptr;
  s->words = is_class(bits, item(item(stream_classes, 2), 0)) && number(stream_classes, 6) ? *(uint32_t**)s->bits : nullptr;
  s->used = s->words ? (int32_t*)s->words + 624 : nullptr;
  s->turns = INT64_MIN;
  s->generator = generator;
  return true;
}

// A generator of Python's has no lock but the GIL, which is held from now on.
static bool open_python(Call* c, PyObject* generator, sol_stream* s) {
  const int64_t place = number(stream_classes, 5);
  int k = 0;
  while (k < c->nlocked && c->locked[k].bits != generator) k++;
  if (!place) return false;
  if (k == c->nlocked) {
    Locked& l = c->locked[k];
    l = {};
    if (!read_normal(generator, &l.kept)) l.kept.bits = &l;  // something else is kept
    l.before = l.kept;
    l.bits = owned(generator);
    c->nlocked++;
    drawing = c;
  }
  int32_t* const used = (int32_t*)((char*)generator + place);
  *s = {generator, nullptr, c->locked[k].kept.bits ? nullptr : &c->locked[k].kept, (uint32_t*)used + 1, used, 0};
  return true;
}

static bool open_stream(Call* c, PyObject* generator, sol_stream* s) {
  if (!stream_classes) {
    close_streams();
    PyObject* found = call_with(stream_layout, nullptr, 0, nullptr);
    if (stream_classes) release(found);
    else stream_classes = found;
    if (!stream_classes) return false;
  }
  const bool python = is_class(generator, item(stream_classes, 4));
  if (!python && !is_class(generator, item(stream_classes, 0)) && !is_class(generator, item(stream_classes, 1))) return false;
  if (c->nlocked == SOL_STREAMS) close_streams();
  const NoCollection quiet;
  if (python) return open_python(c, generator, s);
  PyObject* bits = attribute(generator, "_bit_generator");
  const bool ok = bits && open_bits(c, generator, bits, s);
  release(bits);
  return ok;
}

static bool draws_under_gil(const Call* c) {
  for (int k = 0; k < c->nlocked; k++) if (!c->locked[k].unlock) return true;
  return false;
}

static int32_t service_open(sol_frame* frame, void* generator, int32_t k) {
  Call* c = (Call*)frame;
  sol_stream& s = c->frame.streams[k];
  if (!generator) return false;
  if (s.turns >= SOL_TURNS) {  // other threads may want the GIL
    close_streams();
    s.turns = 0;
    c->thread = PyEval_SaveThread();
  }
  const bool took = c->thread;
  if (took) PyEval_RestoreThread(c->thread);
  c->thread = nullptr;
  const bool ok = open_stream(c, (PyObject*)generator, &s);
  forget_error();
  gil_is_held = !took || draws_under_gil(c);
  if (!gil_is_held) c->thread = PyEval_SaveThread();
  return ok;
}
#endif
