"""Products: `@`, dot, outer, inner, tensordot, einsum, over all ranks, layouts and dtypes."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from tests.oracle import check, check_all, function
from tests.values import grid, layouts, plain


def test_ranks() -> None:
    check_all(
        """
        a @ b
        a @ v
        u @ a
        u @ u
        np.dot(a, b)
        np.dot(a, v)
        np.dot(u, a)
        np.dot(v, v)
        np.matmul(a, b)
        a.dot(b)
        a.dot(v)
        a.T @ a
        a @ a.T
        b.T @ a.T
        a[:, ::2] @ b[::2]
        a[::-1] @ v
        (a @ b) @ b.T
        a @ (b @ b.T)
        a @ b + 1
        2.0 * a @ b
        a @ b * 0.5 + a[:, :2]
        np.outer(u, v)
        np.outer(a, v)
        np.inner(a, b.T)
        np.inner(v, v)
        np.vdot(v, v)
        np.tensordot(a, b, axes=1)
        np.tensordot(a, a, axes=2)
        np.tensordot(a, b, axes=([1], [0]))
        np.einsum('ij,jk->ik', a, b)
        np.einsum('ij,j->i', a, v)
        np.einsum('ij->ji', a)
        np.einsum('ij->', a)
        np.einsum('i,i->', v, v)
        np.einsum('ij,ij->i', a, a)
        np.einsum('ii->i', b[:2])
        np.einsum('ij,jk,k->i', a, b, b[0])
        t @ b
        a @ s
        t @ s
        t @ v
        u @ s[:, :3]
        np.matmul(t, b)
        np.kron(b[:2], b[:2])
        np.cross(u, u[::-1])
        np.trace(b[:2] @ b[:2])
        a[0] @ v
        a[0] @ b
        v @ b
        v[None] @ b
        b.T @ v[:, None]
        np.dot(2, a)
        np.dot(u, 3)
        np.multiply(a, v) @ b
        (v * v).sum() + v @ v
        """,
        a=np.cos(grid(3, 4)),
        b=np.sin(grid(4, 2)),
        u=grid(3) * 0.3,
        v=grid(4) * 0.7,
        t=np.cos(grid(2, 3, 4)),
        s=np.sin(grid(2, 4, 5)),
        rtol=1e-13,
        atol=1e-14,
    )


@pytest.mark.parametrize("dtype", ["bool", "int32", "int64", "uint8", "float16", "float32", "complex64", "complex128"])
def test_dtypes(dtype: str) -> None:
    tol = 1e-2 if dtype == "float16" else 2e-6 if dtype in ("float32", "complex64") else 1e-14
    check_all(
        ["a @ b", "a @ v", "v @ b", "v @ v", "np.dot(a, b)", "a.T @ a"],
        a=plain(dtype, (3, 4)),
        b=plain(dtype, (4, 2), 1),
        v=plain(dtype, 4, 2),
        rtol=tol,
    )
    check_all(["a @ b", "b.T @ a.T"], a=plain(dtype, (3, 4)), b=plain("float64", (4, 2), 1), rtol=1e-14)


def product(a: np.ndarray, b: np.ndarray) -> Any:
    return a @ b


def test_layouts() -> None:
    la, lb = layouts(np.cos(grid(3, 4))), layouts(np.sin(grid(4, 5)))
    check(
        product,
        la["C"],
        lb["C"],
        also=[(x, y) for x in la.values() for y in (lb["C"], lb["F"], lb["strided"])],
        rtol=1e-13,
    )


def one_column_or_row(a: np.ndarray, x: np.ndarray, y: np.ndarray) -> Any:
    t = a * 2 + 1
    return t @ x, y @ t, (t @ x).T @ t, np.hstack((t @ x, (t - 1) @ x)), (y @ t) @ x


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "complex128"])
def test_matrices_of_one_column_or_row(dtype: str) -> None:
    for n, m in ((5, 7), (1, 4), (4, 1), (0, 3), (3, 0)):
        a = (np.arange(n * m) % 5).reshape(n, m).astype(dtype)
        x, y = np.arange(m).reshape(m, 1).astype(dtype), np.arange(n).reshape(1, n).astype(dtype)
        check(one_column_or_row, a, x, y)
        check(one_column_or_row, np.asfortranarray(a), np.repeat(x, 2, axis=0)[::2], y[:, ::-1])


def test_sizes() -> None:
    for n, k, m in [(0, 3, 2), (2, 0, 3), (2, 3, 0), (1, 1, 1), (17, 33, 9), (1, 5, 1), (64, 64, 64)]:
        check(product, np.cos(grid(n, k)), np.sin(grid(k, m)), rtol=1e-12, atol=1e-13)
    check(product, grid(0), grid(0))
    check(product, grid(3, 0), grid(0))


def test_mismatch() -> None:
    check(product, grid(3, 4), grid(3, 4), raises=ValueError)
    check(product, grid(4), grid(3), raises=ValueError)
    check(product, grid(3, 4), grid(3), raises=ValueError)
    check(product, grid(3, 4), grid(4), also=[(grid(2, 4), grid(4))])


def nan_times_zero(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> Any:
    c[:] = a @ b
    d = 0.0 * c + a @ b
    return c, d, a @ np.zeros_like(b)


def test_nan_and_uninitialised() -> None:
    a = np.cos(grid(3, 3))
    a[1, 1] = np.nan
    check(nan_times_zero, a, np.sin(grid(3, 3)), np.full((3, 3), np.nan), rtol=1e-14)
    a[1, 1] = np.inf
    check(nan_times_zero, a, np.sin(grid(3, 3)) + 2, np.full((3, 3), np.nan), rtol=1e-14)


def gemm(alpha: float, beta: float, c: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    c[:] = alpha * a @ b + beta * c


def chain(a: np.ndarray, x: np.ndarray) -> Any:
    return (a @ x) @ a, a.T @ (a @ x)


def loop_gemm(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    n, k = a.shape
    m = b.shape[1]
    c = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            for p in range(k):
                c[i, j] += a[i, p] * b[p, j]
    return c


def triangular_product(a: np.ndarray, b: np.ndarray) -> None:
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += np.dot(a[i + 1 :, i], b[i + 1 :, j])


def syrk(c: np.ndarray, a: np.ndarray) -> None:
    for i in range(a.shape[0]):
        c[i, : i + 1] *= 0.5
        for k in range(a.shape[1]):
            c[i, : i + 1] += 1.5 * a[i, k] * a[: i + 1, k]


def power_iteration(a: np.ndarray, n: int) -> np.ndarray:
    x = np.ones(a.shape[0])
    for _ in range(n):
        x = a @ x
        x = x / np.sqrt(x @ x)
    return x


def test_kernels() -> None:
    a, b = np.cos(grid(4, 4)), np.sin(grid(4, 4))
    check(gemm, 1.5, 1.2, np.ones((4, 4)), a, b, rtol=1e-14)
    check(gemm, 1.5, 1.2, a, a, b, rtol=1e-14, atol=1e-14)
    check(gemm, 1.5, 0.0, np.full((4, 4), np.nan), a, b, rtol=1e-14)
    check(chain, a, b[0], rtol=1e-13)
    check(loop_gemm, np.cos(grid(3, 5)), np.sin(grid(5, 2)), rtol=1e-13, atol=1e-15)
    check(triangular_product, a, np.cos(grid(4, 3)), rtol=1e-14)
    check(syrk, b, np.cos(grid(4, 3)), rtol=1e-14)
    check(power_iteration, a @ a.T, 10, rtol=1e-12)


def test_axes_of_tensordot_that_do_not_exist() -> None:
    def both(a: Any, b: Any) -> Any:
        return np.tensordot(a, b, axes=(1, 0))

    def pairs(a: Any, b: Any) -> Any:
        return np.tensordot(a, b, axes=([0, 5], [0, 1]))

    a, b = np.ones((2, 3)), np.ones((3, 2))
    check(both, a, b, also=[(a, np.ones(())), (np.ones(3), b), (np.ones(()), b), (a, a)])
    check(pairs, a, a, also=[(a, b)])


def test_bits_of_products() -> None:
    """The BLAS's own sums, also where loops take their place: small products, and vectors beside nothing to fuse with."""

    def matrices(a, b, x, y):
        return a @ b, a.T @ np.outer(y, x)

    def vectors(a, b, x, y):
        return a @ x, y @ a, x @ x, np.dot(a, x) + 1.0

    sizes = [(m, n, p) for m in (1, 2, 3, 5, 8) for n in (1, 2, 3, 4, 7, 8, 9, 16, 17) for p in (1, 2, 3, 8)]
    draw = np.random.default_rng(1).standard_normal
    for kind in ("float64", "float32", "complex128"):
        calls = [tuple(draw(s).astype(kind) for s in ((m, n), (n, p), n, m)) for m, n, p in [*sizes, (60, 50, 40)]]
        for f in (matrices, vectors):
            check(f, *calls[0], also=calls[1:])


