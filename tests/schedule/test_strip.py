"""Columns that go through loops together: what is taken, what is refused, and random programs of columns, with the bits of NumPy."""

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

COLUMNS = {
    "filter": """
def f(a, c):
    n, m = a.shape
    out = np.empty_like(a)
    for j in range(m):
        s = 0.0
        for i in range(n):
            s = c * s + a[i, j]
            out[i, j] = s
    return out
""",
    "best": """
def f(a, c):
    n, m = a.shape
    best, at = np.empty(m), np.empty(m, np.int64)
    for j in range(m):
        b = a[0, j]
        k = 0
        for i in range(1, n):
            if a[i, j] > b + c:
                b = a[i, j]
                k = i
        best[j] = b
        at[j] = k
    return best, at
""",
    "Viterbi": """
def f(a, c):
    n, m = a.shape
    score, back = np.empty((4, m)), np.zeros((4, m), np.int64)
    score[0] = a[0]
    for t in range(1, 4):
        for j in range(m):
            best = -np.inf
            arg = -1
            for i in range(min(n, m)):
                v = score[t - 1, i] + a[i, j] * c
                if v > best:
                    best = v
                    arg = i
            score[t, j] = best
            back[t, j] = arg
    return score, back
""",
    "Horner": """
def f(a, c):
    out = np.zeros(a.shape[1])
    for j in range(1, a.shape[1]):
        x = a[0, j] - c
        p = 0.0
        for i in range(a.shape[0] - 1, -1, -1):
            p = p * x + a[i, j]
        q = x * 2.0
        for i in range(a.shape[0]):
            q = (q - a[i, j]) * x
        out[j] = p + q
    return out
""",
}  # fmt: skip


@pytest.mark.parametrize("name", COLUMNS)
def test_columns(name: str) -> None:
    f = function(COLUMNS[name])
    rng = np.random.default_rng(5)
    assert any("strip" in s for s in steps(f, rng.random((9, 40)), 0.5))
    for shape in ((1, 1), (7, 15), (5, 16), (33, 300), (600, 513)):
        check(f, rng.random(shape), 0.5)


def test_threads_explain_and_moves() -> None:
    f = sol.jit(function(COLUMNS["filter"]), strict=True)
    a = np.random.default_rng(2).random((300, 2000))
    try:
        for threads in (1, 2, 3, 4):
            sol.set_num_threads(threads)
            assert np.array_equal(f(a, 0.5), function(COLUMNS["filter"])(a, 0.5))
    finally:
        sol.set_num_threads(0)
    assert "up to 256 iterations go through the loops in it together" in str(f.explain())
    text = "def f(a, w):\n    for j in range(a.shape[1]):\n        for i in range(1, a.shape[0]):\n"
    g = sol.jit(function(text + "            a[i, j] = a[i - 1, j] * 2\n            w[i] += a[i, j]\n"), strict=True)
    moves = sol.schedule.moves(g, np.ones((9, 9), np.int64), np.ones(9, np.int64))
    assert "add to the same elements of w" in str(moves.why_not("strip(L2.j)"))
    h = sol.jit(function(text.replace("a.shape[0])", "j)") + "            a[i, j] = a[i - 1, j] * w[j]\n"), strict=True)
    assert "depends on it" in str(sol.schedule.moves(h, np.ones((9, 9)), np.ones(9)).why_not("strip(L2.j)"))


def _term(rng: random.Random, i: str) -> str:
    return rng.choice((f"a[{i}, j]", f"b[{i}, j]", f"a[{i}, j] * c", "s", "t", "w[j]", f"w[{i}]", "c"))


def _program(rng: random.Random) -> str:
    lines = [f"s = {_term(rng, '0').replace('s', 'c').replace('t', 'c')}", "t = 1.0", "k = 0"]
    for _ in range(rng.randint(1, 3)):
        span = rng.choice(("range(n)", "range(1, n)", "range(n - 1, 0, -1)", "range(0, n, 2)"))
        lines.append(f"for i in {span}:")
        for _ in range(rng.randint(1, 3)):
            kind, value = rng.random(), f"{_term(rng, 'i')} * 0.5 {rng.choice('+-')} {_term(rng, 'i')}"
            if kind < 0.35:
                lines.append(f"    {rng.choice('st')} = ({value}) * c")  # no sum, which may have another order
            elif kind < 0.6:
                lines.append(f"    {rng.choice('ab')}[i, j] = {value}")
            elif kind < 0.8:
                lines += [
                    f"    if {_term(rng, 'i')} > {_term(rng, 'i')}:",
                    f"        {rng.choice('st')} = {value}",
                    "        k = i",
                ]
            else:
                lines += [f"    v = {value}", f"    {rng.choice('st')} = (v - t) * c"]
        if rng.random() < 0.5:
            lines.append(f"{rng.choice('st')} = {_term(rng, '0')} + s")
    lines += ["x[j] = s + t", "y[j] = k"]
    body = "".join(f"        {line}\n" for line in lines)
    return f"def f(a, b, w, x, y, c):\n    n, m = a.shape\n    for j in range({rng.choice(('m', '1, m'))}):\n{body}"


def stripped(seed: int, code: bool = False) -> int:
    """How many maps of a random program run in strips, which has the right bits."""
    rng = random.Random(seed)
    f = function(_program(rng))
    values, n = np.random.default_rng(seed), rng.randint(1, 12)
    args = [values.random((n, n)), values.random((n, n)), values.random(n), np.zeros(n), np.zeros(n, np.int64), 0.25]
    policy = Policy()
    program = lowered(f, *args)
    optimize(program, Context(threads=2, policy=policy))
    chosen = [s for s in policy.taken if s.name not in ("strip", "interleave", "vectorize", "parallel")]
    policy = Policy(Recipe(tuple(chosen)), asked=True)
    optimize(program, Context(threads=2, policy=policy))
    there = [s for s, why in policy.moves.items() if s.name == "strip" and why is None]
    chosen += [Step(s.name, s.operands, (("columns", rng.randint(2, 9)),)) for s in there]
    expected, found = ([a.copy() if isinstance(a, np.ndarray) else a for a in args] for _ in "ab")
    f(*expected)
    if code:
        sol.jit(f, strict=True)(*found)
    else:
        policy = Policy(Recipe(tuple(chosen)))
        interpret(verifier.check(optimize(program, Context(threads=2, policy=policy))), list(found))
        policy.finish()
    for x, y in zip(found, expected):
        np.testing.assert_array_equal(x, y)
    return len(there)


@pytest.mark.parametrize("seed", range(60))
def test_random_columns_keep_their_bits(seed: int) -> None:
    stripped(seed)


@pytest.mark.parametrize("seed", range(100, 104))
def test_random_columns_as_machine_code(seed: int) -> None:
    stripped(seed, code=True)


def test_many_random_programs_run_in_strips() -> None:
    assert sum(stripped(seed) > 0 for seed in range(1000, 1030)) >= 8
