"""Integer arrays as indices: gathers, scatters with duplicates, mixed with slices, negative, out-of-range entries."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check, check_all
from tests.values import grid

I = np.array([2, 0, -1, 2])
J = np.array([1, 1, 0, -2])


def test_reads() -> None:
    check_all(
        """
        a[i]
        a[[0, 2]]
        a[[0, -1, 0]]
        a[i] * 2 + a[j]
        a[i[1:]]
        a[i.astype(np.int32)]
        a[i - i.min()]
        m[i]
        m[i, j]
        m[:, j]
        m[1:, j]
        m[i, 1]
        m[1, j]
        m[i, 1:3]
        m[i, ::-1]
        m[[0, 1]]
        m[[0, 1], [1, 2]]
        m[:, [2, 0]]
        m[i[:, None], j]
        m[np.ix_([0, 2], [1, 3])]
        a[m.astype(np.int64) % 5]
        a[np.array([[0, 1], [2, 3]])]
        m[np.array([[0, 1], [2, 0]])]
        m[..., j]
        m[i].T
        m[i].sum(axis=0)
        a[i].sum()
        a[i][j]
        a[np.argsort(-a)]
        np.take(a, i)
        np.take(m, j, axis=1)
        np.take(m, i, axis=0)
        m[np.arange(3), np.arange(3)]
        t[i, :, j]
        t[:, i, j]
        t[i, j, 1]
        t[i, j]
        t[0, i]
        t[:, i, 1:3]
        np.take_along_axis(m, np.argsort(-m, axis=1), axis=1)
        np.choose([0, 1, 0], [a[:3], a[2:5]])
        a[np.zeros(0, dtype=int)]
        """,
        a=grid(5) * 1.5,
        m=np.cos(grid(3, 4)),
        t=grid(3, 4, 5),
        i=I,
        j=J,
    )


def test_more_reads() -> None:
    check_all(
        """
        z[True]
        a[True]
        a[k > 9]
        m[True, 1]
        m[..., True]
        m[None, True, 0]
        m[zb]
        t[zi]
        t[zi, :, i]
        m[b3, b4]
        m[b3, j]
        m[b, None]
        m[np.ix_(b3, [1, 2])]
        t[b, 1]
        t[0, b4, 1:]
        t[:, i, None, j]
        t[[[0, 1]], :, [[0], [1]]]
        T[:, i % 3]
        T[:, :, i]
        F[:, i % 3]
        t[:, iF]
        m[iF]
        m[iF, iF]
        m[iF, 1]
        a[iF]
        np.take(m, i, axis=1)
        np.take(m, 1, axis=-1)
        np.take_along_axis(m, np.argsort(m, axis=1), axis=1)
        np.piecewise(a, [a < 2, a >= 4], [lambda x: -x, lambda x: x * 2, 7])
        np.nonzero(m > 0)
        np.where(t > 7)
        np.histogramdd(m, bins=2)
        a[::k]
        a[k:0:-k]
        """,
        a=grid(5) * 1.5,
        m=np.cos(grid(3, 4)),
        t=grid(3, 4, 5),
        T=grid(3, 4, 5).transpose(2, 0, 1),
        F=np.asfortranarray(np.cos(grid(3, 4))),
        i=I,
        j=J,
        iF=np.asfortranarray([[0, 1, 2], [2, 1, 0]]),
        b=np.cos(grid(3, 4)) > 0,
        b3=np.array([True, False, True]),
        b4=np.array([True, False, False, True]),
        zi=np.array(1),
        zb=np.array(True),
        z=np.array(2.5),
        k=2,
    )


def writes(a: np.ndarray, m: np.ndarray, i: np.ndarray, j: np.ndarray) -> None:
    a[i] = 7
    a[i] = np.arange(4.0)
    a[i] += 1
    a[j] *= a[i]
    m[i] = m[j % 3] * 2
    m[i, j] = 5
    m[i, j] += np.arange(4.0)
    m[:, j] -= 1
    m[[0, 1]] = m[[1, 0]]
    m[:, [0, 2]] = m[:, [2, 0]]
    m[i, 1:3] = 9.5
    a[[0, 1]] = a[[1, 0]]


def test_writes_with_duplicates() -> None:
    check(writes, grid(5), np.cos(grid(3, 4)), I, J, also=[(grid(5), np.asfortranarray(np.cos(grid(3, 4))), J, I)])


def unbuffered(a: np.ndarray, i: np.ndarray, v: np.ndarray) -> None:
    np.add.at(a, i, v)
    np.subtract.at(a, i, 0.5)
    np.maximum.at(a, i, 3.0)


def histogram(x: np.ndarray, n: int) -> np.ndarray:
    h = np.zeros(n, dtype=np.int64)
    for k in range(x.shape[0]):
        h[x[k]] += 1
    return h


def gather_loop(a: np.ndarray, p: np.ndarray) -> np.ndarray:
    out = np.empty(len(p))
    for k in range(len(p)):
        out[k] = a[p[k]] * 2
    return out


def scatter_loop(a: np.ndarray, p: np.ndarray) -> np.ndarray:
    for k in range(len(p)):
        a[p[k]] = k
    return a


def test_loops() -> None:
    check(unbuffered, grid(5), I, np.arange(4.0))
    check(histogram, np.array([1, 4, 1, 0, -1, 3]), 5)
    check(gather_loop, grid(5), I)
    check(scatter_loop, grid(5), I)


def read(a: np.ndarray, i: np.ndarray) -> Any:
    return a[i]


def write(a: np.ndarray, i: np.ndarray, v: Any) -> Any:
    a[i] = v


def test_out_of_bounds() -> None:
    check(read, grid(5), np.array([0, 5]), raises=IndexError)
    check(read, grid(5), np.array([0, -6]), raises=IndexError)
    check(read, grid(5), np.array([4, -5]))
    check(read, grid(0), np.array([0]), raises=IndexError)
    check(read, grid(0), np.zeros(0, int))
    check(read, grid(3, 4), np.array([3]), raises=IndexError)
    check(write, grid(5), np.array([1, 7]), 3.0, raises=IndexError)
    check(write, grid(5), np.array([1, 2]), np.arange(3.0), raises=ValueError)
    check(write, grid(5), np.array([1, 1]), np.arange(2.0))
    check(read, grid(5), np.array([1.0]), raises=IndexError)
    check(gather_loop, grid(5), np.array([0, 9]), raises=IndexError)
    check(scatter_loop, grid(5), np.array([0, 1, -9]), raises=IndexError)


def indices_of_different_lengths(m: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    return m[i, j]


def test_indices_broadcast() -> None:
    check(indices_of_different_lengths, grid(3, 4), I, J[:1], also=[(grid(3, 4), I[:1], J)])
    check(indices_of_different_lengths, grid(3, 4), I, J[:3], raises=IndexError)
    check(indices_of_different_lengths, grid(3, 4), I[:, None], J)


def csr_product(val: np.ndarray, col: np.ndarray, ptr: np.ndarray, x: np.ndarray) -> np.ndarray:
    y = np.empty(ptr.size - 1, val.dtype)
    for i in range(ptr.size - 1):
        cols = col[ptr[i] : ptr[i + 1]]
        y[i] = val[ptr[i] : ptr[i + 1]] @ x[cols]
    return y


def test_sparse_product() -> None:
    val, col, ptr = grid(6) + 1, np.array([0, 2, 1, 0, 1, 2]), np.array([0, 2, 3, 3, 6])
    check(csr_product, val, col, ptr, np.array([1.5, 2.5, 3.5]), rtol=1e-15)
    check(csr_product, val, col.astype(np.uint32), ptr.astype(np.uint32), np.array([1.5, 2.5, 3.5]), rtol=1e-15)


def stores_numbers(m: np.ndarray, b: np.ndarray) -> None:
    m[0] = b[0]
    m[1] *= b[1]


def test_numbers_stored_into_arrays_of_ints() -> None:
    for dtype in (np.uint8, np.uint64, np.int8, np.int64):
        for b in (np.array([300.0, 2.5]), np.array([-1.0, 0.5], np.float32), np.array([7, 100]), np.array([2 + 1j, 1])):
            check(stores_numbers, np.ones(2, dtype), b)
    check(stores_numbers, np.ones(2, np.uint8), np.array([np.nan, 1.0]))
    check(stores_numbers, np.ones(2, np.int16), np.array([np.nan, 1.0]), raises=ValueError)


def test_numbers_with_subscripts_that_only_the_run_knows() -> None:
    def of_numpy(x: Any, d: Any) -> Any:
        h = np.hypot(x, 3.0)
        return h[d["k"]]

    def negated(x: Any, d: Any) -> Any:
        b = d["k"]
        h = np.hypot(x, 3.0)
        return h[~b] * 2, h[..., ~b], h[~b, None]

    def of_python(x: Any, d: Any) -> Any:
        return (x + 1)[d["k"]]

    for index in (np.True_, np.False_, True, (), None, ..., 0, np.array([True]), np.array(True), slice(None), "k"):
        for f in (of_numpy, of_python):
            check(f, 4.0, {"k": index, 1: 3})
    for index in (np.True_, np.False_):
        check(negated, 4.0, {"k": index, 1: 3})
