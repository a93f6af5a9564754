"""Subscripts whose type depends on the path or that only the run knows: integers, None, slices, lists and texts, read, written and updated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.cases import Case, case_tests
from tests.values import grid

TABLE = {"ab": (0, 1), "ba": (1, 0), "bb": (1, 1)}
NEXT = [1, 2, 0, 1]
PARTS: list[Any] = [
    1,
    -1,
    9,
    True,
    None,
    1.5,
    "x",
    [0, 1],
    [],
    slice(0, 2),
    slice(None, None, -1),
    np.array([2, 0]),
    (0, 1),
    ...,
]


def one_of_two(a: np.ndarray, ns: np.ndarray) -> Any:
    n, m = int(ns[0]), int(ns[1])
    i: Any = n
    if n < 0:
        i = PARTS[m]
    a[i] = n
    return a[i], a


def pairs(a: np.ndarray, ns: np.ndarray) -> Any:
    n, m = int(ns[0]), int(ns[1])
    i: Any = n
    if n < 0:
        i = PARTS[m]
    j: Any = n - 1
    if n < 1:
        j = PARTS[-m]
    k = NEXT[j]
    a[i, j] = 0.5 * n
    a[j, i] = a[i, k] * a[i, j] + a[j, j]
    a[k, k] += a[i, i]
    return a


def mixed_with_slices(a: np.ndarray, ns: np.ndarray) -> Any:
    n, m = int(ns[0]), int(ns[1])
    i: Any = n
    if n < 0:
        i = PARTS[m]
    a[1:, i] = n
    a[..., i] -= 1
    a[i:, 1] *= 2.0
    return a[:i].sum(), a[i, 1:] + 1, a[None, i]


def bounds(a: np.ndarray, ns: np.ndarray) -> Any:
    n, m = int(ns[0]), int(ns[1])
    i: Any = n
    if n < 0:
        i = PARTS[m]
    j = None if n == 1 else n + 1
    k = 2 if n else None
    a[i:j] = 7
    a[j:, i:k] += 1
    return a, a[i:j:k].sum(), a[j:k, k:]


def of_known_types(a: np.ndarray, ns: np.ndarray) -> Any:
    n, m = int(ns[0]), int(ns[1])
    i = None if n == 0 else n
    j = slice(1, None) if n == 1 else n
    k = [0, 1] if n == 2 else n
    r = np.array([1, 0]) if n == 1 else None
    a[i, j] = 1.5
    a[j, k] += a[k, j].sum()
    return a, a[i, r, j].sum(), a[i, j, k, r].shape


def values_of_two_types(a: np.ndarray, ns: np.ndarray) -> Any:
    n, m = int(ns[0]), int(ns[1])
    i: Any = n
    if n < 0:
        i = PARTS[m]
    v = n if n < 1 else 0.25 if n == 1 else a[0]
    a[i, 1] = v
    a[i] = v
    return a


def in_loops(a: np.ndarray, ns: np.ndarray) -> Any:
    n, m = int(ns[0]), int(ns[1])
    t = 0.0
    for s in range(3):
        i: Any = s
        if s == 2 and n < 0:
            i = PARTS[m]
        t += float(np.sum(a[i, 0]))
        a[i, 1] = t
    return t, a


def number_or_text(a: np.ndarray, ns: np.ndarray) -> Any:
    n, m = int(ns[0]), int(ns[1])
    i: Any = n
    j: Any = m
    if n > 1:
        i = str(m)
    if m > 1:
        j = list(range(n))
    a[i, j] = 1.5
    a[j, j] += a[j, i].sum()
    a[0, i:j] = 2
    return a[j], a[j, 1:]


def list_or_number(a: np.ndarray, ns: np.ndarray) -> Any:
    n, m = int(ns[0]), int(ns[1])
    i: Any = n
    j: Any = m
    if n > 1:
        i = sorted({0, 1})
    if m > 1:
        j = tuple(sorted({1, m - 1}))
    a[i, j] += 0.5
    a[i, i] *= a[j, i]
    return a[i], a[j]


def in_branches(a: np.ndarray, ns: np.ndarray) -> Any:
    n, m = int(ns[0]), int(ns[1])
    i: Any = n
    j: Any = m
    k: Any = n - m
    if n > 1:
        i = str(m)
    if m > 1:
        j = sorted({n, 0})
    if n > m:
        k = "k" * m
    s = 0.0
    if i:
        s += a[0, 0] * 1
        s = s - a[0, 1] * 2
        a[0, :] += s
        a[:, 0] -= 1
        if j:
            s += a[0, 0] * 3
            s = s - a[0, 1] * 4
            a[1, :] += s
            a[:, 1] -= 1
            if not k:
                s += a[0, 0] * 5
                s = s - a[0, 1] * 6
                a[2, :] += s
                a[:, 2] -= 1
                a[j, i] = s
            else:
                s = -s
                a[j] = s
        elif k == n or i == m:
            s += 10 * a[n]
        else:
            s += 20
    return s, a


def integers_of_numpy(a: np.ndarray, ns: np.ndarray) -> Any:
    n, m = int(ns[0]), int(ns[1])
    i: Any = np.uint64(abs(n))
    if n < 0:
        i = np.int8(m - 1)
    elif n > 2:
        i = PARTS[m]
    a[i, i] = 3
    a[i, 0] += 1
    return a[i, 1], a[0, i]


def read_only(a: np.ndarray, ns: np.ndarray) -> Any:
    n, m = int(ns[0]), int(ns[1])
    b = np.broadcast_to(a[0], a.shape)
    i: Any = n
    if n < 0:
        i = PARTS[m]
    return b[i, 0], b[i:]


def pair_or_text(a: np.ndarray, key: str) -> Any:
    try:
        i, j = TABLE[key]
    except KeyError:
        i, j = key  # type: ignore[assignment]
    if i:
        a[i, j] = 0.5
        a[j, i] = -a[0, 0]
    else:
        a[i, i] = 1.5
        a[j, NEXT[j]] = -a[0, 0]
    return a


FUNCTIONS: list[Callable[..., Any]] = [
    one_of_two,
    pairs,
    mixed_with_slices,
    bounds,
    of_known_types,
    values_of_two_types,
    in_loops,
    number_or_text,
    list_or_number,
    in_branches,
    integers_of_numpy,
    read_only,
]
CALLS: list[tuple[Any, ...]] = [(grid(3, 4), np.array([n, m])) for n in range(4) for m in range(3)]
CALLS += [(grid(3, 4), np.array([-1, m])) for m in range(len(PARTS))]
TEXTS: list[tuple[Any, ...]] = [(grid(3, 3), key) for key in ("ab", "ba", "bb", "xy", "abc", "")]
CASES: list[Case] = [*((f, CALLS) for f in FUNCTIONS), (pair_or_text, TEXTS)]
test_interpreted, test_compiled = case_tests(CASES, {f.__name__ for f, _ in CASES})
