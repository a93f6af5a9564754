"""Result types: NEP 50 promotion of arrays, NumPy scalars and Python scalars, and the dtypes that functions return."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check, check_all, function
from tests.values import COMPLEX, DTYPES, FLOATS, INTS, plain

PYTHON = """
a + 1
1 - a
a * 2
a // 2
a % 3
a / 2
a + 1.5
a * 1.5
a / 1.5
a + True
a == 1
a < 2
a > 1.5
a ** 2
a + 1j
np.maximum(a, 1)
np.minimum(a, 1.5)
np.where(a > 2, a, 1)
np.where(a > 2, 0.5, a)
"""
NO_UNSIGNED_OR_BOOL = "-a\nabs(-a)\na - 3\n"


@pytest.mark.share(0.3)
@pytest.mark.parametrize("dtype", DTYPES)
def test_python_scalars(dtype: str) -> None:
    lines = [s for s in PYTHON.split("\n") if s]
    kind = np.dtype(dtype).kind
    if kind == "c":
        lines = [s for s in lines if "//" not in s and "%" not in s]
    if kind == "b":
        lines = [s for s in lines if s not in ("1 - a",)] + ["a & True", "a | (a == 1)", "~a", "a ^ True"]
    if kind in "if":
        lines += NO_UNSIGNED_OR_BOOL.split("\n")
    check_all(lines, a=plain(dtype, 8), ulps=1 if kind == "c" else 0)


@pytest.mark.share(0.3)
@pytest.mark.parametrize(
    "left", ["bool", "int8", "int32", "int64", "uint8", "uint64", "float16", "float32", "float64", "complex64"]
)
def test_two_arrays(left: str) -> None:
    names = {f"b{k}": plain(d, 6, k) for k, d in enumerate(DTYPES)}
    lines = [f"a {op} {n}" for n in names for op in ("+", "*", "==")]
    lines += [f"np.where(a > 1, a, {n})" for n in names] if left != "complex64" else []
    check_all(lines, a=plain(left, 6, 9), **names, ulps=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("left", "op"),
    [(d, op) for d in DTYPES for op in ("/", "//", "-", "%", "**", "<") if d not in COMPLEX or op not in ("//", "%")],
)
def test_two_arrays_all_operators(left: str, op: str) -> None:
    lines, names = [], {}
    a = plain(left, 6, 9)
    for k, d in enumerate(DTYPES):
        b = plain(d, 6, k)
        try:
            eval(f"a {op} b", {"a": a, "b": b})
        except TypeError:
            continue
        names[f"b{k}"] = b
        lines.append(f"a {op} b{k}")
    check_all(lines, a=a, **names, ulps=4 if op == "**" else 1)


@pytest.mark.parametrize("op", ["+", "/", "<", "**"])
def test_two_arrays_some_operators(op: str) -> None:
    names = {f"x{k}": plain(d, 4, k) for k, d in enumerate(("int8", "uint8", "int64", "float32", "float64"))}
    check_all([f"{m} {op} {n}" for m in names for n in names], **names, ulps=2 if op == "**" else 0)


def test_numpy_scalars() -> None:
    check_all(
        """
        a8 + s
        a8 + np.int8(3)
        a8 + np.int64(3)
        a8 * np.float32(1.5)
        f4 * np.float64(2)
        f4 * 2.0
        f4 * s
        f4 + np.int32(1)
        np.float32(3) + 1
        np.float32(3) * 1.5
        np.int8(3) + 1
        np.uint8(3) * np.uint8(4)
        np.float64(3) / 2
        s / 2
        s // 2
        s % 3
        -s
        s ** 2
        s + 1
        s + 1.5
        s > 2
        abs(s)
        t * 2
        t * 2.0
        t + s
        t < 1
        np.int32(7) // np.int32(2)
        np.bool_(True) + np.bool_(True)
        a8[0] + 1
        a8[0] + a8[1]
        f4[0] * 2.0
        f4[0] * f8[0]
        f4[0] + 1
        int(a8[0]) + 1
        float(f4[0]) * 0.1
        """,
        a8=plain("int8", 5),
        f4=plain("float32", 5),
        f8=plain("float64", 5),
        s=np.int64(5),
        t=np.float32(1.25),
    )


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "int32", "uint8", "uint32", "int64", "float16", "float32", "float64"]
)
def test_results_of_functions(dtype: str) -> None:
    check_all(
        """
        x.sum()
        x.sum(axis=0)
        x.prod()
        x.mean()
        x.max()
        x.argmax()
        x.any()
        np.cumsum(x)
        np.sqrt(x)
        np.exp(x)
        x.std()
        x.mean(axis=1)
        np.floor(x)
        np.abs(x)
        np.square(x)
        x @ x.T
        np.dot(x, x[0])
        np.count_nonzero(x)
        """,
        x=plain(dtype, (3, 4)),
        rtol=4e-3,
    )


@pytest.mark.parametrize("source", ["float64", "int64", "float32", "complex128", "uint8"])
def test_astype(source: str) -> None:
    a = plain(source, 6) * 3
    lines = [f"a.astype(np.{d})" for d in (*INTS, *FLOATS, "complex64", "complex128")]
    if source == "complex128":
        lines = lines[-2:]
    check_all(
        [*lines, "a.astype('float64')" if source != "complex128" else "a", "a.astype(bool)", "a.astype(a.dtype)"], a=a
    )


def test_astype_truncates() -> None:
    a = np.array([-2.7, -0.5, 0.0, 0.5, 2.7, 100.9])
    check_all(
        [
            "a.astype(int)",
            "a.astype(np.int8)",
            "a.astype(np.int32)",
            "a.astype(np.float32)",
            "np.int64(a[0])",
            "int(a[0])",
        ],
        a=a,
    )
    b = np.array([-1, 0, 1, 255, 256, 300, -129], np.int64)
    check_all(
        ["b.astype(np.uint8)", "b.astype(np.int8)", "b.astype(np.uint64)", "b.astype(np.uint16)", "b.astype(bool)"], b=b
    )


def add(a: Any, b: Any) -> Any:
    return a + b


def test_python_integers_that_do_not_fit() -> None:
    check(add, plain("uint8", 3), 300, raises=OverflowError)
    check(add, plain("int8", 3), -129, raises=OverflowError)
    check(add, plain("uint8", 3), -1, raises=OverflowError)
    check(add, plain("uint8", 3), 255)
    check(add, np.uint8(3), 256, raises=OverflowError)


def stores(a: np.ndarray, v: Any) -> np.ndarray:
    a[1] = v
    a[2:] = v
    return a


def fills(a: np.ndarray, v: Any) -> None:
    a.fill(v)


def test_stores_convert() -> None:
    check(stores, plain("int32", 4), 2.9)
    check(stores, plain("float32", 4), 0.1)
    check(stores, plain("float64", 4), 3)
    check(stores, plain("bool", 4), 2)
    check(stores, plain("uint8", 4), np.int64(300))
    check(stores, plain("uint8", 4), 300, raises=OverflowError)
    check(stores, plain("int8", 4), np.int64(300), raises=OverflowError)
    check(stores, plain("int8", 4), np.float64("nan"), raises=ValueError)
    check(fills, plain("uint8", 4), np.int64(-300))
    check(fills, plain("int16", 4), np.int64(40000), raises=OverflowError)
    check(fills, plain("float32", 4), np.array([1, 2]), raises=ValueError)
    check(stores, plain("complex64", 4), 1.5)


def test_wrap_around() -> None:
    f = function(
        """
