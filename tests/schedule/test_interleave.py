"""Iterations side by side: random recurrences keep their bits, with any number of rows and any tiles; what is refused, why; how far behind each iteration is."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

import soljit as sol
from soljit.analysis.cost.latency import latency
from soljit.analysis.reordering.wavefronts import Wavefront, wavefront
from soljit.base.sentences import Said
from soljit.ir.core.nodes import Loop, Program
from soljit.ir.interpret.interpreter import run as interpret
from soljit.ir.symbolic import Facts
from soljit.ir.text.parser import from_text
from soljit.ir.verify import program as verifier
from soljit.passes.manager import Context
from soljit.passes.pipeline import optimize
from soljit.schedule.policy import Policy
from soljit.schedule.recipe import Recipe, Step
from tests.oracle import function
from tests.schedule.programs import lowered
from tests.schedule.recurrences import random_recurrence


def wave_of(body: str, arrays: str = "a: f64[N, M], b: f64[N, M]", columns: str = "2, M - 2") -> Wavefront | Said:
    """That of two loops over i and j with this body."""
    lines = "".join(f"            {x}\n" for x in body.split("\n"))
    program = from_text(
        f"@symbols(N=a.shape[0], M=a.shape[1])\ndef f({arrays}, T: i64):\n    for i in range(2, N - 2):\n        for j in range({columns}):\n{lines}"
    )
    (loop,) = program.body.nodes
    assert isinstance(loop, Loop)
    return wavefront(program, loop, Facts())


@pytest.mark.parametrize(
    ("value", "skew"),
    [
        ("a[i, j - 1]", 0),
        ("a[i - 1, j] + a[i, j - 1]", 1),
        ("a[i - 1, j - 1] + a[i, j - 1]", 0),
        ("a[i - 1, j + 1] + a[i, j - 1]", 2),
        ("a[i + 1, j - 1] + a[i, j - 1]", 2),
        ("a[i - 1, j + 2] + a[i, j - 1]", 3),
        ("a[i - 2, j + 2] + a[i, j - 1]", 2),
        ("b[i + 2, j + 2] + a[i, j - 1]", 0),
    ],
)
def test_the_smallest_skew(value: str, skew: int) -> None:
    found = wave_of(f"a[i, j] = {value}")
    assert isinstance(found, Wavefront)
    assert found.skew == skew


REFUSED = {
    "a fixed column": ("a[i, j] = a[i - 1, 0]", "is not constant"),
    "a row of its own": ("a[i, j] = a[j, i]", "is not constant"),
    "far": ("a[i, j] = a[i - 1, j + 20]", "far ahead"),
    "an end": ("a[i, j] = a[i - 1, j]\nif j == 3:\n    break", "plain statements"),
}


@pytest.mark.parametrize("body", REFUSED)
def test_what_has_no_waves(body: str) -> None:
    found = wave_of(REFUSED[body][0])
    assert isinstance(found, Said)
    assert REFUSED[body][1] in found.text


def test_arrays_that_may_overlap_stay_in_order() -> None:
    found = wave_of("a[i, j] = b[i, j - 1]", 'a: f64[N, M].alias("g"), b: f64[N, M].alias("g")')
    assert isinstance(found, Said)
    assert found.id == "overlap"


def interleaved(program: Program, rng: random.Random) -> tuple[Program, int]:
    """The program with all that can be interleaved, some rows at a time, and how many nests there are."""
    threads = rng.choice((1, 2, 3, 4))
    policy = Policy()
    optimize(program, Context(threads=threads, policy=policy))
    steps = [s for s in policy.taken if s.name != "interleave"]
    policy = Policy(Recipe(tuple(steps)), asked=True)
    optimize(program, Context(threads=threads, policy=policy))
    there = [s for s, why in policy.moves.items() if s.name == "interleave" and why is None]
    rows = rng.choice((2, 3, 4, 5))
    steps += [Step(s.name, s.operands, (("rows", rows),)) for s in there]
    cx = Context(threads=threads, policy=Policy(Recipe(tuple(steps))))
    after = verifier.check(optimize(program, cx))
    return after, len(there)


def check(seed: int) -> int:
    """Also with the tiles of a front from the last to the first, as the interpreter walks them."""
    recurrence = random_recurrence(seed)
    f = function(recurrence.text)
    expected, found = recurrence.copies(), recurrence.copies()
    with np.errstate(all="ignore"):
        f(*expected)
        after, count = interleaved(lowered(f, *recurrence.copies()), random.Random(seed))
        interpret(after, list(found))
    for a, b in zip(expected[1:], found[1:]):
        np.testing.assert_array_equal(b, a, strict=True)
    return count


@pytest.mark.parametrize("seed", range(60))
def test_random_recurrences_keep_their_bits(seed: int) -> None:
    check(seed)


def test_many_random_recurrences_are_interleaved() -> None:
    assert sum(check(seed) > 0 for seed in range(1000, 1020)) >= 6


RECURRENCES = {
    "Gauss-Seidel": """
def f(steps, a, b):
    n, m = a.shape
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]) + b[i, j]
""",
    "rows in time": """
def f(steps, a, b):
    for t in range(steps):
        for i in range(1, a.shape[0] - 1):
            rest = a[i - 1, 1:-1] + a[i + 1, 1:-1] + b[i, 1:-1]
            rest += a[i, 2:]
            for j in range(1, a.shape[1] - 1):
                a[i, j] = (a[i, j - 1] + rest[j - 1]) / 5.0
