"""Iterations of maps side by side: random programs of rows keep their bits, with any number of rows; what is chosen, what is refused, and why."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

import soljit as sol
from soljit.ir.interpret.interpreter import run as interpret
from soljit.ir.verify import program as verifier
from soljit.passes.manager import Context
from soljit.passes.pipeline import optimize
from soljit.schedule.policy import Policy
from soljit.schedule.recipe import Recipe, Step
from tests.oracle import function
from tests.schedule.programs import lowered

FILTER = """
def f(a, c):
    n, m = a.shape
    y, z = np.empty_like(a), np.empty_like(a)
    y[:, :2] = 0.0
    z[:, m - 2:] = 1.0
    for j in range(2, m):
        y[:, j] = a[:, j] + c * y[:, j - 1] - 0.25 * y[:, j - 2]
    for j in range(m - 3, -1, -1):
        z[:, j] = a[:, j + 1] + c * z[:, j + 1] - 0.25 * z[:, j + 2]
    return y + z
"""


@pytest.mark.parametrize("rows", [0, 2, 3, 5])
def test_a_filter_along_rows(rows: int) -> None:
    """rows: 0: as chosen by default."""
    f = function(FILTER)
    first = sol.jit(f, strict=True)
    first(np.ones((8, 8)), 0.5)
    text = str(first.schedule(0))
    assert "interleave(" in text
    assert "4 iterations run side by side" in str(first.explain())
    compiled = sol.jit(
        f, strict=True, schedule=re.sub(r"(interleave\([^)]*)\)", rf"\1, rows={rows})", text) if rows else None
    )
    try:
        for threads in (1, 2, 4):
            sol.set_num_threads(threads)
            for shape in ((1, 9), (4, 3), (7, 40), (64, 2000)):
                a = np.random.default_rng(3).random(shape)
                assert np.array_equal(compiled(a, 0.3), f(a, 0.3))
    finally:
        sol.set_num_threads(0)


REFUSED = {
    "sums of all rows": ("s = w", "w[j] += a[i, j]", "several iterations add to the same elements"),
    "an end": ("s = w", "if a[i, j] > 5:\n                break", "more in it than loops over ranges"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_side_by_side(name: str) -> None:
    before, inside, reason = REFUSED[name]
    f = function(
        f"def f(a, w):\n    {before}\n    for i in range(a.shape[0]):\n        for j in range(1, a.shape[1]):\n"
        f"            a[i, j] = a[i, j - 1] * 2\n            {inside}\n    return s\n"
    )
    moves = sol.schedule.moves(sol.jit(f, strict=True), np.ones((6, 6), np.int64), np.ones(6, np.int64))
    assert reason in str(moves.why_not("interleave(L3.i)"))


def _row(rng: random.Random, names: list[str], last: str) -> list[str]:
    """One loop along row i."""
    down = rng.random() < 0.4
    span = "range(m - 3, -1, -1)" if down else rng.choice(("range(2, m)", "range(2, m)", f"range(2, {last})"))
    out, sign = rng.choice(names), "+" if down else "-"

    def term() -> str:
        return rng.choice(
            (
                f"{rng.choice(names)}[i, j]",
                f"{out}[i, j {sign} 1]",
                f"{out}[i, j {sign} 2]",
                f"{rng.choice(names)}[i, j]",
                "w[j]",
                "x[i]",
            )
        )

    lines = [f"for j in {span}:"]
    if rng.random() < 0.3:
        lines.append(f"    t = {term()} * 0.5")
    value = f"{term()} * 0.5 {rng.choice('+-')} {term()}" + (" + t" if len(lines) > 1 else "")
    if rng.random() < 0.2:
        lines += [
            f"    if {term()} > 0.5:",
            f"        {out}[i, j] = {value}",
            "    else:",
            f"        {out}[i, j] = {term()}",
        ]
    else:
        lines.append(f"    {out}[i, j] = {value}")
    if rng.random() < 0.3:
        lines.append(f"    {rng.choice(names)}[i, j] = {term()}")
    return lines


def _program(rng: random.Random) -> str:
    names = ["a", "b"]
    lines = ["w = np.zeros(m)"] if rng.random() < 0.3 else []
    if lines:
        lines += ["for j in range(m):", "    w[j] = a[i, j] + 1.0"]
    if rng.random() < 0.4:
        lines.append("x[i] = a[i, 0] - b[i, 1]")
    for _ in range(rng.randint(1, 3)):
        lines += _row(rng, names, "min(i + 3, m)")
    if rng.random() < 0.3:
        lines.append("x[i] = a[i].max()")
    head = "def f(a, b, w, x):\n    n, m = a.shape\n    for i in range(n):\n"
    return head + "".join(f"        {line}\n" for line in lines)


def side_by_side(seed: int, code: bool = False) -> int:
    """How many maps of a random program run so, which has the right bits."""
    rng = random.Random(seed)
    f = function(_program(rng))
    values = np.random.default_rng(seed)
    n, m = rng.randint(1, 14), rng.randint(3, 12)
    dtype = rng.choice((np.float64, np.float64, np.float32))
    args = [values.random(s).astype(dtype) for s in ((n, m), (n, m), m, n)]
    policy = Policy()
    program = lowered(f, *args)
    optimize(program, Context(threads=2, policy=policy))
    steps = [s for s in policy.taken if s.name != "interleave"]
    policy = Policy(Recipe(tuple(steps)), asked=True)
    optimize(program, Context(threads=2, policy=policy))
    there = [s for s, why in policy.moves.items() if s.name == "interleave" and why is None]
    steps += [Step(s.name, s.operands, (("rows", rng.randint(2, 5)),)) for s in there]
    expected, found = [a.copy() for a in args], [a.copy() for a in args]
    f(*expected)
    if code:
        recipe = Recipe(tuple(steps))
        compiled = sol.jit(f, strict=True, schedule=recipe)
        sol.set_num_threads(rng.randint(1, 4))
        try:
            compiled(*found)
        finally:
            sol.set_num_threads(0)
    else:
        interpret(
            verifier.check(optimize(program, Context(threads=2, policy=Policy(Recipe(tuple(steps)))))), list(found)
        )
    for x, y in zip(found, expected):
        np.testing.assert_array_equal(x, y, strict=True)
    return len(there)


@pytest.mark.parametrize("seed", range(60))
def test_random_rows_keep_their_bits(seed: int) -> None:
    side_by_side(seed)


@pytest.mark.parametrize("seed", range(100, 104))
def test_random_rows_as_machine_code(seed: int) -> None:
    side_by_side(seed, code=True)


def test_many_random_programs_have_rows_side_by_side() -> None:
    assert sum(side_by_side(seed) > 0 for seed in range(1000, 1020)) >= 8
