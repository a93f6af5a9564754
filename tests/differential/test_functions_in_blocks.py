"""Nested functions that assign variables around them (`nonlocal`), made in branches and loops: what the rest of the block binds is there behind it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check


def function_of_a_branch(a: Any, n: int) -> Any:
    s = n
    if a.max() > 1:
        s = 7

        def put(q: Any) -> Any:
            nonlocal s
            s = q
            return q
    else:
        s = 3
    if n <= a[0] + 1:
        f = put
    else:
        f = lambda q: q + 1  # noqa: E731
    return f(n + 1), s


def array_of_a_branch(a: Any, n: int) -> Any:
    if n > 1:
        t = 0

        def add(q: Any) -> None:
            nonlocal t
            t += q

        add(3)
        w = a + t
    else:
        w = a * 2
    w[0] = 9
    return w


def function_of_a_loop(a: Any, n: int) -> Any:
    y, z = 1, -1
    for k in range(3):
        t = k

        def add(q: Any) -> Any:
            nonlocal t
            t += q
            return t

        y += add(k)
        z = k
    return y, add(n), z, t


def names_of_a_try(a: Any, n: int) -> Any:
    try:
        t = 0

        def add(q: Any) -> None:
            nonlocal t
            t += q

        add(n)
        w = a[n]
        add(5)
    except IndexError:
        w = -1.0
    return w, t


def in_an_unrolled_loop(a: Any, n: int) -> Any:
    w = 0
    k = -1
    if a[0] > 1:
        for k in (0, 1):

            def put(q: Any) -> Any:
                nonlocal w
                w = q
                return q

            put(a[k] + w)
    return w, k


def array_of_an_unrolled_loop(a: Any, n: int) -> Any:
    w: Any = 0
    k = -1
    if n > 1:
        for k in (0, 1):

            def add(q: Any) -> None:
                nonlocal w
                w = w + q

            add(a[k])
            v = a + w
    else:
        v = a * 2
    v[0] = w
    return v, k


BLOCKS = (
    function_of_a_branch,
    array_of_a_branch,
    function_of_a_loop,
    names_of_a_try,
    in_an_unrolled_loop,
    array_of_an_unrolled_loop,
)


def compared(f: Any) -> None:
    """Compare a function with itself under NumPy, for arguments that take each branch."""
    a = np.array([2.0, 1.0, 0.0])
    check(f, a, 1, also=[(a, 2), (a, 3), (a - 5, 1), (a - 5, -9)], settings={"target": "interpreter"})


@pytest.mark.parametrize("f", BLOCKS, ids=lambda f: f.__name__)
def test_names_stay(f: Any) -> None:
    compared(f)


@pytest.mark.parametrize("f", BLOCKS, ids=lambda f: f.__name__)
def test_names_stay_in_a_helper(f: Any) -> None:
    def caller(a: Any, n: int) -> Any:
        return f(a, n), 1

    compared(caller)
