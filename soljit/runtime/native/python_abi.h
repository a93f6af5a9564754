// The part of CPython that the dispatcher uses, declared by hand so that no Python headers are needed.
//
// Everything is stable ABI except the object head, PyCell_Get, PyFunction_Get…, _PyType_Lookup and the layout of PyMethodDef, which every CPython since 3.8
// shares (debug and free-threaded builds differ and are refused by `runtime/build/native_dispatcher.py`).
#ifndef SOLJIT_PYTHON_ABI_H
#define SOLJIT_PYTHON_ABI_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef intptr_t Py_ssize_t;
struct PyTypeObject;
struct PyThreadState;
struct PyObject {
  Py_ssize_t ob_refcnt;
  PyTypeObject* ob_type;
};

typedef PyObject* (*PyCFunctionFast)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
struct PyMethodDef {
  const char* name;
  PyCFunctionFast function;
  int flags;
  const char* doc;
};
enum { METH_KEYWORDS = 0x0002, METH_FASTCALL = 0x0080 };

struct PyType_Slot {
  int slot;
  void* function;
};
struct PyType_Spec {
  const char* name;
  int basicsize, itemsize;
  unsigned int flags;
  PyType_Slot* slots;
};
enum { SLOT_CLEAR = 51, SLOT_DEALLOC = 52, SLOT_TRAVERSE = 71, TYPE_DEFAULT = 1 << 18, TYPE_HAVE_GC = 1 << 14 };
typedef int (*visitproc)(PyObject*, void*);
typedef void (*PyCapsule_Destructor)(PyObject*);

