"""Loops over short lists of numbers that stand outside of a function: coefficients, weights, offsets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import soljit as sol
from bench.compile_time import lowered
from soljit.ir.text.printer import to_text
from tests.oracle import check

C = [-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]
D = [0.5, -0.25, 0.125]
STEPS = [3, 1, 4, 1, 5]
MIXED = [1, 2.5, 3]
LONG = [0.5 * k for k in range(40)]
EMPTY: list[float] = []


def enumerated(u: Any) -> Any:
    n = len(u) - 8
    a = np.zeros(n)
    for k, c in enumerate(C):
        a += c * u[k : k + n]
    return a


def zipped(u: Any) -> Any:
    s = 0.0
    for c, d, k in zip(D, reversed(D), STEPS):
        s += c * u[k] - d
    for c in C:
        s = s * 0.5 + c
    return s, c, k


def with_breaks(u: Any) -> Any:
    s = 0.0
    for k, c in enumerate(C, 1):
        if c > u[k]:
            break
        s += c * k
    else:
        s = -1.0
    return s, k


def others(u: Any) -> Any:
    s = 0
    for k, x in enumerate(MIXED):
        s += x * k
    for x in EMPTY:
        s += x
    for k, x in enumerate(LONG):
        s += x * u[k % 4]
    return s, [c * 2 for c in D], sum(D), max(C), [(k, x) for k, x in enumerate(STEPS)]


@pytest.mark.parametrize("function", [enumerated, zipped, with_breaks, others])
def test_loops_over_them(function: Any) -> None:
    check(function, np.linspace(0, 1, 40))
    check(function, np.linspace(-3, 3, 12), also=[(np.linspace(-3, -2, 12),)])


def test_they_are_no_python_objects() -> None:
    text = to_text(lowered(enumerated, [np.ones(20)]).program)
    assert "callback" not in text


def test_what_changes_between_calls_is_seen() -> None:
    weights = [1.0, 2.0, 3.0]

    def f(a: Any) -> Any:
        s = 0.0
        for k, w in enumerate(weights):
            s += w * a[k]
        return s

    compiled, a = sol.jit(strict=True)(f), np.arange(1.0, 30.0)
    assert compiled(a) == f(a)
    weights[1] = 7
    assert compiled(a) == f(a)
    weights[1] = 0.5
    for k in range(20):  # more often than there are variants
        assert compiled(a) == f(a)
        weights[k % 3] = float(k)
        if k % 4 == 3:
            weights.append(0.5)
    weights.clear()
    assert compiled(a) == f(a)


def test_what_the_loop_changes_is_seen() -> None:
    def f(a: Any, weights: Any) -> Any:
        s = 0.0
        for k, w in enumerate(weights):
            if k < 6 and w > a[k]:
                weights.append(w * 0.5)
            s += w
        return s

    def g(a: Any) -> Any:
        s = 0.0
        for k, w in enumerate(shared):
            if k < 2:
                shared[k + 1] = w + a[k]
            s += w
        return s, list(shared)

    def change(k: int) -> None:
        shared[k] = -1.0

    def h(a: Any) -> Any:
        s = 0.0
        for k, w in zip(range(3), shared):
            change(2)
            s += w * a[k]
        return s

    check(f, np.zeros(8), [1.0, 2.0, 3.0])
    for function in (g, h):
        results = []
        for run in (function, sol.jit(strict=True)(function)):
            shared = [1.0, 2.0, 3.0]
            results.append((run(np.arange(4.0)), run(np.arange(4.0)), shared))
        assert results[0] == results[1]
