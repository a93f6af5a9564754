"""Loops over single numbers whose every step is checked: subscripts, whole parts of floats, quotients by powers of two."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.oracle import check


def counted(x: np.ndarray, k: np.ndarray) -> np.ndarray:
    out = np.zeros(x.shape[0], dtype=np.int64)
    for i in range(k.shape[0]):
        out[k[i]] += i
        x[k[i]] = x[k[i] - 1] + 1.0
    return out


def test_subscripts_from_both_ends_and_outside() -> None:
    x = np.arange(6.0)
    inside = [np.array(k) for k in ([0, 5, 2], [-6, -1, 3], [0, -6, 5, -5])]
    outside = [np.array(k) for k in ([0, 6], [1, -7], [-6, -6], [2, 2**62], [3, -(2**63)], [1, 2**63 - 1])]
    check(counted, x, inside[0], also=[(x, k) for k in inside + outside])
    check(counted, np.zeros(0), np.array([0]), also=[(np.zeros(0), np.array([-1])), (np.zeros(1), np.array([-1]))])


def own_check(k: int, n: int) -> np.ndarray:
    if not (-n <= k < n):
        raise IndexError(f"index {k} is out of bounds for axis 0 with size {n}")
    return np.full(n, k + n if k < 0 else k)


def test_a_check_of_the_program_that_looks_alike() -> None:
    check(own_check, 2, 5, also=[(-2, 5), (5, 5), (-6, 5), (3, -1), (-3, -1), (0, 0)])


def parts(x: np.ndarray) -> list[int]:
    out = [0]
    for v in x:
        out.append(int(v))
        out.append(math.floor(v) + math.ceil(v) + math.trunc(v) + round(v))
    return out


def first(x: float) -> tuple[int, int, int]:
    return int(x), math.floor(x), math.ceil(x)


def test_whole_parts_at_the_edges_of_64_bits() -> None:
    below = np.nextafter(2.0**63, 0)
    fits = [0.5, -0.5, -0.0, 1e18, -1e18, below, -(2.0**63), 2.0**62 + 1024, -(2.0**53) - 2, 5e-324]
    fails = [math.nan, -math.nan, math.inf, -math.inf]
    check(first, fits[0], also=[(v,) for v in fits[1:] + fails])
    check(parts, np.array([1.5, -2.5, 3.0]), also=[(np.array([1.0, v]),) for v in (math.nan, -math.inf, 0.5)])


def by_powers(a: np.ndarray) -> tuple[Any, ...]:
    q = [a // 1, a // 2, a // 64]
    r = [a % 1, a % 2, a % 64]
    s = np.zeros(a.shape[0], dtype=a.dtype)
    for i in range(a.shape[0]):
        s[i] = a[i] // 32 ^ a[i] % 16
    return q, r, s


def python_ints(x: int) -> tuple[int, ...]:
    return x // 2, x % 2, x // 2**31, x % 2**31, x // 2**62, x % 2**62, x // -4, x % -4


def test_quotients_by_powers_of_two() -> None:
    rng = np.random.default_rng(5)
    calls = []
    for t in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
        info = np.iinfo(t)
        a = rng.integers(info.min, info.max, 40, dtype=t, endpoint=True)
        a[:4] = info.min, info.max, 0, 1
        calls.append((a,))
    check(by_powers, *calls[0], also=calls[1:])
    check(python_ints, 7, also=[(-7,), (0,), (-1,), (2**63 - 1,), (-(2**63),), (-(2**31),)])
