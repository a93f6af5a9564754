"""Sorting: every type, axis, layout and kind; zeros of both signs and NaN end up where NumPy puts them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check

TYPES = "?bBhHiIlLefdFD"


def _filled(shape: tuple[int, ...], t: str) -> Any:
    rng = np.random.default_rng(5)
    x = rng.integers(-4, 5, shape).astype(t)
    if x.dtype.kind in "fc" and x.size > 5:
        x.flat[::4] = -0.0
        x.flat[3] = np.nan
        x.flat[5] = -np.inf
    return x


@pytest.mark.share(0.3)
@pytest.mark.parametrize("t", TYPES)
def test_types(t: str) -> None:
    def f(a):
        b = a.copy()
        b.sort()
        return np.sort(a), np.argsort(a, kind="stable"), b, np.sort(a)[::-1] + a, a.argsort()

    check(f, _filled((9,), t), also=[(_filled((n,), t),) for n in (0, 1, 2, 17, 130)])


def test_axes_and_layouts() -> None:
    def f(a):
        return [np.sort(a, axis=k) for k in (0, 1, -1, -2, None)] + [np.argsort(a, axis=k) for k in (0, 1, -1, None)]

    a = _filled((7, 5), "d")
    layouts = [a, np.asfortranarray(a), a.T, a[::-1, ::2], a[:0], a[:, :1], np.broadcast_to(a[0], (3, 5))]
    check(f, layouts[0], also=[(x,) for x in layouts[1:]])

    def g(a):
        return np.sort(a, axis=1), np.argsort(a, axis=0), np.sort(a * 2, axis=0), np.sort(a, axis=(-1))

    b = _filled((3, 4, 5), "f")
    check(g, b, also=[(b.transpose(2, 0, 1),), (b[:, ::-1],), (np.asfortranarray(b),)])


def test_in_place() -> None:
    def f(a, k):
        a.sort(axis=k)
        return a

    a = _filled((6, 4), "d")
    for k in (0, 1, -1):
        check(f, a, k, also=[(np.asfortranarray(a), k), (a[::2, ::-1], k), (a.T, k)])

    def rows(a):
        for i in range(a.shape[0]):
            a[i].sort()
            a[i, 1:3].sort(kind="stable")
        b = a * 2
        b[:, 0].sort()
        return b

    check(rows, a, also=[(a.T,)])

    def read_only(a):
        a.sort()

    a.flags.writeable = False
    check(read_only, a, raises=ValueError)


def test_kinds_and_errors() -> None:
    def kinds(a):
        out = [np.sort(a, kind=k) for k in ("quicksort", "heapsort", "mergesort", "stable")]
        return out, np.argsort(a, kind="heapsort"), np.sort(a, stable=True), np.argsort(a, stable=False)

    check(kinds, _filled((50,), "d"), also=[(_filled((50,), "h"),)])

    def unknown(a):
        return np.sort(a, kind="best")

    def no_axis(a):
        return np.sort(a, axis=2)

    def no_dimension(x):
        return np.sort(np.array(x))

    check(unknown, np.ones(3), raises=ValueError)
    check(no_axis, np.ones(3), raises=np.exceptions.AxisError)
    check(no_dimension, 1.0, raises=np.exceptions.AxisError)


def test_in_loops() -> None:
    def medians(a):
        out = np.empty(a.shape[0])
        for i in range(a.shape[0]):
            row = np.sort(a[i])
            out[i] = row[len(row) // 2]
        return out

    def ranks(a):
        order = np.argsort(a)
        place = np.empty_like(order)
        place[order] = np.arange(len(a))
        return place, a[order]

    def filtered(a):
        out = np.zeros_like(a)
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                out[i, j] = np.sort(a[i - 1 : i + 2, j - 1 : j + 2].ravel())[4]
        return out

    a = np.random.default_rng(1).random((9, 7))
    check(medians, a, also=[(a.T,)])
    check(ranks, a[0])
    check(filtered, a, also=[(a.T,)])


def test_many_rows() -> None:
    def f(a):
        return np.sort(a, axis=1).sum(axis=0), np.argsort(a, axis=1)[:, 0]

    check(f, np.random.default_rng(2).random((3000, 40)), rtol=1e-13)
