"""Loops in order whose iterations need much that is independent: computed a strip of iterations ahead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import check

RNG = np.random.default_rng(11)
LENGTHS = [0, 1, 255, 256, 257, 1000]


def deposit(x: np.ndarray, q: np.ndarray, h: np.ndarray, width: float) -> None:
    """Charges of particles, each shared by two cells."""
    for k in range(x.size):
        y = x[k] / width * 30.0 + 0.5
        j = max(min(int(y), 29), 0)
        h[j] += q[k] * (1.0 - (y - j))
        h[j + 1] += q[k] * (y - j)


def smooth(x: np.ndarray, y: np.ndarray, a: float) -> Any:
    s = 0.0
    for k in range(1, x.size):
        s = s * a + np.exp(x[k] * a) / (x[k - 1] + 2.0)
        y[k] = y[k - 1] * 0.5 + s * np.sqrt(x[k] / a + x[k - 1])
    return s


@pytest.mark.parametrize("n", LENGTHS)
def test_charges(n: int) -> None:
    check(deposit, RNG.random(n), RNG.random(n), np.zeros(31), 1.25)


@pytest.mark.parametrize("n", LENGTHS)
def test_a_recurrence(n: int) -> None:
    check(smooth, RNG.random(n), np.zeros(n), 0.75)


def test_what_the_loop_writes_is_not_read_ahead() -> None:
    def f(x: np.ndarray, y: np.ndarray, a: float) -> None:
        for k in range(1, x.size):
            y[k] = y[k - 1] * a + np.sqrt(x[k - 1] / a + 1.0) / (x[k] + 2.0)

    x = RNG.random(600)
    check(f, x, x, 0.75)
    check(f, x[1:], x[:-1], 0.75)
    check(f, x[:-1], x[1:], 0.75)


def test_rows_on_threads() -> None:
    def f(x: np.ndarray, h: np.ndarray, a: float) -> None:
        for i in range(x.shape[0]):
            for k in range(x.shape[1]):
                h[i, max(min(int((x[i, k] - a) / (a + 2.0) * 40.0), 19), 0)] += x[i, k]

    check(f, RNG.random((300, 700)), np.zeros((300, 20)), 0.125)


def test_explain_tells() -> None:
    f = sol.jit(smooth)
    f(RNG.random(600), np.zeros(600), 0.75)
    assert "computed ahead" in f.explain()
