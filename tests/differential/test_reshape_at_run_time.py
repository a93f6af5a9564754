"""Shapes computed in a loop: only the run tells whether one of their lengths is the unknown -1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check


def halves(a: Any, lengths: Any) -> Any:
    total = 0.0
    for k in range(len(lengths)):
        b = a.reshape(lengths[k], len(a) // 4)
        total += b[0, 0] + b.shape[0] * 10 + b.shape[1] * 100
    return total


def both(a: Any, rows: Any, columns: Any) -> Any:
    total = 0
    for k in range(len(rows)):
        b = a.reshape(rows[k], columns[k])
        total += b.shape[0] * 10 + b.shape[1] * 100 + int(b[-1, 0])
    return total


def test_given_and_unknown_lengths() -> None:
    check(halves, np.arange(12.0), np.array([4, -1, 4]))


@pytest.mark.parametrize("rows, columns", [([3, -1, 12, -1], [4, 6, -1, 1]), ([3, -1], [4, -1]), ([3, 5], [4, 5])])
def test_each_may_be_unknown(rows: list[int], columns: list[int]) -> None:
    check(both, np.arange(12.0), np.array(rows), np.array(columns))


@pytest.mark.parametrize("row, column", [(5, -1), (-1, 5), (0, -1), (-1, 0), (3, 3)])
def test_what_does_not_fit(row: int, column: int) -> None:
    check(both, np.arange(12.0), np.array([3, row]), np.array([4, column]))


def test_lengths_from_a_power_in_a_loop() -> None:
    def stages(y: Any, k: int) -> Any:
        n = len(y)
        for stage in range(k):
            done = 2**stage
            y[:] = y.reshape(done, 2, n // (2 * done)).transpose(1, 0, 2).reshape(n) + stage
        return y.sum()

    check(stages, np.arange(16.0), 4)


def views_of_either_order(a: Any, c: int) -> Any:
    b = a.T if c else a
    r = b.ravel()
    r[0] = 99
    s = b.reshape(-1)
    s[-1] = -5
    u = b.reshape(b.shape[1], b.shape[0])
    u[0, 0] = 50
    x = np.ravel(b, "F")
    x[1] = 60
    return r, s, u, x, a


def reshaped_to_given_lengths(a: Any, c: int, k: int, m: int) -> Any:
    b = a.T if c else a
    u = b.reshape(k, m)
    u[0, 0] = 50
    return u, a, u + 1, u.sum(axis=0), u.T


def parts_of_columns(a: Any, k: int, c: int) -> Any:
    b = a[:, :k] if c else a.T[:k]
    r = b.ravel()
    r[:1] = 99
    t = b.reshape(1, b.shape[1], b.shape[0])
    t[:, :1] = 97
    return r, t, a


def test_views_where_only_the_run_tells_the_order() -> None:
    a = np.arange(6.0).reshape(2, 3)
    shapes = [(2, 3), (1, 3), (3, 1)]
    calls = [(np.arange(float(n * m)).reshape(n, m), c) for n, m in shapes for c in (0, 1)]
    check(views_of_either_order, *calls[0], also=calls[1:])
    more = [(a, 1, 2, 3), (a, 1, 3, 2), (a, 0, 3, 2), (np.arange(12.0).reshape(2, 6)[:, ::2], 1, 2, 3)]
    check(reshaped_to_given_lengths, a, 0, 2, 3, also=more)
    parts = [(a, 1, 1), (a, 2, 0), (a, 3, 1), (a.T, 1, 0), (a.T, 1, 1)]
    check(parts_of_columns, a, 1, 0, also=parts, settings={"target": "interpreter"})


def reversed_axes(n):
    axes = []
    for i in range(n):
        axes.insert(0, i)
    return axes


def test_numbers_of_axes_that_only_the_run_tells() -> None:
    class State:
        def __init__(self, n):
            self.n = n
            self.amplitudes = np.zeros(2**n, complex)
            self.amplitudes[0] = 1

        def mixed(self, q):
            psi = self.amplitudes.reshape([2] * self.n)
            psi = np.tensordot(np.array([[1, 1], [1, -1]]), psi, axes=([1], [q]))
            self.amplitudes = np.moveaxis(psi, 0, q).reshape(-1)
            return self

    def state(n):
        return State(n).mixed(0).mixed(1).amplitudes

    def views(a, n):
        b = a.reshape((2,) * int(n[0]))
        b[0] = 7
        a[-1] = -1
        return b, a, b.ravel() + 1, a.reshape([2] * int(n[0]) + [1]).ndim

    def permuted(a):
        b = a.transpose(reversed_axes(3))
        b[0, 0, 0] = 100
        return b, a, (a + 0).transpose(tuple(reversed_axes(3))).copy(), b.shape

    check(state, 3)
    check(views, np.arange(8.0), np.array([3]))
    check(views, np.arange(8.0), np.array([2]), raises=ValueError)
    a = np.arange(24.0).reshape(2, 3, 4)
    check(permuted, a, also=[(np.asfortranarray(a),), (a[::-1, ::2],)])


def test_tuples_repeated_as_often_as_the_run_tells() -> None:
    def f(v):
        k = int(v[0])
        some = (1, 2.5) * k
        total = 0
        for x in some:
            total += x
        return some, k * (np.int8(3),), () * k, total, len(some), (v,) * k, ("a",) * k, (None, 3) * k

    check(f, np.array([3]), also=[(np.array([0]),), (np.array([-1]),)])
