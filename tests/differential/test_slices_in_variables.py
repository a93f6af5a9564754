"""Slices, ranges, methods and `a.flat` as values of variables: made of other variables that change, changed in branches and loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import check


def made_of_what_changes(a: np.ndarray, n: int) -> Any:
    v, k, out = a, 0, []
    for _ in range(n):
        where, pair, total, flat, more = slice(k, None), (slice(k, k + 2), k), v.sum, v.flat, [slice(k, k + 1), v.max]
        v = v[1:]
        k += 1
        flat[1] = 9
        out.append((a[where].sum(), len(a[pair[0]]), pair[1], total(), flat[0], a[more[0]][0], more[1](), k.__add__(1)))
    return out, v


def test_what_a_slice_or_method_was_made_of_does_not_change_with_the_variable() -> None:
    check(made_of_what_changes, np.arange(6.0), 3, also=[(np.arange(6.0)[::-1], 2), (np.arange(4), 0)])


def chosen(a: np.ndarray, which: bool, k: int) -> Any:
    s = slice(k, None, -1) if which else slice(None, None, 2)
    total = a.sum if which else a.max
    it = a.flat if which else a[k:].flat
    it[0] = 77
    a[s] += 1
    return a[s], s, s.start, s == slice(None, None, 2), total(), it[-1], len(it), list(it), a


def test_slices_chosen_by_a_condition() -> None:
    for which in (True, False):
        check(chosen, np.arange(6.0), which, 2, also=[(np.arange(12).reshape(4, 3), which, 1)])


def flat_of_several_types(a: np.ndarray, k: int) -> Any:
    v = a if k else a.astype(np.float32)
    v.flat[1] = 5
    return v.flat[0], v.flat[2:4], sum(v.flat), v


def test_flat_of_a_value_of_several_types() -> None:
    check(flat_of_several_types, np.arange(6).reshape(2, 3), 1, also=[(np.arange(6).reshape(2, 3), 0)])


def changed_in_a_loop(a: np.ndarray, n: int) -> Any:
    s: Any = slice(None)
    where: Any = 0
    pair: Any = (slice(None), 0)
    add, out = a.sum, []
    for i in range(n):
        out.append((a[s].sum(), np.sum(a[where]), add()))
        a[s][:1] += i
        s = slice(i, None, i + 1)
        where = slice(i, i + 2) if i % 2 else i
        pair = (0, slice(i, None)) if i % 2 else (slice(i, None), i)
        a[pair] = -i
        add = a.min if i % 2 else a[s].max
    return out, a[s], a[where], a[pair], add(axis=0)


def test_slices_that_change_in_loops() -> None:
    check(
        changed_in_a_loop,
        np.arange(12.0).reshape(4, 3),
        3,
        also=[(np.arange(12).reshape(3, 4).T, n) for n in (0, 1, 2)],
    )


def best_window(a: np.ndarray, w: int) -> Any:
    best = None
    for i in range(len(a) - w + 1):
        here = slice(i, i + w)
        if best is None or a[here].sum() > a[best].sum():
            best = here
    return best, None if best is None else a[best]


def halved(a: np.ndarray, total: float) -> Any:
    s = slice(0, len(a))
    while s.stop - s.start > 1:
        middle = (s.start + s.stop) // 2
        s = slice(middle, s.stop) if a[s].sum() > total else slice(s.start, middle)
    return a[s]


def test_searching_with_slices() -> None:
    check(best_window, np.array([3.0, 1, 4, 1, 5, 9, 2]), 3, also=[(np.arange(2.0), 3)])
    check(halved, np.arange(10), 15, also=[(np.arange(10.0), 100.0)])


def sweeps(a: np.ndarray, n: int) -> np.ndarray:
    for it in range(n):
        rows = range(1, a.shape[0] - 1) if it % 2 == 0 else range(a.shape[0] - 2, 0, -1)
        for i in rows:
            a[i] = (a[i - 1] + a[i + 1]) / 2
    return a


def ranges(a: np.ndarray, up: bool, n: int) -> Any:
    r = range(n, len(a)) if up else range(len(a) - 1, -1, -1)
    t = 0
    for i in r:
        t = t * 2 + a[i]
    taken = a[r]
    for it in range(n):
        for i in r:
            a[i] += i
        r = r[::-1] if it % 2 else r[1:]
    return t, taken, a, r, len(r), list(reversed(r)), [a[i] for i in r], 2 in r, r == range(3)


def test_ranges_that_differ_between_paths() -> None:
    check(sweeps, np.arange(20.0).reshape(5, 4) ** 2, 3, also=[(np.arange(6.0)[::-1] ** 2, 2)])
    check(ranges, np.arange(6.0), True, 2, also=[(np.arange(6), False, n) for n in (0, 1, 3)])


MADE_OUTSIDE = slice(np.array(1), None)


def test_slices_made_outside_of_arrays_are_refused() -> None:
    with pytest.raises(sol.UnsupportedError, match="a slice made outside whose bounds are arrays"):
        sol.jit(lambda a: a[MADE_OUTSIDE], strict=True)(np.arange(4.0))
    check(lambda a: a[MADE_OUTSIDE.start :], np.arange(4.0))
