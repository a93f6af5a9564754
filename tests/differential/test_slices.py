"""Basic indexing: slices of every sign and step, clamping, ellipsis, new axes, negative indices."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tests.oracle import check, check_all
from tests.values import grid

BOUNDS = (None, 0, 1, -1, 2, -3, 5, -5, 9, -9)


def _text(*parts: Any) -> str:
    return "a[" + ":".join("" if p is None else str(p) for p in parts) + "]"


@pytest.mark.parametrize("step", [None, 2, -1, -2, 7, -7])
def test_constant_slices(step: Any) -> None:
    check_all([_text(i, j, step) for i, j in itertools.product(BOUNDS, BOUNDS)], a=grid(5))


def dynamic(a: np.ndarray, i: int, j: int, k: int) -> Any:
    return a[i:j:k], a[i:], a[:j], a[::k], a[i:j], a[i:j].sum()


def test_bounds_known_at_run_time() -> None:
    values = [
        (0, 5, 1),
        (1, 4, 2),
        (-3, 9, 1),
        (4, 0, -1),
        (-1, -9, -2),
        (3, 3, 1),
        (4, 1, 1),
        (9, 0, -3),
        (-9, 2, 1),
        (2, -1, 1),
    ]
    check(
        dynamic,
        grid(5),
        *values[0],
        also=[(grid(5), *v) for v in values[1:]] + [(grid(0), 1, 2, 1), (grid(1), 0, 2, -1)],
    )
    check(dynamic, grid(5), 0, 5, 0, raises=ValueError)


def test_several_dimensions() -> None:
    check_all(
        """
        a[1]
        a[-1]
        a[1, 2]
        a[1, 2, 3]
        a[-1, -2, -3]
        a[1:, 1:]
        a[:, 1]
        a[:, :, 1]
        a[..., 1]
        a[1, ...]
        a[...]
        a[1, ..., 2]
        a[..., 1, 2]
        a[:, ::-1]
        a[::-1, ::2, 1:3]
        a[None]
        a[:, None]
        a[..., None]
        a[None, 1, None, 2]
        a[1:2]
        a[1:1]
        a[5:]
        a[:, 5:, :]
        a[:, -1:]
        a[0][1]
        a[0][1][2]
        a[1:][0]
        a[:, 1:][:, 0]
        a[::2][::2]
        a[1:][::-1][1:]
        a.T[1]
        a.T[1:, :, 0]
        a[0].T[1]
        a[1, 1:, ::2].T
        a[:, :, ::-1][..., 0]
        a[()]
        a[0:2, 1][:, 1:3]
        a[slice(1, 3)]
        a[slice(None), 1]
        """,
        a=grid(3, 4, 5),
    )


def assign(a: np.ndarray, i: int, j: int) -> None:
    a[i] = 1
    a[i, j] = 2
    a[i:, j] = 3
    a[..., 0] = 4
    a[-1, ::2] = 5
    a[:, ::-2] += 6
    a[1:1] = 7
    a[i][j] = 8
    a[i:][0, 0] = 9
    a.T[0, 1] = 10
    a[None, 0, 1] = 11
    a[:, None, 1] = a[:, 2:3]
    a[::-1][:1] -= 100


def test_assignment() -> None:
    check(
        assign,
        grid(4, 5),
        1,
        2,
        also=[(grid(4, 5), -1, -1), (grid(4, 5), -4, 0), (np.asfortranarray(grid(4, 5)), 2, 3)],
    )


def loop_of_slices(a: np.ndarray, n: int) -> np.ndarray:
    out = np.zeros(n)
    for i in range(n):
        out[i] = a[i : i + 3].sum() + a[: i + 1].max() + a[-i - 1] + len(a[i:])
        out[i : i + 2] += 0.5
    return out


def triangular(m: np.ndarray) -> np.ndarray:
    n = m.shape[0]
    for i in range(n):
        m[i, :i] -= m[i, i]
        m[i + 1 :, i] *= 0.5
        m[i, i:] = m[i, i:] + m[i, i:][::-1]
    return m


def windows(a: np.ndarray, w: int) -> np.ndarray:
    out = np.empty(a.shape[0] - w + 1)
    for i in range(out.shape[0]):
        out[i] = np.mean(a[i : i + w])
    return out


def test_slices_in_loops() -> None:
    check(loop_of_slices, np.cos(grid(9)), 7, rtol=1e-14, also=[(np.cos(grid(9)), 9)])
    check(triangular, np.cos(grid(5, 5)))
    check(windows, grid(10), 3, rtol=1e-15, also=[(grid(10), 10)])


def slice_values(a: np.ndarray, n: int) -> Any:
    s = slice(1, n)
    t = (slice(None), 0)
    return a[s], a[t], a[s, 1:], s.start, s.stop


def open_or_not(a: np.ndarray, ends: np.ndarray) -> Any:
    chosen = tuple([slice(k, e if e else None) for k, e in enumerate(ends)])
    last = slice(None if ends[0] else 1, ends[1] if ends[1] else None)
    return a[chosen], a[last], last.stop, last


def test_bounds_that_may_be_none() -> None:
    for ends in ([2, 0], [0, 2]):
        check(open_or_not, grid(4, 3), np.array(ends), settings={"target": "interpreter"})


def test_slices_as_values() -> None:
    check(slice_values, grid(4, 3), 3)


def view_of_view(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    v = a[1:]
    w = v[::-1]
    w[0] = 100.0
    u = w[: len(w) // 2]
    u += 1
    return u, v


def lengths(a: np.ndarray, i: int) -> Any:
    return (
        len(a[i:]),
        a[:, i:].shape,
        a[i:].size,
        a[::2].shape[0],
        a[i].ndim,
        a[i:i].shape,
        a.T.shape,
        a.nbytes,
        a.itemsize,
    )


def test_views_and_lengths() -> None:
    check(view_of_view, grid(7), also=[(grid(2),)])
    check(lengths, grid(4, 5), 2, also=[(grid(4, 5), 3), (grid(4, 5), -1)])


def numpy_indices(a: np.ndarray, i: np.int64, p: np.ndarray) -> Any:
    return a[i], a[p[0]], a[p[1] : p[2]], a[p[0], p[1]], a[np.int32(1)], a[np.argmax(a[:, 0])]


def test_numpy_integers_as_indices() -> None:
    check(
        numpy_indices,
        grid(4, 5),
        np.int64(2),
        np.array([1, 2, 3]),
        also=[(grid(4, 5), np.int64(-1), np.array([-1, -2, 4]))],
    )
    check(numpy_indices, grid(4, 5), np.int64(2), np.array([1, 2, 3], np.uint8))
