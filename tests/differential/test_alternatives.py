"""Functions whose returns differ: in type, in structure, None on some paths and a value on others."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check
from tests.values import grid


def guard_clauses(a: np.ndarray, n: int) -> Any:
    if n < 0:
        return None
    if n == 0:
        return a
    if n == 1:
        return a + 1
    if n == 2:
        return 7
    if n == 3:
        return 2.5
    if n == 4:
        return a.sum(), "x"
    if n == 5:
        return "hello"
    if n == 6:
        return a[1:]
    if n == 7:
        return (a > 0).reshape(1, -1)
    if n == 8:
        return [n, a.sum()], {"a": n}
    if n == 9:
        return True
    if n == 10:
        return a[0]
    if n == 11:
        return 1, a
    if n == 12:
        return np.broadcast_to(a[0], (3,))


def found(a: np.ndarray) -> Any:
    for k in range(len(a)):
        if a[k] > 2:
            return k
        if a[k] < -2:
            return a[k]
    return None


def number(flag: bool) -> Any:
    if flag:
        return 1
    return 1.0


def constants(k: int) -> Any:
    if k == 0:
        return True
    if k == 1:
        return 1
    if k == 2:
        return np.float32(1)
    if k == 3:
        return np.int8(1), 1.0
    return {"k": k, "none": None}


def some_arguments(a: np.ndarray, b: np.ndarray, k: int) -> Any:
    if k == 0:
        return a, b
    if k == 1:
        return b, a
    if k == 2:
        return b, b
    return b, b.copy()


def sums_of_several_types(a: np.ndarray, n: int) -> Any:
    b = a if n > 0 else a[a > 1].astype(np.int32) if n else [1, 2.5]
    a[0] = sum(q for q in b if q > 0)
    print(max(q for q in b))
    for i in range(3):
        if any(q > 3 for q in b):
            b = np.append(b, sum(q for q in b))
        elif i == 2:
            return b, all(q > 0 for q in b)
    return [sum(q for q in b), (b := b[1:]), sum(q for q in b)], a


def test_generator_expressions_over_values_of_several_types() -> None:
    a = np.arange(4.0)
    check(sums_of_several_types, a, 1, also=[(a, 0), (a, -1), (a[:2], 1), (a[:2], 0)])


def test_returns_of_different_types() -> None:
    a = grid(4)
    check(guard_clauses, a, -1, also=[(a, k) for k in range(14)])
    check(found, a, also=[(-a,), (a * 0,)])
    check(number, True, also=[(False,)])
    check(constants, 0, also=[(k,) for k in range(5)])
    check(some_arguments, a, a + 1, 0, also=[(a, a + 1, k) for k in range(4)])
