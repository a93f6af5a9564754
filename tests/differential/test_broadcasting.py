"""Broadcasting by the shapes of each call: lengths 0 and 1, inserted dimensions, mismatches."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check, check_all
from tests.values import grid


def expression(a: Any, b: Any) -> Any:
    return a * 2 + b - 1


def test_shapes_after_each_other() -> None:
    shapes = [
        ((3, 5), (3, 5)),
        ((3, 5), (1, 5)),
        ((1, 5), (3, 5)),
        ((3, 1), (1, 5)),
        ((1, 1), (3, 5)),
        ((0, 5), (1, 5)),
        ((0, 5), (0, 1)),
        ((1, 1), (1, 1)),
        ((3, 5), (3, 1)),
        ((1, 0), (4, 1)),
    ]
    calls = [(grid(*s), grid(*t) + 0.5) for s, t in shapes]
    check(expression, *calls[0], also=calls[1:])
    calls = [
        (grid(*s), grid(*t))
        for s, t in [((4,), (4,)), ((1,), (4,)), ((4,), (1,)), ((0,), (1,)), ((1,), (1,)), ((0,), (0,))]
    ]
    check(expression, *calls[0], also=calls[1:])


def test_ranks() -> None:
    for s, t in [
        ((3, 5), (5,)),
        ((5,), (3, 5)),
        ((2, 3, 4), (3, 1)),
        ((2, 1, 4), (3, 4)),
        ((1,), (2, 3)),
        ((), (2, 3)),
        ((2, 3), ()),
    ]:
        check(expression, grid(*s), grid(*t) + 1)
    check(expression, 3, grid(2, 3))
    check(expression, grid(2, 3), 2.5)


def test_mismatch_raises() -> None:
    for s, t in [((4,), (5,)), ((3, 5), (3, 4)), ((2, 3), (2,)), ((0,), (2,)), ((2, 3, 4), (3, 3, 4))]:
        check(expression, grid(*s), grid(*t), raises=ValueError)
    check(expression, grid(4), grid(4))


def assign(a: Any, b: Any) -> None:
    a[...] = b


def assign_part(a: np.ndarray, b: Any) -> None:
    a[1:, ::2] = b


def test_assignment() -> None:
    z = np.zeros((3, 4))
    check(
        assign, z, grid(3, 4), also=[(z, grid(1, 4)), (z, grid(3, 1)), (z, grid(1, 1)), (np.zeros((0, 4)), grid(1, 4))]
    )
    check(assign, z, grid(4), also=[(z, grid(1))])
    check(assign, z, 3)
    check(assign, z, grid(1, 1, 3, 4))
    check(assign, z, grid(3), raises=ValueError)
    check(assign, z, grid(2, 4), raises=ValueError)
    check(assign, np.zeros((1, 4)), grid(3, 4), raises=ValueError)
    check(assign_part, z, grid(2, 2), also=[(z, grid(2, 1)), (z, grid(1, 2))])
    check(assign_part, z, grid(3, 2), raises=ValueError)


def test_inserted_dimensions() -> None:
    check_all(
        """
        a[:, None] + b
        a[None, :] * a[:, None]
        np.subtract.outer(a, b)
        a[:, np.newaxis, None] + m
        np.expand_dims(a, 0) + m
        a[None] + b[:, None]
        (a[:, None] - b[None, :]) ** 2
        np.where(a[:, None] > b, a[:, None], b)
        np.maximum(m, m[0])
        m - m.mean(axis=0)
        m / m.sum(axis=1, keepdims=True)
        m - m[:, :1]
        np.broadcast_to(a, (2, 3)) + 1
        np.broadcast_to(b[:, None], (4, 3))
        m + 1 + a * m
        np.add(a, 1)
        np.add(2, 3)
        np.add(m, a)
        """,
        rtol=1e-15,
        a=grid(3) + 1,
        b=grid(4) - 1.5,
        m=grid(2, 3) + 1,
    )


def chain(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    t = a + b
    u = t * c
    return u - a


def test_chains_of_statements() -> None:
    check(
        chain,
        grid(3, 4),
        grid(3, 1),
        grid(1, 4),
        also=[(grid(1, 4), grid(3, 4), grid(3, 4)), (grid(3, 1), grid(1, 4), grid(3, 4))],
    )
    check(chain, grid(4), grid(3, 1), grid(1, 1), also=[(grid(1), grid(1, 1), grid(3, 1))])


def loop_with_rows(m: np.ndarray, v: np.ndarray) -> np.ndarray:
    out = np.zeros_like(m)
    for i in range(m.shape[0]):
        out[i] = m[i] * v + m[i, 0]
        out[:, 0] += v[0]
    return out


def test_in_loops() -> None:
    check(
        loop_with_rows, grid(3, 4), grid(4), also=[(grid(3, 4), grid(1)), (grid(3, 1), grid(1)), (grid(0, 4), grid(4))]
    )
    check(loop_with_rows, grid(3, 4), grid(3), raises=ValueError)


def test_broadcast_arguments() -> None:
    row = np.broadcast_to(grid(4), (3, 4))
    check(expression, row, grid(3, 4))
    check(expression, grid(3, 4), row)
    check(expression, np.broadcast_to(np.float64(2), (3, 4)), row)
    check(assign, row, 1.0, raises=ValueError)


def stored(a: np.ndarray, b: np.ndarray) -> Any:
    c = b[b[..., 0] > 0]  # only the run tells how many
    a[:] = np.nan_to_num(b)
    a[[0, 1, 2]] = c
    a[1:] = c[..., 1:]
    return a


def test_axes_of_length_1_in_front_of_what_is_stored() -> None:
    a = np.zeros(3)
    fitting = [np.ones((1, 3)), np.array([[2.0, 3, 4]])]
    check(stored, a, fitting[0], also=[(a, b) for b in fitting])
    for shape in ((2, 3), (1, 2), (0, 3)):
        check(stored, a, np.ones(shape), raises=ValueError, settings={"target": "interpreter"})
