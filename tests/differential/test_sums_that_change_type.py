"""Sums that begin as a Python number and become a float32 (NEP 50) on the way: the type of the result depends on whether the loop ran."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import check


def total(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


def products(x, y):
    s = 0
    for i in range(x.shape[0]):
        s += x[i] * y[i]
    return s


def rows(x, out):
    for i in range(x.shape[0]):
        s = 0.0
        for j in range(x.shape[1]):
            s += x[i, j]
        out[i] = s
    return out


def distance(a, b):
    s = 0.0
    for j in range(a.shape[0]):
        d = a[j] - b[j]
        s += d * d
    return s


def distances(x, out):
    for i in range(x.shape[0]):
        for k in range(x.shape[0]):
            out[i, k] = distance(x[i], x[k])
    return out


def tenth(x):
    s = 0.1  # which float32 does not hold
    for v in x:
        s = s + v
    return s


def other_operators(x):
    p, q, d = 1.0, 1.0, 0.0
    for i in range(x.shape[0]):
        p *= x[i]
        q = q / (x[i] + 2)
        d = x[i] - d
    return p, q, d


def read_in_between(x, out):
    s = 0.0
    for i in range(x.shape[0]):
        out[i] = s / 3
        s += x[i]
    return s, out


def under_a_condition(x):
    s = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0:
            s += x[i]
    return s


def starts_again(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
        if s > 5:
            s = 0.3
    return s, s + y


NUMBERS = (np.random.default_rng(5).integers(-8, 9, 300) / 4).astype(np.float32)


@pytest.mark.parametrize("f", [total, tenth, other_operators, under_a_condition], ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16], ids=lambda t: t.__name__)
def test_of_a_vector(f: Any, dtype: Any) -> None:
    x = NUMBERS[:9].astype(dtype)
    check(f, x, also=[(x[:0],), (x[:1],), (x[::2],)])


def test_of_two_vectors() -> None:
    check(products, NUMBERS, NUMBERS, also=[(NUMBERS[:0], NUMBERS[:0]), (NUMBERS.astype(int), NUMBERS)])
    check(starts_again, NUMBERS, 0.1, also=[(NUMBERS[:0], 0.1), (NUMBERS[:2], np.float64(0.1))])


def test_in_nested_loops_and_helpers() -> None:
    x = NUMBERS.reshape(30, 10)
    for dtype in (np.float32, np.float64):
        check(rows, x, np.zeros(30, dtype))
        check(distances, x, np.zeros((30, 30), dtype))
    check(read_in_between, NUMBERS, np.zeros(300))
    check(read_in_between, NUMBERS, np.zeros(300, np.float32))


@pytest.mark.parametrize("x", [np.float32([3e38, 3e38]), np.float32([np.nan, 1]), np.float32([np.inf, -np.inf])])
def test_values_at_the_ends(x: Any) -> None:
    check(total, x)


@pytest.mark.parametrize("f, args", [(total, 1), (rows, 2)], ids=["total", "rows"])
def test_it_is_a_sum(f: Any, args: int) -> None:
    compiled = sol.jit(strict=True, target="null")(f)
    compiled(*(NUMBERS.reshape(30, 10), np.zeros(30, np.float32))[2 - args :][:args] if args == 2 else (NUMBERS,))
    program = compiled.ir()
    assert "s: f32" in program and "s += x" in program


def test_fast_sums_in_loops_need_no_blocks() -> None:
    x = np.random.default_rng(7).random((40, 50))
    for dtype in (np.float32, np.float64):
        points, wanted = x.astype(dtype), distances(x, np.zeros((40, 40)))
        compiled = sol.jit(strict=True, fp="fast")(distances)
        assert np.allclose(compiled(points, np.zeros((40, 40), dtype)), wanted, rtol=100 * np.finfo(dtype).eps)
        assert "blocks" not in compiled.ir()
    for parallel in (True, False):
        alone = sol.jit(strict=True, fp="fast", parallel=parallel)(total)
        assert np.isclose(alone(x[0]), x[0].sum()) and "blocks(1)" in alone.ir()