def f(a, b, c):
    return a + a, a * a, a - b, -b, b - a, c * c, c + c, c << 1, a + 100, b << 7, c // -1, c ** 3
"""
    )
    top = np.iinfo(np.int64).max
    check(f, np.array([100, 127, -128], np.int8), np.array([200, 255, 0], np.uint8), np.array([top, -top - 1, 3]))


def integer_scalars_of_numpy(a: np.ndarray) -> Any:
    x = a[0]
    y = a[1]
    s = x * y
    for k in range(len(a)):
        s = s + a[k] * 1000003
    return s, x + 1, x - y


def test_numpy_integers_wrap_in_loops() -> None:
    check(integer_scalars_of_numpy, np.array([2**62, 2**62, 12345678901234], np.int64))
    check(integer_scalars_of_numpy, np.array([2**62, 2, 3], np.uint64))


def test_powers_by_equal_constants_of_different_types() -> None:
    """2 and 2.0, 1 and True are equal in Python and give arrays of different dtypes."""
    powers = ["a**2", "a**2.0", "a**True", "a**1", "a**1.0", "a**0.5", "2**a", "2.0**a", "True**a"]
    check_all(powers, a=np.arange(5))
    check_all([*powers[1:], "a**2"], a=np.arange(5, dtype=np.uint8))
    check_all(powers, a=np.arange(5, dtype=np.float32))
    check_all(["a*0.0", "a*-0.0", "a*0", "a*False", "a+True", "a+1", "a+1.0", "a+1j"], a=np.arange(-2, 3))


def powers_of_scalars(a: Any, x: float, n: int) -> Any:
    """For each element of `a` as a Python float, each kind of exponent; NumPy's scalars call C's pow, its ufunc has a loop of its own."""
    rows = []
    for v in a.tolist():
        k, f = np.int64(n), np.float32(x)
        rows.append(
            (v**k, f**k, k**v, np.int32(n) ** f, v ** np.uint8(n), np.float64(v) ** k, k ** np.float64(v), v**n)
        )
    return rows


def test_powers_of_scalars_of_two_types_have_the_bits_of_numpys() -> None:
    check(powers_of_scalars, 1 + np.arange(1, 120) / 120.0, 1.3, 7)

    def below_an_array_without_axes(r: float, n: np.ndarray) -> Any:
        return (r + 1) ** (n - 1), (r + 1) ** n, (r + 1) ** n[()]

    for r in (0.1, 0.2, 0.37, 0.45, 0.71):
        check(below_an_array_without_axes, r, np.array(10))
