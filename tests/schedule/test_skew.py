"""Loops over time in blocks of steps: random stencils keep their bits, by any sizes of blocks and any number of pieces; and what is refused, why."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.analysis.memory.accesses import aliases
from soljit.analysis.reordering.time_shifts import TimeShifts, time_shifts
from soljit.base.sentences import Said
from soljit.ir.core.nodes import Loop, Program
from soljit.ir.interpret.interpreter import run as interpret
from soljit.ir.text.parser import from_text
from soljit.ir.verify import program as verifier
from soljit.passes.manager import Context
from soljit.passes.pipeline import optimize
from soljit.schedule.policy import Policy
from soljit.schedule.recipe import Recipe, Step
from tests.oracle import function
from tests.schedule.programs import lowered
from tests.schedule.stencils import Stencil, random_stencil


def shifts_of(body: str, arrays: str = "a: f64[N, M], b: f64[N, M]") -> TimeShifts | Said:
    """Those of a loop over t with this body."""
    lines = "".join(f"        {x}\n" for x in body.split("\n"))
    program = from_text(
        f"@symbols(N=a.shape[0], M=a.shape[1])\ndef f({arrays}, T: i64):\n    for t in range(0, T):\n{lines}"
    )
    (loop,) = program.body.nodes
    assert isinstance(loop, Loop)
    return time_shifts(loop, program.data, aliases(program).may_alias)


def sweep(target: str, value: str, rows: str = "1, N - 1") -> str:
    return f"with map(i=range({rows}), j=range(0, M)):\n    {target} = {value}"


THERE, BACK = sweep("b[i, j]", "a[i - 1, j] + a[i + 1, j]"), sweep("a[i, j]", "b[i - 1, j] + b[i + 1, j]")


@pytest.mark.parametrize(
    ("body", "step", "shifts", "mirrored_step", "mirrored"),
    [
        (f"{THERE}\n{BACK}", 2, (0, 1), 2, (0, 1)),
        (f"{THERE}\n{sweep('a[i, j]', 'b[i, j]')}", 2, (0, 1), 2, (0, 1)),
        (sweep("a[i, j]", "a[i, j] + b[i + 1, j]"), 0, (0,), 0, (0,)),
        (f"{sweep('b[i, j]', 'a[i + 2, j]')}\n{sweep('a[i, j]', 'b[i + 1, j]')}", 3, (0, 1), 3, (0, 2)),
        (f"{sweep('b[i - 1, j]', 'a[i - 1, j]')}\n{sweep('a[i, j]', 'b[i, j]')}", 0, (0, 1), 0, (1, 0)),
    ],
    ids=["jacobi", "copied back", "by itself", "one side", "other numbers of rows"],
)  # fmt: skip
def test_the_smallest_shifts(
    body: str, step: int, shifts: tuple[int, ...], mirrored_step: int, mirrored: tuple[int, ...]
) -> None:
    found = shifts_of(body)
    assert isinstance(found, TimeShifts)
    assert (found.shifts.step, found.shifts.of) == (step, shifts)
    assert (found.mirrored.step, found.mirrored.of) == (mirrored_step, mirrored)


REFUSED = {
    "two rings": (
        f"{THERE}\n{BACK}\nwith map(j=range(0, M)):\n    b[0, j] = b[N - 1, j]\nwith map(j=range(0, M)):\n    b[0, j] = b[M - 1, j]",
        "not all accesses to b are",
    ),
    "any row": (f"{THERE}\n{sweep('a[i, j]', 'b[i * 2, j]')}", "not all accesses to b are"),
    "a row for all": (f"{THERE}\n{sweep('a[i, j]', 'b[1, j]')}", "not all accesses to a are"),
    "sums": (f"{THERE}\n{sweep('a[i, j] ', '+ b[i, j]').replace(' = +', ' +=')}", "not all accesses to a are"),
    "other rows": (sweep("a[i, j]", "a[i, j] * 2.0", "t, N"), "which rows are swept"),
    "far": (f"{sweep('b[i, j]', 'a[i + 100, j]')}\n{BACK}", "rows that are far away"),
    "a number": (f"{THERE}\nx: f64 = b[1, 1]\n{sweep('a[i, j]', 'b[i, j] * x')}", "an element of b is needed as a number"),
    "a branch": (f"{THERE}\nif t == 3:\n    b[0, 0] = 1.0", "it is no sequence of sweeps"),
    "an end": (f"{THERE}\nif t == 3:\n    break", "may leave early"),
}  # fmt: skip


@pytest.mark.parametrize("body", REFUSED)
def test_what_is_no_sequence_of_sweeps(body: str) -> None:
    found = shifts_of(REFUSED[body][0])
    assert isinstance(found, Said)
    assert REFUSED[body][1] in found.text


def test_arrays_that_may_overlap_stay_in_order() -> None:
    found = shifts_of(f"{THERE}\n{BACK}", 'a: f64[N, M].alias("g"), b: f64[N, M].alias("g")')
    assert isinstance(found, Said)
    assert found.id == "overlap"


def skewed(program: Program, rng: random.Random) -> tuple[Program, int]:
    """The program with all its loops over time in blocks of small sizes, and how many there are."""
    threads = rng.choice((1, 2, 3, 4))
    policy = Policy()
    optimize(program, Context(threads=threads, policy=policy))
    sizes: dict[str, Any] = {"rows": rng.randint(1, 5), "steps": rng.randint(1, 6)}
    taken = [s for s in policy.taken if s.name != "interleave"]  # which loops there are inside depends on the sizes
    steps = [Step(s.name, s.operands, tuple(sizes.items())) if s.name == "skew" else s for s in taken]
    cx = Context(threads=threads, policy=Policy(Recipe(tuple(steps))))
    after = verifier.check(optimize(program, cx))
    cx.finish()
    return after, sum(s.name == "skew" for s in steps)


def compare(stencil: Stencil, seed: int) -> int:
    """The number of loops in blocks: of which the results have the same bits."""
    f = function(stencil.text)
    expected, found = stencil.copies(), stencil.copies()
    with np.errstate(all="ignore"):
        results = f(*expected)
        after, count = skewed(lowered(f, *stencil.copies()), random.Random(seed))
        arrays = [x for x in interpret(after, list(found)) if isinstance(x, np.ndarray)]
    for a, b in zip((*expected[1:], *results), (*found[1:], *arrays), strict=True):
        np.testing.assert_array_equal(b, a, strict=True)
    return count


@pytest.mark.parametrize("seed", range(60))
def test_random_stencils_keep_their_bits(seed: int) -> None:
    """Also with the pieces, and the seams, from the last to the first, as the interpreter walks them."""
    compare(random_stencil(seed), seed)


@pytest.mark.parametrize("seed", range(60))
def test_arrays_that_change_places(seed: int) -> None:
    compare(random_stencil(seed, passes_on=True), seed)


@pytest.mark.parametrize("seed", range(60))
def test_rows_that_form_a_ring(seed: int) -> None:
    compare(random_stencil(seed, passes_on=seed % 3 == 0, periodic=True), seed)


@pytest.mark.parametrize("seed", range(60))
def test_sweeps_as_loops_over_elements(seed: int) -> None:
    compare(random_stencil(seed, passes_on=seed % 3 > 0, periodic=seed % 4 == 0, loops=True), seed)


@pytest.mark.parametrize(("passes_on", "periodic"), [(False, False), (True, False), (False, True)])
def test_most_random_stencils_are_skewed(passes_on: bool, periodic: bool) -> None:
    found = 0
    for seed in range(20):
        stencil = random_stencil(seed, passes_on, periodic)
        found += skewed(lowered(function(stencil.text), *stencil.copies()), random.Random(seed))[1]
    assert found >= 8


STENCILS = {
    "jacobi": """
