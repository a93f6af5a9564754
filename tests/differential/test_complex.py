"""Complex numbers: Python's and NumPy's, arithmetic, parts as views, functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check, check_all
from tests.values import plain


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_expressions(dtype: str) -> None:
    check_all(
        """
        a + b
        a - b
        a * b
        a / b
        a * 2
        a * 2.5
        a * 1j
        1j * x
        x + 1j
        x * a
        a / x
        a ** 2
        -a
        +a
        a == b
        a != a
        abs(a)
        np.abs(a)
        np.angle(a)
        np.conj(a)
        a.conj()
        a.real
        a.imag
        a.real ** 2 + a.imag ** 2
        (a * np.conj(a)).real
        np.exp(a)
        np.sqrt(a)
        np.log(a)
        np.sin(a)
        np.cos(a)
        np.tanh(a)
        np.exp(1j * x)
        a.sum()
        a.mean()
        a.prod()
        a @ b
        np.vdot(a, b)
        np.dot(a, b)
        np.outer(a, b)
        np.where(x > 1, a, b)
        np.where(x > 1, a, 0)
        a[0]
        a[0] * 2
        a[0].real
        a[0].imag
        abs(a[0])
        a[x > 1]
        a[::-1]
        np.zeros_like(a)
        np.array([1 + 2j, 3])
        np.full(3, 1j)
        np.square(a)
        np.reciprocal(a)
        np.isfinite(a)
        a.astype(np.complex64)
        a.cumsum()
        np.real(a)
        np.imag(a)
        np.real_if_close(a)
        np.iscomplex(a)
        np.allclose(a, a)
        """,
        a=plain(dtype, 6),
        b=plain(dtype, 6, 1),
        x=plain(dtype.replace("complex64", "float32").replace("complex128", "float64"), 6, 2),
        rtol=1e-5 if dtype == "complex64" else 1e-14,
    )


def python_complex(z: complex, w: complex, x: float) -> Any:
    return (
        z + w,
        z * w,
        z / w,
        z - x,
        abs(z),
        z.real,
        z.imag,
        z.conjugate(),
        z == w,
        complex(x, 2),
        z * 2,
        -z,
        x * z,
        z**2,
    )


def test_python_complex() -> None:
    check(python_complex, 1 + 2j, 3 - 1j, 0.5, rtol=1e-15)
    check(lambda z, w: z / w, 1 + 2j, 0j, raises=ZeroDivisionError)


def parts_are_views(a: np.ndarray) -> Any:
    a.real[:2] = 7
    a.imag *= 2
    re = a.real
    re += 1
    a.real = a.imag
    return re, a.imag


def mandelbrot(c: np.ndarray, n: int) -> np.ndarray:
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=np.int64)
    for _ in range(n):
        alive = np.abs(z) < 2.0
        z[alive] = z[alive] ** 2 + c[alive]
        count[alive] += 1
    return count


def loop(a: np.ndarray) -> complex:
    s = 0j
    for k in range(len(a)):
        s += a[k] * a[k].conjugate() + k
    return s


def test_statements() -> None:
    check(parts_are_views, plain("complex128", 6))
    check(mandelbrot, np.array([0.1 + 0.2j, 1 + 1j, -1 + 0.1j, 0j]), 12)
    check(loop, plain("complex128", 6), rtol=1e-15)


def multiply_special(a: np.ndarray, b: np.ndarray) -> Any:
    return a * b, a + b, a - b, a == b


def test_infinities_and_nan() -> None:
    values = [
        0j,
        -0.0 + 0j,
        complex(np.inf, 0),
        complex(0, np.inf),
        complex(np.nan, 1),
        1 - 1j,
        complex(-np.inf, np.inf),
    ]
    a = np.repeat(np.array(values), len(values))
    b = np.tile(np.array(values), len(values))
    check(multiply_special, a, b)


def test_products_are_not_fused() -> None:
    c = np.random.default_rng(2).normal(size=200).view(complex) * 3
    for t in (np.complex64, np.complex128):
        check_all(
            "c ** 3\nc ** 5\nc / c[::-1]\nc / 3j\n1 / c\nnp.reciprocal(c)\nc ** -1\nc ** -2\nc ** 2", c=c.astype(t)
        )


def test_powers_of_zero() -> None:
    c = np.array([0j, complex(-0.0, -0.0), np.inf - 1j, 2 - 0j])
    check_all("c ** 1\nc ** -1\nc ** 2\nc ** 2.0\nc ** 0\nnp.reciprocal(c)\nc[1] ** 1\nc ** -1.0", c=c)


def ordering(a: np.ndarray) -> Any:
    return np.sort(a), a.argmax(), a.max()


def test_lexicographic_order() -> None:
    check(ordering, np.array([1 + 2j, 1 - 1j, 0 + 5j, 1 + 0j]))


def dft(x: np.ndarray) -> np.ndarray:
    n = x.shape[0]
    k = np.arange(n)
    e = np.exp(-2j * np.pi * k * k[:, None] / n)
    return e @ x


def test_dft() -> None:
    check(dft, plain("float64", 8), rtol=1e-13, atol=1e-13)


def scalars_and_ufuncs(x: np.ndarray, y: np.ndarray) -> Any:
    out = np.zeros((7, len(x)), x.dtype)
    for k in range(len(x)):
        out[0, k] = x[k] * y[k]
        out[1, k] = np.multiply(x[k], y[k])
        out[2, k] = abs(x[k])
        out[3, k] = np.abs(x[k])
        out[4, k] = complex(x[k]) * complex(y[k])
        out[5, k] = abs(complex(x[k]))
        out[6, k] = x[k] ** 2
    z = x[0]
    for k in range(1, len(x)):
        z = z * y[k] / abs(z)
    return out, z, x * y, abs(x)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_products_of_scalars_round_unlike_those_of_arrays(dtype: str) -> None:
    rng = np.random.default_rng(5)
    x, y = ((rng.normal(size=200) + 1j * rng.normal(size=200)).astype(dtype) for _ in range(2))
    check(scalars_and_ufuncs, x, y)
    check_all(["x * y", "np.multiply(x, y)", "np.abs(x)", "x * x"], x=np.array(x[0]), y=np.array(y[0]))


def test_products_one_after_the_other_round_as_scalars() -> None:
    rng = np.random.default_rng(7)
    x, y = (rng.normal(size=9) + 1j * rng.normal(size=9) for _ in range(2))
    lines = ["np.cumprod(x)", "np.multiply.accumulate(x)", "np.vander(x)", "np.einsum('i,j->ij', x, y)"]
    lines += ["np.einsum('i,i->i', v, w)", "np.vander(z, 4)"]
    check_all(
        lines, x=x, y=y, z=np.array([complex(np.inf, 0), 1j, 0]), v=np.array([-0.0, 2.0]), w=np.array([1.0, -0.0])
    )
