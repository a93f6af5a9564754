"""Numbers of classes made from int and float: members of an IntEnum and the like are numbers, but not weak ones for NumPy."""

from __future__ import annotations

import enum
import math

import numpy as np

from tests.oracle import check


class E(enum.IntEnum):
    A = 3
    B = 2


class Size(int):
    pass


class Ratio(float):
    pass


class Odd(int):
    def __add__(self, other):
        return 100


N, F, ODD = Size(3), Ratio(2.5), Odd(2)


def test_as_python_numbers() -> None:
    def f(x):
        s = 0
        for i in range(E.A):
            s += i
        for i in range(1, N):
            x[i] = i
        numbers = (
            int(N),
            float(F),
            N == 3,
            F > 2,
            -N,
            abs(F),
            abs(E.A),
            N // 2,
            N**2,
            divmod(N, 2),
            round(F, 0),
            N | 1,
            ~N,
        )
        return s, numbers, [0] * E.A, (1, 2, 3, 4)[E.A], {3: 4}[N], math.sqrt(F), 1 if N else 2, complex(N, F), ODD + 1

    check(f, np.ones(3))


def test_as_sizes_and_axes() -> None:
    def f(x):
        made = np.zeros(E.A), np.ones((N, N)), np.eye(N), np.arange(E.A), x.reshape(E.B, 1, N), np.reshape(x, (N, E.B))
        axes = np.sum(x, axis=Size(0)), x.sum(axis=(0, E.B - 1)), np.roll(x, N), np.split(x, [N - 2, N - 1])
        return made, axes, x[N - 2], x[: E.B], x[:, E.B], np.take(x, E.B), np.linspace(0, F, N)

    check(f, np.ones((2, 3)))


def test_stored_in_arrays() -> None:
    def f(a):
        a[0] = E.B
        a[1:] = E.A
        a.flat[2] = E.B
        out = np.zeros(3, np.int64)
        for i, e in enumerate(E):
            out[i] = e
        a[3] += E.B
        return out, a

    def g(a):
        a.fill(E.A * 100)
        return a

    for t in "bdf":
        check(f, np.arange(8).astype(t))
        check(g, np.arange(8).astype(t))


def test_types_beside_arrays() -> None:
    def f(x, h, b):
        return (
            x * N + F,
            h * F,
            b * E.A,
            np.add(b, E.A),
            np.where(b > 0, N, b),
            np.full(N, F),
            np.array([N, F]),
            b < N,
            b[0] * N,
        )

    check(f, np.ones(3), np.ones(3, "f4"), np.ones(3, np.int8))
