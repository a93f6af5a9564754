"""Loops in panels: random eliminations keep their bits, with any number of steps in a panel; and what is refused, why."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import numpy as np
import pytest

import soljit as sol
from soljit.analysis.memory.accesses import aliases
from soljit.analysis.reordering.panels import Panels, panels
from soljit.base.sentences import Said
from soljit.ir.core.nodes import Loop, Program
from soljit.ir.interpret.interpreter import run as interpret
from soljit.ir.text.parser import from_text
from soljit.ir.text.printer import to_text
from soljit.ir.verify import program as verifier
from soljit.passes.manager import Context
from soljit.passes.pipeline import optimize
from soljit.schedule.policy import Policy
from soljit.schedule.recipe import Recipe, Step
from tests.oracle import function
from tests.schedule.eliminations import random_elimination
from tests.schedule.programs import lowered, optimized


def delayed(program: Program, rng: random.Random) -> tuple[Program, int]:
    """The program with all its loops that may be so in panels of few steps, and how many there are."""
    threads = rng.choice((1, 2, 3))
    policy = Policy()
    optimize(program, Context(threads=threads, policy=policy))
    count = (("steps", rng.randint(1, 6)),)
    steps = [Step(s.name, s.operands, count) if s.name == "delay" else s for s in policy.taken]
    found = sum(s.name == "delay" for s in steps)
    if not found:
        return program, 0
    steps = [s for s in steps if s.name not in ("parallel", "vectorize")]
    cx = Context(threads=threads, policy=Policy(Recipe(tuple(steps))))
    after = verifier.check(optimize(program, cx))
    cx.finish()
    return after, found


@pytest.mark.parametrize("seed", range(120))
def test_random_eliminations_keep_their_bits(seed: int) -> None:
    """Also with maps from the last iteration to the first, as the interpreter walks them."""
    e = random_elimination(seed)
    f = function(e.text)
    expected, found = e.copies(), e.copies()
    with np.errstate(all="ignore"):
        try:
            f(*expected)
        except (IndexError, ValueError):
            pytest.skip("shapes do not fit")
        after, _ = delayed(lowered(f, *e.copies()), random.Random(seed))
        interpret(after, list(found))
    for a, b in zip(expected, found):
        np.testing.assert_array_equal(b, a, strict=True)


def test_most_random_eliminations_are_delayed() -> None:
    found = 0
    for seed in range(20):
        e = random_elimination(seed)
        found += delayed(lowered(function(e.text), *e.copies()), random.Random(seed))[1]
    assert found >= 12


@pytest.mark.parametrize("seed", range(12))
def test_what_was_done_can_be_done_again(seed: int) -> None:
    """Loops stand twice, in panels and beside them: addresses tell which is which."""
    e = random_elimination(seed)
    program = lowered(function(e.text), *e.copies())
    after, taken = optimized(program)
    again, once_more = optimized(program, taken)
    assert to_text(again) == to_text(after)
    assert once_more == taken


PROGRAMS = {
    "shortest paths": """
def f(A, b):
    for k in range(A.shape[0]):
        A[:] = np.minimum(A, A[:, k, None] + A[k])
""",
    "shortest paths by np.add.outer": """
def f(A, b):
    for k in range(A.shape[0]):
        A[:] = np.minimum(A, np.add.outer(A[:, k], A[k]))
""",
    "shortest paths by rows": """
def f(A, b):
    for k in range(A.shape[0]):
        for i in range(A.shape[0]):
            A[i] = np.minimum(A[i], A[i, k] + A[k])
""",
    "shortest paths by elements": """
def f(A, b):
    n = A.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                A[i, j] = min(A[i, j], A[i, k] + A[k, j])
""",
    "widest paths": """
def f(A, b):
    for k in range(len(A)):
        A[:] = np.maximum(A, np.minimum(A[:, k, None], A[k]))
""",
    "LU by an outer product": """
def f(A, b):
    for k in range(A.shape[0] - 1):
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
""",
    "elimination by rows": """
