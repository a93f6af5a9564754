"""Elementwise functions over every dtype: awkward values included, same bits as NumPy where that is promised."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.frontend_ast.values import numpy_versions
from tests.oracle import check, check_all
from tests.statements import check_statements
from tests.values import COMPLEX, DTYPES, FLOATS, INTS, special

ANY = """a + b|a * b|a == b|a != b|np.equal(a, b)|np.not_equal(a, b)|np.logical_and(a, b)|np.logical_or(a, b)
np.logical_not(a)|np.logical_xor(a, b)"""
ORDERED = """a < b|a <= b|a > b|a >= b|np.maximum(a, b)|np.minimum(a, b)|np.fmax(a, b)|np.fmin(a, b)
np.where(a < b, a, b)|np.greater(a, b)|np.less_equal(a, b)|np.clip(a, b, b)"""
INTEGER = """a - b|-a|~a|a & b|a | b|a ^ b|a // b|a % b|np.abs(a)|np.sign(a)|np.square(a)|np.negative(a)
np.positive(a)|np.invert(a)
np.bitwise_and(a, b)|np.left_shift(a, c)|np.right_shift(a, c)|a << c|a >> c|np.floor_divide(a, b)
np.remainder(a, b)|np.fmod(a, b)
np.gcd(a, b)|a ** 2|a ** 3|np.power(a, c)|np.bitwise_count(a)|np.mod(a, b)|abs(a)|np.clip(a, 3, 20)|a / b
np.true_divide(a, b)|np.sqrt(c)|np.lcm(a, b)|np.lcm(a, a)|np.abs(a).astype(np.int64)|np.gcd(a, b) + 0.5
np.subtract(a, b)|np.multiply(a, b)|np.add(a, b)|np.floor(a)|np.rint(a)|np.isnan(a)|np.isfinite(a)"""
FLOAT = """a - b|a / b|-a|a // b|a % b|np.abs(a)|np.sign(a)|np.square(a)|np.sqrt(a)|np.reciprocal(a)
np.floor(a)|np.ceil(a)|np.trunc(a)
np.rint(a)|np.isnan(a)|np.isinf(a)|np.isfinite(a)|np.signbit(a)|np.copysign(a, b)|np.fabs(a)|np.fmod(a, b)
a ** 2|np.round(a)|np.fix(a)
np.nextafter(a, b)|np.spacing(a)|np.remainder(a, b)|np.floor_divide(a, b)|np.heaviside(a, b)|np.nan_to_num(a)
np.clip(a, -1, 1)
np.ldexp(a, 3)|np.modf(a)|np.frexp(a)|np.divmod(a, b)|np.degrees(a)|np.radians(a)
np.float_power(np.abs(a), 2)|np.isposinf(a)|np.isneginf(a)
np.clip(a, None, 0.5)|np.deg2rad(a)|np.rad2deg(a)|np.around(a, 1)|np.sinc(a * 0 + 0.25)"""
MATH = """np.exp(a)|np.exp2(a)|np.expm1(a)|np.log(a)|np.log2(a)|np.log10(a)|np.log1p(a)|np.sin(a)|np.cos(a)
np.tan(a)|np.arcsin(a)|np.arccos(a)
np.arctan(a)|np.sinh(a)|np.cosh(a)|np.tanh(a)|np.arcsinh(a)|np.arccosh(a)|np.arctanh(a)|np.cbrt(a)
np.arctan2(a, b)|np.hypot(a, b)
np.power(np.abs(a), b)|np.logaddexp(a, b)|np.logaddexp2(a, b)|a ** 0.5|a ** 3|a ** -1|a ** 1.5"""
COMPLEX_OPS = """a - b|-a|a.real|a.imag|np.real(a)|np.imag(a)|np.conj(a)|np.conjugate(a)|a.conj()
np.isnan(a)|np.isinf(a)|np.isfinite(a)
np.square(a)|np.positive(a)|np.iscomplexobj(a)|np.negative(a)"""


def _lines(*tables: str) -> list[str]:
    """Rows of expressions separated by bars (a bar with blanks around it is the operator)."""
    out = []
    for table in tables:
        for row in table.replace(" | ", "\0").split("\n"):
            out += [s.replace("\0", " | ").strip() for s in row.split("|")]
    return [s for s in out if s]


def _pair(dtype: str) -> dict[str, np.ndarray]:
    a = special(dtype, 48)
    return {"a": a, "b": np.roll(a, 5)}


@pytest.mark.share(0.3)
@pytest.mark.parametrize("dtype", DTYPES)
def test_all_dtypes(dtype: str) -> None:
    tables = [ANY]
    names: dict[str, Any] = _pair(dtype)
    if dtype not in COMPLEX:
        tables.append(ORDERED)
    if dtype in INTS:
        tables.append(INTEGER)
        names["c"] = (np.arange(48) % 9).astype(dtype)
    if dtype in FLOATS:
        tables.append(FLOAT)
    lines = _lines(*tables)
    check_all(lines, **names, ulps=1 if dtype == "float16" else 0)


@pytest.mark.share(0.3)
@pytest.mark.parametrize("dtype", FLOATS)
def test_mathematical_functions(dtype: str) -> None:
    check_all(_lines(MATH), **_pair(dtype), ulps=4)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_functions(dtype: str) -> None:
    check_all(_lines(COMPLEX_OPS), **_pair(dtype))
    check_all(["np.abs(a)", "abs(b)"], **_pair(dtype), ulps=2)


def test_same_bits_for_ordinary_arguments() -> None:
    rng = np.random.default_rng(7)
    x = np.concatenate([rng.normal(0, 3, 700), rng.random(301)])
    check_all(
        """
        np.sqrt(np.abs(x)) * y - x / y
        x * x + y * y
        (x - y) * (x + y) / 3
        x - x * y
        x * y + 1.0
        1.0 / (1.0 + x * x)
        np.floor(x * 7) % 3
        np.abs(x - y) ** 2
        np.maximum(x, y) * np.minimum(x, y)
        """,
        x=x,
        y=x[::-1] + 2.5,
    )
    check_all(
        "x * x + y * y\nx / y - x\nnp.sqrt(np.abs(x)) * 1.1\nx * 0.1",
        x=x.astype(np.float32),
        y=(x[::-1] + 2.5).astype(np.float32),
    )


def test_within_an_ulp_or_two_of_numpy() -> None:
    rng = np.random.default_rng(8)
    x = rng.normal(0, 3, 3001)
    lines = [f"np.{f}(x)" for f in "exp exp2 expm1 sin cos tan arctan sinh cosh tanh arcsinh".split()]
    lines += [f"np.{f}(p)" for f in "log log2 log10 log1p sqrt".split()] + [
        f"np.{f}(u)" for f in "arcsin arccos arctanh".split()
    ]
    lines += [
        "np.power(p, x)",
        "np.arctan2(x, p)",
        "np.hypot(x, p)",
        "np.exp(-x * x)",
        "np.log(p + 1) + np.exp(u)",
        "1 / (1 + np.exp(-x))",
    ]
    check_all(lines, x=x, p=np.abs(x) + 0.01, u=np.tanh(x), ulps=2)
    check_all(["np.cbrt(x)"], x=x, ulps=4)
    check_all(["np.float_power(p, x)", "np.float_power(p.astype(np.float32), x.astype(np.float32))"], x=x, p=np.abs(x))


def keywords(a: np.ndarray, b: np.ndarray, out: np.ndarray, k: np.ndarray) -> Any:
    r = np.add(a, b, out=out)
    np.multiply(a, 2, out)
    np.subtract(a, b, out=out, where=k)
    np.add(a, 1, where=k, out=out)
    return r, np.add(a, b, dtype=np.float32), np.multiply(a, b, dtype="float64")


def test_out_where_dtype() -> None:
    k = np.array([True, False, True, False, True, True])
    check(keywords, np.arange(6.0), np.arange(6.0) * 0.3, np.zeros(6), k)


def test_ufunc_methods() -> None:
    check_all(
        """
        np.add.reduce(a)
        np.add.reduce(m, axis=1)
        np.multiply.reduce(m)
        np.maximum.reduce(m, axis=0)
        np.add.accumulate(a)
        np.multiply.accumulate(m, axis=1)
        np.maximum.accumulate(a[::-1])
        np.add.outer(a, a)
        np.multiply.outer(a, m)
        np.subtract.outer(a, a[:2])
        np.add.reduceat(a, [0, 2, 4])
        np.logical_or.reduce(a > 2)
        np.minimum.reduce(m, axis=None)
        """,
        a=np.arange(6.0) * 0.5,
        m=np.arange(6.0).reshape(2, 3) - 2,
        rtol=1e-15,
    )


def test_more_keywords() -> None:
    check_statements(
        """
        return np.add(m, v, o), o
        return np.add(m, 1, out=(m,)), m
        return np.add(v, 1, out=o[1]), o
        return np.add(v, v, out=o), o
        return np.add(i, 1.5, out=i, casting='unsafe'), i
        return np.less(m, 0, out=o), o
        return np.add(m, 1, out=o, where=v > 0.6), o
        return np.divide(m, v, out=np.ones_like(m), where=v != 1)
        return np.multiply(u, 300, dtype=int), np.divide(i, 2, dtype=np.float32)
        return np.modf(m, o, o2), o, o2
        return np.modf(m, m, o2), m, o2
        return np.modf(m, out=(None, o2)), o2
        return np.divmod(m, 0.3, where=b, out=(o, o2)), o, o2
        return np.add.reduce(m, axis=1, initial=5, where=b)
        return np.add.accumulate(m, 0, None, o), o
        return np.add(m, 1, order='F')
        return np.clip(u, -1, 300), np.clip(u, 2, k), np.clip(i, i * 0 + 1, u)
        return np.cumsum(q, axis=0), np.cumsum(q)
        return np.add.outer(m.T, m), np.multiply.outer(v, m.T)
        """,
        m=np.cos(np.arange(12.0).reshape(3, 4)),
        i=np.arange(12, dtype=np.int32).reshape(3, 4),
        u=np.arange(12, dtype=np.uint8).reshape(3, 4),
        v=np.array([1.0, 2.0, 0.5, 0.25]),
        b=np.arange(12).reshape(3, 4) % 3 == 0,
        o=np.zeros((3, 4)),
        o2=np.zeros((3, 4)),
        q=np.array(2.0),
        k=1000,
        rtol=1e-15,
    )


def test_methods_of_any_ufunc() -> None:
    check_all(
        """
        np.minimum.reduce(m, axis=1, initial=0.2)
        np.maximum.reduce(m, where=b, initial=-1)
        np.logical_xor.reduce(b)
        np.subtract.reduce(m)
        np.power.reduce(p)
        np.fmax.reduce(m, axis=1)
        np.gcd.reduce(i[:, 1:])
        np.hypot.reduce(m, axis=(0, 1))
        np.logical_and.accumulate(m)
        np.subtract.accumulate(m, axis=1)
        np.add.reduceat(m, [0, 2, 1])
        np.maximum.reduceat(p, np.array([0, 2]))
        np.divmod.outer(p, p)
        np.less.outer(p, i[0])
        np.equal(u, -1)
        np.less(u, w)
        w >= u
        np.reciprocal(i - 3)
        np.rad2deg(h)
        """,
        m=np.cos(np.arange(12.0).reshape(3, 4)),
        b=np.arange(12).reshape(3, 4) % 3 == 0,
        i=np.arange(12, dtype=np.int32).reshape(3, 4),
        p=np.array([1.0, 2.0, 0.5, 0.25]),
        u=np.array([0, 1, 2**63, 2**64 - 1], np.uint64),
        w=-3,
        h=np.linspace(0.1, 1.5, 9).astype(np.float16),
        ulps=4,
    )


def scalars(x: Any, y: Any) -> Any:
    return (
        np.sqrt(x),
        np.exp(y),
        np.maximum(x, y),
        np.sin(x),
        np.floor(y),
        np.abs(-x),
        np.sign(y),
        np.square(x),
        np.isnan(x),
        np.hypot(x, y),
    )


def test_of_scalars() -> None:
    check(scalars, 2.5, 1.25, ulps=2)
    check(scalars, 4, 2, ulps=2)
    check(scalars, np.float32(2.5), np.float32(1.25), ulps=2)
    check(scalars, np.float64(2.5), 3, ulps=2)


def divide(a: Any, b: Any) -> Any:
    return a / b, a // b, a % b


def test_division_by_zero_is_no_error_for_arrays() -> None:
    z = np.array([0.0, -0.0, 1.0, -1.0, np.inf, np.nan])
    check(divide, z, 0.0)
    check(divide, z, -0.0)
    check(divide, 1.0, z)
    check(divide, np.arange(-3, 4), 0)
    check(divide, np.float64(1.0), np.float64(0.0))
    check(divide, np.float64(-7.5), 2.0)
    check(divide, np.array([-128, 127, 5], np.int8), np.int8(-1))
    check(divide, np.int64(5), np.int64(0))


def signed_zeros(a: np.ndarray) -> Any:
    return (
        a * 0,
        -a * 0,
        a + 0.0,
        0 - a,
        a - a,
        -(a - a),
        np.abs(a * 0),
        a * -1,
        np.maximum(a * 0.0, -0.0),
        np.round(a * 0.1),
        a.sum() * -0.0,
    )


def test_signed_zeros() -> None:
    check(signed_zeros, np.array([1.0, -1.0, 0.0, -0.0]))


def test_clip_keeps_one_of_two_equal_zeros() -> None:
    z = np.array([0.0, -0.0, 0.0, -0.0, np.nan])
    lines = """
        np.clip(z, 0, 1)
        np.clip(z, -1, -0.0)
        np.clip(z, z[::-1], 1)
        np.clip(z, -1, z[::-1])
        np.clip(z, np.nan, 1)
        np.clip(c, 0, 1)
        np.clip(c, c[::-1], 2 + 1j)
        np.clip(np.array([[0.0], [5.0]]), z, 1)
        """
    for t in ("float16", "float32", "float64"):
        check_all(lines, z=z.astype(t), c=np.array([1 + 2j, 0, -0.0 - 0j, complex(1, np.nan), -3j]))
    check(lambda a, b, c: np.clip(a, b, c), np.zeros(3), np.zeros(2), np.zeros(4), raises=ValueError)
    whole = np.zeros(5, int)
    check(lambda a, out: np.clip(a, 0.5, 1.5, out=out), z, whole, raises=np._core._exceptions._UFuncOutputCastingError)


def test_simple_exponents() -> None:
    x = np.random.default_rng(5).random(1000) * 10
    lines = [f"{f}(x, {e})" for e in (-1, 0, 0.5, 1, 2, 2.0, "p", "q", "n", "r") for f in ("np.power", "operator.pow")]
    for t in (np.float32, np.float64):
        check_all(lines, globals_={"operator": operator}, x=x.astype(t), p=0.5, q=2.0, n=-1, r=1.0)


def rotated(p: np.ndarray, c: float, s: float) -> np.ndarray:
    q = np.empty_like(p)
    for i in range(p.shape[0]):
        q[i, 0] = c * p[i, 0] - s * p[i, 1]
        q[i, 1] = s * p[i, 0] + c * p[i, 1]
    return q


def test_alternating_sums_are_not_fused() -> None:
    p = np.random.default_rng(6).normal(size=(100, 2))
    check(rotated, p, 0.6, 0.8)
    check(rotated, p.astype(np.float32), 0.6, 0.8)


def fused(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    t = np.sqrt(a * a + b * b)
    u = np.where(t > 1, t, 1 / (t + 0.5))
    v = np.clip(u - a, -0.5, 2.0)
    return v * u - t


def test_chains_give_the_same_bits() -> None:
    rng = np.random.default_rng(3)
    for n in (0, 1, 7, 64, 1000):
        check(fused, rng.normal(size=n), rng.normal(size=n))
    check(fused, special("float64", 60), np.roll(special("float64", 60), 7))
    check(fused, special("float32", 60), np.roll(special("float32", 60), 7))


def test_integers_to_negative_powers() -> None:
    def power(a: Any, n: Any) -> Any:
        return a**n

    def in_place(a: Any, n: Any) -> Any:
        a **= n
        return a

    def into(a: Any, n: Any, out: Any, where: Any) -> Any:
        return np.power(a, n, where=where, out=out)

    a, n = np.array([1, 2, -3, 4]), np.array([2, -1, 0, 3])
    calls = [(a, abs(n)), (a, -1), (a, 3), (a, np.int8(-2)), (3, n), (a[:0], -1), (a[:0], n[1:2]), (a.astype("u1"), n)]
    check(power, a, n, also=[*calls, (True, n), (a > 0, n), (1.5 * a, n), (a, n * 1.0), (a, n > 0)])
    check(in_place, a, n, also=[(a, abs(n)), (a > 0, 2), (a > 0, abs(n)), (a * 1.0, -1), (a * 1j, 2)])
    check(into, a, n, np.zeros(4, int), True, also=[(a, n, np.zeros(4, int), n >= 0)])


def test_exponents_of_numpy_are_compared_with_simple_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """As older NumPy does; whichever NumPy is here, the program has Python's numbers in it."""

    def power(a: Any, n: Any) -> Any:
        return a**n

    monkeypatch.setattr(numpy_versions, "NUMPY_EXPONENTS_ARE_SIMPLE", True)
    a = np.array([1, 2, -3, 4])
    check(power, a, np.int8(3), also=[(a, np.int8(2)), (a, np.uint16(4)), (a.astype("f4"), np.int8(2))])
    check(power, a, np.int8(-2), raises=ValueError)


