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
static PyObject* stream_layout;            // gives what `layout` in `base/random_streams.py` describes
static PyObject* stream_classes;           // that, once it was asked for

// While locks are held no object may be finalized: that may run Python code.
struct NoCollection {
  const int before;
  NoCollection() : before(PyGC_Disable()) {}
  ~NoCollection() { if (before) PyGC_Enable(); }
};

static PyObject* attribute(PyObject* o, const char* name) { return o ? PyObject_GetAttrString(o, name) : nullptr; }

// A kernel begins; gives the call around it that draws, if there is one.
static Call* begin_streams(Call* c) {
  Call* outer = drawing;
  drawing = nullptr;
  for (sol_stream& s : c->frame.streams) s.generator = nullptr;
  c->nlocked = 0;
  return outer;
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
    for (int k = n; k--;) release(call_with(locked[k].unlock, nullptr, 0, nullptr));
    forget_error();
  }
  for (int k = n; k--;) {
    Py_DecRef(locked[k].unlock);
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
  s->generator = generator;
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
  if (!is_class(generator, item(stream_classes, 0)) && !is_class(generator, item(stream_classes, 1))) return false;
  if (c->nlocked == SOL_STREAMS) close_streams();
  const NoCollection quiet;
  PyObject* bits = attribute(generator, "_bit_generator");
  const bool ok = bits && open_bits(c, generator, bits, s);
  release(bits);
  return ok;
}

static int32_t service_open(sol_frame* frame, void* generator, int32_t k) {
  Call* c = (Call*)frame;
  if (!generator) return false;
  const bool took = c->thread;
  if (took) PyEval_RestoreThread(c->thread);
  c->thread = nullptr;
  const bool ok = open_stream(c, (PyObject*)generator, &c->frame.streams[k]);
  forget_error();
  if (took) c->thread = PyEval_SaveThread();
  return ok;
}
#endif
