"""The loops of a parallel region are written once where one thread can run the text of a team: C++ in proportion to the program."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from soljit.codegen.emit import emit
from soljit.ir.text.parser import from_text
from tests.codegen.harness import features, finished
from tests.codegen.test_programs import both

ONCE = """\
@symbols(N=A.shape[0], M=A.shape[1])
def once(A: f64[N, M], n: i64) -> (array(f64, 2), python(i64)):
    R: f64[N, M]
    s: i64
    alloc(R)
    s = 0
    with map(i=range(0, N), j=range(0, M)), schedule("threads", "lanes"), when(N * M > 4):
        R[i, j] = A[i, j] * 3.25
        s += i * M + j
    return R[0:N, 0:M], s
"""
IN_A_LOOP = """\
@symbols(N=A.shape[0], M=A.shape[1])
def looped(A: f64[N, M], n: i64) -> (array(f64, 2), python(i64)):
    R: f64[N, M]
    s: i64
    alloc(R)
    s = 0
    for k in range(0, n):
        with map(i=range(0, N), j=range(0, M)), schedule("threads", "lanes"), when(N * M > 4):
            R[i, j] = {}
        s += k
    return R[0:N, 0:M], s
"""
SHORT = IN_A_LOOP.format("A[i, j] * 3.25")
LONG = IN_A_LOOP.format("A[i, j] * 3.25" + " + A[i, j] * f64(k)" * 12)


@pytest.mark.parametrize(("program", "times"), [(ONCE, 1), (LONG, 1), (SHORT, 2)])
def test_how_often_loops_are_written(program: str, times: int) -> None:
    """Loops that a loop enters often are short of time: there, and only there, they stand once more without the region."""
    text = emit(
        finished(from_text(program)), features=replace(features(), avx512=False)
    ).text  # with it, rows stand twice
    assert text.count("3.25") == times
    assert text.count("#pragma omp parallel") == 1


@pytest.mark.parametrize("program", [ONCE, SHORT, LONG])
@pytest.mark.parametrize("shape", [(0, 0), (1, 2), (1, 9), (3, 4), (50, 7)])
def test_a_team_of_one_computes_the_same(program: str, shape: tuple[int, int]) -> None:
    want, got = both(program, np.arange(shape[0] * shape[1], dtype=float).reshape(shape), 3)
    np.testing.assert_array_equal(want[0], got[0])
    assert want[1] == got[1]
