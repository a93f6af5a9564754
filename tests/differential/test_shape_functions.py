"""Views and copies as NumPy makes them, joins, repetitions, diagonals, grids, contractions, and their exceptions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check, check_all, function
from tests.values import grid, layouts


def test_contractions_diagonals_grids() -> None:
    check_all(
        """
    np.tensordot(a, a.T, 1)
    np.tensordot(a, a)
    np.tensordot(t, a, axes=([1, 2], [0, 1]))
    np.tensordot(t, t, axes=(0, 0))
    np.tensordot(t, v, axes=(2, 0))
    np.kron(a, v)
    np.kron(v, v)
    np.kron(a, a)
    np.kron(a, 2.0)
    np.cross(w, w[::-1])
    np.cross(w, w[0])
    np.cross(i[:3], i[1:])
    np.cross(w[:, :2], w[0, :2])
    np.cross(i[:2], i[2:4])
    np.einsum('ij,kj->ik', a, a)
    np.einsum('ij,kj', a, a)
    np.einsum('ii', s)
    np.einsum('ii->i', s)
    np.einsum('ij->ji', a)
    np.einsum('ij->', a)
    np.einsum('ij->j', a)
    np.einsum('ij,ij->ij', a, a)
    np.einsum('i,i', v, v)
    np.einsum('i,j->ij', v, v)
    np.einsum('i,j->ji', i, i)
    np.einsum('kij,ij->k', t, a)
    np.einsum('...j,j->...', t, v)
    np.einsum('...ij->...ji', t)
    np.einsum('ij,jk,kl->il', s, s, s)
    np.einsum('bij,bkj->bik', t, t)
    np.einsum('ijk->kji', t)
    np.einsum('iij->ij', u)
    np.trace(s)
    s.trace()
    np.trace(a, 1)
    np.trace(i.reshape(2, 2))
    np.trace(u)
    np.diagonal(t, 0, 1, 2).sum()
    np.diag(v)
    np.diag(v, 1)
    np.diag(v, -2)
    np.diag(a).copy()
    np.diagflat(a)
    np.diagflat([1, 2], 1)
    np.tri(3)
    np.tri(3, 4, 1, dtype=int)
    np.vander(v)
    np.vander(i, 3, increasing=True)
    np.mgrid[0:3]
    np.mgrid[0:3, 1:7:2]
    np.mgrid[0:1:0.25, 0:2]
    np.mgrid[0:1:5j]
    np.mgrid[0:1:5j, 0:2:3j]
    np.ogrid[0:3, 0:4]
    np.ogrid[0:1:4j, 0:2:2j]
    np.r_[1:4, 7, v]
    np.r_[v, i]
    np.r_[0:1:3j, 5]
    np.c_[a, a]
    np.c_[v, i]
    a[np.s_[0:2, 1]]
    a[np.index_exp[1]]
    np.indices((2, 3))
    np.indices((2, 3), sparse=True)
    np.fromfunction(lambda p, q: p * 10 + q, (2, 3))
    np.fromfunction(lambda p, q: p == q, (2, 3), dtype=int)
    np.meshgrid(v, i, i[:2])
    np.meshgrid(v, i, sparse=True)
    np.meshgrid(v, i, i[:2], indexing='ij', sparse=True)
    np.meshgrid(v)
    """,
        a=grid(3, 4),
        t=grid(2, 3, 4),
        v=grid(4) + 0.5,
        w=grid(2, 3),
        i=np.arange(4),
        s=grid(3, 3),
        u=grid(3, 3, 2),
        rtol=1e-14,
    )


def test_padding() -> None:
    check_all(
        """
    np.pad(v, 3)
    np.pad(v, (0, 2))
    np.pad(a, ((1, 2), (0, 1)), 'edge')
    np.pad(a, ((1, 2), (0, 1)), 'reflect')
    np.pad(a, ((1, 2), (0, 1)), 'symmetric')
    np.pad(a, ((1, 2), (0, 1)), 'wrap')
    np.pad(v, 9, 'reflect')
    np.pad(v, 9, 'symmetric')
    np.pad(v, 9, 'wrap')
    np.pad(v, (7, 1), 'wrap')
    np.pad(v, (1, 11), 'reflect')
    np.pad(a, 1, constant_values=((1, 2), (3, 4)))
    np.pad(a, 1, constant_values=5)
    np.pad(a, 1, constant_values=(5, 6))
    np.pad(i, 1, constant_values=5.7)
    np.pad(v[:1], 3, 'reflect')
    np.pad(v[:1], 3, 'symmetric')
    np.pad(v[:0], 3)
    np.pad(a.T, 2, 'edge')
    np.pad(np.asfortranarray(a), 1)
    np.pad(t, 2, 'wrap')
    np.pad(t, ((0, 0), (1, 1), (2, 2)))
    np.pad(v, 2, 'linear_ramp')
    np.pad(v, 2, 'mean')
    """,
        a=grid(3, 4),
        t=grid(2, 3, 4),
        v=grid(4) + 0.5,
        i=np.arange(4),
    )


def test_joins_repetitions_shapes() -> None:
    check_all(
        """
    np.concatenate((np.float32(v), [1, 2]))
    np.concatenate((np.float32(v), 3.0), axis=None)
    np.concatenate((v, v), dtype=np.float32)
    np.concatenate((a, a), axis=-1)
    np.concatenate(t)
    np.concatenate((a.T, a.T))
    np.concatenate((a.T, a.T), axis=1)
    np.vstack(t)
    np.vstack((1, 2))
    np.hstack((1.5, 2, 3))
    np.dstack((v, v))
    np.column_stack((a, v[:3]))
    np.stack((a, a, a), axis=1)
    np.stack((v + 1, v * 2), axis=-1)
    np.block([a, a])
    np.block([[a, v[:3, None]], [v, 5.0]])
    np.block([v, i])
    np.block([[1, 2], [3, 4]])
    np.block([[[a]], [[a]]])
    np.append(a, a)
    np.append(i, 2.5)
    np.append(v, [1, 2])
    np.append(a, a, axis=1)
    np.tile(a, 2)
    np.tile(v, (2, 1))
    np.tile(v, (2, 2, 2))
    np.tile(a, (1, 2))
    np.tile(v, 0)
    np.tile(5.0, 3)
    np.tile(a, ())
    np.repeat(a, 2)
    np.repeat(a, 3, axis=0)
    np.repeat(a, [1, 2, 0], axis=0)
    np.repeat(a, np.array([2]), axis=1)
    np.repeat(5, 3)
    v.repeat(2)
    a.repeat(2, axis=1)
    np.repeat(v, i)
    np.repeat(v, 0)
    np.roll(a, 2)
    np.roll(a, -13)
    np.roll(a, 9, axis=1)
    np.roll(a, -9, axis=1)
    np.roll(a, (1, -1), axis=(0, 1))
    np.roll(a, 1, axis=(0, 1))
    np.roll(a, (1, 2), axis=1)
    np.roll(a, -3, axis=0)
    np.roll(a.T, 1, axis=0)
    np.roll(v[:0], 1)
    np.roll(v + 1, 4)
    np.array_split(v, 3)
    np.array_split(v, 7)
    np.array_split(a, 3, axis=1)
    np.split(a, [1], axis=1)
    np.split(v, [2, 9, 1])
    np.split(v, (1, -1))
    np.dsplit(t, 2)
    np.hsplit(v, 2)
    np.hsplit(a, [1])
    np.split(v, np.array([1, 2]))
    np.insert(v, 1, 5.0)
    np.delete(v, 1)
    np.delete(a, 1, axis=0)
    np.insert(a, 1, v, axis=0)
    np.broadcast_arrays(v, a)[1]
    np.broadcast_arrays(a, a)
    np.broadcast_to(v, (3, 4)) + a
    np.broadcast_to(v, (3, 4)).copy()
    np.copy(np.broadcast_to(v, (3, 4)))
    np.broadcast_to(2.0, (3, 4)).sum()
    np.resize(v, (2, 3))
    np.rot90(t, 3, (0, 2))
    np.rot90(a, -1)
    np.rot90(a, 4)
    np.flip(t, (0, 2))
    np.atleast_1d(3)
    np.atleast_2d(3.0, v)
    np.atleast_3d(v)
    np.squeeze(t)
    np.squeeze(t[:1, :, :1])
    a.reshape(3, 4, order='A')
    a.T.reshape(6, 2, order='A')
    a.T.ravel('A')
    a.T.ravel('K')
    a.T.flatten('F')
    a.T.flatten()
    t.reshape(6, 4)[1]
    t[:, 1:].reshape(2, -1)
    t[:1].reshape(-1)
    t[:, :, 1].reshape(-1)
    t[:, 1].reshape(2, 2, 2)
    t[:, 1].reshape(4, 2)
    t.transpose(1, 0, 2).reshape(3, 2, 2, 2)
    t.transpose(1, 0, 2).reshape(3, 8)
    t.transpose(2, 0, 1).reshape(4, 6)
    a[::-1].reshape(3, 2, 2)
    a[::-1].reshape(-1)
    v[::2].reshape(2, 1)
    v[::2].reshape(1, 2)
    v[::2].ravel()
    v[::-1].reshape(2, 2)
    v.reshape(4)
    v.reshape(-1)
    v.ravel()
    np.sqrt(v).reshape(2, 2)
    v[0].reshape(1, 1)
    v[:0].reshape(0, 3)
    v[:0].reshape(3, -1)
    np.reshape([1, 2, 3, 4], (2, 2))
    v.view()
    v.view(np.int64)
    list(a.flat)[3]
    a.flat[3]
    a.T.flat[3]
    a.T.flat[1:4]
    a.flat[-1]
    sum([x for x in a.flat])
    sum([x for x in a.T.flat])
    """,
        a=grid(3, 4),
        t=grid(2, 3, 4),
        v=grid(4) + 0.5,
        i=np.arange(4),
    )


def set_shape(a: np.ndarray) -> Any:
    b = a.copy()
    c = b
    b.shape = (4, 3)
    c[0, 1] = 9
    b.real = 3
    z = b * 1j
    z.imag = 5
    z.real[1] = 7
    return b, c, z


def set_flat(a: np.ndarray, b: np.ndarray) -> Any:
    a.flat = 7
    b.flat = [1, 2, 3]
    a.flat[::5] = 3
    a.flat[2] = 8
    b.flat[1:4] = a.flat[:3]
    b.flat[-1] += 5
    for x in b.flat:
        a[0, 0] += x
    np.fill_diagonal(b, 4)
    np.fill_diagonal(a, [1, 2, 3])
    return a.T.flat[2]


def test_assignment_to_attributes() -> None:
    check(set_shape, grid(3, 4))
    check(set_flat, grid(3, 4), grid(3, 4).T.copy(), also=[(grid(3, 4), np.asfortranarray(grid(4, 4)))])
    check(set_flat, grid(6, 8)[::2, ::2], grid(4, 8)[:, ::2])


def flat_two_ways(a: np.ndarray) -> Any:
    return a.reshape(-1), a.ravel()


def split_last_axis(a: np.ndarray) -> Any:
    return a.reshape(a.shape[0], a.shape[1] // 2, 2)


def ravel_in_a_loop(a: np.ndarray) -> Any:
    s = 0.0
    for i in range(1, 4):
        b = a[:, :i].ravel()
        c = a[:i].reshape(-1)
        c[0] += 1
        b[0] += 10
        s += b.sum() * c.sum()
    return s


def test_reshape_of_every_layout() -> None:
    for x in (
        grid(3, 4),
        grid(6, 4)[::2],
        grid(3, 8)[:, ::2],
        grid(3, 4)[:, :2],
        grid(3, 4)[::-1],
        grid(4, 3).T,
        grid(3, 4)[:1, ::2],
        grid(3, 4)[:, :1],
        grid(3, 4)[:0],
        grid(2, 6, 4)[:, 0],
        grid(4, 2, 3)[:, 1, :],
    ):
        check(flat_two_ways, x)
        if x.shape[1] % 2 == 0:
            check(split_last_axis, x)
    check(flat_two_ways, grid(3, 4), also=[(grid(6, 4)[::2],), (grid(1, 8)[:, ::2],), (grid(8, 1)[::2],)])
    check(ravel_in_a_loop, grid(3, 3), also=[(grid(3, 4),)])


WRONG = [
    "a.reshape(4, 4)",
    "a.reshape(-1, 5)",
    "a.reshape(5, -1)",
    "np.split(a, 2)",
    "np.concatenate((a, a[0]))",
    "np.concatenate((a, a[:, 1:]))",
    "a.squeeze(0)",
    "a.transpose(0, 5)",
    "a.transpose(0)",
    "a.transpose(0, 0)",
    "np.moveaxis(a, 5, 0)",
    "np.moveaxis(a, (0, 1), 0)",
    "np.swapaxes(a, 0, 3)",
    "np.expand_dims(a, 7)",
    "np.expand_dims(a, (0, 0))",
    "np.flip(a, 2)",
    "np.fliplr(a[0])",
    "np.broadcast_to(a, (2, 5))",
    "np.broadcast_to(a, (4,))",
    "np.stack((a, a[0]))",
    "np.stack((a, a), axis=5)",
    "np.concatenate(())",
    "np.concatenate((a, a), axis=2)",
    "np.concatenate((a, 1.0))",
    "np.repeat(a, [1, 2], axis=0)",
    "np.repeat(a[0], [1, 2, -1, 3])",
    "np.tile(a, -1)",
    "np.roll(a, 1, axis=2)",
    "np.diagonal(a[0])",
    "np.diagonal(a, 0, 0, 0)",
    "np.diagonal(a, 0, 0, 3)",
    "np.diag(a[None])",
    "np.pad(a, -1)",
    "np.pad(a[:0], 1, 'edge')",
    "a.flat[12]",
    "a.flat[-13]",
    "np.vander(a)",
    "np.tensordot(a, a, 1)",
    "np.array_split(a, 0)",
    "np.hsplit(a, 3)",
    "np.vsplit(a[0], 2)",
    "np.broadcast_arrays(a, a[0, :3])",
    "a.reshape()",
    "a.reshape(1.5)",
    "np.trace(a[0])",
    "np.meshgrid(a, indexing='x')",
    "np.rot90(a[0])",
    "np.rollaxis(a, 3)",
    "np.squeeze(a, 4)",
    "np.rot90(a, 1, (0, 0))",
]


@pytest.mark.parametrize("e", WRONG)
def test_exceptions(e: str) -> None:
    f = function(f"def f(a):\n    return {e}\n")
    check(f, grid(3, 4), raises=_raised(f))


def _raised(f: Any) -> type[Exception]:
    try:
        f(grid(3, 4))
    except Exception as e:
        return type(e)
    raise AssertionError("no exception")


def return_twice(a: np.ndarray) -> Any:
    b = a.copy()
    c = b
    d = b[:]
    return b, c, d, a, a


def test_identity_of_results() -> None:
    check(return_twice, grid(3))


def write_views(a: np.ndarray) -> Any:
    b = a.reshape(-1)
    b[0] = 100
    c = b.reshape(2, -1)[1]
    c[0] = 200
    d = a.T.ravel()
    d[:3] = 5
    e = np.diagonal(a)
    a[0, 0] = 7
    s = e[0]
    f = np.broadcast_to(a[0], (2, 4))
    a[0, 1] = 9
    t = f[1, 1]
    a.reshape(-1)[1:] = a.reshape(-1)[:-1]
    a[1] = np.flip(a)[1]
    a[:, :2] = np.roll(a, 1, axis=1)[:, 1:3] + a[:, 1:3]
    g = a.reshape(2, 6)
    h = a[:, 1:3].reshape(-1)
    g[1] += h
    h[0] -= 1
    return s, t, b, c, d, g, h, a[1:].reshape(-1)


def test_writing_through_views_of_every_layout() -> None:
    for name, a in layouts(grid(3, 4) + 0.5).items():
        check(write_views, a, **({"raises": ValueError} if name == "read-only" else {}))


def views_in_a_loop(a: np.ndarray, n: int) -> Any:
    b = a
    for k in range(n):
        b = b.reshape(b.shape[1], b.shape[0])
        b[0, 0] += 1
        c = b.T if k % 2 else b
        c = c.reshape(-1)
        c[1] += 10
    return b, a


def test_views_bound_again_in_a_loop() -> None:
    for n in range(4):
        check(views_in_a_loop, grid(3, 4), n)


def sections(a: np.ndarray, k: int) -> Any:
    left, right = np.split(a, [k])
    left += 1
    right *= 2
    p, q, r = np.array_split(a, 3)
    q[:] = 0
    return left, right, p, q, r, np.hsplit(a, 2)


def test_sections_are_views() -> None:
    for k in (0, 1, 3, 7, -1):
        check(sections, grid(5, 4), k)
    check(sections, grid(3, 4)[:, ::2], 1, also=[(grid(0, 2), 1), (grid(1, 6).T, 4)])


def growing(a: np.ndarray, n: int) -> Any:
    b = a[:0]
    for k in range(n):
        b = np.concatenate((b, a[k : k + 2] * k))
    return b, np.tile(b, n), np.repeat(b, n), np.roll(b, n), np.append(b, n)


def test_lengths_known_at_run_time() -> None:
    for n in range(4):
        check(growing, grid(5), n)


def test_layouts_and_further_views() -> None:
    check_all(
        """
        np.ascontiguousarray(a)
        np.ascontiguousarray(a.T)
        np.asfortranarray(a)
        np.asfortranarray(a.T)
        np.ascontiguousarray(a[:, ::2])
        np.ascontiguousarray(a, dtype=np.float32)
        np.ascontiguousarray(2.0)
        np.ascontiguousarray([1, 2])
        np.asarray(a, order='F')
        np.asarray(a, order='C')
        np.real(a)
        np.imag(a)
        np.real(c)
        np.imag(c)
        np.real(3)
        np.imag(v[0])
        np.broadcast_to(v, (3, 4)) + 1
        a.T.flags.c_contiguous
        a[:, 1:].flags['F_CONTIGUOUS']
        a[:0, 1:].flags['F_CONTIGUOUS']
        np.broadcast_to(v, (3, 4)).flags.writeable
        np.unstack(a)
        np.unstack(v)
        np.unstack(a, axis=1)
        np.lib.stride_tricks.sliding_window_view(v, 2)
        np.lib.stride_tricks.sliding_window_view(a, (2, 2))
        np.lib.stride_tricks.sliding_window_view(a, 3, axis=1)
        np.lib.stride_tricks.sliding_window_view(v, 2).sum(axis=-1)
        np.lib.stride_tricks.sliding_window_view(a.T[::-1], 3, axis=0).mean(axis=-1)
        """,
        a=grid(3, 4),
        v=grid(4) + 0.5,
        c=grid(3) * 1j,
    )


def make_contiguous(a: np.ndarray) -> Any:
    b = np.ascontiguousarray(a)
    b[0, 0] += 1
    c = np.asfortranarray(a)
    c[0, 1] += 2
    return b, c, b is a, c is a


def test_making_contiguous_in_every_layout() -> None:
    for a in layouts(grid(3, 4)).values():
        if a.flags.writeable:
            check(make_contiguous, a)


def repeated_by_found(a: np.ndarray, counts: np.ndarray, least: int) -> Any:
    return np.repeat(a, counts[counts >= least], axis=0)


def test_one_count_for_all_may_be_found_at_run_time() -> None:
    counts = np.array([2, 0, 3, -4])
    also = [(grid(3, 2), counts, 0), (grid(3, 2), counts, 2), (grid(0, 2), counts, 3), (grid(4, 2), counts, -9)]
    check(repeated_by_found, grid(3, 2), counts, 3, also=also, settings={"target": "interpreter"})
    check(
        repeated_by_found,
        grid(3, 2),
        -counts,
        4,
        also=[(grid(3, 2), counts[::-1] - 4, -1)],
        settings={"target": "interpreter"},
    )
    check(repeated_by_found, grid(3, 2), np.array([-2]), -9, raises=ValueError, settings={"target": "interpreter"})
