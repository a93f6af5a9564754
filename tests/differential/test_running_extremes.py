"""The greatest or smallest value so far, as loops over elements find it: with NaN, infinities and both zeros, in front of the loop and in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import check


def largest_gap(x, start):
    m = start
    for i in range(1, len(x)):
        d = abs(x[i] - x[i - 1])
        if d > m:
            m = d
    return m


def at_least_as_large(x, start):
    m = start
    for i in range(len(x)):
        d = np.sqrt(x[i] * x[i])
        if d >= m:
            m = d
    return m


def smallest_square(x, start):
    m = start
    for v in x:
        m = min(m, v * v)
    return m


def other_operands(x, start):
    m = start
    for v in x:
        m = max(abs(v), m)
    return m


def least_positive(x, start):
    m = start
    found = False
    for v in x:
        if v > 0.0 and v < m:
            m = v
            found = True
    return m, found


def any_values(x, start):
    low = high = start
    for v in x:
        if v < low:
            low = v
        if high <= v:
            high = v
    return low, high


def two_places(x, start):
    m = start
    for i in range(1, len(x)):
        a, b = abs(x[i]), abs(x[i - 1])
        if a > m:
            m = a
        if b * 0.5 + a > m:
            m = b * 0.5 + a
    return m


def seen_meanwhile(x, start):
    m = start
    out = np.zeros(len(x))
    for i in range(len(x)):
        m = max(m, abs(x[i]))
        out[i] = m
    return out


def with_a_place(x, start):
    m = start
    k = -1
    for i in range(len(x)):
        if abs(x[i]) > m:
            m = abs(x[i])
            k = i
    return m, k


def equal_ones_that_are_left_out(x, start):
    m = start
    kind = 0
    for v in x:
        d = v * v
        if v > 0.0 and d <= m:
            m = d
            kind = 1
    return m, kind


def one_mark_of_two(x, start):
    low = high = start
    kind = 0
    for v in x:
        d = abs(v)
        if d < low:
            low = d
            kind = 1
        if d > high:
            high = d
            kind = 2
    return low, high, kind


def residual(x, start):
    y = np.zeros(len(x))
    m = start
    for i in range(1, len(x) - 1):
        y[i] = 0.5 * (x[i - 1] + x[i + 1])
        m = max(m, abs(y[i] - x[i]))
    return y, m


def farthest_neighbour(x, start):
    far = start
    for i in range(len(x)):
        near = np.inf
        for j in range(len(x)):
            d = 0.0
            for k in range(2):
                d += (x[i] - x[(j + k) % len(x)]) ** 2
            if d < near:
                near = d
        if near > far:
            far = near
    return np.sqrt(far)


def in_rows(x, start):
    out = np.zeros(len(x))
    for i in range(len(x)):
        m = start
        for j in range(i):
            m = max(m, abs(x[j]) * 0.5)
        out[i] = m
    return out


def exponents(x, start):
    m = start
    for v in x:
        e = np.exp(v) / (1.0 + np.exp(v))
        if not (v != v) and e > m:
            m = e
    return m


FUNCTIONS = [
    largest_gap, at_least_as_large, smallest_square, other_operands, least_positive, any_values, two_places, seen_meanwhile,
    equal_ones_that_are_left_out, one_mark_of_two, with_a_place, residual, farthest_neighbour, in_rows, exponents,
]  # fmt: skip
SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -2.5, 5e-324, -5e-324])
STARTS = (0.0, -0.0, np.nan, np.inf, -np.inf, 1.0)


def arrays(dtype: type) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    found = [np.zeros(3), -np.zeros(3), np.full(5, np.nan), np.array([-0.0, 0.0, -0.0]), np.array([np.nan, -1.0, 2.0])]
    found += [rng.choice(SPECIAL, n) for n in (2, 3, 7, 20, 40)]
    found += [rng.choice(SPECIAL[3:5], 17), rng.standard_normal(100)]
    return [a.astype(dtype) for a in found]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_bits(f: Any, dtype: type) -> None:
    rng = np.random.default_rng(1)
    with np.errstate(all="ignore"):
        calls = [(x, s) for x in arrays(dtype) for s in rng.choice(STARTS, 2).tolist()]
        check(f, *calls[0], also=calls[1:])
        with sol.settings(machine="parallel=0", num_threads=3):
            check(f, *calls[0], also=calls[1:])


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_counts(f: Any) -> None:
    rng = np.random.default_rng(2)
    with np.errstate(all="ignore"):
        calls = [(rng.integers(-3, 4, n), s) for n in (1, 5, 30) for s in (0, 2, -2)]
        check(f, *calls[0], also=calls[1:])


@pytest.mark.parametrize(
    ("f", "independent"),
    [
        (largest_gap, True), (at_least_as_large, False), (least_positive, True), (two_places, True), (residual, True),
        (in_rows, True), (exponents, True),
        (other_operands, False), (any_values, False), (one_mark_of_two, False), (equal_ones_that_are_left_out, False), (seen_meanwhile, False), (with_a_place, False), (farthest_neighbour, False),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)  # fmt: skip
def test_which_loops_become_maps(f: Any, independent: bool) -> None:
    g = sol.jit(f, strict=True)
    g(np.arange(9.0), 0.5)
    assert ("for " not in g.source("ir").split("\n", 1)[1]) == independent
