"""Whole programs: compiled code computes what the interpreter of the IR computes, on the same words."""

from __future__ import annotations

import numpy as np
import pytest

from soljit.ir.interpret import interpreter
from soljit.ir.text.parser import from_text
from tests.codegen.harness import Compiled, Raised
from tests.codegen.programs import ALL
from tests.ir.programs import CONTROL, GEMM


@pytest.fixture
def rng() -> np.random.Generator:
    """Numbers of the test alone: other tests do not change them."""
    return np.random.default_rng(7)


def both(text: str, *args: object) -> tuple[list[object], list[object]]:
    """Results of the interpreter and of compiled code, each on its own copies; the copies must end up equal, too."""
    program = from_text(text)
    first = [a.copy(order="K") if isinstance(a, np.ndarray) else a for a in args]
    second = [a.copy(order="K") if isinstance(a, np.ndarray) else a for a in args]
    want = interpreter.run(program, first)
    got = Compiled(program).run(*second)
    for a, b in zip(first, second):
        np.testing.assert_array_equal(a, b)
    return want, got


def test_control_flow() -> None:
    for n in range(4):
        want, got = both(CONTROL, n, 2.5)
        assert want == got


def test_raise_carries_its_operands() -> None:
    compiled = Compiled(from_text(CONTROL))
    with pytest.raises(Raised) as caught:
        compiled.run(9, 2.0)
    assert caught.value.exception == "builtins.ValueError"
    assert caught.value.message == "bad {0} and {1}"
    assert [float(x) for x in caught.value.operands] == [9.0, 6.0]


def test_guards_look_at_the_words() -> None:
    compiled = Compiled(from_text(GEMM))
    a, b, c = np.ones((3, 4)), np.ones((4, 5)), np.ones((3, 5))
    assert compiled.guard(2.0, a, b, c)
    assert not compiled.guard(2.0, a[:1], b, c)
    assert not compiled.guard(2.0, a, np.ones((5, 5)), c)


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (7, 5), (3, 300), (40, 50)])
def test_reductions(shape: tuple[int, int], rng: np.random.Generator) -> None:
    n, m = shape
    a = rng.normal(size=shape)
    h, z = rng.normal(size=m).astype(np.float16), rng.normal(size=n) + 1j * rng.normal(size=n)
    k = rng.integers(-9, 9, n).astype(np.int32)
    want, got = both(ALL["reductions"], a, h, z, k)
    for w, g in zip(want, got):
        rtol, atol = (
            (2e-3, 2e-3 * np.abs(h.astype(float)).sum()) if np.asarray(w).dtype == np.float16 else (1e-12, 1e-13)
        )
        np.testing.assert_allclose(g, w, rtol=rtol, atol=atol)


MANY = np.random.default_rng(7).normal(size=5 * 8192)
WHOLE_SUMS = MANY.sum() != sum(
    piece.sum() for piece in np.split(MANY, 5)
)  # older NumPy adds the sums of 8192 at a time


@pytest.mark.parametrize("t", [np.float32, np.float64, np.complex64, np.complex128], ids=lambda t: t.__name__)
def test_sums_have_the_bits_of_numpy(t: type, rng: np.random.Generator) -> None:
    name = {"float32": "f32", "float64": "f64", "complex64": "c64", "complex128": "c128"}[t.__name__]
    zero = {"f32": "f32(0.0)", "f64": "0.0", "c64": "c64(0.0, 0.0)", "c128": "c128(0.0, 0.0)"}[name]
    text = f"""\
@symbols(N=A.shape[0], M=A.shape[1])
def total(A: {name}[N, M]) -> scalar({name}):
    s: {name}
    s = {zero}
    with map(i=range(0, N), j=range(0, M)):
        s += A[i, j]
    return s
"""
    compiled = Compiled(from_text(text))
    for shape in ((1, 1), (1, 7), (3, 2), (1, 8), (1, 127), (1, 128), (1, 129), (37, 41), (300, 1000), (5000, 3)):
        a = rng.normal(size=shape).astype(t)
        if a.dtype.kind == "c":
            a = (a + 1j * rng.normal(size=shape)).astype(t)
        got = compiled.run(a)[0]
        assert got == a.sum() or a.size > 8192 and not WHOLE_SUMS and np.isclose(got, a.sum()), shape


