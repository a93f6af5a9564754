"""Empty arrays and dimensions of length 0 and 1 everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check
from tests.values import grid


def elementwise(a: np.ndarray, b: np.ndarray) -> Any:
    c = a * 2 + b
    c -= a
    a[:] = c
    return c, np.sqrt(c * c), np.where(c > 0, c, -c), c > 0, a[::-1], a.T, a.copy(), a.ravel()


def slices(a: np.ndarray) -> Any:
    return a[1:], a[:-1], a[::2], a[::-1], a[1:-1], a[5:2], a[:0], a[-1:], a[None]


def shapes(a: np.ndarray) -> Any:
    return (
        a.reshape(-1),
        a.T,
        np.concatenate((a, a)),
        np.stack((a, a)),
        a.repeat(2),
        np.roll(a, 1),
        np.sort(a),
        a.cumsum(),
        a.astype(int),
    )


def loops(a: np.ndarray) -> Any:
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    for x in a:
        s -= x
    for i in range(1, len(a) - 1):
        a[i] = a[i - 1] + a[i + 1]
    return s, len(a)


def stencil(a: np.ndarray) -> np.ndarray:
    b = np.zeros_like(a)
    b[1:-1, 1:-1] = a[1:-1, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:]
    return b


def masks(a: np.ndarray) -> Any:
    a[a > 1] = 0
    return a[a > 0], np.nonzero(a)[0], a[np.zeros(0, dtype=int)], (a > 0).sum()


def test_one_dimension() -> None:
    for f in (slices, shapes, loops, masks):
        check(f, grid(4), also=[(grid(0),), (grid(1),), (grid(2),)])
    check(elementwise, grid(4), grid(4), also=[(grid(n), grid(n)) for n in (0, 1)])


def test_two_dimensions() -> None:
    sizes = [(3, 4), (0, 4), (4, 0), (0, 0), (1, 1), (1, 4), (4, 1), (2, 2)]
    check(elementwise, grid(3, 4), grid(3, 4), also=[(grid(*s), grid(*s)) for s in sizes])
    check(slices, grid(3, 4), also=[(grid(*s),) for s in sizes])
    check(stencil, grid(3, 4), also=[(grid(*s),) for s in sizes if min(s) >= 2])
    check(shapes, grid(3, 4), also=[(grid(*s),) for s in sizes])


def zero_dimensional(a: np.ndarray) -> Any:
    b = a + 1
    a[()] = 7.0
    return b, a.sum(), a * 2.0, a.shape, a[()], a.ndim, a.reshape(1), float(a), a.copy(), a[None]


def test_no_dimensions() -> None:
    check(zero_dimensional, np.array(2.5))
    check(zero_dimensional, grid(3)[1:2].reshape(()))
