"""Lists and tuples of many known items, and lists of one value repeated."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check

T = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584, 4181, 6765, 10946)


W = [0.5 * k for k in range(30)]


def t1(n: Any) -> Any:
    return T[n]


def t2(n: Any) -> Any:
    s = 0
    for i in range(n):
        s += T[i]
    return s


def t3(n: Any) -> Any:
    s = 0.0
    for i in range(n):
        s += W[i] * i
    return s


def t4(n: Any) -> Any:
    t = (1.0,) * 20 + (2.0,)
    s = 0
    for i in range(n):
        s += t[i + 1]
    return s


def t5(n: Any) -> Any:
    xs = [0] * 40
    a = np.zeros(3)
    for i in range(n):
        xs[i] = i * i
        a[i % 3] += xs[i]
    return (xs, a, np.array(xs), sum(xs))


def t6(n: Any) -> Any:
    z = [0.0] * n
    a = np.array([0.0] * n)
    b = np.array([[1] * n] * 2)
    c = [None] * n
    return (z, a, b, c, len([0] * n), np.zeros((2,) * n).shape)


def t7(n: Any) -> Any:
    a = np.array([0.0] * n) + 1
    b = np.array([i * 2 for i in range(100)])
    c = np.array([[0] * n for _ in range(3)])
    return (a, b, c, sum([1] * n), max([n] * n))


def test_long_lists() -> None:
    check(t1, *(19,), also=[(-20,), (25,)])
    check(t2, *(20,))
    check(t3, *(20,))
    check(t4, *(20,))
    check(t5, *(20,))
    check(t6, *(5,))
    check(t7, *(50,))
