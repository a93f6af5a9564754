"""In which order the BLAS at hand adds up a few products: asked by trying.

That is a matter of its kernels for this processor. A sum of three products may be a chain of products and sums, or of fused operations, from
whichever end, and is another one for a vector, for a matrix by rows and for one by columns, and with some kernels it depends
on alignment or on the distance between rows, too. NumPy multiplies small operands whose elements are whole
numbers, so large that nearly every step rounds; what a formula gives for them is computed exactly, as Python's integers. A formula that gives NumPy's numbers
each time can be written in place of a call. Where none does, "", only a call has NumPy's bits.
"""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Callable, Sequence
from typing import Any  # NumPy arrays of any type

import numpy as np

Term = tuple[int, int]
Rounding = Callable[[int], int]

_FACTORS = {"f32": 14, "f64": 29}  # bits of the factors: a product needs more than the type has
_SUMS, _TIMES = (
    60,
    20,
)  # that are compared, at least, in so many products: a wrong formula gives a wrong number for a quarter of the sums


@functools.cache
def order_of(fuses: bool, dtype: str, left: tuple[int, ...], right: tuple[int, ...], by_rows: tuple[bool, bool]) -> str:
    """How NumPy adds up the products of two vectors or matrices of these shapes, an order of `ir/core/libraries.py`; "" for in none of these.

    fuses: whether code may use fused operations
    by_rows: of matrices, whether their rows (or else their columns) lie together; of vectors, whether their elements do
    """
    if dtype not in _FACTORS:
        return ""
    draw, bits = random.Random(1), _FACTORS[dtype]
    rounded: Rounding = _to_f32 if dtype == "f32" else _to_f64
    n = left[-1]
    candidates = [c for c in _candidates(dtype, n) if fuses or not c.startswith("fused")]
    sums = math.prod(left[:-1]) * math.prod(right[1:])
    for _ in range(max(_TIMES, -(-_SUMS // sums))):
        factors = [[draw.randrange(-(1 << bits), 1 << bits) for _ in range(math.prod(s))] for s in (left, right)]
        a, b = (_array(x, dtype, s, rows, draw) for x, s, rows in zip(factors, (left, right), by_rows))
        got = np.asarray(np.matmul(a, b)).reshape(-1)
        columns = max(1, math.prod(right[1:]))
        for k, value in enumerate(map(int, got)):
            i, j = divmod(k, columns)
            terms = list(zip(factors[0][i * n : (i + 1) * n], factors[1][j::columns]))
            candidates = [c for c in candidates if total(c, terms, rounded) == value]
        if not candidates:
            return ""
    return candidates[0]


def total(order: str, terms: Sequence[Term], rounded: Rounding) -> int:
    """What this order gives for a sum of products of whole numbers."""
    how, _, places = order.partition(":")
    terms = [terms[int(k)] for k in places] if places else terms
    if how.endswith("pairs"):
        return rounded(_chain(how, terms[:2], rounded) + _chain(how, terms[2:], rounded))
    return rounded(_chain(how, terms, rounded))


def _chain(how: str, terms: Sequence[Term], rounded: Rounding) -> int:
    s = 0
    for t in terms:
        s = _step(how, s, t, rounded)
    return s


def _step(how: str, s: int, t: Term, rounded: Rounding) -> int:
    product = t[0] * t[1] if how.startswith("fused") else rounded(t[0] * t[1])
    return (_to_f64 if how == "wide" else rounded)(s + product)


def _to_f64(n: int) -> int:
    return int(float(n))


def _to_f32(n: int) -> int:
    return int(np.float32(n))


def _candidates(dtype: str, n: int) -> list[str]:
    """The orders that there may be for a sum of `n` products, the simplest first."""
    found = ["plain", "fused", *(["wide"] if dtype == "f32" else [])]
    if 1 < n <= 4:
        places = list(itertools.permutations(range(n)))
        commuted = [p for p in places if p[0] < p[1]]  # the others are the same sums
        pairs = [p for p in commuted if p[0] == 0 and p[2] < p[3]] if n == 4 else []
        ways = [("plain", commuted), ("fused", places), ("pairs", pairs), ("fused pairs", places if pairs else [])]
        found += [f"{how}:{''.join(map(str, p))}" for how, orders in ways for p in orders]
    return found


def _array(factors: Sequence[int], dtype: str, shape: tuple[int, ...], by_rows: bool, draw: random.Random) -> Any:
    """The factors in memory, at one of the alignments and with one of the distances between rows that there may be."""
    kind = np.float32 if dtype == "f32" else np.float64
    if len(shape) == 2 and not by_rows:
        turned = np.array(factors, kind).reshape(shape).T.reshape(-1).tolist()
        return _array(turned, dtype, shape[::-1], True, draw).T
    shift, more = draw.randrange(4), draw.choice([0, 0, 1, 4])
    step = 1 if len(shape) == 2 or by_rows else 2
    rows = math.prod(shape[:-1])
    room = np.empty(4 + rows * (shape[-1] * step + more), kind)[shift:]
    a = room[: rows * (shape[-1] * step + more)].reshape(rows, -1)[:, : shape[-1] * step : step]
    a[:] = np.array(factors, kind).reshape(rows, -1)
    return a if len(shape) == 2 else a[0]