def test_types_are_looked_at_before_shapes() -> None:
    check_statements(
        """
        return np.bitwise_and(i, i[:2], out=b)
        return np.bitwise_and(i, i, out=b[:2])
        return np.add(m, m, out=i[:2])
        return np.add(m, i[:2], out=m)
        return np.add(m, i, out=m[:2])
        return np.ldexp(i, i * 2**60)
        """,
        m=np.arange(4.0),
        i=np.arange(4),
        b=np.zeros(4, bool),
    )


def test_functions_of_one_float32_have_numpys_bits() -> None:
    def f(z):
        return np.exp(z), np.log(z), np.sin(z), np.cos(z), np.exp(np.sin(z) * z)

    check(f, np.float32(0.7371), also=[(np.float32(x),) for x in (1e-3, 0.25, 1.9, 17.3, 80.0, np.inf, np.nan)])


def test_running_powers_of_integers() -> None:
    def f(a, out):
        rows = np.power.accumulate(a, axis=1)
        np.power.accumulate(a, out=out)
        return rows, np.power.accumulate(a.T)

    arrays = [
        np.full((3, 4), 2, np.int16),
        np.array([[-1, 2, 0], [1, 0, 2]]),
        np.zeros((0, 3), int),
        np.full((1, 3), -2),
    ]
    arrays += [np.array([[2, -1], [1, 1]], np.int8), np.full((2, 3), 3, np.uint8), np.full((2, 3), -0.5)]
    for target in ("openmp", "interpreter"):
        for a in arrays:
            with sol.settings(check=True):
                check(f, a, a * 0 + 7, settings={"target": target})


