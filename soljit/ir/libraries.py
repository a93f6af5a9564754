"""The operations of `LibraryNode`: what each takes, gives and means.

matmul  ins: a, b[, alpha, beta]   outs: out
        out = alpha * (a @ b) + beta * out, for operands with (2,2), (2,1), (1,2) or (1,1) dimensions, all of one dtype; for
        (1,1) `out` is a single element. Without alpha and beta they are 1 and 0 (and out's old content is not read, even if it
        is NaN). Operands may have any strides; `out` overlaps neither input. Empty inner dimension gives beta * out.
        attrs: {"triangle": "lower" | "upper"} when only that part of a square `out` is to be written (syrk, syr2k pieces).
ger     ins: alpha, x, y           outs: out        out[i, j] += alpha * x[i] * y[j]
"""

from __future__ import annotations

LIBRARIES: dict[str, str] = {
    "matmul": "product of matrices and vectors, with the BLAS's alpha and beta",
    "ger": "rank-one update",
}
