"""Functions of a sum of loop variables, which a nest of loops computes once for each value of the sum (`passes/loops/tabulate_functions.py`)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import IDENTITY, TARGET, check


def binomial_tree(up, n):
    values = np.ones(n + 1)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            values[j] = 0.5 * values[j + 1] + 0.4 * values[j] + up ** (2 * j - i)
    return values


def toeplitz(n, m, width):
    a = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            a[i, j] = math.cos((j - i) * width) * math.sin(3.5 + i)
    return a


def downwards_from_an_end(n, m):
    a = np.zeros((64, 64))
    for i in range(n, 0, -1):
        for j in range(m, i, -1):
            a[i, j] = math.tanh(0.1 * (i - 3 * j + 5))
    return a


def in_a_time_loop(a, steps):
    for t in range(steps):
        w = a[0, 0] / 10
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                a[i, j] += w ** (i + j)


CALLS: list[tuple[Callable[..., Any], tuple[Any, ...], list[tuple[Any, ...]]]] = [
    (binomial_tree, (np.float64(1.01), 100), [(np.float64(1.01), 3), (np.float64(0.0), 90), (np.float64(-1.5), 0)]),
    (toeplitz, (50, 70, 0.25), [(3, 2, 0.25), (0, 70, 0.25), (50, 1, float("inf")), (1, 70, 1.0)]),
    (downwards_from_an_end, (40, 60), [(40, 39), (1, 63), (0, 60), (60, 2)]),
    (in_a_time_loop, (np.ones((60, 50)), 4), [(np.ones((2, 3)), 2), (np.ones((60, 0)), 2)]),
]


@pytest.mark.parametrize("f, args, also", CALLS, ids=lambda x: getattr(x, "__name__", ""))
def test_results_are_the_same(f: Callable[..., Any], args: tuple[Any, ...], also: list[tuple[Any, ...]]) -> None:
    check(f, *args, also=also)


@pytest.mark.skipif(IDENTITY or bool(TARGET), reason="about the passes")
@pytest.mark.parametrize("f, args, also", CALLS, ids=lambda x: getattr(x, "__name__", ""))
def test_tables_are_made(f: Callable[..., Any], args: tuple[Any, ...], also: list[tuple[Any, ...]]) -> None:
    compiled = sol.jit(f, strict=True)
    compiled(*args)
    assert "computed once for each argument" in str(compiled.explain())
