"""Loops that look parallel and are not, and those that are: long enough for threads, run often enough for races."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check, compiled

N = 60_000


def recurrence(a: np.ndarray) -> None:
    for i in range(1, len(a)):
        a[i] = 0.5 * a[i] + 0.5 * a[i - 1]


def distance_two(a: np.ndarray) -> None:
    for i in range(2, len(a)):
        a[i] = a[i - 2] + a[i] * 0.5


def anti(a: np.ndarray) -> None:
    for i in range(len(a) - 1):
        a[i] = a[i + 1] * 2 - a[i]


def symmetric(a: np.ndarray) -> None:
    n = len(a)
    for i in range(n):
        a[i] = a[n - 1 - i] + 1


def even_and_odd(a: np.ndarray) -> None:
    for i in range(len(a) // 2):
        a[2 * i] = a[2 * i + 1] * 3


def folding(a: np.ndarray) -> None:
    for i in range(len(a)):
        a[i // 2] += a[i] * 0.25


def scatter(a: np.ndarray, p: np.ndarray) -> None:
    for i in range(len(p)):
        a[p[i]] = a[p[i]] + i


def last_write_wins(a: np.ndarray, p: np.ndarray) -> None:
    for i in range(len(p)):
        a[p[i]] = i


def scalar_carried(a: np.ndarray) -> Any:
    s = 1.0
    for i in range(len(a)):
        s = s * 0.5 + a[i]
        a[i] = s
    return s


def last_value(a: np.ndarray) -> Any:
    x = 0.0
    for i in range(len(a)):
        x = a[i] * 2
        a[i] = x + 1
    return x, i


def conditional_last(a: np.ndarray) -> Any:
    x, k = -1.0, -1
    for i in range(len(a)):
        if a[i] > 0.5:
            x = a[i]
            k = i
    return x, k


def running_maximum(a: np.ndarray) -> Any:
    best, where = a[0], 0
    for i in range(1, len(a)):
        if a[i] > best:
            best, where = a[i], i
    return best, where


def private_temporary(m: np.ndarray) -> np.ndarray:
    out = np.zeros(m.shape[0])
    t = np.zeros(m.shape[1])
    for i in range(m.shape[0]):
        t[:] = m[i] * 2
        t[0] = i
        out[i] = t.max() - t[-1]
    out[0] += t[1]
    return out


def seidel(m: np.ndarray, steps: int) -> None:
    for _ in range(steps):
        for i in range(1, m.shape[0] - 1):
            for j in range(1, m.shape[1] - 1):
                m[i, j] = 0.25 * (m[i - 1, j] + m[i + 1, j] + m[i, j - 1] + m[i, j + 1])


def jacobi(a: np.ndarray, b: np.ndarray, steps: int) -> None:
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])


def columns_then_rows(m: np.ndarray) -> None:
    for j in range(1, m.shape[1]):
        m[:, j] += m[:, j - 1] * 0.5
    for i in range(m.shape[0] - 2, -1, -1):
        m[i] -= m[i + 1] * 0.25


def floyd(m: np.ndarray) -> None:
    for k in range(m.shape[0]):
        m[:] = np.minimum(m, m[:, k : k + 1] + m[k])


def lu(a: np.ndarray) -> None:
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, a.shape[0]):
            a[i, j] -= a[i, :i] @ a[:i, j]


RNG = np.random.default_rng(11)
V = RNG.random(N)
P = RNG.integers(0, 50, N)
M = RNG.random((150, 200))


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (recurrence, (V,)),
        (distance_two, (V,)),
        (anti, (V,)),
        (symmetric, (V,)),
        (even_and_odd, (V,)),
        (folding, (V,)),
        (scatter, (V, P)),
        (last_write_wins, (V, P)),
        (scalar_carried, (V,)),
        (last_value, (V,)),
        (conditional_last, (V,)),
        (running_maximum, (V,)),
        (private_temporary, (M,)),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_one_dimensional_loops(f: Any, args: Any) -> None:
    check(f, *args)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (seidel, (M, 2)),
        (jacobi, (M, M.copy(), 3)),
        (columns_then_rows, (M,)),
        (floyd, (M[:60, :60].copy(),)),
        (lu, (M[:40, :40] + 40 * np.eye(40),)),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_two_dimensional_loops(f: Any, args: Any) -> None:
    check(f, *args, rtol=1e-9)


def sums(a: np.ndarray) -> Any:
    s = 0.0
    for i in range(len(a)):
        s += a[i] * a[i]
    return s, a.sum(), (a > 0.5).sum(), a.max(), a.argmin()


def test_results_are_the_same_from_run_to_run() -> None:
    check(sums, V, rtol=1e-12)
    f = compiled(sums)
    assert len({repr(f(V)) for _ in range(20)}) == 1


def test_races_show_up_when_run_often() -> None:
    for f, args in ((folding, (V,)), (scatter, (V, P)), (symmetric, (V,)), (add_all, (V, P))):
        want = [a.copy() for a in args]
        f(*want)
        g = compiled(f)
        for _ in range(20):
            got = [a.copy() for a in args]
            g(*got)
            assert np.array_equal(want[0], got[0]), f.__name__


def add_all(a: np.ndarray, p: np.ndarray) -> None:
    np.add.at(a, p, 1.0)
    a[p] += 1.0


def into_no_dimensions(total: np.ndarray, a: np.ndarray) -> Any:
    count = np.zeros(())
    for i in range(len(a)):
        total += a[i]
        count[()] += 0.5
    return count


def test_sums_in_arrays_of_no_dimensions() -> None:
    for n in (3, 600_000):
        check(into_no_dimensions, np.array(2.5), np.ones(n))