def test_maximum_propagates_nan_and_takes_any_length(rng: np.random.Generator) -> None:
    text = """\
@symbols(N=A.shape[0])
def largest(A: f64[N]) -> scalar(f64):
    s: f64
    s = f64("-inf")
    with map(i=range(0, N)):
        s = wcr.max(A[i])
    return s
"""
    compiled = Compiled(from_text(text), flags=("-Wall", "-Wextra", "-Werror", "-O3"))
    for n in (1, 5, 31, 32, 33, 128, 129, 1000):
        a = rng.normal(size=n)
        assert compiled.run(a)[0] == a.max()
        a[n // 2] = np.nan
        assert np.isnan(compiled.run(a)[0])


def test_empty_reductions_leave_the_start() -> None:
    text = """\
@symbols(N=A.shape[0])
def start(A: f64[N]) -> scalar(f64):
    s: f64
    s = -0.0
    with map(i=range(0, N)):
        s += A[i]
    return s
"""
    for n in (0, 1, 3):
        out = Compiled(from_text(text)).run(np.full(n, -0.0))[0]
        assert out == 0
        assert np.signbit(out)


def test_strides_views_and_negative_steps(rng: np.random.Generator) -> None:
    text = """\
@symbols(N=x.shape[0], M=x.shape[1], s=x.strides[0], t=x.strides[1])
def walk(x: c128[N, M].strides(s, t), n: i64) -> (array(f64, 1), array(c128, 2, base=x), array(f64, 1)):
    re: f64[N, M].view(x, 0).strides(2 * s, 2 * t)
    r: c128[:, :].ref("A")
    y: f64[M]
    z: f64[M]
    alloc(y)
    alloc(z)
    for j in range(M - 1, -1, -1):
        y[j] = re[0, j] + imag(x[N - 1, M - 1 - j])
    copy(z[0:M], y[M - 1:-1:-1])
    bind(r, x[N - 1:-1:-2, 0:M])
    for k in range(0, n):
        bind(r, r[0:r.shape[0], 0:r.shape[1]].axes(1, 0))
    return y[0:M], r[0:r.shape[0], 0:r.shape[1]], z[0:M]
"""
    base = rng.normal(size=(9, 14)) + 1j * rng.normal(size=(9, 14))
    program = from_text(text)
    compiled = Compiled(program)
    for n in (0, 1, 2, 3):
        for x in (base, base.T, base[::2, ::-3], base[::-1]):
            want, got = interpreter.run(program, [x, n]), compiled.run(x, n)
            for w, g in zip(want, got):
                np.testing.assert_array_equal(g, w)


def test_memory_that_cannot_be_had_is_a_memory_error() -> None:
    text = """\
def much(n: i64) -> array(f64, 2):
    a: f64[n, n]
    alloc(a)
    return a[0:n, 0:n]
"""
    compiled = Compiled(from_text(text))
    assert compiled.run(3)[0].shape == (3, 3)
    for n in (1 << 31, 1 << 40, 1 << 62, -1):
        with pytest.raises(Raised) as caught:
            compiled.run(n)
        assert caught.value.exception == "builtins.MemoryError"


def test_recursion_and_shared_results() -> None:
    text = """\
@symbols(N=A.shape[0])
def outer(A: f64[N], n: i64) -> (python(i64), array(f64, 1)):
    z: i64
    r: f64[:].ref("C")
    b: f64[N]
    alloc(b, zero=True)
    call("fib", outs=[z], ins=[n])
    call("pick", outs=[r], ins=[memlet(b[0:N]), memlet(A[0:N]), n])
    r[0] = 5.0
    return z, r[0:r.shape[0]]


def fib(n: i64) -> python(i64):
    a: i64
    b: i64
    if n < 2:
        return n
    call("fib", outs=[a], ins=[n - 1])
    call("fib", outs=[b], ins=[n - 2])
    return a + b


@symbols(P=x.shape[0], Q=y.shape[0])
def pick(x: f64[P], y: f64[Q], n: i64) -> array(f64, 1):
    if n > 5:
        return x[0:P]
    return y[0:Q]
"""
    for n in (3, 10):
        want, got = both(text, np.arange(4.0), n)
        assert want[0] == got[0]
        np.testing.assert_array_equal(want[1], got[1])


@pytest.mark.parametrize("t", ["i32", "u8", "b1", "f16", "f32", "f64", "c64", "c128"])
@pytest.mark.parametrize("shape", [(2, 3, 4), (1, 20, 30), (30, 20, 1), (17, 33, 40), (5, 0, 3), (40, 1, 30)])
def test_products(t: str, shape: tuple[int, int, int], rng: np.random.Generator) -> None:
    text = f"""\
@symbols(N=A.shape[0], K=A.shape[1], M=B.shape[1], s=A.strides[0], u=A.strides[1], v=B.strides[0], w=B.strides[1])
def product(A: {t}[N, K].strides(s, u), B: {t}[K, M].strides(v, w)) -> array({t}, 2):
    C: {t}[N, M]
    alloc(C)
    lib.matmul(outs=[C[0:N, 0:M]], ins=[A[0:N, 0:K], B[0:K, 0:M]])
    return C[0:N, 0:M]
"""
    program = from_text(text)
    compiled = Compiled(program)
    n, k, m = shape
    dtype = program.data["A"].dtype.numpy

    def make(rows: int, columns: int) -> np.ndarray:
        x = (
            rng.integers(0, 100, (2 * rows, 3 * columns))
            if dtype.kind in "iub"
            else rng.normal(size=(2 * rows, 3 * columns))
        )
        return (x + 1j * x[::-1] if dtype.kind == "c" else x % 2 if dtype.kind == "b" else x).astype(dtype)

    a, b = make(n, k), make(k, m)
    tight = {"f16": 2e-2, "f32": 1e-4, "c64": 1e-4}.get(t, 1e-12)
    for left in (a[:n, :k].copy(), np.asfortranarray(a[:n, :k]), a[::2, ::3]):
        for right in (b[:k, :m].copy(), np.asfortranarray(b[:k, :m]), b[::2, ::3]):
            got, want = compiled.run(left, right)[0], left @ right
            if dtype.kind in "iub":
                np.testing.assert_array_equal(got, want)
            else:
                np.testing.assert_allclose(got, want, rtol=tight, atol=tight * max(1, k))
                copied = np.array_equal(
                    want, left.copy("K") @ right.copy("K")
                )  # older NumPy multiplies others on its own
                if min(shape) > 1 and n * k * m > 1000 and t != "f16" and copied:
                    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("triangle", ["lower", "upper"])
@pytest.mark.parametrize("same", [True, False])
def test_triangles_and_scales(triangle: str, same: bool, rng: np.random.Generator) -> None:
    second = "A[0:N, 0:K].axes(1, 0)" if same else "B[0:K, 0:N]"
    text = f"""\
@symbols(N=A.shape[0], K=A.shape[1])
def syrk(A: f64[N, K], B: f64[K, N], C: f64[N, N], alpha: f64, beta: f64):
    lib.matmul(outs=[C[0:N, 0:N]], ins=[A[0:N, 0:K], {second}, alpha, beta], attrs={{"triangle": "{triangle}"}})
"""
    compiled = Compiled(from_text(text))
    for n, k in ((3, 2), (40, 30), (250, 20), (100, 0)):
        a, b, c = rng.normal(size=(n, k)), rng.normal(size=(k, n)), rng.normal(size=(n, n))
        whole = 1.5 * (a @ (a.T if same else b)) + 0.5 * c
        keep = np.tril(np.ones((n, n), bool)) if triangle == "lower" else np.triu(np.ones((n, n), bool))
        want = np.where(keep, whole, c)
        compiled.run(a, b, c, 1.5, 0.5)
        np.testing.assert_allclose(c, want, rtol=1e-11, atol=1e-11)