def test_products_that_are_copied_to_an_array() -> None:
    """They may be computed there, if nobody can tell."""
    programs = """
        def f(a, b, c): c[:] = a @ b
        def f(a, b, c): c[...] = a @ a.T
        def f(a, b, c): c[:, :] = (a @ b).T
        def f(a, b, c): c[:] = a @ c
        def f(a, b, c): c[:] = c @ c
        def f(a, b, c): a[:] = a @ b; b[:] = a @ b
        def f(a, b, c): c[0] = a @ b[1]; c[:, 1] = a @ b[2]
        def f(a, b, c): c[1:, 1:] = a[1:] @ b[:, 1:]; return c
        def f(a, b, c): c[::-1] = a @ b
        def f(a, b, c): c[:, ::2] = a @ b[:, ::2]
        def f(a, b, c): c[:] = a @ b; return a @ b
        def f(a, b, c): t = a @ b; c[:] = t; return t
        def f(a, b, c): t = a @ b; s = c.sum(); c[:] = t; return s
        def f(a, b, c): t = a @ b; c += 1; c[:] = t; return c
        def f(a, b, c): t = a @ b; a[0] = 3; c[:] = t; return c
        def f(a, b, c): c[:] = a @ b; c[:] = c @ b
        def f(a, b, c): c.T[:] = a @ b
        def f(a, b, c): c[:2] = a @ b
        def f(a, b, c): c[:] = a @ b[0]
        def f(a, b, c):
            for k in range(3): c[k] = a @ b[k]
        def f(a, b, c):
            for k in range(3): c[:] = a @ b; a[:] = c
        def f(a, b, c):
            t = a @ b
            for k in range(2):
                c[:] = t
                t = a @ c
            return t
        def f(a, b, c):
            t = a @ b
            k = int(a[0, 0]) % 2
            c[k:k + 1] = t[:1]
            c[:] = t
        def f(a, b, c):
            t = a @ b
            if a[0, 0] > 1:
                raise ValueError(c.sum())
            c[:] = t
    """
    functions = [f"def f{part}" for part in dedent(programs).split("def f")[1:]]
    for dtype in ("float64", "float32", "complex128", "int64"):
        for source in functions[:: 1 if dtype == "float64" else 4]:
            a, b, c = (np.arange(9).reshape(3, 3).astype(dtype) * s + 1 for s in (0.5, 0.25, 2))
            check(function(source), a, b, c)
    big = np.arange(27.0).reshape(3, 3, 3)
    for source in functions[:6]:
        check(function(source), big[0], big[1], big[2])
        check(function(source), big[0], big[0], big[1])
        check(function(source), big[0], big[1], big[0])
        check(function(source), big[0, :2], big[1], big[0, 1:])
        check(function(source), big[0], big[1], big[:, :, 1])
        check(function(source), np.empty((3, 0)), np.empty((0, 3)), np.ones((3, 3)))
