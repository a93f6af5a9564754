"""Functions on shapes: reshape, transpose, concatenate, stack, split, pad, roll, repeat …; which results are views."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check, check_all
from tests.values import grid


def test_views_and_copies() -> None:
    check_all(
        """
        a.reshape(4, 3)
        a.reshape((2, 6))
        a.reshape(-1)
        a.reshape(3, -1)
        a.reshape(-1, 2, 3)
        a.reshape(a.size)
        np.reshape(a, (6, 2))
        a.reshape(2, 6, order='F')
        a.T.reshape(-1)
        a.T.reshape(2, 6)
        a[:, :2].reshape(-1)
        a[::2].reshape(-1)
        a[:, None].reshape(3, 4)
        a.ravel()
        a.T.ravel()
        a.ravel(order='F')
        a[:, 1:].ravel()
        a.flatten()
        a.T
        a.transpose()
        a.transpose(1, 0)
        np.transpose(a)
        t.transpose(2, 0, 1)
        t.transpose((1, 0, 2))
        np.transpose(t, (0, 2, 1))
        t.T
        t.mT
        np.swapaxes(t, 0, 2)
        t.swapaxes(0, 1)
        np.moveaxis(t, 0, 2)
        np.moveaxis(t, -1, 0)
        np.rollaxis(t, 2)
        np.squeeze(a[None])
        a[None, :, None].squeeze(0)
        np.squeeze(a[:, None], axis=1)
        np.expand_dims(a, 1)
        np.expand_dims(a, (0, 3))
        np.atleast_1d(a[0, 0])
        np.atleast_2d(v)
        np.atleast_3d(a).shape
        np.flip(a)
        np.flip(a, 0)
        np.fliplr(a)
        np.flipud(a)
        np.rot90(a)
        np.rot90(a, 2)
        np.broadcast_to(v, (3, 4))
        a.view()
        a.diagonal()
        np.diagonal(a, 1)
        np.diag(a, -1)
        a.copy()
        a.astype(a.dtype)
        a.astype(a.dtype, copy=False)
        """,
        a=grid(3, 4),
        t=grid(2, 3, 4),
        v=grid(4),
    )


def test_joining_and_splitting() -> None:
    check_all(
        """
        np.concatenate((a, b))
        np.concatenate([a, b, a], axis=0)
        np.concatenate((a, a), axis=1)
        np.concatenate((a, b), axis=None)
        np.concatenate((v, a[0]))
        np.concatenate((v, i))
        np.concatenate((v[:2], v, v[3:]))
        np.stack((v, v * 2))
        np.stack([v, v], axis=1)
        np.stack((a, a), axis=-1)
        np.vstack((a, v))
        np.vstack((v, v))
        np.hstack((a, a))
        np.hstack((v, v))
        np.dstack((a, a))
        np.column_stack((v, v + 1))
        np.append(v, 5.0)
        np.append(v, v)
        np.append(a, b, axis=0)
        np.split(v, 2)
        np.split(a, 3)
        np.split(v, [1, 3])
        np.array_split(v, 3)
        np.hsplit(a, 2)
        np.vsplit(a, 3)
        np.repeat(v, 2)
        np.repeat(a, 2, axis=1)
        np.repeat(v, [1, 0, 2, 1])
        np.tile(v, 3)
        np.tile(a, (2, 2))
        np.roll(v, 1)
        np.roll(v, -2)
        np.roll(a, 1)
        np.roll(a, 1, axis=0)
        np.roll(a, -1, axis=1)
        np.roll(a, (1, 2), axis=(0, 1))
        np.pad(v, 1)
        np.pad(a, 1)
        np.pad(a, ((1, 0), (0, 2)))
        np.pad(v, (1, 2), constant_values=9)
        np.pad(v, 2, mode='edge')
        np.pad(v, 2, 'wrap')
        np.pad(v, 2, 'reflect')
        np.insert(v, 1, 9.0)
        np.delete(v, 1)
        np.triu(a)
        np.tril(a)
        np.triu(a, 1)
        np.tril(a, -1)
        np.block([[a, a], [a, a]])
        np.meshgrid(v, i)
        np.meshgrid(v, i, indexing='ij')
        np.resize(v, 6)
        np.r_[v, 1.0, 2.0]
        np.c_[v, v]
        np.interp([0.5, 1.5, 9.0], v, v * 2)
        np.gradient(v)
        np.trapezoid(v)
        np.convolve(v, v[:2])
        np.correlate(v, v[:2])
        np.ediff1d(v)
        np.polyval([1.0, 2.0], v)
        np.searchsorted(v, 2.5)
        np.searchsorted(v, [0.5, 2.0])
        np.digitize([0.5, 2.0], v)
        np.bincount(i)
        np.histogram(v, 3)
        np.array_equal(v, v)
        np.allclose(v, v + 1e-12)
        np.isclose(v, v)
        np.isin(i, [1, 3])
        np.select([v > 2, v > 1], [v, v * 2])
        np.piecewise(v, [v < 1, v >= 1], [0.0, 1.0])
        np.sort(v[::-1])
        np.sort(a, axis=0)
        np.argsort(-v)
        np.argsort(a, axis=1)
        np.unique(i % 2)
        np.flatnonzero(v > 1)
        np.shape(a)
        np.size(a)
        np.ndim(a)
        np.size(a, 1)
        a.shape
        a.ndim
        a.size
        a.dtype
        len(a)
        np.unravel_index(5, (2, 4))
        np.ravel_multi_index((1, 2), (2, 4))
        """,
        a=grid(3, 4),
        b=grid(2, 4) + 100,
        v=grid(4) + 0.5,
        i=np.arange(4),
        rtol=1e-15,
    )


def use_shape(a: np.ndarray) -> Any:
    n, m = a.shape
    r = a.reshape(m, n)
    r[0, 0] = 100
    return r, a.shape[0] * 2, a.shape, a.shape[::-1], a.T.shape, (n, m) == a.shape, max(a.shape), a.shape[-1]


def test_shapes_as_numbers() -> None:
    check(use_shape, grid(3, 4), also=[(grid(4, 3),), (grid(1, 1),)])


def write_through(a: np.ndarray) -> np.ndarray:
    b = a.reshape(-1)
    b[::3] = -1
    c = a.T.reshape(-1)
    c[0] = 77
    a.T[1] = 5
    np.diag(a)
    d = a.ravel()
    d[-1] = 9
    e = a.flatten()
    e[:] = 0
    np.swapaxes(a, 0, 1)[2, 0] = 55
    a.flat[3] = 33
    return c


def test_views_write_through() -> None:
    check(write_through, grid(3, 4), also=[(np.asfortranarray(grid(3, 4)),), (grid(6, 8)[::2, ::2],)])


def reshape_to(a: np.ndarray, n: int, m: int) -> np.ndarray:
    return a.reshape(n, m)


def test_shapes_that_do_not_fit() -> None:
    check(reshape_to, grid(6), 2, 3, also=[(grid(6), 6, 1), (grid(6), -1, 2), (grid(0), 0, 3)])
    check(reshape_to, grid(6), 2, 2, raises=ValueError)
    check(reshape_to, grid(6), -1, 4, raises=ValueError)
    check(reshape_to, grid(6), -1, -1, raises=ValueError)


def join(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.concatenate((a, b))


def stack(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.stack((a, b))


def test_joins_that_do_not_fit() -> None:
    check(join, grid(2, 3), grid(1, 3), also=[(grid(0, 3), grid(2, 3)), (grid(0, 0), grid(0, 0))])
    check(join, grid(2, 3), grid(2, 4), raises=ValueError)
    check(stack, grid(3), grid(3))
    check(stack, grid(3), grid(4), raises=ValueError)
    check(join, grid(2, 3), grid(3), raises=ValueError)


def set_shape_of_copy(a: np.ndarray) -> Any:
    b = np.concatenate((a[1:], a[:1])).reshape(2, -1)
    b[0] += 1
    return b.T.copy(), b.sum(axis=1)


def test_combined() -> None:
    check(set_shape_of_copy, grid(6))


def as_larger_elements(a: Any) -> Any:
    b = np.zeros((3, 8), np.uint8)
    words = b.view(np.int64)
    words[1] = -5
    halves = b.view(np.uint32)
    halves[2, 1] += 77
    b[0] = 255
    hashed = np.uint32(7)
    for k in a[: len(a) // 4 * 4].copy().view(np.uint32):
        hashed = hashed * np.uint32(5) ^ k
    return b, words, b[:, 4:].view(np.float32), b[1:].view(np.uint16)[:, ::2], hashed, a[:3].copy().view(np.uint16)


def test_views_as_larger_elements() -> None:
    a = np.arange(19, dtype=np.uint8)
    check(as_larger_elements, a, raises=ValueError, also=[(a[::2],)])
    check(as_larger_elements, a[:2], also=[(a[:0],)])


def memory_of_the_caller(a: Any, n: int) -> Any:
    words = a.view(np.uint32)
    words[..., 0] += n
    part = a[..., n : n + 8].view(np.int64)
    part -= n
    return words, part, words.sum(), a


def test_views_of_arguments_as_larger_elements() -> None:
    a = np.arange(32, dtype=np.uint8)
    frozen = a.copy()
    frozen.flags.writeable = False
    check(memory_of_the_caller, a, 0, also=[(a.reshape(2, 16), 8), (a[:16], 8), (a.reshape(2, 16)[::-1], 0)])
    check(memory_of_the_caller, frozen, 0, raises=ValueError)
    check(memory_of_the_caller, a[:30], 0, raises=ValueError)
    check(memory_of_the_caller, a[::2], 0, raises=ValueError)
    check(memory_of_the_caller, a, 26, raises=ValueError)
