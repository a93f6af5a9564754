"""The operations of `LibraryNode`: what each takes, gives and means.

matmul  ins: a, b[, alpha, beta]   outs: out
        out = alpha * (a @ b) + beta * out, for operands with (2,2), (2,1), (1,2) or (1,1) dimensions, all of one dtype; for
        (1,1) `out` is a single element. Without alpha and beta they are 1 and 0 (and out's old content is not read, even if it
        is NaN). Operands may have any strides; `out` overlaps neither input. Empty inner dimension gives beta * out.
        attrs: {"triangle": "lower" | "upper"} when only that part of a square `out` is to be written (syrk, syr2k pieces);
               {"by": "cublas"} when a device may run it by cuBLAS; {"loops": order} when a processor runs it as loops.
        order: how a sum is added up, in floats: "plain" a chain of products and sums, from 0 and the first product to the last; "fused" of fused operations; "wide" of
               float32 products and float64 sums. With a suffix ":102" products come in this order. "pairs:0213" adds sums of two: (p0 + p2) + (p1 + p3); "fused pairs:…"
               fuses the second product with the first of each.
        A stack of products has one more dimension in front of `out` and of one or both matrices: (3,3), (3,2) or (2,3).
ger     ins: alpha, x, y           outs: out        out[i, j] += alpha * x[i] * y[j]
sort    ins: none                  outs: out
        The elements of `out`, one dimension of neighbours in memory, are put into ascending order, NaN last.
        attrs: {"kind": "quicksort" | "stable"}, NumPy's algorithm of that name
argsort ins: x                     outs: out
        The indices that would sort x; both have one dimension of neighbours in memory. attrs: as for sort
argmin, argmax
        ins: x                     outs: out, a single i64
        The place of the first of the least or greatest elements of x, one dimension of neighbours in memory, at least one; of the
        first NaN, if there is one.
loop    ins: the operands          outs: the results, then a b1: is there a result?
        One call of a generalized ufunc of NumPy without loop dimensions (`np.linalg` is made of them).
        attrs: {"function": dotted name, "types": "dd->d", "signature": "(m,m),(m)->(m)"}
"""

from __future__ import annotations

import re

LIBRARIES: dict[str, str] = {
    "matmul": "product of matrices and vectors, with the BLAS's alpha and beta",
    "ger": "rank-one update",
    "sort": "sorted in place",
    "argsort": "indices that sort",
    "argmin": "place of the least element",
    "argmax": "place of the greatest element",
    "loop": "generalized ufunc",
}
CALLS_BLAS = frozenset({"matmul", "loop"})  # those that may end in NumPy's BLAS
DEVICE_LIBRARIES = ("matmul",)  # those that a library of a device can do


def core_dimensions(signature: str) -> list[tuple[str, ...]]:
    """Names of the dimensions of each operand of a generalized ufunc: "(m,m),(m)->(m)" gives (m, m), (m) and (m)."""
    return [tuple(filter(None, core.split(","))) for core in re.findall(r"\(([^)]*)\)", signature)]
