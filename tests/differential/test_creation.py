"""Functions that make arrays: zeros, ones, full, arange, linspace, eye, *_like, array literals, from functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check, check_all
from tests.values import DTYPES, grid


def test_constructors() -> None:
    check_all(
        """
        np.zeros(3)
        np.zeros((2, 3))
        np.zeros(n)
        np.zeros((n, 2), dtype=np.int32)
        np.zeros((n, n), np.float32)
        np.zeros([2, n])
        np.zeros(())
        np.zeros((2, 3), order='F')
        np.ones(n)
        np.ones((2, n), dtype=int)
        np.ones((2, 2), dtype=bool)
        np.full(n, 2.5)
        np.full((2, n), 7)
        np.full((2, n), True)
        np.full(3, n)
        np.full((2, 2), np.nan)
        np.full(3, 1, dtype=np.float32)
        np.full(3, x)
        np.full((2, 3), a[0])
        np.empty((2, n)).shape
        np.empty(n, dtype=np.int8).dtype
        np.arange(n)
        np.arange(2, n)
        np.arange(2, 20, n)
        np.arange(10, 0, -3)
        np.arange(5.0)
        np.arange(0.0, 1.0, 0.1)
        np.arange(1, 2, 0.3)
        np.arange(x)
        np.arange(0, x, 0.5)
        np.arange(n, dtype=np.float32)
        np.arange(n, dtype=np.int8)
        np.arange(3, 3)
        np.arange(5, 1)
        np.linspace(0, 1, n)
        np.linspace(0.0, x, 7)
        np.linspace(0, 1, 5, endpoint=False)
        np.linspace(1, 1, 1)
        np.linspace(0, 10, 4, dtype=int)
        np.linspace(2, -2, n)
        np.logspace(0, 2, 4)
        np.eye(n)
        np.eye(3, 4)
        np.eye(3, k=1)
        np.eye(4, k=-1, dtype=np.int32)
        np.identity(n)
        np.tri(3)
        np.zeros_like(a)
        np.zeros_like(a, dtype=np.int16)
        np.ones_like(a)
        np.full_like(a, 3)
        np.full_like(i, 3.7)
        np.empty_like(a).dtype
        np.zeros_like(i)
        np.zeros(a.shape)
        np.zeros(a.shape, a.dtype)
        np.zeros(a.shape[0])
        np.zeros(a.shape + (2,))
        np.zeros((a.size, 1))
        np.zeros(len(a))
        np.indices((2, 3))
        np.diag(a[0])
        np.diag(a)
        np.diagflat(a[0])
        np.vander(a[0], 3)
        """,
        n=4,
        x=2.5,
        a=grid(2, 3) + 0.5,
        i=np.arange(3),
        ulps=2,
    )


def test_literals() -> None:
    check_all(
        """
        np.array([1, 2, 3])
        np.array([1, 2.5, n])
        np.array([x, 1])
        np.array([[1, 2], [3, 4]])
        np.array([[x, n], [1, 2]])
        np.array([a[0, 0], a[1, 1]])
        np.array([a[0], a[1]])
        np.array((1.0, 2.0))
        np.array([True, n > 3])
        np.array([1, 2], dtype=np.float32)
        np.array([1.7, 2.2], dtype=int)
        np.array(5)
        np.array(x)
        np.array([])
        np.array([1j, 2])
        np.array(a)
        np.array(a, dtype=np.float32)
        np.array([n] * 3)
        np.asarray([1, 2, n])
        np.asarray(a)
        np.asarray(a, dtype=np.float64)
        np.float64(3)
        np.int32(n)
        np.float32(x)
        np.bool_(n)
        np.array([k * x for k in range(3)])
        np.array([[i + j for j in range(3)] for i in range(2)])
        np.pi
        np.inf
        np.nan
        np.e
        np.newaxis
        np.finfo(np.float64).eps
        np.iinfo(np.int32).max
        np.finfo(a.dtype).eps
        """,
        n=4,
        x=2.5,
        a=grid(2, 2) + 0.5,
    )


def sizes(n: int, m: int) -> Any:
    return np.zeros(n), np.ones((n, m)), np.arange(n), np.eye(n, m), np.full((m, n), 2), np.linspace(0, 1, n)


def test_sizes_zero_and_one() -> None:
    check(sizes, 3, 4, also=[(0, 3), (1, 1), (3, 0), (2, 1)], ulps=1)


def test_negative_sizes() -> None:
    def zeros(n: int) -> Any:
        return np.zeros(n)

    check(zeros, 3)
    check(zeros, -1, raises=ValueError)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype: str) -> None:
    check_all(
        [
            f"np.zeros(3, dtype=np.{dtype})" if dtype != "bool" else "np.zeros(3, dtype=bool)",
            "np.ones_like(a)",
            "np.zeros(a.shape, dtype=a.dtype)",
        ]
        + [
            f"np.ones((2, 2), dtype='{dtype}')",
            "np.full(2, a[0])",
            "np.empty_like(a).dtype",
            "np.full((2,), 1, a.dtype)",
            "a.dtype",
        ],
        a=np.arange(4).astype(dtype),
    )


def outer_loops(n: int) -> np.ndarray:
    a = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            a[i, j] = i * 10 + j
    return a


def grid_of_points(n: int, lo: float, hi: float) -> Any:
    x = np.linspace(lo, hi, n)
    xx, yy = np.meshgrid(x, x * 2)
    return xx + yy, xx[:, None], x[1] - x[0]


def complex_plane(n: int) -> np.ndarray:
    x = np.linspace(-2.0, 0.5, n, dtype=np.float64)
    y = np.linspace(-1.25, 1.25, n, dtype=np.float64)
    return x + y[:, None] * 1j


def from_function(n: int, m: int) -> np.ndarray:
    return np.fromfunction(lambda i, j: i * (j + 2) / n, (n, m))


def test_made_then_filled() -> None:
    check(outer_loops, 4)
    check(grid_of_points, 4, 0.5, 2.0, ulps=1)
    check(complex_plane, 5, ulps=1)
    check(from_function, 3, 4)


def dtype_argument(a: np.ndarray, dtype: Any) -> np.ndarray:
    return np.zeros(a.shape, dtype) + a.astype(dtype)


def test_dtype_as_argument() -> None:
    for dtype in (np.float32, np.float64, np.int16, np.dtype("complex64")):
        check(dtype_argument, grid(3), dtype)


def of_range(n: int, m: int) -> Any:
    return np.array(range(n)), np.asarray(range(m, n)), np.array(range(n, m, -2)) * 2


def test_arrays_of_ranges_without_items_hold_floats() -> None:
    check(of_range, 4, 1, also=[(0, 0), (3, 3), (1, 4), (0, 5)])
