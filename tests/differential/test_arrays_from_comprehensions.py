"""Comprehensions over run-time lengths as arguments of NumPy functions."""

from __future__ import annotations

import numpy as np

from tests.oracle import check

X = np.linspace(-2.0, 3.0, 7)


def numbers(x):
    n = len(x)
    return (
        np.array([x[i] * 2 for i in range(n)]),
        np.array([i for i in range(n)]),  # noqa: C416
        np.array([i > 1 for i in range(n)]),
        np.array([i * 1j for i in range(n)]),
        np.array([np.float32(i) for i in range(n)]),
        np.array([i for i in range(n)], dtype=np.float32),  # noqa: C416
        np.asarray([v + 1 for v in x]),
        np.array([np.sqrt(v) if v > 0 else 0.0 for v in x]),
    )


def arrays(x, m):
    n = len(x)
    return (
        np.array([x * i for i in range(n)]),
        np.array([[i * j + x[j] for j in range(m)] for i in range(n)]),
        np.array([(i, x[i]) for i in range(n)]),
        np.array([x[i : i + 2] for i in range(n - 1)]),
        np.vstack([x * i for i in range(n)]),
        np.hstack([x[i : i + 2] for i in range(n)]),
    )


def moving(x, w):
    return np.array([x[max(0, i - w) : i + 1].mean() for i in range(len(x))])


def reduced(x):
    return np.sum([v * v for v in x]), np.mean([v for v in x if v > 0]), np.dot([v + 0 for v in x], x), np.max([len(x)])


def filtered(x):
    return np.array([v for v in x if v > 100]), np.array([x[i] for i in range(len(x)) for j in range(2)])


def ragged(x):
    return np.array([x[i:] for i in range(len(x))])


def last(x):
    return np.array([x[:i] for i in range(len(x))][-1])


def failing(x):
    return np.array([x[i + 3] for i in range(len(x))])


def test_numbers() -> None:
    check(numbers, X)
    check(numbers, X[:1])
    check(numbers, X[:0])


def test_arrays() -> None:
    check(arrays, X, 3)
    check(arrays, X[:2], 1)


def test_reductions_and_filters() -> None:
    check(moving, X, 2)
    check(reduced, X, tol=1e-15)
    check(filtered, X)
    check(last, X)


def test_failures() -> None:
    check(ragged, X, raises=ValueError)
    check(failing, X, raises=IndexError)
