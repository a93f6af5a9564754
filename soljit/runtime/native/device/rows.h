// The elements of a walk as rows: runs of bytes without a gap, which lie in up to SOL_WALK_DIMS nested lines.
#ifndef SOLJIT_ROWS_H
#define SOLJIT_ROWS_H
#include <stdlib.h>

#include <algorithm>

#include "device.h"

// Rows of `row` bytes at the sums of multiples of `strides`, which are positive and fall.
struct Rows {
  int64_t row = 0;  // 0: no elements
  int dims = 0;
  int64_t counts[SOL_WALK_DIMS], strides[SOL_WALK_DIMS];

  explicit Rows(const sol_walk& w) {
    for (int k = 0; k < w.dims; k++) {
      if (w.shape[k] <= 0) { dims = 0; return; }
      const int64_t stride = llabs(w.strides[k]);
      if (w.shape[k] == 1 || stride == 0) continue;
      int place = dims++;
      for (; place > 0 && strides[place - 1] < stride; place--) {
        strides[place] = strides[place - 1];
        counts[place] = counts[place - 1];
      }
      strides[place] = stride;
      counts[place] = w.shape[k];
    }
    row = w.item;
    while (dims && strides[dims - 1] <= row) {
      dims--;
      row += (counts[dims] - 1) * strides[dims];
    }
  }

  // From the first to behind the last byte of the lines from `from` on.
  int64_t extent(int from) const {
    int64_t bytes = row;
    for (int k = from; k < dims; k++) bytes += (counts[k] - 1) * strides[k];
    return bytes;
  }

  int64_t bytes(int from) const {
    int64_t bytes = row;
    for (int k = from; k < dims; k++) bytes *= counts[k];
    return bytes;
  }

  // The outermost lines from which on at least one byte in `most` belongs to an element.
  int dense_from(int64_t most) const {
    int from = dims;
    while (from > 0 && extent(from - 1) <= most * bytes(from - 1)) from--;
    return from;
  }
};

// Call `visit(offset)` for each step of the lines `from` up to `to`, until it fails.
template <class Visit>
static int32_t walk_lines(const Rows& rows, int from, int to, int64_t offset, Visit&& visit) {
  if (from == to) return visit(offset);
  for (int64_t k = 0; k < rows.counts[from]; k++)
    if (int32_t r = walk_lines(rows, from + 1, to, offset + k * rows.strides[from], visit)) return r;
  return 0;
}
#endif
