"""Comprehensions over run-time lengths as arguments of NumPy functions."""

from __future__ import annotations

from typing import Any

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


def chosen_integers(v: np.ndarray) -> Any:
    r = np.array([int(q) for q in v[v > 7]])
    return r, r * 2, r.sum(), r.dtype


def chosen_places(v: np.ndarray) -> Any:
    r = np.array([k for k in range(len(v)) if v[k] > 7])
    return r, r * 2


def a_list_that_grew(v: np.ndarray) -> Any:
    places, pairs = [], []
    for k in range(len(v)):
        if v[k] > 7:
            places.append(k)
            pairs.append([k, k])
    return np.array(places), np.array(pairs)


def test_arrays_of_no_items_are_of_floats() -> None:
    none, some = np.arange(4.0), np.array([5.0, 1.0, 8.0, 9.0, 8.0])
    for f in (chosen_integers, chosen_places, a_list_that_grew):
        check(f, none, also=[(some,)], settings={"target": "interpreter"})
        check(f, some, also=[(none,)])
