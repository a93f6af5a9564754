// The part of NumPy's C interface that the dispatcher uses: the heads of two structs, and functions by their fixed index in
// the `_ARRAY_API` table. `self_test` (dispatch.cpp) compares them with what Python says about real arrays.
#ifndef SOLJIT_NUMPY_ABI_H
#define SOLJIT_NUMPY_ABI_H
#include "python_abi.h"

struct ArrayDescr : PyObject {
  PyTypeObject* typeobj;
  char kind, type, byteorder, former_flags;
  int type_num;
};
struct ArrayObject : PyObject {
  char* data;
  int nd;
  int64_t* dimensions;
  int64_t* strides;
  PyObject* base;
  ArrayDescr* descr;
  int flags;
  PyObject* weak_references;
  void* buffer_info;
  PyObject* memory_handler;
};
enum { FLAG_C = 0x1, FLAG_F = 0x2, FLAG_OWNDATA = 0x4, FLAG_ALIGNED = 0x100, FLAG_WRITEABLE = 0x400 };

// Our numbering of the element types is that of `ir.types.ALL`.
enum Type { B1, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64, C64, C128, TYPES };
static const int type_size[TYPES] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 8, 16};
// NumPy's type numbers from NPY_BOOL to NPY_HALF.
static const signed char type_of_number[24] = {B1, I8, U8, I16, U16, I32, U32, I64, U64, I64, U64, F32, F64, -1,
                                               C64, C128, -1, -1, -1, -1, -1, -1, -1, F16};

static void** array_api;
static PyTypeObject* array_type;
static PyObject* descr_of[TYPES];           // strong references, made by Python
static PyTypeObject* scalar_type[TYPES];    // np.bool_, np.int8 …
static PyTypeObject* scalar_alias[TYPES];   // np.longlong and the like: another type of the same meaning

static inline PyObject* array_scalar(void* data, int type) {
  return ((PyObject * (*)(void*, PyObject*, PyObject*)) array_api[60])(data, descr_of[type], nullptr);
}
static inline void scalar_value(PyObject* scalar, void* to) {
  ((void (*)(PyObject*, void*))array_api[62])(scalar, to);
}
static inline ArrayObject* new_array(int type, int nd, const int64_t* shape, const int64_t* strides, void* data, int flags) {
  typedef PyObject* (*New)(PyTypeObject*, PyObject*, int, const int64_t*, const int64_t*, void*, int, PyObject*);
  return (ArrayObject*)((New)array_api[94])(array_type, owned(descr_of[type]), nd, shape, strides, data, flags, nullptr);
}
// From now on NumPy owns the array's memory, which came from malloc, as that of its default handler does.
static inline void give_memory(ArrayObject* array) {
  array->flags |= FLAG_OWNDATA;
  if (!array->memory_handler) array->memory_handler = owned(*(PyObject**)array_api[306]);
}
// Steals the reference to `base`; NumPy shortens chains of views.
static inline int set_base(ArrayObject* array, PyObject* base) {
  return ((int (*)(ArrayObject*, PyObject*))array_api[282])(array, base);
}
static inline bool is_array(PyObject* o) { return o->ob_type == array_type; }

// The element type of an array, or -1 if compiled code cannot take it (byte-swapped ones included).
static inline int array_element(const ArrayObject* a) {
  const ArrayDescr* d = a->descr;
  if (d->type_num < 0 || d->type_num >= 24 || d->byteorder == '>') return -1;
  int type = type_of_number[d->type_num];
#if !defined(__LP64__)
  if (d->type_num == 7) type = I32;
  if (d->type_num == 8) type = U32;
#endif
  return type;
}

// Addresses of the array's memory: [lo, hi), empty for an empty array.
static inline void extent(const ArrayObject* a, int size, const char** lo, const char** hi) {
  const char *first = a->data, *last = a->data;
  for (int k = 0; k < a->nd; k++) {
    int64_t n = a->dimensions[k];
    if (n == 0) { *lo = *hi = a->data; return; }
    int64_t reach = (n - 1) * a->strides[k];
    if (reach < 0) first += reach; else last += reach;
  }
  *lo = first;
  *hi = last + size;
}

static inline bool contiguous(int nd, const int64_t* shape, const int64_t* strides, int64_t size, bool fortran) {
  for (int k = 0; k < nd; k++) if (shape[k] == 0) return true;
  int64_t step = size;
  for (int j = 0; j < nd; j++) {
    int k = fortran ? j : nd - 1 - j;
    if (shape[k] != 1 && strides[k] != step) return false;
    step *= shape[k];
  }
  return true;
}
#endif
