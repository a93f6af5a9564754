"""Axes in another order in memory: what is chosen, what is refused and why, and random programs with all orders that there are."""

from __future__ import annotations

import random

import numpy as np
import pytest

import soljit as sol
from soljit.ir.interpret.interpreter import run as interpret
from soljit.ir.verify import program as verifier
from soljit.passes.manager import Context
from soljit.passes.pipeline import optimize
from soljit.schedule.policy import Policy
from soljit.schedule.recipe import Recipe, Step
from tests.oracle import check, function
from tests.schedule.programs import lowered, steps

COLUMNS = """
def f(u, c):
    n, m = u.shape
    p, q = np.empty((n, m)), np.empty((n, m))
    v = np.empty((m, n))
    p[:, 0] = 0.0
    q[:, 0] = 1.0
    for j in range(1, m):
        p[:, j] = -c / (c * p[:, j - 1] + 3.0)
        q[:, j] = (u[:, j] - c * q[:, j - 1]) / (c * p[:, j - 1] + 3.0)
    v[m - 1] = 1.0
    for j in range(m - 2, -1, -1):
        v[j] = p[:, j] * v[j + 1] + q[:, j]
    return v
"""


def test_columns_of_local_arrays_become_rows() -> None:
    f = function(COLUMNS)
    u = np.random.default_rng(1).random((9, 12))
    found = [s.split("#")[0].strip() for s in steps(f, np.asfortranarray(u), 0.5)]
    assert [s for s in found if "layout" in s] == ["layout(empty, axes='1, 0')", "layout(empty_2, axes='1, 0')"]
    assert not any("inward" in s for s in found)
    for a in (u, np.asfortranarray(u), u[::2, ::-1]):
        check(f, a, 0.5)


def test_explain_tells_it() -> None:
    f = sol.jit(function(COLUMNS), strict=True)
    f(np.ones((5, 6), order="F"), 0.5)
    assert "its axes lie in memory in the order 1, 0, as loops walk them" in str(f.explain())


def test_moves_say_why_not() -> None:
    text = "def f(u):\n    p = np.empty(u.shape)\n    q = np.empty(u.shape)\n    w = np.zeros(len(u))\n"
    text += "    for j in range(1, len(u)):\n        p[:, j] = u[:, j] + p[:, j - 1]\n        q[:, j] = p[:, j]\n"
    text += "    for j in range(len(u)):\n        w += q[:, j]\n    return p, w, q.sum()\n"
    f = sol.jit(function(text), strict=True)
    f(np.ones((5, 5)))
    moves = sol.schedule.moves(f, np.ones((5, 5)))
    assert "others see its memory" in str(moves.why_not("layout(empty, axes='1, 0')"))
    assert "adds up numbers in the order" in str(moves.why_not("layout(empty_2, axes='1, 0')"))
    with pytest.raises(sol.ScheduleError, match="axes= names the axes"):
        sol.jit(function(COLUMNS), schedule="layout(empty, axes='1')")(np.ones((5, 5)), 0.5)


def _program(rng: random.Random) -> str:
    """A few recurrences over rows or columns of square arrays, with local arrays in between."""
    local = ["p", "q", "r"][: rng.randint(1, 3)]
    lines = [
        f"    {x} = {rng.choice(('np.zeros((n, n))', 'np.ones((n, n))', 'np.zeros((n, n), np.float32)'))}"
        for x in local
    ]
    names = [*local, "a"]
    for _ in range(rng.randint(2, 4)):
        axes = rng.choice(((":, j", ":, j - 1"), ("j, :", "j - 1, :"), ("j", "j - 1")))
        lines.append("    for j in range(1, n):")
        for _ in range(rng.randint(1, 3)):
            out = rng.choice(names)
            terms = [f"{rng.choice(names)}[{rng.choice(axes)}]" for _ in range(2)]
            lines.append(f"        {out}[{axes[0]}] = {terms[0]} * 0.5 {rng.choice('+-')} {terms[1]}")
        if rng.random() < 0.2:
            lines.append(f"    {rng.choice(names)} += {rng.choice(names)}.T")
    out = " + ".join(f"{x}[{rng.choice((':, ::-1', '1:, 1:', ':'))}].{rng.choice(('max', 'sum'))}()" for x in local)
    return "def f(a):\n    n = len(a)\n" + "\n".join(lines) + f"\n    return {out}, a\n"


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_keep_their_bits(seed: int) -> None:
    rng = random.Random(seed)
    f = function(_program(rng))
    a = np.random.default_rng(seed).random((rng.randint(2, 9),) * 2)
    policy = Policy(Recipe(()), asked=True)
    program = lowered(f, a)
    optimize(program, Context(threads=2, policy=policy))
    there = [s for s, why in policy.moves.items() if s.name == "layout" and why is None]
    chosen = Recipe(tuple(Step(s.name, s.operands, s.options) for s in there))
    results = []
    for recipe in (Recipe(()), chosen):
        given = a.copy()
        after = verifier.check(optimize(program, Context(threads=2, policy=Policy(recipe))))
        results.append((interpret(after, [given])[0], given))
    for want, got in zip(*results):
        np.testing.assert_array_equal(np.asarray(got), np.asarray(want))
    expected = a.copy()
    f(expected)
    np.testing.assert_array_equal(results[0][1], expected)
    check(f, a)
