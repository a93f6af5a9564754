// What a call has written into arrays of the caller's before it is made again, by another variant or in plain Python, is taken back:
// variants that may need it keep what is in these arrays.
#ifndef SOLJIT_PUT_BACK_H
#define SOLJIT_PUT_BACK_H
#include "plainly.h"
#include "results.h"

static PyObject* unforeseen;  // the class: a call back gave what the variant was not compiled for

// Copy between an array and a dense block: `at` moves through the block.
static void copy_elements(char* array, const int64_t* shape, const int64_t* strides, int nd, int64_t size, char** at, bool save) {
  if (nd == 0) {
    memcpy(save ? *at : array, save ? array : *at, size);
    *at += size;
    return;
  }
  for (int64_t i = 0; i < shape[0]; i++) copy_elements(array + i * strides[0], shape + 1, strides + 1, nd - 1, size, at, save);
}

// The arrays that `v->put_back` names, into or out of `block`; the bytes that they take. block NULL: only these.
static int64_t copy_arrays(const Call* c, char* block, bool save) {
  const Variant* v = c->variant;
  int64_t bytes = 0;
  for (int k = 0, number = 0; number < v->narrays && k < v->nnodes; k++) {
    if (v->nodes[k].kind != NODE_ARRAY) continue;
    const ArrayObject* a = (const ArrayObject*)c->leaves[c->array_leaf[number]];
    if (!(v->put_back >> number++ & 1) || !is_array((PyObject*)a)) continue;
    const int64_t size = type_size[v->nodes[k].type];
    int64_t whole = size;
    for (int d = 0; d < a->nd; d++) whole *= a->dimensions[d];
    char* at = block + bytes;
    if (block && whole && (a->flags & (FLAG_C | FLAG_F))) memcpy(save ? at : a->data, save ? a->data : at, whole);
    else if (block && whole) copy_elements(a->data, a->dimensions, a->strides, a->nd, size, &at, save);
    bytes += whole;
  }
  return bytes;
}

// What is in these arrays now, from malloc; NULL: there is nothing to keep, or no memory for it.
static char* kept_arrays(const Call* c) {
  if (!c->variant->put_back) return nullptr;
  char* block = (char*)malloc(copy_arrays(c, nullptr, true) + 1);
  if (block) copy_arrays(c, block, true);
  return block;
}

// The call is over: let the arrays hold again what they held if it is to be made again.
static void put_arrays_back(const Call* c, char* block) {
  if (!block) return;
  if (runs_again_plainly() || (PyErr_Occurred() && PyErr_Occurred() == unforeseen)) copy_arrays(c, block, false);
  free(block);
}
#endif
