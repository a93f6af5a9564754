"""Loops in order that load what they have stored (`passes/simplify/forward_stores.py`)."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracle import check

RNG = np.random.default_rng(8)


def sweep(a: np.ndarray, steps: int) -> None:
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            a[i, 1:-1] += a[i - 1, :-2] + a[i - 1, 2:] + a[i + 1, 1:-1]
            for j in range(1, a.shape[1] - 1):
                a[i, j] += a[i, j - 1]
                a[i, j] /= 5


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_sweep_in_two_statements(dtype: type) -> None:
    for n in (3, 4, 9, 40):
        check(sweep, RNG.random((n, n + 2)).astype(dtype), 9)


def test_other_names_of_the_same_memory() -> None:
    def f(p: np.ndarray, q: np.ndarray) -> None:
        for j in range(1, p.size):
            p[j] = p[j - 1] + 1.0
            q[j - 1] = 2.0
            p[j] = p[j] / 9.0
            q[j] += p[j]

    x = RNG.random(50)
    check(f, x, RNG.random(50))
    check(f, x, x)
    check(f, x[1:], x[:-1])
    check(f, x[:-1], x[1:])


def test_an_index_that_is_stored() -> None:
    def f(k: np.ndarray, a: np.ndarray) -> None:
        for j in range(1, k.size):
            k[j] = (k[j] + k[j - 1]) % a.size
            a[k[j]] += 1.0
            a[k[j]] *= 2.0
            k[j] = k[j] + 1

    check(f, RNG.integers(0, 9, 30), RNG.random(9))


def test_an_error_in_between() -> None:
    def f(a: np.ndarray, k: np.ndarray) -> None:
        for j in range(1, a.size):
            a[j] = a[j - 1] + 1.0
            a[j] = a[k[j]] / 3.0

    check(f, RNG.random(5), np.array([0, 1, 2, 9, 1]))
