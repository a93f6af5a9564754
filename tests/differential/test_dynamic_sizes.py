"""Sizes that only the data decide: masks, nonzero, unique, filters in loops, and arithmetic on the results."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check
from tests.values import grid

V = np.cos(grid(20) * 1.3) * 5


def compress(a: np.ndarray) -> Any:
    b = a[a > 0]
    n = len(b)
    c = np.zeros(n + 1)
    c[1:] = b * 2
    return b, n, c, b.sum() / n if n else -1.0


def where_indices(a: np.ndarray) -> Any:
    (i,) = np.where(a > 0)
    j = np.nonzero(a < 0)[0]
    a[i] += 100
    a[j[:1]] = 0
    return i, j, i.shape[0] + j.size, a[i]


def where_2d(m: np.ndarray) -> Any:
    i, j = np.nonzero(m > 0)
    return i, j, m[i, j], np.argwhere(m > 0)


def uniques(k: np.ndarray) -> Any:
    u = np.unique(k)
    counts = np.zeros(len(u), dtype=np.int64)
    for n in range(len(u)):
        counts[n] = (k == u[n]).sum()
    return u, counts


def shrink_in_loop(a: np.ndarray) -> Any:
    steps = 0
    while len(a) > 1:
        a = a[a > a.mean()]
        steps += 1
    return a, steps


def slices_from_data(a: np.ndarray, p: np.ndarray) -> np.ndarray:
    out = np.zeros(len(p) - 1)
    for k in range(len(p) - 1):
        part = a[p[k] : p[k + 1]]
        out[k] = part.sum() * len(part)
    return out


def count_then_fill(a: np.ndarray) -> np.ndarray:
    n = 0
    for x in a:
        if x > 1:
            n += 1
    out = np.empty(n)
    k = 0
    for x in a:
        if x > 1:
            out[k] = x
            k += 1
    return out


def test_sizes_from_data() -> None:
    empty = np.zeros(0)
    check(compress, V, also=[(-np.abs(V),), (np.abs(V),), (empty,)], rtol=1e-15)
    check(where_indices, V, also=[(empty,), (np.abs(V) + 1,)])
    check(where_2d, V.reshape(4, 5), also=[(-np.abs(V).reshape(4, 5),)])
    check(uniques, np.array([3, 1, 3, 3, 2, 1]), also=[(np.zeros(0, int),)])
    check(shrink_in_loop, V, also=[(V[:1],), (V[:5],)])
    check(slices_from_data, V, np.array([0, 3, 3, 10, 20]), rtol=1e-15)
    check(count_then_fill, V, also=[(V * 0,)])


def mismatched(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[a > 0] + b[b > 0]


def test_sizes_from_data_that_do_not_match() -> None:
    check(mismatched, np.array([1.0, -1.0, 2.0]), np.array([3.0, 4.0, -1.0]))
    check(mismatched, np.array([1.0, -1.0, 2.0]), np.array([3.0, -4.0, -1.0]))
    check(mismatched, np.array([1.0, -1.0, 2.0]), np.array([3.0, 4.0, 1.0]), raises=ValueError)


def allocated_in_loop(n: int) -> float:
    s = 0.0
    for k in range(n):
        t = np.arange(k) * 1.0
        u = np.ones((k, 2)) if k % 2 else np.ones((2, k))
        s += t.sum() + u.sum() * u.shape[0]
    return s


def triangle(n: int) -> np.ndarray:
    m = np.zeros((n, n))
    for i in range(n):
        m[i, : i + 1] = np.arange(i + 1)
        m[i, i:] += np.linspace(0, 1, n - i)
    return m


def test_allocation_in_loops() -> None:
    check(allocated_in_loop, 6)
    check(triangle, 5, ulps=1)


def arithmetic_of_sizes(a: np.ndarray) -> Any:
    n = a.shape[0]
    half = n // 2
    return (
        np.zeros(half),
        np.zeros(n - half),
        a[:half] + a[n - half :],
        a[: n % 3],
        np.zeros((n * 2 - 1) // 2),
        a[-half:],
        a[: -(n // 4) or None],
    )


def test_arithmetic_of_sizes() -> None:
    check(arithmetic_of_sizes, grid(10), also=[(grid(7),), (grid(1),), (grid(0),), (grid(4),)])
