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


def lists_are_no_arrays(b: np.ndarray, n: int) -> Any:
    out: list[Any] = [np.block([[b[i, j] for j in range(n)] for i in range(n)]), np.block([b[i, 0] for i in range(n)])]
    out.append(np.histogramdd([b[i, 0, :, 0] for i in range(n)], 2))
    out.append(np.expand_dims(b, [2 * k for k in range(n)]))
    for k in range(7):
        try:
            if k == 0:
                np.copyto([b[i] for i in range(n)], 2)
            elif k == 1:
                np.put([b[i] for i in range(n)], 0, 2)
            elif k == 2:
                np.place([b[i] for i in range(n)], True, 2)
            elif k == 3:
                np.putmask([b[i] for i in range(n)], True, 2)
            elif k == 4:
                np.fill_diagonal([b[i, 0, 0] for i in range(n)], 2)
            elif k == 5:
                np.add.at([b[i] for i in range(n)], 0, 2)
            else:
                np.isfortran([b[i] for i in range(n)])
        except (TypeError, AttributeError) as e:
            out.append((type(e), str(e)))
    return out


def test_functions_that_tell_lists_from_arrays() -> None:
    b = np.arange(36.0).reshape(2, 2, 3, 3)
    check(lists_are_no_arrays, b, 2, also=[(b[:1, :1], 1)], settings={"target": "interpreter"})
    check(lists_are_no_arrays, b, 2, also=[(b[:1, :1], 1)])


def shuffled(a: np.ndarray) -> Any:
    np.random.default_rng(1).shuffle(a.flat)
    return a


def copied_into(a: np.ndarray) -> Any:
    try:
        np.copyto(a.flat, 2)  # type: ignore[arg-type]
    except TypeError as e:
        return str(e), np.shares_memory(a.flat, a)


def test_a_flat_iterator_is_no_array() -> None:
    for f in (shuffled, copied_into):
        check(f, np.arange(6.0).reshape(2, 3), or_refused=True)


def test_items_that_are_ints_or_floats() -> None:
    def total(x):
        return sum(x**2 - 1.5)

    def sums(rows):
        return np.array([total(r) for r in rows])

    def several(rows, n):
        a = np.array([total(r[:n]) for r in rows])
        b = np.array([0 if r[0] > 2 else r[1] for r in rows])
        c = np.asarray([1 if k % 2 else 0.5 for k in range(n)])
        return 2 * a, b, c, a.dtype == float, np.argsort(b), b / 2

    def changed(v, least):
        a = np.array([-1 if x < least else x for x in v])
        a[a < 0] = 2.7
        return a, a.sum(), a[::-1]

    rows = np.arange(6.0).reshape(2, 3)
    check(sums, rows, also=[(np.ones((2, 0)),), (np.ones((0, 3)),)])
    check(several, rows, 2, also=[(rows + 5, 0), (np.ones((0, 3)), 1)])
    v = np.arange(5.0)
    check(changed, v, 2.5, also=[(v, 9.0), (v, -2.0), (np.array([np.nan, -0.0]), 0.0), (v[:0], 1.0)])
