"""Nests of loops with the same text are one function, and sums with the same blocks are added up together: the text, and the bits."""

from __future__ import annotations

import numpy as np
import pytest

from soljit.codegen.emit import emit
from soljit.ir.text.parser import from_text
from tests.codegen.harness import Compiled, features, finished
from tests.codegen.test_programs import both

POINT = "0.125 * ({0}[i, j + 1] + {0}[i + 2, j + 1] + {0}[i + 1, j] + {0}[i + 1, j + 2]) + 0.5 * {0}[i + 1, j + 1]"
HERE = "0.125 * {0}[i + 1, j + 1] * {0}[i + 1, j + 1] + 0.5 * {0}[i + 1, j + 1] + 0.25 * ({0}[i + 1, j + 1] + 0.5)"
SWEEP = '        with map(i=range({2}), j=range(0, M - 2)), schedule("seq", "lanes"):\n            {1}[i + 1, j + 1] = {3}\n'
HEAD = """\
@symbols(N=A.shape[0], M=A.shape[1])
@guards(3 <= N and 3 <= M)
def swept(A: {0}[N, M], B: {1}[N, M], n: i64) -> python(i64):
    for k in range(0, n):
"""


def sweep(source: str, target: str, rows: str = "0, N - 2", point: str = POINT) -> str:
    return SWEEP.format(source, target, rows, point.format(source))


def program(*sweeps: str, types: tuple[str, str] = ("f64", "f64")) -> str:
    return HEAD.format(*types) + "".join(sweeps) + "    return n\n"


CASES = {
    "arrays in each other's place": (program(sweep("A", "B"), sweep("B", "A")), 1, 2),
    "other bounds": (program(sweep("A", "B"), sweep("B", "A", "min(k, N - 2), N - 2")), 1, 2),
    "in place or not": (program(sweep("A", "B", point=HERE), sweep("B", "B", point=HERE)), 0, 0),
    "both in place": (program(sweep("A", "A", point=HERE), sweep("B", "B", point=HERE)), 1, 2),
    "other constants": (program(sweep("A", "B"), sweep("B", "A", point=POINT.replace("0.125", "0.25"))), 0, 0),
    "few expressions": (program(*(sweep(a, b, point="{0}[i + 1, j + 1]") for a, b in ("AB", "BA"))), 0, 0),
}


@pytest.mark.parametrize("name", CASES)
def test_equal_nests(name: str) -> None:
    """What is equal up to names is written once, and does the same."""
    text, functions, calls = CASES[name]
    written = emit(finished(from_text(text)), features=features()).text
    assert written.count("SOL_APART static void") == functions
    assert written.count("sol_nest_1(") == calls + functions
    rng = np.random.default_rng(1)
    for shape in ((3, 3), (5, 4), (20, 41)):
        both(text, rng.random(shape), rng.random(shape), 3)


def test_types_of_arrays() -> None:
    """One text serves arrays of several types of numbers."""
    point = " + ".join(["{0}[i + 1, j + 1] * {0}[i + 1, j + 1]"] * 4)
    text = program(sweep("A", "A", point=point), sweep("B", "B", point=point), types=("f32", "f64"))
    assert emit(finished(from_text(text)), features=features()).text.count("SOL_APART static void") == 1
    rng = np.random.default_rng(2)
    both(text, rng.random((9, 20), dtype=np.float32), rng.random((9, 20)), 2)


SUMS = """\
@symbols(N=A.shape[0], M=B.shape[0])
def summed(A: {0}[N], B: {0}[M], n: i64) -> (scalar({0}), scalar({0}), scalar({0}), scalar({0})):
    s: {0}
    t: {0}
    u: {0}
    v: {0}
    s = {1}
    t = {1}
    u = {1}
    v = {1}
    for k in range(0, n):
        with map(i=range(0, M)), schedule("lanes"):
            s += A[i] * B[i]
            t += A[i + k] * B[i]
            u += A[i] + B[i]
            v += A[i] - B[i]
        with map(i=range(0, min(k, M))), schedule("lanes"):
            s += A[i] * B[i]
            t += A[i + k] * B[i]
            u += A[i] + B[i]
            v += A[i] - B[i]
    return s, t, u, v
"""


@pytest.mark.parametrize(("kind", "zero"), [("f32", "f32(0.0)"), ("f64", "0.0")])
@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 16, 127, 128, 129, 136, 255, 257, 1000, 5003])
def test_sums_with_the_same_blocks(kind: str, zero: str, length: int) -> None:
    """Blocks of several sums are added up together, in NumPy's order for each."""
    text = SUMS.format(kind, zero)
    written = emit(finished(from_text(text)), features=features()).text
    assert written.count("sol_sums<") == 1 and written.count("sol_nest_1(") == 3
    rng = np.random.default_rng(length)
    a, b = ((rng.random(n) * 1e6).astype(kind.replace("f", "float")) for n in (length + 20, length))
    s = t = u = v = a.dtype.type(0)
    for k in range(17):
        for m in (length, min(k, length)):
            s, t, u = s + np.sum(a[:m] * b[:m]), t + np.sum(a[k : k + m] * b[:m]), u + np.sum(a[:m] + b[:m])
            v = v + np.sum(a[:m] - b[:m])
    assert Compiled(from_text(text)).run(a, b, 17) == [s, t, u, v]