@pytest.mark.parametrize("dtype", INTS)
def test_quotients_and_remainders_of_integers_up_to_the_limits_of_their_types(dtype: str) -> None:
    def f(a: Any, b: Any, s: Any) -> Any:
        m = np.outer(a, np.ones(3, a.dtype)).astype(a.dtype)
        by_arrays = a // b, a % b, a[::-2] // b[::2], np.floor_divide(a, b), np.remainder(a, b), m // b[: len(a), None]
        by_one = a // s, a % s, m % s, np.where(a > 3, a // s, a), (m // s).sum(axis=0), a // 7, a % 7, a // 1, a % 64
        return by_arrays, by_one

    limits = np.iinfo(dtype)
    rng = np.random.default_rng(1)
    few = [0, 1, 2, 3, 7, limits.max, limits.max - 1, limits.min, limits.min + 1, limits.max // 2, limits.max // 3 + 1]
    few += [] if limits.min == 0 else [-1, -2, -3, -7, limits.min // 2, limits.min // 2 - 1]
    near = [int(x) // k + d for x in few for k in (1, 2, 3, 5, 641) for d in (-1, 0, 1)]
    wide = rng.integers(limits.min, limits.max, 200, dtype=dtype, endpoint=True)
    a = np.concatenate([np.array([x for x in near if limits.min <= x <= limits.max], dtype), wide, wide >> 3])
    t = np.dtype(dtype).type
    with np.errstate(all="ignore"):
        given = [(a, rng.permutation(a), t(s)) for s in [*few, *rng.choice(a, 8)]]
        check(f, *given[0], also=given[1:])


def test_floats_at_the_limits_of_integers_are_converted_as_by_numpy() -> None:
    def f(a: Any) -> Any:
        return (
            a.astype(np.int64),
            a.astype(np.int32),
            a.astype(np.int16),
            a.astype(np.int8),
            a.astype(np.uint8),
            int(a[0]),
        )

    for dtype in (np.float64, np.float32):
        steps = (-1.5, -1, -0.5, 0, 0.5, 1)
        edges = [s * 2.0**k + d for k in (7, 8, 15, 16, 31, 32, 52, 63, 64) for s in (1, -1) for d in steps]
        a = np.array([2.5, *edges, np.inf, -np.inf, np.nan, -0.0, 0.0], dtype)
        with np.errstate(all="ignore"):
            near = np.concatenate([a[:1], np.nextafter(a, dtype(np.inf)), np.nextafter(a, dtype(-np.inf))])
            check(f, a, also=[(near,), (a[::-1][-3:].repeat(2)[::2],)])


def test_hyperbolic_tangents_have_the_bits_of_numpy_wherever_they_stand() -> None:
    def f(a: Any, x: Any) -> Any:
        one_by_one = np.empty_like(a)
        for i in range(len(a)):
            one_by_one[i] = np.tanh(a[i])
        together = (
            np.tanh(a),
            np.tanh(a[::-2]),
            np.where(a > 0, np.tanh(a), a),
            np.tanh(a * 2).max(),
            1 / (1 + np.tanh(a[:3])),
        )
        return together, one_by_one, np.tanh(x), math.tanh(x)

    rng = np.random.default_rng(4)
    first = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -1e-310, 1e-45, 1e300, 19.06, -22.2, 0.1, 0.5, 1.0, 2.0]
    for dtype in (np.float64, np.float32):
        with np.errstate(all="ignore"):
            a = np.concatenate([first, rng.standard_normal(1000) * 4]).astype(dtype)
            check(f, a, 0.3, also=[(a[3:], -1.7), (a[::3], 1e-5)])


def test_integers_of_64_bits_become_doubles_rounded_once() -> None:
    def f(a: Any, x: Any) -> Any:
        return (
            a.astype(float),
            a / 3,
            a * 0.1,
            a + x,
            np.sqrt(a),
            a[::-2] - 0.5,
            float(a[0]),
            np.arange(len(a)) * x,
            a.mean(),
            a.astype("c16"),
        )

    rng = np.random.default_rng(2)
    edges = [s * (2**k + d) for k in range(63) for d in range(-2, 3) for s in (1, -1)] + [
        0,
        2**63 - 1,
        -(2**63),
        1 - 2**63,
    ]
    wide = rng.integers(-(2**63), 2**63 - 1, 3000, endpoint=True)
    with np.errstate(all="ignore"):
        a = np.concatenate([edges, wide, wide >> 9, wide >> 10, wide >> 31])
        check(f, a, 0.25, also=[(a[::-1], 1e300), (a[:5], -0.0), (np.zeros(9, int), -0.0)])