""",
    "warping": """
def f(steps, a, b):
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] = abs(b[i, 0] - b[0, j]) + min(a[i - 1, j], a[i, j - 1], a[i - 1, j - 1])
""",
    "alignment": """
def f(steps, a, b):
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            if b[i, 0] > b[0, j]:
                a[i, j] = a[i - 1, j - 1] + 1.0
            else:
                a[i, j] = max(a[i - 1, j], a[i, j - 1]) - steps
""",
    "a triangle": """
def f(steps, a, b):
    for i in range(1, min(a.shape)):
        for j in range(1, i + 1):
            b[i, j] = (b[i, j - 1] + b[i - 1, j] * a[i, j]) / 3.0
""",
}  # fmt: skip


@pytest.mark.parametrize("name", RECURRENCES)
@pytest.mark.parametrize("rows", [0, 2, 3, 7])
def test_machine_code_on_threads(name: str, rows: int) -> None:
    """rows: 0: as the sizes of the call have it."""
    f = function(RECURRENCES[name])
    rng = np.random.default_rng(0)
    first = sol.jit(f, strict=True)
    first(3, rng.random((40, 9)), rng.random((40, 9)))
    text = str(first.schedule(0))
    assert "interleave(" in text
    if rows:
        text = re.sub(r"(interleave\([^)]*)\)", rf"\1, rows={rows})", text)
    compiled = sol.jit(f, strict=True, schedule=text)
    try:
        for threads in (1, 2, 3, 4):
            sol.set_num_threads(threads)
            for steps, shape in (
                (1, (40, 9)),
                (2, (3, 40)),
                (7, (40, 33)),
                (30, (41, 14)),
                (13, (150, 160)),
                (5, (4, 4)),
            ):
                a, b = rng.random(shape), rng.random(shape)
                expected = a.copy(), b.copy()
                f(steps, *expected)
                compiled(steps, a, b)
                assert np.array_equal(a, expected[0])
                assert np.array_equal(b, expected[1])
    finally:
        sol.set_num_threads(0)


SHORT_CHAINS = """
def f(x, y):
    n, m = len(x), len(y)
    d = np.zeros((n + 1, m + 1), np.int64)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if x[i - 1] == y[j - 1]:
                d[i, j] = d[i - 1, j - 1] + 1
            else:
                d[i, j] = max(d[i - 1, j], d[i, j - 1])
    return d
"""


def test_short_chains_stay_as_they_are_but_may_be_asked_for() -> None:
    f = function(SHORT_CHAINS)
    x, y = np.arange(70) % 5, np.arange(60) % 7
    first = sol.jit(f, strict=True)
    expected = first(x, y)
    text = str(first.schedule(0))
    assert "interleave(" not in text
    step = "interleave(L5.i, rows=3)"
    other = sol.jit(f, strict=True, schedule=f"{text}\n{step}")
    np.testing.assert_array_equal(other(x, y), expected, strict=True)
    assert "branch" not in str(other.schedule(0))
    moves = sol.schedule.moves(first, x, y)
    assert moves.why_not(step) is None
    assert "its body is not one loop" in str(moves.why_not("interleave(L6.j)"))


def test_explain_tells_it() -> None:
    f = sol.jit(function(RECURRENCES["rows in time"]), strict=True)
    f(3, np.ones((10, 9)), np.ones((10, 9)))
    text = str(f.explain())
    assert "4 iterations run side by side, each 2 of the loop over i behind the one before" in text
    assert "threads over blocks of the iterations, in a pipeline, where there is enough work" in text


@pytest.mark.parametrize(
    ("value", "cycles"),
    [
        ("(a[i, j - 1] + b[i, j]) / 9.0", 17),
        ("a[i, j - 2] * 2.0", 4),
        ("a[i - 1, j] / 9.0", 0),
        ("a[i - 1, j - 1] / 9.0", 0),
        ("sqrt(a[i, j - 1] if a[i, j - 1] > b[i, j] else b[i, j])", 19),
    ],
)
def test_how_long_an_iteration_waits(value: str, cycles: int) -> None:
    found = wave_of(f"t: f64 = {value}\na[i, j] = t")
    assert isinstance(found, Wavefront)
    assert latency(found.inner.body, "j") == cycles


MANY = """
def f(x, y):
    out = np.zeros(len(x))
    for b in range(len(x)):
        d = np.full((x.shape[1] + 1, y.shape[1] + 1), np.inf)
        d[0, 0] = 0.0
        for i in range(1, d.shape[0]):
            for j in range(1, d.shape[1]):
                d[i, j] = abs(x[b, i - 1] - y[b, j - 1]) + min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1])
        out[b] = d[-1, -1]
    return out
"""


def test_nests_inside_of_maps() -> None:
    f = function(MANY)
    compiled = sol.jit(f, strict=True)
    rng = np.random.default_rng(0)
    for b, n, m in ((3, 10, 12), (40, 60, 50), (5, 1, 70)):
        x, y = rng.random((b, n)), rng.random((b, m))
        np.testing.assert_array_equal(compiled(x, y), f(x, y), strict=True)
    steps = [s.name for s in sol.schedule.moves(compiled, x, y).recipe]
    assert {"parallel", "interleave"} <= {*steps}