def f(steps, a, b):
    for t in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[:-2, 1:-1] + b[2:, 1:-1] + b[1:-1, 2:] + b[1:-1, :-2])
""",
    "waves": """
def f(steps, a, b):
    for t in range(steps):
        a[0, :] = t
        a[1:, :] -= 0.5 * (b[1:, :] - b[:-1, :])
        b[:-1, :-1] -= 0.7 * (a[1:, :-1] - a[:-1, :-1] + a[:-1, 1:])
""",
    "all sides": """
def inner(a):
    return a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] - 4 * a[1:-1, 1:-1]

def f(steps, a, b):
    for t in range(steps):
        a[1:-1, 1:-1] += 0.1 * inner(a) * b[1:-1, 1:-1]
        a[0, :] = a[1, :]
        a[-1, :] = a[-2, :]
        a[:, 0] = a[:, 1]
        a[:, -1] = a[:, -2]
""",
    "a copy": """
def f(steps, a, b):
    for t in range(steps):
        n = a.copy()
        a[1:-1, 1:-1] = n[1:-1, 1:-1] + 0.1 * (n[2:, 1:-1] - 2.0 * n[1:-1, 1:-1] + n[:-2, 1:-1]) * b[1:-1, 1:-1]
        a[0, :] = a[1, :]
        a[:, -1] = a[:, -2]
""",
    "places": """
def f(steps, a, b):
    c = a.copy()
    for t in range(steps):
        c[1:-1, 1:-1] = 1.5 * b[1:-1, 1:-1] - a[1:-1, 1:-1] + 0.1 * (b[:-2, 1:-1] + b[2:, 1:-1] + b[1:-1, :-2])
        a, b, c = b, c, a
    return a, b, c
""",
    "ring": """
