"""The functions of `math` on numbers: Python's bits, results and errors, and no call of Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import check

SPECIAL = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.0, 2.5, -2.5, 3.0, 23.0, 24.0, 170.5, 171.6, 171.7, -170.5, -171.5, 199.9, 200.5, -200.5, -300.5,
    1e-21, -1e-21, 5e-324, -5e-324, 2.2250738585072014e-308, 1e-310, 1e300, -1e300, 1.7976931348623157e308, 5.524680040776729, 140.0, 139.9,
    math.inf, -math.inf, math.nan,
]  # fmt: skip


def of_floats(x: np.ndarray, out: np.ndarray) -> None:
    for i in range(x.shape[0]):
        v = float(x[i])
        out[0, i] = math.erf(v)
        out[1, i] = math.erfc(v)
        out[2, i], n = math.frexp(v)
        out[3, i] = n
        out[4, i], out[5, i] = math.modf(v)
        out[6, i] = math.ulp(v)
        out[7, i] = math.nextafter(v, 1.0)
        out[8, i] = math.isclose(v, v + 1e-9) + 2 * math.isclose(v, 1.0, rel_tol=0.4, abs_tol=0.1)


def gammas(x: np.ndarray, out: np.ndarray) -> None:
    for i in range(x.shape[0]):
        out[0, i] = math.gamma(x[i])
        out[1, i] = math.lgamma(x[i])


def remainders(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    for i in range(x.shape[0]):
        out[i] = math.remainder(x[i], y[i])


def same_bits(f: Callable[..., None], *args: Any) -> None:
    jitted, mine, theirs = sol.jit(f, strict=True), args[-1].copy(), args[-1].copy()
    jitted(*args[:-1], mine)
    f(*args[:-1], theirs)
    differ = ~((mine.view(np.int64) == theirs.view(np.int64)) | (np.isnan(mine) & np.isnan(theirs)))
    where = np.argwhere(differ)[:5]
    assert not differ.any(), [(tuple(w), args[0][w[-1]], mine[tuple(w)], theirs[tuple(w)]) for w in where]
    assert "callback" not in str(jitted.ir())


def numbers(n: int) -> np.ndarray:
    rng = np.random.default_rng(11)
    anything = rng.integers(0, 2**64, n, dtype=np.uint64).view(np.float64)
    parts = [rng.normal(0, s, n) for s in (1e-3, 1.0, 5.0, 100.0)] + [rng.integers(-40, 400, n) / 2.0, anything]
    return np.concatenate([np.array(SPECIAL), *parts])


COUNT = 3000


def test_functions_of_floats_have_pythons_bits() -> None:
    x = numbers(COUNT)
    same_bits(of_floats, x, np.zeros((9, x.size)))


def test_gamma_has_pythons_bits() -> None:
    x = numbers(COUNT)
    fine = (x > -170) & (x < 171.6) & (np.abs(x) > 1e-300) & ((x > 0) | (x != np.floor(x)))
    x = np.concatenate([x[fine], [-170.5, -171.5, -180.5, -199.5, -201.5, math.inf, math.nan]])
    same_bits(gammas, x, np.zeros((2, x.size)))


def test_remainders_have_pythons_bits() -> None:
    x = numbers(COUNT)
    y = np.roll(x, 7)
    fine = ((y != 0) & np.isfinite(x)) | np.isnan(x) | np.isnan(y)
    same_bits(remainders, x[fine], y[fine], np.zeros(int(fine.sum())))


def gamma(x: float) -> float:
    return math.gamma(x)


def lgamma(x: float) -> float:
    return math.lgamma(x)


def remainder(x: float, y: float) -> float:
    return math.remainder(x, y)


def ldexp(x: float, n: int) -> float:
    return math.ldexp(x, n)


def isclose(a: float, b: float, r: float, t: float) -> bool:
    return math.isclose(a, b, rel_tol=r, abs_tol=t)


def of_ints(n: int, k: int) -> tuple[int, ...]:
    return (
        math.comb(n, k),
        math.perm(n, k),
        math.isqrt(n),
        math.gcd(n, k),
        math.lcm(n, k),
        math.gcd(n, k, 6),
        math.lcm(4, n, k),
        math.gcd(n),
    )


def comb(n: int, k: int) -> int:
    return math.comb(n, k)


def factorial(n: int) -> int:
    return math.factorial(n)


def products(a: float, n: int) -> tuple[float, int]:
    return math.prod((a, 2.0, n)), math.prod([n, 3], start=n)


PAIRS = [
    (a, b)
    for a in (0.0, -0.0, 1.5, -7.25, 1e308, 5e-324, math.inf, -math.inf, math.nan)
    for b in (0.0, 2.0, -0.5, math.inf, math.nan)
]
EXPONENTS = [
    (x, n)
    for x in (0.0, -0.0, 1.5, -3e-310, 1e308, math.inf, math.nan)
    for n in (0, 1, -1074, -1080, 1024, 2**40, -(2**40), -(2**63))
]
INTS = [(10, 3), (0, 0), (5, 7), (2**62, 1), (20, 20), (-1, 2), (3, -1), (12, 18), (2**31, 1)]
CHOICES = [(60, 30), (61, 30), (66, 33), (62, 31), (2**32, 2), (2**63 - 1, 1), (2**62, 2**62 - 1), (100, 95), (1000, 0)]


@pytest.mark.parametrize(
    ("f", "calls"),
    [
        (gamma, [(v,) for v in SPECIAL + [-3.0, -23.0, 172.5]]),
        (lgamma, [(v,) for v in SPECIAL + [-3.0, 2.5e305, 3e306]]),
        (remainder, PAIRS),
        (ldexp, EXPONENTS),
        (isclose, [(1.0, 1.1, 0.2, 0.0), (1.0, 2.0, -1.0, 0.0), (1.0, 2.0, 0.0, -1e-300), (math.inf, math.inf, 0.0, 0.0), (math.inf, 1.0, 9.0, 9.0)]),
        (of_ints, INTS),
        (comb, CHOICES),
        (factorial, [(n,) for n in (0, 1, 5, 20, -1)]),
        (products, [(1.5, 3), (math.nan, -4), (2.0, 2**30)]),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)  # fmt: skip
def test_results_and_errors(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    check(f, *calls[0], also=calls[1:])


def test_ints_of_more_than_64_bits() -> None:
    for f, args in ((factorial, (25,)), (comb, (67, 33)), (comb, (2**62, 2)), (factorial, (21,))):
        with pytest.warns(sol.FallbackWarning, match="64 bits"):
            assert sol.jit(f)(*args) == f(*args)


class Half:
    def __float__(self) -> float:
        return 0.5

    def __index__(self) -> int:
        return 3


def of_other_values(a: Any) -> tuple[Any, ...]:
    return (
        math.erf(a),
        math.gamma(a),
        math.isclose(a, 0.5),
        math.frexp(a),
        math.factorial(a),
        math.comb(a, 2),
        math.prod([a.__float__(), 2]),
    )


def of_arrays(a: np.ndarray) -> tuple[Any, ...]:
    return math.prod(a), math.fsum(a), math.erf(a[1]), math.gcd(int(a[0]), 4), math.comb(5, k=2) if a[0] < 0 else 0


def test_what_python_computes() -> None:
    check(of_other_values, Half())
    check(of_arrays, np.array([2.0, 3.0, 0.1]))
