"""The variable of a loop over a range is in the range afterwards, wherever the loop was left."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bench.compile_time import lowered
from soljit.ir.text.printer import to_text
from tests.oracle import check

A = np.arange(8.0)


def left_early(a, n):
    for i in range(n):
        if a[i] > 3.0:
            break
    return i + 1, a[i]


def backwards(a, n):
    for i in range(n, -1, -2):
        if a[i] < 3.0:
            break
    return i * 3, a[i]


def constant(a, n):
    s = 0.0
    for i in range(50):
        s += a[0]
        if s > n:
            break
    return i + 1


def of_two_loops(a, n):
    for k in range(n):
        for i in range(k + 1):
            if a[i] > k:
                break
        j = i + 1
    return i + k, j


def assigned_inside(a, n):
    for i in range(n):
        i = i * 5
    return i + 1


def before_and_after(a, n):
    i = 1 << 62
    for i in range(n):
        a[0] += 1.0
    return i, a


def otherwise(a, n):
    for i in range(n):
        if a[i] > 100.0:
            break
    else:
        i = 1 << 61
    return i + i - 1


def assigned_by_another_function(a, n):
    def change():
        nonlocal i
        i = 1 << 61

    for i in range(n):
        change()
    return i + 7


FUNCTIONS = [
    left_early,
    backwards,
    constant,
    of_two_loops,
    assigned_inside,
    before_and_after,
    otherwise,
    assigned_by_another_function,
]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_results(f: Any) -> None:
    check(f, A, 5, also=[(A, 1), (A, 7), (-A, 3), (A, 0)])
    check(f, A, 0, also=[(A, 2), (A, -1)])


@pytest.mark.parametrize("f", [left_early, constant])
def test_sums_with_it_need_no_check(f: Any) -> None:
    assert "OverflowError" not in to_text(lowered(f, [A, 5]).program)
