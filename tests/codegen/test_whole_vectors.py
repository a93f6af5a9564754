"""Rows in whole vectors: the same values at every length of a row, and each iteration once where twice is not the same."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.codegen.harness import features
from tests.oracle import check

LENGTHS = (1, 2, 3, 7, 8, 9, 10, 15, 16, 17, 18, 19, 23, 24, 25, 26, 31, 32, 33, 34, 35, 41, 70)


def smooth(a: Any, b: Any) -> None:
    b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])


def steps(a: Any, b: Any) -> None:
    for _ in range(3):
        b[1:-1, 1:-1] = 0.5 * (a[1:-1, :-2] + a[2:, 1:-1])
        a[1:-1, 1:-1] = b[1:-1, 1:-1] - b[:-2, 2:]


def two_results(a: Any, b: Any) -> Any:
    out = np.empty_like(a)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            t = a[i, j] * b[i, j]
            out[i, j] = t - a[i, j]
            if t > 0.0:
                out[i, j] = t
    return out, a + b


def triangle(a: Any, b: Any) -> Any:
    out = np.zeros_like(a)
    for i in range(a.shape[0]):
        for j in range(min(i, a.shape[1])):
            out[i, j] = a[i, j] + b[i, j]
    return out


def in_place(a: Any, b: Any) -> None:
    """Each iteration reads what it writes."""
    a[:, :] = a * 0.5 + b
    b -= a


def into_each(a: Any, b: Any) -> Any:
    out = np.ones_like(a)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[i, j] += a[i, j] * b[i, j]
    return out


def mixed(a: Any, b: Any) -> Any:
    return (a > b) * a, (a + b).astype(np.float32)


PROGRAMS = (smooth, steps, two_results, triangle, in_place, into_each, mixed)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_rows_of_every_length(f: Any, dtype: str) -> None:
    compiled = sol.jit(f, strict=True)
    rng = np.random.default_rng(0)
    for n in LENGTHS:
        given = [rng.standard_normal((5, max(n, 3 if f in (smooth, steps) else 1))).astype(dtype) for _ in range(2)]
        expected, found = copy.deepcopy(given), copy.deepcopy(given)
        want, got = f(*expected), compiled(*found)
        np.testing.assert_array_equal(found, expected)
        for x, y in zip(
            want if isinstance(want, tuple) else (want,), got if isinstance(got, tuple) else (got,), strict=True
        ):
            assert (x is None and y is None) or (x.dtype == y.dtype and x.tobytes() == y.tobytes()), n


def test_arrays_that_overlap() -> None:
    """What a row is computed from is a part of what it is written to."""

    def shifted(a: Any, b: Any) -> None:
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                b[i, j] = a[i, j] * 2.0 + 1.0

    for n in (9, 17, 30):
        memory = np.arange(5.0 * n + 8)
        for shift in (0, 1, 4, 8):
            x = memory.copy()
            a, b = x[: 5 * n].reshape(5, n), x[shift : shift + 5 * n].reshape(5, n)
            check(shifted, a, b)


def test_which_rows_are_whole_vectors() -> None:
    if not features().avx512 or features().clang:
        pytest.skip("vectors are shorter")
    for f, whole in ((smooth, True), (in_place, False), (into_each, False)):
        with sol.settings(vectors=512):
            compiled = sol.jit(f, strict=True)
            compiled(np.ones((5, 30)), np.ones((5, 30)))
            assert (compiled.source().count("SOL_ONE_BY_ONE") > 0) == whole, f
