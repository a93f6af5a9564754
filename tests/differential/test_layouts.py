"""Memory layouts: one function called with C, Fortran, strided, backward, read-only, unaligned arrays in turn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check, check_all
from tests.values import grid, layouts


def work(a: np.ndarray) -> Any:
    b = a * 2 + 1
    s = a.sum(axis=0)
    t = 0.0
    for i in range(a.shape[0]):
        t += a[i, -1] * (i + 1)
    return b, s, t, a[1:], a.T, a[:, 0].copy()


def test_one_function_after_the_other() -> None:
    all_ = layouts(grid(3, 4) + 0.5)
    check(work, all_["C"], also=[(a,) for a in all_.values()], rtol=1e-15)


def write(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    a[:] = a + b
    a[0] *= 2
    a[:, 1] = b[:, 0]
    return a


@pytest.mark.parametrize("name", ["F", "strided", "padded", "backward", "last axis first", "unaligned"])
def test_writes(name: str) -> None:
    check(write, layouts(grid(3, 4))[name], grid(3, 4) * 3)


def test_read_only_raises() -> None:
    check(write, layouts(grid(3, 4))["read-only"], grid(3, 4), raises=ValueError)


EXPRESSIONS = """
a + 1
a * a
a + b
a * 2 - b / 3
np.sqrt(a)
-a
a > b
np.where(a > 3, a, b)
a.copy()
a.astype(np.float32)
np.zeros_like(a)
np.empty_like(a).shape
np.ones_like(a)
np.array(a)
np.asarray(a)
np.ascontiguousarray(a)
np.asfortranarray(a)
a.T
a.T + a.T
a.ravel()
a.flatten()
a.reshape(-1)
a.reshape(4, 3)
a.reshape(2, 6, order='F')
a.ravel(order='K')
a.ravel(order='F')
a[::-1]
a[:, ::2]
a[1]
a[:, 1] + 1
a.sum()
a.sum(axis=0)
a.sum(axis=1)
a.max(axis=0)
a.cumsum(axis=0)
a.cumsum()
a.mean(axis=1, keepdims=True)
np.sort(a, axis=0)
np.concatenate((a, b))
np.concatenate((a, b), axis=1)
np.stack((a, b))
np.vstack((a, b))
a @ b.T
a.T @ b
np.transpose(a)
np.swapaxes(a, 0, 1)
a.flags.c_contiguous
a.copy(order='F')
np.copy(a)
np.clip(a, 2, 5)
np.abs(a)
a ** 2
np.add(a, b)
np.maximum(a, b)
np.diag(a)
np.triu(a)
np.tile(a, (2, 1))
np.repeat(a, 2, axis=0)
np.roll(a, 1, axis=0)
np.flip(a)
np.outer(a[0], b[0])
a[a > 3]
a[[0, 2]]
a[:, [1, 0]]
a[[0, 1], [2, 3]]
np.cumsum(a, axis=1)
np.diff(a, axis=0)
a.argmax(axis=0)
a.squeeze()
a[None]
a[..., None]
a[:, None]
"""


@pytest.mark.parametrize("name", ["C", "F", "strided", "backward", "first axis backward"])
def test_order_of_results(name: str) -> None:
    a = layouts(grid(3, 4) + 0.5)[name]
    b = layouts(grid(3, 4) * 2 + 1)["F" if name in ("F", "strided") else "C"]
    check_all(EXPRESSIONS, a=a, b=b, rtol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("left", list(layouts(grid(2, 2))))
@pytest.mark.parametrize("right", list(layouts(grid(2, 2))))
def test_order_of_results_all_pairs(left: str, right: str) -> None:
    check_all(EXPRESSIONS, a=layouts(grid(3, 4) + 0.5)[left], b=layouts(grid(3, 4) * 2 + 1)[right], rtol=1e-14)


def test_three_dimensions() -> None:
    base = grid(2, 3, 4) + 1
    for axes in [(0, 2, 1), (2, 0, 1), (1, 2, 0), (2, 1, 0)]:
        a = np.ascontiguousarray(base.transpose(axes)).transpose(np.argsort(axes))
        check_all(
            """
            a + 1
            a + a.copy()
            a * b
            a.T * 2
            a.sum(axis=1)
            a.sum(axis=(0, 2))
            a.copy()
            a.ravel()
            a.reshape(6, 4)
            a.reshape(2, -1)
            np.swapaxes(a, 0, 2) + 1
            np.moveaxis(a, 0, -1) * 2
            a[:, 1] + 1
            a[..., ::-1] + 1
            np.sqrt(a)
            a.max(axis=2)
            """,
            a=a,
            b=base,
            rtol=1e-15,
        )


def columns(a: np.ndarray) -> np.ndarray:
    out = np.empty(a.shape, dtype=a.dtype)
    for j in range(a.shape[1]):
        out[:, j] = a[:, j] / (j + 1)
    return out


def stencil(a: np.ndarray) -> np.ndarray:
    out = np.zeros_like(a)
    out[1:-1, 1:-1] = a[2:, 1:-1] + a[:-2, 1:-1] - 4 * a[1:-1, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2]
    return out


def test_loops_and_stencils() -> None:
    all_ = layouts(np.cos(grid(6, 5)))
    check(columns, all_["C"], also=[(a,) for a in all_.values()])
    check(stencil, all_["C"], also=[(a,) for a in all_.values()])


def test_swapped_bytes_are_right_or_refused() -> None:
    a = np.arange(4, dtype=">f8")

    def f(x: np.ndarray) -> np.ndarray:
        return x + 1

    from tests.oracle import Mismatch

    try:
        check(f, a)
    except Mismatch as e:
        assert "ArgumentError" in str(e) or e.kind == "unsupported", e


def of_broadcast(a: np.ndarray) -> Any:
    return a + 1, np.sqrt(a * a)


def test_results_for_broadcast_arguments() -> None:
    v, m = np.arange(4.0), np.cos(grid(3, 4))
    arguments = [
        np.broadcast_to(v, (3, 4)),
        np.broadcast_to(v[:3, None], (3, 4)),
        np.broadcast_to(m[:, None], (3, 5, 4)).transpose(2, 1, 0),
        np.broadcast_to(v[:3, None], (2, 3, 4)).transpose(1, 2, 0),
    ]
    for a in arguments:
        check(of_broadcast, a)


def strides_of_copies(a: np.ndarray) -> Any:
    return (
        np.copy(a.T).strides,
        a.T.copy(order="K").strides,
        a[:1].T.copy(order="A").strides,
        a[:, :1].copy(order="K").strides,
        (a.T + 1).strides,
        (a.T * a.T).strides,
        a.T.astype(np.float32).strides,
        np.zeros_like(a.T).strides,
    )


def strides_of_new_axes(v: np.ndarray) -> Any:
    return np.array(v, ndmin=3).strides, np.array(v[::2], ndmin=4).strides, np.array(v, ndmin=3, order="F").strides


def test_strides_of_axes_of_length_one() -> None:
    ones = [(np.ones(n),) for n in ((1, 3), (3, 1), (1, 1), (2, 3), (4, 1))] + [(np.ones((3, 1), order="F"),)]
    check(strides_of_copies, *ones[0], also=ones[1:], settings={"target": "interpreter"})
    check(strides_of_copies, np.ones((2, 3), order="F"), also=[(np.ones((1, 3), order="F"),)])
    check(strides_of_new_axes, np.ones(4), also=[(np.ones(3),)], settings={"target": "interpreter"})
    check(strides_of_new_axes, np.ones((2, 3)), also=[(np.ones((4, 3)).T,)], settings={"target": "interpreter"})
