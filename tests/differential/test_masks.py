"""Boolean masks: read, written, of lower rank, combined with slices, in reductions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check, check_all
from tests.values import grid, layouts

A = np.array([3.0, -1.0, 4.0, -1.5, np.nan, 9.0, -2.0, 0.0])
M = np.cos(grid(4, 5) * 1.7) * 3


def test_reads() -> None:
    check_all(
        """
        a[a > 0]
        a[a > 100]
        a[~(a > 0)]
        a[(a > 0) & (a < 5)]
        a[np.isnan(a)]
        m[m > 0]
        m[m[:, 0] > 0]
        m[:, m[0] > 0]
        m[m[:, 0] > 0, 1]
        m[m[:, 0] > 0, 1:3]
        m[m > 0].sum()
        m[m > 0].mean()
        len(a[a > 0])
        a[a > 0].shape
        a[a > 0] * 2 + 1
        a[a > 0][::-1]
        np.sqrt(a[a > 0])
        a[np.array([True, False, True, False, True, False, True, False])]
        m.T[m.T > 0]
        a[1:][a[:-1] > 0]
        np.where(m > 0, m, 0)
        np.where(m > 0, m, -m).sum()
        np.sum(m > 0)
        (m > 0).sum(axis=0)
        np.count_nonzero(m > 0)
        np.any(m > 2)
        np.all(m > -9, axis=1)
        np.mean(m > 0)
        a[a > 0].max()
        """,
        a=A,
        m=M,
        rtol=1e-14,
    )


def writes(a: np.ndarray, m: np.ndarray) -> None:
    a[a < 0] = 0
    a[np.isnan(a)] = 7.5
    m[m > 1] = -1.0
    m[m < -1] *= 2
    m[m[:, 0] > 0] += 100
    m[:, m[0] > 50] = 0.25
    a[a > 8] = a[a > 8] * 0.5 + 1
    m[m == 0.25] = np.arange(np.sum(m == 0.25))


def test_writes() -> None:
    check(writes, A, M, also=[(A, np.asfortranarray(M)), (A[::-1], layouts(M)["strided"])])


def assign_values(a: np.ndarray, k: np.ndarray, v: Any) -> None:
    a[k] = v


def test_numbers_of_values() -> None:
    k = np.array([True, False, True, True])
    check(assign_values, np.zeros(4), k, np.array([1.0, 2.0, 3.0]))
    check(assign_values, np.zeros(4), k, np.array([5.0]))
    check(assign_values, np.zeros(4), ~k & k, np.array([5.0]))
    check(assign_values, np.zeros(4), k, np.array([1.0, 2.0]), raises=ValueError)
    check(assign_values, np.zeros(4), k[:3], 1.0, raises=IndexError)
    check(assign_values, np.zeros((4, 2)), k, np.array([1.0, 2.0]))
    check(assign_values, np.zeros((4, 2)), k, np.arange(6.0).reshape(3, 2))
    check(assign_values, np.zeros((2, 2)), k.reshape(2, 2), np.array([1.0, 2.0, 3.0]))


def select(a: np.ndarray, k: np.ndarray) -> np.ndarray:
    return a[k]


def test_shapes() -> None:
    k = np.array([True, False, True])
    check(select, grid(3), k, also=[(grid(3), ~k), (grid(0), k[:0])])
    check(select, grid(3, 2), k)
    check(select, grid(3, 2, 2), k)
    check(select, grid(3, 2), np.array([[True, False], [False, False], [True, True]]))
    check(select, grid(4), k, raises=IndexError)
    check(select, grid(2), k, raises=IndexError)
    check(select, grid(3, 2), np.ones((3, 3), bool), raises=IndexError)


def mask_in_loop(a: np.ndarray, n: int) -> np.ndarray:
    counts = np.zeros(n)
    for k in range(n):
        keep = a > k - 2
        counts[k] = a[keep].sum() + keep.sum()
        a[~keep] += 1.5
    return counts


def filter_chain(a: np.ndarray) -> np.ndarray:
    b = a[a > -2]
    c = b[b < 5]
    c[c < 0] = 0
    return c


def mask_variable(a: np.ndarray) -> Any:
    k = a > 0
    a[0] = -100.0
    k[1] = True
    return a[k], k, k.sum(), k.any(), k.all(), ~k


def test_mask_variables() -> None:
    check(mask_in_loop, A[:4], 5)
    check(filter_chain, A)
    check(mask_variable, A)


def logical(a: np.ndarray, m: np.ndarray) -> Any:
    k = np.logical_and(a > 0, a < 4)
    return (
        np.logical_or(k, a == 9),
        np.logical_not(k),
        np.logical_xor(k, a > 3),
        k & (a != 3),
        np.isclose(a, 3.0),
        m.astype(bool),
    )


def test_logical_functions() -> None:
    check(logical, A, M)


def one_element(o: np.ndarray, new: np.ndarray) -> Any:
    o[o > 5] = [4]
    o[True] = o + 2
    o[False] = 9
    o[o < 3] = new
    return o


def test_masks_of_arrays_of_one_element() -> None:
    zero = np.array(-1.0)
    check(
        one_element,
        zero,
        np.zeros(0),
        also=[(zero, np.zeros(2)), (zero, np.zeros((1, 1))), (np.array(7.0), np.zeros(3))],
    )


@pytest.mark.parametrize("n", [1, 1023, 1024, 1025, 5000])
def test_truth_that_is_decided_early(n: int) -> None:
    """The first and the last element decide, and none."""
    rows = np.zeros((4, n))
    rows[0, 0] = rows[1, -1] = rows[2, n // 2] = 1
    lines = [
        f"{m}.{name}({at})"
        for m in ("(a > 0)", "m", "(m == False)", "m[:, ::-1]")
        for name in ("any", "all")
        for at in ("", "axis=1", "axis=0")
    ]
    lines += [
        "np.max(m, axis=1)",
        "np.min(~m, axis=1)",
        "m.sum(axis=1, dtype=bool)",
        "any(m[1])",
        "all(m[3])",
        "(m & (a > 0)).any(axis=1)",
    ]
    check_all(lines, a=rows, m=rows > 0)


def test_truth_values_beside_numbers() -> None:
    lines = [
        "np.where(m, a, -a)",
        "a * m",
        "m & (a > 0)",
        "np.logical_or(m, a < 1) ^ k",
        "~m",
        "m.astype('f4') + (a > 0)",
        "m.sum() + np.count_nonzero(m & ~k)",
        "np.where(m | k, a, 0).sum(axis=1)",
        "np.add(a, 1, where=m & k, out=np.zeros((37, 41)))",
    ]
    a = np.cos(grid(37, 41))
    check_all(lines, a=a, m=a > 0.1, k=np.asfortranarray(a < 0.5), rtol=1e-15, atol=1e-15)


def test_bytes_seen_as_truth_values() -> None:
    """Any byte but 0 is true."""
    check_all(
        ["b.view(bool).any()", "b.view(bool).sum(axis=1)", "np.where(b.view(bool), 1.5, b)"],
        b=np.arange(6, dtype=np.uint8).reshape(2, 3) * 100,
    )


def test_long_masks_of_any_density_and_with_runs_at_the_ends_of_words() -> None:
    def f(a: np.ndarray, m: np.ndarray) -> Any:
        b, c, n = a.copy(), a * 2, 0
        b[m] = -1
        c[m] = a[m] + 1
        for k in range(len(m)):
            if m[k]:
                n += k
        return (
            a[m],
            np.flatnonzero(m),
            a[1:][m[1:]],
            a[~m],
            b,
            c,
            n,
            a[m].sum(),
            np.compress(m, a),
            a[::-1][m],
            a[m[::-1]],
        )

    rng = np.random.default_rng(6)
    given = []
    for n in (0, 1, 63, 64, 65, 127, 128, 129, 192, 500):
        given += [(np.arange(n) / 4, rng.random(n) < part) for part in (0, 0.02, 0.5, 0.85, 0.98, 1)]
        for gap in (0, 31, 62, 63, 64, 65):
            m = np.ones(n, bool)
            m[gap : gap + 1] = False
            given += [(np.arange(n) / 4, m), (np.arange(n) / 4, ~m)]
    check(f, *given[8], also=given)
