"""Array methods, sorting and searching, those that work in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check, check_all
from tests.values import grid

V = np.array([3.0, -1.0, 4.0, -1.5, 5.0, 9.0, -2.0, 6.0])


def test_methods() -> None:
    check_all(
        """
        a.sum()
        a.mean(axis=0)
        a.min()
        a.max(axis=1)
        a.copy()
        a.astype(np.float32)
        a.T
        a.reshape(-1)
        a.ravel()
        a.flatten()
        a.transpose(1, 0)
        a.dot(a.T)
        a.argmax()
        a.argsort(axis=1)
        a.clip(0, 3)
        a.round(1)
        a.round()
        a.cumsum()
        a.prod(axis=1)
        a.std()
        a.var(axis=0)
        a.trace()
        a.diagonal()
        a.nonzero()
        a.squeeze()
        a.swapaxes(0, 1)
        a.repeat(2)
        a.take([1, 0])
        a.tolist()
        a.item(3)
        a[0, 0].item()
        a.flat[3]
        a.conj()
        a.real
        a.imag
        a.any(axis=0)
        a.all()
        a.ptp() if hasattr(a, 'ptp') else 0
        a.size
        a.ndim
        a.shape
        a.itemsize
        a.nbytes
        a.strides
        v.searchsorted(3.0)
        v.compress(v > 0)
        v.argpartition(3)[:3].shape
        v.view(np.int64)
        v.tobytes()
        np.sort(v)[::-1]
        np.argsort(v)
        np.argsort(v, kind='stable')
        np.lexsort((v, v > 0))
        np.partition(v, 3)[3]
        np.argwhere(v > 0)
        np.where(v > 0)
        np.where(v > 0)[0]
        np.nonzero(v > 0)
        np.extract(v > 0, v)
        np.flatnonzero(v)
        np.cumsum(v)[-1]
        np.maximum.accumulate(v)
        np.diff(v, n=2)
        np.round(v * 1.37, 1)
        np.round(2.5)
        np.clip(2.7, 0, 1)
        np.sign(v)
        np.real(v)
        np.ravel(a)
        np.array_equal(v, v[::-1])
        np.max(v) - np.min(v)
        sorted(v.tolist())
        list(v[:2])
        float(v[0])
        int(v[2])
        max(v)
        min(v)
        sum(v)
        any(v > 8)
        all(v > 8)
        abs(v)
        round(v[0] * 1.234, 2)
        len(v)
        """,
        a=np.cos(grid(3, 4)) * 3,
        v=V,
        rtol=1e-14,
    )


def in_place(a: np.ndarray, m: np.ndarray) -> Any:
    a.sort()
    m.sort(axis=0)
    b = a[::-1]
    b.sort()
    c = np.empty(3)
    c.fill(a[0])
    np.copyto(m[0], 5.0)
    np.put(a, [0, 2], [7.0, 8.0])
    np.fill_diagonal(m, -1.0)
    np.place(a, a > 7, [0.5])
    np.putmask(a, a < 0, 100.0)
    m.flat[1] = 33.0
    return b, c


def test_in_place() -> None:
    check(in_place, V, np.cos(grid(3, 4)))


def sort_keeps_nan_last(a: np.ndarray) -> Any:
    return np.sort(a), np.argsort(a, kind="stable"), a.argmin(), np.unique(a)


def test_sorting_special_values() -> None:
    check(sort_keeps_nan_last, np.array([2.0, np.nan, -0.0, 0.0, -np.inf, np.inf, np.nan, 2.0]))