def f(A, b):
    n = A.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            c = A[i, k] / A[k, k]
            A[i, k:] -= c * A[k, k:]
            b[i] -= c * b[k]
""",
    "elimination by elements": """
def f(A, b):
    n = A.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] = A[i, k] / A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
""",
    "Gauss and Jordan": """
def f(A, b):
    n = A.shape[0]
    for k in range(n):
        b[k] /= A[k, k]
        A[k] /= A[k, k]
        for i in range(n):
            if i != k:
                b[i] -= A[i, k] * b[k]
                A[i] -= A[i, k] * A[k]
""",
    "Gauss and Jordan by an outer product": """
def f(A, b):
    for k in range(A.shape[0]):
        A[k] = A[k] / A[k, k]
        c = A[:, k].copy()
        c[k] = 0.0
        A -= np.outer(c, A[k])
""",
    "Cholesky": """
def f(A, b):
    for k in range(A.shape[0]):
        A[k, k] = np.sqrt(np.abs(A[k, k]))
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k + 1 :, k])
""",
}  # fmt: skip
CLOSURE = """
def f(A, b):
    for k in range(A.shape[0]):
        A |= A[:, k, None] & A[k]
"""


def check(f: Callable[..., None], name: str, dtype: type, schedule: str | None = None) -> str:
    """The schedule of machine code for these arrays, which gives NumPy's bits for several sizes, and numbers of threads."""
    rng = np.random.default_rng(0)
    compiled = sol.jit(f, strict=True, schedule=schedule)
    try:
        for threads in (1, 3):
            sol.set_num_threads(threads)
            for n in (40, 3, 7, 41, 75, 130):
                a = (
                    (rng.standard_normal((n, n)) * 9).astype(dtype)
                    if dtype is not np.bool_
                    else rng.random((n, n)) < 0.03
                )
                if name not in ("shortest paths by rows", "shortest paths by elements") and dtype is np.float64:
                    a += 30 * np.eye(n)
                given = a, np.arange(n).astype(dtype)
                expected = [x.copy() for x in given]
                with np.errstate(all="ignore"):
                    f(*expected)
                    compiled(*given)
                for x, y in zip(expected, given):
                    np.testing.assert_array_equal(y, x, strict=True)
    finally:
        sol.set_num_threads(0)
    return str(compiled.schedule(0))


@pytest.mark.parametrize("name", PROGRAMS)
def test_machine_code(name: str) -> None:
    f = function(PROGRAMS[name])
    text = check(f, name, np.float64)
    assert "delay(" in text
    check(f, name, np.float64, re.sub(r"delay\((\S+)\)", r"delay(\1, steps=3)", text))


@pytest.mark.parametrize("name", [n for n in PROGRAMS if "paths" in n])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.uint8])
def test_other_types(name: str, dtype: type) -> None:
    assert "delay(" in check(function(PROGRAMS[name]), name, dtype)


def test_closure() -> None:
    assert "delay(" in check(function(CLOSURE), "closure", np.bool_)


def test_two_arrays_and_numbers() -> None:
    """Numbers of a step and of an iteration; arrays of other widths."""

    def f(A: np.ndarray, B: np.ndarray, b: np.ndarray) -> None:
        n = A.shape[0]
        for k in range(n):
            p = 1.0 / A[k, k]
            for i in range(k + 1, n):
                c = A[i, k] * p
                d = A[i, k] * 2.0
                A[i, k + 1 :] -= c * A[k, k + 1 :]
                e = d + p
                B[i] -= e * B[k]
                b[i] -= d * b[k] + e

    compiled = sol.jit(f, strict=True)
    rng = np.random.default_rng(0)
    for n in (5, 40, 77):
        given = rng.random((n, n)) + n * np.eye(n), rng.random((n, 3)), rng.random(n)
        expected = [x.copy() for x in given]
        f(*expected)
        compiled(*given)
        for x, y in zip(expected, given):
            np.testing.assert_array_equal(y, x, strict=True)
    assert "delay(" in str(compiled.schedule(0))


