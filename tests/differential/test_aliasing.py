"""Overlap: within one statement, between arguments, between views; the right-hand side is evaluated first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from tests.oracle import Mismatch, check, function

N = 40
STATEMENTS = [
    "a[1:] = a[:-1]",
    "a[:-1] = a[1:]",
    "a[:] = a[::-1]",
    "a[::-1] = a",
    "a[::2] = a[1::2]",
    "a[1:] += a[:-1]",
    "a[:-1] += a[1:]",
    "a[:] += a[::-1]",
    "a[1:] *= a[:-1] + a[1:]",
    "a[1:-1] = 0.5 * (a[:-2] + a[2:])",
    "a[:20] = a[10:30] * 2",
    "a[10:30] = a[:20] * 2",
    "a[:] = a[a.argsort()]",
    "a[::2] = a[:20] - a[20:]",
    "a[1:] = np.maximum(a[:-1], a[1:])",
    "a[3:] = np.cumsum(a)[:-3]",
    "a[2:] = a[:-2] + a[1:-1]",
    "a[0] = a[0] + a.sum()",
    "a -= a[0]",
    "a /= a[3]",
    "a[:] = a - a.mean()",
    "a[:] = a[5]",
    "a[1:] = a[0]",
    "a[np.arange(10)] = a[np.arange(10, 0, -1)]",
]


@pytest.mark.parametrize("group", range(4))
def test_one_dimension(group: int) -> None:
    mine = STATEMENTS[group::4]
    f = function("def f(a):\n" + "".join(f"    {s}\n" for s in mine) + "    return a.sum()\n")
    a = np.cos(np.arange(N)) + 2
    check(f, a, also=[(np.repeat(a, 2)[::2],), (a[::-1],)], rtol=1e-13, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("n", [N, 50_000])
def test_one_dimension_one_by_one(statement: str, n: int) -> None:
    f = function(f"def f(a):\n    {statement}\n")
    check(f, np.cos(np.arange(n)) + 2, rtol=1e-13)


SQUARE = [
    "m[:] = m.T",
    "m += m.T",
    "m[1:, 1:] = m[:-1, :-1]",
    "m[:, 1:] -= m[:, :-1]",
    "m[1:-1, 1:-1] = 0.25 * (m[:-2, 1:-1] + m[2:, 1:-1] + m[1:-1, :-2] + m[1:-1, 2:])",
    "m[:] = m[::-1, ::-1]",
    "m[0] = m[:, 0]",
    "m[:, 0] = m[0]",
    "m[::2] = m[1::2, ::-1]",
    "m -= m[0]",
    "m /= m[:, :1] + 100",
    "m[:] = m @ m * 0.01",
    "m.T[1:] = m[1:]",
    "m.flat[5:10] = m.flat[6:11]",
    "m.reshape(-1)[1:] = m.reshape(-1)[:-1]",
]


@pytest.mark.parametrize("group", range(3))
def test_two_dimensions(group: int) -> None:
    f = function("def f(m):\n" + "".join(f"    {s}\n" for s in SQUARE[group::3]))
    m = np.sin(np.arange(64.0)).reshape(8, 8) + 2
    check(f, m, rtol=1e-13, atol=1e-14)
    if group != 2:
        check(f, np.asfortranarray(m), rtol=1e-13, atol=1e-14)


def shift_into(dst: np.ndarray, src: np.ndarray) -> None:
    dst[:] = src * 2 + 1


def two_steps(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    x += 1
    y *= 2
    return x + y


def loop_over_two(x: np.ndarray, y: np.ndarray) -> None:
    for i in range(len(x)):
        x[i] = y[i] + 1
        y[i] = x[i] * 2


def scatter(dst: np.ndarray, src: np.ndarray) -> None:
    for i in range(1, len(src)):
        dst[i - 1] += src[i] * 0.5


@pytest.mark.parametrize("f", [shift_into, two_steps, loop_over_two, scatter])
def test_arguments_that_overlap(f: Any) -> None:
    block = np.arange(30.0)
    apart = (block[:10], block[20:])
    check(f, np.arange(10.0), np.arange(10.0) + 3)
    check(f, block[:10], block[:10].copy())
    same = np.arange(10.0)
    check(f, same, same)
    check(f, block[:20], block[5:25])
    check(f, block[5:25], block[:20])
    check(f, *apart)
    check(f, block[:10], block[9::-1])
    check(f, block[::2], block[1::2])
    check(f, same, same[:])


@pytest.mark.slow
@pytest.mark.parametrize("f", [shift_into, two_steps, loop_over_two, scatter])
def test_long_arguments_that_overlap(f: Any) -> None:
    block = np.arange(200_000.0)
    check(f, block[1:-1], block[2:])
    check(f, block[2:], block[1:-1])
    check(f, block, block)


def matrix_and_row(m: np.ndarray, r: np.ndarray) -> None:
    m += r
    r[:] = m[0] * 2
    m -= r


def product_into(c: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    c[:] = a @ b


def out_keyword(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.add(a[:-1], b[1:], out=b[:-1])


def test_matrices_that_overlap() -> None:
    m = np.arange(16.0).reshape(4, 4)
    check(matrix_and_row, m, m[1])
    check(matrix_and_row, m, m[:, 2])
    check(matrix_and_row, m, np.ones(4))
    check(product_into, m, m, m, rtol=1e-14)
    check(product_into, m, m.T, m, rtol=1e-14)
    check(product_into, np.zeros((4, 4)), m, m.T, rtol=1e-14)
    check(out_keyword, np.arange(6.0), np.arange(6.0))
    v = np.arange(6.0)
    check(out_keyword, v, v)


def views_of_one(a: np.ndarray) -> Any:
    left, right = a[:-1], a[1:]
    left += right
    right *= left
    b = a.reshape(2, -1)
    b[0] = b[1] + left[:4]
    t = b.T
    t[1:] = t[:-1]
    return left, t


def view_read_after_write(a: np.ndarray) -> np.ndarray:
    v = a[2:5]
    s = v + 1
    a[3] = 100.0
    return s + v


def copy_is_apart(a: np.ndarray) -> np.ndarray:
    b = a.copy()
    a[:] = 0
    c = a[1:]
    a += 1
    return b[1:] + c


def test_views_of_one_array() -> None:
    check(views_of_one, np.arange(1.0, 9.0))
    check(view_read_after_write, np.arange(8.0))
    check(copy_is_apart, np.arange(8.0))


def temporary_overlap(n: int) -> np.ndarray:
    t = np.arange(n) * 1.0
    t[1:] = t[:-1]
    t[:-1] += t[1:]
    u = t
    u[0] = -5.0
    t[:] = t[::-1] + u
    return t


def loop_carried(a: np.ndarray) -> None:
    for i in range(1, len(a)):
        a[i] = a[i] + a[i - 1]
    for i in range(len(a) - 1):
        a[i] = a[i + 1] * 0.5
    for i in range(len(a)):
        a[i] = a[len(a) - 1 - i]
    for i in range(2, len(a)):
        a[i - 2] = a[i] - a[i - 1]


def indirect(a: np.ndarray, p: np.ndarray) -> None:
    for i in range(len(p)):
        a[p[i]] += a[i] + 1


def test_dependences() -> None:
    check(temporary_overlap, 9)
    check(loop_carried, np.arange(1.0, 12.0))
    check(loop_carried, np.sin(np.arange(5000.0)))
    check(indirect, np.arange(8.0), np.array([1, 1, 3, 0, 7, 7, 2, 1]))


def same_different_dtype(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    a[0] = 1.5
    b[0] = 7
    return a + 1


def test_one_block_seen_with_two_dtypes() -> None:
    block = np.zeros(4)
    check(same_different_dtype, block, block.view(np.int64))


def reads_and_writes(a: np.ndarray) -> Any:
    s = a.sum(), (a * 2).sum(axis=0)
    a[1:] -= a[0]
    return s


def test_arrays_that_share_their_own_elements() -> None:
    """Writing depends on NumPy's order of iteration; reading is compiled."""
    steps = as_strided(np.arange(8.0), (6, 3), (8, 8))
    repeated = as_strided(np.arange(8.0), (4, 3), (8, 0))
    for a in (steps, repeated):
        with pytest.raises(Mismatch, match="whose own elements may overlap"):
            check(reads_and_writes, a)
        check(lambda a: (a.sum(), (a * 2).sum(axis=0), a[1:] - a[0]), a)
    also = [(repeated,), (np.arange(12.0).reshape(4, 3)[:, ::-1],), (np.arange(24.0).reshape(4, 6)[:, ::2],)]
    check(lambda a: (a.sum(axis=0), a + 1, np.array(a)), steps, also=also)


def own_positions(p: np.ndarray, value: int) -> np.ndarray:
    p.flat[p] = value
    return p


def test_positions_that_their_own_assignment_changes() -> None:
    p = np.array([2, 0, 1])
    q = np.array([[1, 2], [3, 0]])
    check(own_positions, p, 7, also=[(q, 1), (q.T, 3), (np.array([2, 0, 1], np.int32), 9)])
