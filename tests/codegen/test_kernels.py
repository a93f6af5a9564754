"""Golden host code and kernels of programs that the device runs; the host code must also compile without a warning.

`pytest tests/codegen --update-golden` writes the files anew; look at the diff before committing it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from soljit.base.errors import InternalError
from soljit.codegen.emit import emit
from soljit.ir.text.parser import from_text
from soljit.passes import pipeline
from soljit.passes.device.place_on_device import BLOCK
from soljit.passes.manager import Context
from tests.codegen.harness import build

GOLDEN = Path(__file__).parent.parent / "golden" / "cuda"

STENCIL = """
@symbols(N=A.shape[0], M=A.shape[1])
@guards(3 <= N, 3 <= M)
def jacobi(T: i64, A: f64[N, M], B: f64[N, M].strides(1, N), w: f64):
    for t in range(1, T):
        with map(i=range(0, N - 2), j=range(0, M - 2)):
            B[i + 1, j + 1] = w * (A[i, j + 1] + A[i + 1, j + 1] + A[i + 2, j + 1])
        with map(k=range(N - 2, 0, -1), l=range(1, M - 1, 2)):
            A[k, l] = B[k, l]
    return
"""
RESULTS = """
@symbols(N=a.shape[0], M=a.shape[1], S0=a.strides[0], S1=a.strides[1])
def threadIdx(a: c64[N, M].strides(S0, S1).readonly(), mask: b1[M], x: f32, n: i64) -> array(f32, 2):
    t: f32[N, M]
    out: f32[M, N]
    s: f32
    best: f32
    m: i64 = n * 2
    best = x
    alloc(t, zero=True)
    alloc(out)
    with map(i=range(0, N), j=range(0, M)), private(s):
        if mask[j]:
            s = abs(a[i, j])
            for k in range(0, m):
                s = s * x + best
            t[i, j] = s
    with map(i_1=range(0, M), j_1=range(0, N)):
        out[i_1, j_1] = exp(t[j_1, i_1]) if mask[i_1] else f32(nan)
    if m > 3:
        raise builtins.ValueError("{0}", m)
    return out[0:M, 0:N]
""".replace("f32(nan)", "f32(0.5)")
COUNTS = """
@symbols(N=a.shape[0], M=a.shape[1])
def counts(a: u8[N, M, 7], out: i64[M], i: i64):
    with map(p=range(0, N), q=range(0, M), r=range(0, 7)):
        out[q] += i64(a[p, q, r])
    with map(p_1=range(0, N), q_1=range(0, M), r_1=range(0, 7)):
        a[p_1, q_1, r_1] = a[p_1, q_1, r_1] // u8(i)
    return
"""
ONE_BLOCK = """
@symbols(N=A.shape[0], M=A.shape[1])
@guards(2 <= N, 2 <= M)
def block(A: f64[N, M], x: c64[N], out: f32[M], seen: i64[N], hot: b1[N]) -> scalar(f64):
    norm: f64
    any: b1
    top: f32
    norm = 0.0
    for k in range(0, M):
        norm = 0.0
        with map(i=range(0, N)):
            norm += A[i, k] * A[i, k]
            x[k] += complex(f32(A[i, k]), f32(0.5))
        any = False
        with map(i_1=range(0, N)):
            any = wcr.lor(hot[i_1])
        out[k] = f32(norm)
        seen[k] = seen[k - 1] + 1
        if any:
            pivot: f64 = A[k, k]
            with map(i_2=range(N - 1, k, -1)):
                A[i_2, k] = A[i_2, k] / pivot
            with map(i_3=range(k + 1, N), j=range(k + 1, M)):
                A[i_3, j] = A[i_3, j] - A[i_3, k] * A[k, j]
        top = out[0]
        with map(i_4=range(0, M), j_1=range(0, 3)):
            top = wcr.max(out[i_4] * f32(j_1))
        while top > out[k]:
            top = top * f32(0.5)
            with map(i_5=range(0, M)):
                out[i_5] = out[i_5] + f32(1.0)
            if norm > 100.0:
                break
    return norm
"""
PROGRAMS = {"stencil": STENCIL, "results": RESULTS, "counts": COUNTS, "block": ONE_BLOCK}


def made(text: str):
    return emit(pipeline.optimize(from_text(text), Context(tail="device")))


@pytest.mark.parametrize("name", PROGRAMS)
def test_text_is_the_golden_one(name: str, request: pytest.FixtureRequest) -> None:
    source = made(PROGRAMS[name])
    assert source == made(PROGRAMS[name]), "emitting twice gives the same bytes"
    for kind, text in (("cpp", source.text), ("cu", source.device_text)):
        path = GOLDEN / f"{name}.{kind}"
        if request.config.getoption("--update-golden"):
            path.write_text(text)
        else:
            assert text == path.read_text()


@pytest.mark.parametrize("name", PROGRAMS)
def test_host_code_compiles_without_a_warning(name: str) -> None:
    build((GOLDEN / f"{name}.cpp").read_text(), False, ("-Wall", "-Wextra", "-Werror", "-O2"))


def test_a_kernel_knows_its_line_its_threads_and_what_it_is_given() -> None:
    block, first, second = made(STENCIL).kernels
    assert (block.name, block.threads) == ("k0_jacobi", (BLOCK,))
    assert block.parameters == ("A_dev", "B_dev", "M", "N", "T", "w")
    assert (first.name, first.threads) == ("k1_jacobi", (4, 64))
    assert first.parameters == ("A_dev", "B_dev", "M", "N", "pieces", "some", "w")
    assert second.name == "k2_jacobi"


def test_what_cannot_be_spelled_is_no_silent_host_memory() -> None:
    text = "def f():\n    t: f64[4].storage('shared')\n    alloc(t)\n    return\n".replace("'", '"')
    with pytest.raises(InternalError, match="t lies in shared memory"):
        emit(from_text(text))