def parts_of(body: str, arrays: str = "a: f64[N, M], b: f64[N, M], c: f64[N]") -> Panels | Said:
    """Those of a loop over k with this body."""
    lines = "".join(f"        {x}\n" for x in body.split("\n"))
    program = from_text(f"@symbols(N=a.shape[0], M=a.shape[1])\ndef f({arrays}):\n    for k in range(0, N):\n{lines}")
    (loop,) = program.body.nodes
    assert isinstance(loop, Loop)
    return panels(loop, program, aliases(program))


def update(value: str, target: str = "a[i, j]", rows: str = "k + 1, N", columns: str = "0, M") -> str:
    return f"with map(i=range({rows}), j=range({columns})):\n    {target} = {value}"


PLAIN = update("a[i, j] - a[i, k] * a[k, j]", columns="k + 1, M")
REFUSED = {
    "the row behind": (update("a[i, j] - a[i, k] * a[k + 1, j]"), "an element of a needs more than itself"),
    "the column in front": (update("a[i, j] - a[i, k - 1] * a[k, j]"), "an element of a needs more than itself"),
    "its neighbour": (update("a[i, j] - a[i, j + 1] * a[k, j]", columns="0, M - 1"), "an element of a needs more than itself"),
    "rows from k + 2": (PLAIN.replace("k + 1, N", "k + 2, N"), "which rows are swept depends on the step"),
    "columns from k + 2": (PLAIN.replace("k + 1, M", "k + 2, M"), "which rows are swept depends on the step"),
    "the first row": (f"{PLAIN}\na[0, 0] = a[k, k]", "an element of a needs more than itself"),
    "all rows": (f"c[k] = a[N - 1, k]\n{PLAIN}", "an element of a needs more than itself"),
    "two sweeps": (f"{PLAIN}\n{PLAIN.replace('i', 'x').replace('wxth', 'with')}", "does not update the rows"),
    "no sweep": ("with map(i=range(k + 1, N)):\n    c[i] = c[i] - c[k]", "does not update the rows"),
    "an end": (f"{PLAIN}\nif k == 3:\n    break", "may leave early"),
    "a sum": (update("a[i, j]").replace(" = a", " += a"), "does not update the rows"),
}  # fmt: skip


@pytest.mark.parametrize("body", REFUSED)
def test_what_is_not_delayed(body: str) -> None:
    found = parts_of(REFUSED[body][0])
    assert isinstance(found, Said)
    assert REFUSED[body][1] in found.text


def test_arrays_that_may_overlap_stay_in_order() -> None:
    body = update("a[i, j] - b[i, j] * a[k, j]")
    found = parts_of(body, 'a: f64[N, M].alias("g"), b: f64[N, M].alias("g")')
    assert isinstance(found, Said)
    assert found.id == "overlap"


def test_rows_may_be_columns_in_memory() -> None:
    found = parts_of(f"with map(i=range(k + 1, N)):\n    a[i, k] = a[i, k] * 0.5\n{update('a[i, j] - a[i, k] * a[j, k]', columns='k + 1, M')}")  # fmt: skip
    assert isinstance(found, Panels)
    assert dict(found.rows) == {"a": 1}


def test_explain_tells_it() -> None:
    f = sol.jit(function(PROGRAMS["shortest paths"]), strict=True)
    f(np.ones((9, 9)), np.ones(9))
    assert "elements of A take several of its steps at once" in str(f.explain())


def test_a_schedule_that_asks_for_it_in_vain_is_told_why() -> None:
    f = function("def f(a):\n    for k in range(1, a.shape[0]):\n        a[k] = np.minimum(a[k], a[k - 1])\n")
    with pytest.raises(sol.ScheduleError, match="there are no|does not update the rows"):
        sol.jit(f, strict=True, schedule="function(f, line=1)\ndelay(L2.k)")(np.ones((9, 9)))