extern "C" {
void Py_IncRef(PyObject*);
void Py_DecRef(PyObject*);
extern PyObject _Py_NoneStruct, _Py_TrueStruct, _Py_FalseStruct;
extern PyTypeObject PyLong_Type, PyFloat_Type, PyComplex_Type, PyBool_Type, PyTuple_Type, PyList_Type, PyDict_Type,
    PyUnicode_Type, PyCell_Type, PyMethod_Type, PyCFunction_Type, PySlice_Type, PyRange_Type, PyBytes_Type, PyFunction_Type;
extern PyObject *PyExc_TypeError, *PyExc_SystemError, *PyExc_MemoryError, *PyExc_RuntimeError;

PyObject* _PyType_Lookup(PyObject* type, PyObject* name);
int PyType_IsSubtype(PyTypeObject*, PyTypeObject*);
PyObject* PyType_FromSpec(PyType_Spec*);
PyObject* PyCFunction_NewEx(PyMethodDef*, PyObject* self, PyObject* module);
PyObject* _PyObject_GC_New(PyTypeObject*);
void PyObject_GC_Track(void*);
void PyObject_GC_UnTrack(void*);
void PyObject_GC_Del(void*);
int PyGC_Disable(void);
int PyGC_Enable(void);

PyObject* PyErr_Occurred(void);
int PyErr_CheckSignals(void);
void PyErr_SetNone(PyObject*);
void PyErr_SetObject(PyObject*, PyObject*);
void PyErr_SetString(PyObject*, const char*);
PyObject* PyErr_NoMemory(void);
void PyErr_Fetch(PyObject**, PyObject**, PyObject**);
void PyErr_Restore(PyObject*, PyObject*, PyObject*);
void PyErr_NormalizeException(PyObject**, PyObject**, PyObject**);
int PyException_SetTraceback(PyObject*, PyObject*);
void PyErr_WriteUnraisable(PyObject*);

long long PyLong_AsLongLongAndOverflow(PyObject*, int*);
long long PyLong_AsLongLong(PyObject*);
void* PyLong_AsVoidPtr(PyObject*);
PyObject* PyLong_FromLongLong(long long);
PyObject* PyLong_FromUnsignedLongLong(unsigned long long);
double PyFloat_AsDouble(PyObject*);
PyObject* PyFloat_FromDouble(double);
double PyComplex_RealAsDouble(PyObject*);
double PyComplex_ImagAsDouble(PyObject*);
PyObject* PyComplex_FromDoubles(double, double);
PyObject* PyBool_FromLong(long);
PyObject* PyBytes_FromStringAndSize(const char*, Py_ssize_t);
char* PyBytes_AsString(PyObject*);
Py_ssize_t PyBytes_Size(PyObject*);
const char* PyUnicode_AsUTF8AndSize(PyObject*, Py_ssize_t*);
PyObject* PyUnicode_FromOrdinal(int);
int PyUnicode_Compare(PyObject*, PyObject*);

PyObject* PyObject_GenericGetDict(PyObject*, void*);
PyObject* PyTuple_New(Py_ssize_t);
Py_ssize_t PyTuple_Size(PyObject*);
PyObject* PyTuple_GetItem(PyObject*, Py_ssize_t);
int PyTuple_SetItem(PyObject*, Py_ssize_t, PyObject*);
PyObject* PyList_New(Py_ssize_t);
Py_ssize_t PyList_Size(PyObject*);
PyObject* PyList_GetItem(PyObject*, Py_ssize_t);
int PyList_SetItem(PyObject*, Py_ssize_t, PyObject*);
int PyList_Append(PyObject*, PyObject*);
PyObject* PyDict_New(void);
Py_ssize_t PyDict_Size(PyObject*);
int PyDict_Next(PyObject*, Py_ssize_t*, PyObject**, PyObject**);
int PyDict_SetItem(PyObject*, PyObject*, PyObject*);
PyObject* PyDict_GetItemWithError(PyObject*, PyObject*);
PyObject* PySlice_New(PyObject*, PyObject*, PyObject*);
PyObject* PyCell_Get(PyObject*);
int PyContextVar_Get(PyObject*, PyObject* otherwise, PyObject** value);
PyObject* PyMethod_New(PyObject*, PyObject*);
PyObject* PyDescr_NewMethod(PyTypeObject*, PyMethodDef*);
PyObject* PyMethod_Function(PyObject*);
PyObject* PyMethod_Self(PyObject*);
void* PyCFunction_GetFunction(PyObject*);
PyObject* PyCFunction_GetSelf(PyObject*);
PyObject* PyFunction_GetCode(PyObject*);
PyObject* PyFunction_GetDefaults(PyObject*);
PyObject* PyFunction_GetGlobals(PyObject*);
PyObject* PyFunction_GetClosure(PyObject*);
PyObject* PyFunction_GetKwDefaults(PyObject*);

PyObject* PyObject_Call(PyObject*, PyObject* args, PyObject* kwargs);
PyObject* PyObject_Vectorcall(PyObject*, PyObject* const*, size_t, PyObject* names) __attribute__((weak));  // since 3.11
PyObject* PyObject_VectorcallDict(PyObject*, PyObject* const*, size_t, PyObject* kwargs);
Py_ssize_t PyObject_Size(PyObject*);
int PyObject_IsTrue(PyObject*);
PyObject* PyObject_GetIter(PyObject*);
PyObject* PyIter_Next(PyObject*);
int PySequence_Contains(PyObject*, PyObject*);
void PyObject_Free(void*);
PyObject* PyType_GenericAlloc(PyTypeObject*, Py_ssize_t);
PyObject* PyObject_GetAttr(PyObject*, PyObject*);
PyObject* PyObject_GetAttrString(PyObject*, const char*);
int PyObject_RichCompareBool(PyObject*, PyObject*, int);
PyObject* PyObject_RichCompare(PyObject*, PyObject*, int);
PyObject* PyObject_GetItem(PyObject*, PyObject*);
int PyObject_SetItem(PyObject*, PyObject*, PyObject*);
int PyObject_SetAttr(PyObject*, PyObject*, PyObject*);
int PyObject_GenericSetAttr(PyObject*, PyObject*, PyObject*);
int PyObject_SetAttrString(PyObject*, const char*, PyObject*);
PyObject* PyNumber_Add(PyObject*, PyObject*);
PyObject* PyNumber_Subtract(PyObject*, PyObject*);
PyObject* PyNumber_Multiply(PyObject*, PyObject*);
PyObject* PyNumber_TrueDivide(PyObject*, PyObject*);
PyObject* PyNumber_FloorDivide(PyObject*, PyObject*);
PyObject* PyNumber_Remainder(PyObject*, PyObject*);
PyObject* PyNumber_Lshift(PyObject*, PyObject*);
PyObject* PyNumber_Rshift(PyObject*, PyObject*);
PyObject* PyNumber_And(PyObject*, PyObject*);
PyObject* PyNumber_Or(PyObject*, PyObject*);
PyObject* PyNumber_Xor(PyObject*, PyObject*);
PyObject* PyCapsule_New(void*, const char*, PyCapsule_Destructor);
void* PyCapsule_GetPointer(PyObject*, const char*);

unsigned long PyThread_get_thread_ident(void);
PyThreadState* PyEval_SaveThread(void);
void PyEval_RestoreThread(PyThreadState*);
int PyGILState_Ensure(void);
void PyGILState_Release(int);
}

static inline PyObject* none() { return &_Py_NoneStruct; }
static inline PyObject* owned(PyObject* o) { Py_IncRef(o); return o; }
static inline void release(PyObject* o) { if (o) Py_DecRef(o); }
static inline PyObject* item(PyObject* tuple, Py_ssize_t k) { return PyTuple_GetItem(tuple, k); }
static inline int64_t number(PyObject* tuple, Py_ssize_t k) { return PyLong_AsLongLong(PyTuple_GetItem(tuple, k)); }

// Call with arguments in a row: positional ones, then those that the tuple `names` (or NULL) names.
static inline PyObject* call_with(PyObject* function, PyObject* const* arguments, size_t positional, PyObject* names) {
  if (PyObject_Vectorcall) return PyObject_Vectorcall(function, arguments, positional, names);
  PyObject* kwargs = names ? PyDict_New() : nullptr;
  if (names && !kwargs) return nullptr;
  for (Py_ssize_t k = 0; names && k < PyTuple_Size(names); k++) PyDict_SetItem(kwargs, item(names, k), arguments[positional + k]);
  PyObject* result = PyObject_VectorcallDict(function, arguments, positional, kwargs);
  release(kwargs);
  return result;
}

// Holds a pending exception while other Python code runs.
struct PendingError {
  PyObject *type, *value, *traceback;
  PendingError() { PyErr_Fetch(&type, &value, &traceback); }
  ~PendingError() { PyErr_Restore(type, value, traceback); }
};
#endif