def f(steps, a, b):
    for t in range(steps):
        b[:] = a + 0.1 * (np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) - 3 * a)
        a[1:-1, 1:-1] = b[1:-1, 1:-1] - 0.1 * (b[:-2, 1:-1] + b[2:, 2:])
        a[0] = a[-2]
        a[-1] = a[1]
""",
    "elements": """
def sweep(a, b):
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = a[i, j] + 0.1 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] - 4.0 * a[i, j])

def f(steps, a, b):
    c = b.copy()
    for t in range(steps):
        sweep(a, c)
        a, c = c, a
    return a, c
""",
    "zeros": """
def f(steps, a, b):
    old = a
    for t in range(steps):
        new = np.zeros_like(a)
        new[1:-1, 1:-1] = 2.0 * a[1:-1, 1:-1] - old[1:-1, 1:-1] + 0.1 * (a[2:, 1:-1] + a[:-2, 1:-1] - 2.0 * b[1:-1, 1:-1])
        old, a = a, new
    return old, a
""",
    "made anew": """
def f(steps, a, b):
    old = a
    for t in range(steps):
        new = 2.0 * a
        new[1:] -= 0.5 * old[:-1] + 0.1 * b[:-1]
        old, a = a, new
    return old, a
""",
}  # fmt: skip


@pytest.mark.parametrize("name", STENCILS)
@pytest.mark.parametrize("options", ["", ", steps=3, rows=2", ", steps=40, rows=1", ", steps=1"])
def test_machine_code_on_threads(name: str, options: str) -> None:
    f = function(STENCILS[name])
    rng = np.random.default_rng(0)
    first = sol.jit(f, strict=True)
    first(3, rng.random((40, 9)), rng.random((40, 9)))
    text = re.sub(r"(skew\([^)]*)\)", rf"\1{options})", str(first.schedule(0)))
    assert "skew(" in text
    compiled = sol.jit(f, strict=True, schedule=text)
    try:
        for threads in (1, 2, 3, 4):
            sol.set_num_threads(threads)
            for steps, rows in ((1, 40), (2, 5), (7, 40), (30, 41), (9, 200)):
                a, b = rng.random((rows, 9)), rng.random((rows, 9))
                expected = a.copy(), b.copy()
                results = f(steps, *expected)
                found = compiled(steps, a, b)
                for x, y in zip((a, b, *(found or ())), (*expected, *(results or ())), strict=True):
                    assert np.array_equal(x, y)
    finally:
        sol.set_num_threads(0)


@pytest.mark.parametrize("name", STENCILS)
def test_threads_share_the_pieces(name: str) -> None:
    f = sol.jit(function(STENCILS[name]), strict=True, target="openmp")
    f(3, np.ones((40, 9)), np.ones((40, 9)))
    assert re.search(r'with map\(piece=.*schedule\("threads"\)', f.source("ir"))


def test_explain_tells_it() -> None:
    f = sol.jit(function(STENCILS["waves"]), strict=True)
    f(3, np.ones((10, 9)), np.ones((10, 9)))
    assert "runs in blocks of its steps, a few rows of a, b at a time" in str(f.explain())


HEAT = """
def f(steps, a, b):
    for t in range(steps):
        b[1:-1, 1:-1, 1:-1] = a[2:, 1:-1, 1:-1] + a[:-2, 1:-1, 1:-1] + a[1:-1, 2:, 1:-1] - 3 * a[1:-1, 1:-1, :-2]
        a[1:-1, 1:-1, 1:-1] = b[2:, 1:-1, 1:-1] + b[:-2, 1:-1, 1:-1] + b[1:-1, 2:, 1:-1] - 3 * b[1:-1, 1:-1, :-2]
"""


@pytest.mark.parametrize("machine", ["", "l3=1K", "l3=1K, parallel=0", "parallel=0"])
@pytest.mark.parametrize("body", [HEAT, *STENCILS.values()], ids=["planes", *STENCILS])
def test_small_arrays_run_as_the_source_says(body: str, machine: str) -> None:
    """The loop itself, beside its blocks, or these, as the machine's caches are: the result is the same, and the schedule has one line for both."""
    f = function(body)
    shape = (12, 7, 9) if body is HEAT else (17, 12)
    arrays = [np.random.default_rng(k).standard_normal(shape) for k in range(2)]
    expected, found = [x.copy() for x in arrays], [x.copy() for x in arrays]
    with np.errstate(all="ignore"), sol.settings(machine=machine, num_threads=3, strict=True):
        f(5, *expected)
        g = sol.jit(f)
        g(5, *found)
        for a, b in zip(expected, found, strict=True):
            np.testing.assert_array_equal(b, a, strict=True)
        lines = str(g.schedule(0)).splitlines()
        assert sum(line.startswith("skew(") for line in lines) == 1
        assert body is not HEAT or len(lines) == 5  # and one line for each loop in the blocks
        np.testing.assert_array_equal(sol.jit(f, schedule=str(g.schedule(0)))(2, *found), f(2, *expected))
