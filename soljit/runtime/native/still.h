// Python code that compiled code calls may resize, reshape, retype or freeze an array that it is using. What compiled code knows of
// it is wrong from then on, and its memory may be gone: the call ends there, with an exception.
#ifndef SOLJIT_STILL_H
#define SOLJIT_STILL_H
#include "results.h"

// The number, among arrays, of one that is no longer what the argument words say; -1 if there is none.
static int changed_array(const Call* c) {
  const Variant* v = c->variant;
  const int64_t* word = c->frame.in;
  int number = 0;
  for (int k = 0; number < v->narrays; k++) {
    const ArgNode& n = v->nodes[k];
    if (n.kind == NODE_SCALAR) word += scalar_words(n.type);
    if (n.kind == NODE_OBJECT || n.kind == NODE_INSTANCE) word++;
    if (n.kind != NODE_ARRAY) continue;
    const ArrayObject* a = (const ArrayObject*)c->leaves[c->array_leaf[number]];
    if (!same_window(a, n.type, n.ndim, (const char*)*word, word + 1, word + 1 + n.ndim)) return number;
    if (n.writable && !(a->flags & FLAG_WRITEABLE)) return number;
    word += 1 + 2 * n.ndim;
    number++;
  }
  return -1;
}

static bool arrays_are_still_the_same(const Call* c) {
  const int number = changed_array(c);
  if (number < 0) return true;
  forget_error();
  PyErr_SetObject(PyExc_RuntimeError, item(c->variant->changed, number));
  return false;
}
#endif
