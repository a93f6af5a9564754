"""Sums that read arrays together: what is taken, what is refused, and random programs of sums, with the bits of NumPy where those are known, and of the program without the step else."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

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

SMALL = "l1=16, l2=1"  # every array is larger than the caches

SUMS = {
    "sums of NumPy's": """
def f(x, y, b):
    out, low = np.empty(b.shape[0]), np.empty(b.shape[0])
    for i in range(b.shape[0]):
        out[i] = np.sum(np.maximum(0.0, 1.0 - np.abs(x - b[i])))
        low[i] = np.min(np.abs(x - b[i])) + np.max(x * b[i])
    return out, low
""",
    "a sum of float32": """
def f(x, y, b):
    z = x.astype(np.float32)
    out = np.zeros(b.shape[0], np.float32)
    for i in range(1, b.shape[0]):
        out[i] = np.sum(z * np.float32(b[i]))
    return out
""",
    "rings": """
def f(x, y, b):
    out = np.zeros(b.shape[0])
    for i in range(b.shape[0]):
        chosen = y[(b[i] * 0.5 <= x) & (x < b[i])]
        out[i] = chosen.sum() / max(chosen.size, 1)
    return out
""",
    "two walks": """
def f(x, y, b):
    out = np.zeros((b.shape[0], 2))
    for i in range(b.shape[0]):
        mean = np.sum(x * b[i]) / 3.0
        out[i, 0] = mean
        out[i, 1] = np.sum((y - mean) ** 2)
    return out
""",
    "counts": """
def f(x, y, b):
    out = np.zeros(b.shape[0], np.int64)
    for i in range(b.shape[0]):
        n = 0
        for j in range(x.shape[0]):
            if x[j] > b[i] and y[j] < b[i]:
                n += 1
        out[i] = n
    return out
""",
}  # fmt: skip


def plain(f: Callable[..., Any], *args: Any) -> Any:
    """What compiled code gives without the step."""
    policy = Policy()
    optimize(lowered(f, *args), Context(policy=policy))
    kept = [s for s in policy.taken.steps if s.name not in ("share", "parallel", "vectorize")]
    return sol.jit(f, strict=True, schedule=Recipe(tuple(kept)))(*args)


@pytest.mark.parametrize("name", SUMS)
def test_sums(name: str) -> None:
    f, rng = function(SUMS[name]), np.random.default_rng(5)
    assert any("share" in s for s in steps(f, *(rng.random(n) for n in (40, 40, 9))))
    with sol.settings(machine=SMALL):
        for n, m in ((1, 1), (127, 3), (129, 40), (255, 2), (300, 5), (1031, 33), (8192, 7), (20011, 70)):
            args = (rng.random(n) - 0.5, rng.random(n) - 0.5, rng.random(m) - 0.3)
            if name in ("sums of NumPy's", "counts"):
                check(f, *args)
            compiled = sol.jit(f, strict=True)(*args)
            for x, y in zip(np.atleast_2d(compiled), np.atleast_2d(plain(f, *args))):
                np.testing.assert_array_equal(x, y)


def test_threads_explain_and_moves() -> None:
    text = SUMS["rings"]
    f = sol.jit(function(text), strict=True)
    rng = np.random.default_rng(2)
    x, y, b = rng.random(50_000), rng.random(50_000), rng.random(333)
    expected = plain(function(text), x, y, b)
    try:
        with sol.settings(machine=SMALL):
            for threads in (1, 2, 3, 4):
                sol.set_num_threads(threads)
                assert np.array_equal(f(x, y, b), expected)
                assert np.array_equal(f(x, y, b[:3]), expected[:3])
    finally:
        sol.set_num_threads(0)
    f(x, y, b)
    assert "up to 32 iterations go over x, y together, a piece after the other" in str(f.explain())
    moves = sol.schedule.moves(f, x, y, b)
    assert "at most 256" in str(moves.without("share(L4.i)", drop=True).why_not("share(L4.i, rows=1000)"))


@pytest.mark.parametrize("inner", ("m", "i", "i + 1, m"))
def test_maps_of_two_loops(inner: str) -> None:
    """Blocks of the inner one, if it has the same range everywhere."""
    loops = f"    for i in range(m):\n        for k in range({inner}):\n            out[i, k] = np.sum(np.abs(x - b[k] * c[i]))\n"
    f = function(f"def f(x, b, c, out):\n    m = b.shape[0]\n{loops}")
    rng = np.random.default_rng(6)
    args = rng.random(700), rng.random(37), rng.random(37), np.zeros((37, 37))
    assert any("share" in s for s in steps(f, *args)) == (inner == "m")
    with sol.settings(machine=SMALL):
        check(f, *args)


REFUSED = {
    "one range": "out[i] = np.sum(x[i:] * b[i])",
    "same elements": "out[0] += np.sum(x * b[i])",
    "sums in it": "out[i] = b[i]",
    "half": "out[i] = np.sum((x * b[i]).astype(np.float16))",
    "complex": "out[i] = np.sum(x * 1j * b[i]).real",
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str) -> None:
    text = f"def f(x, b, out):\n    for i in range(b.shape[0]):\n        {REFUSED[case]}\n"
    f, rng = function(text), np.random.default_rng(3)
    args = rng.random(300), rng.random(20), np.zeros(20)
    assert not any("share" in s for s in steps(f, *args))
    moves = sol.schedule.moves(sol.jit(f), *args)
    assert not any(s.name == "share" for s in moves.legal)
    with sol.settings(machine=SMALL):
        check(f, *args)


@pytest.mark.parametrize("line", ("np.sum(x[:9] * b[i])", "np.sum(np.exp(x * b[i]))", "np.sum(a[i] * x)"))
def test_where_it_would_not_pay(line: str) -> None:
    """A few terms, much to compute for each, and rows that each iteration has for itself."""
    f = function(f"def f(a, x, b, out):\n    for i in range(b.shape[0]):\n        out[i] = {line}\n")
    rng = np.random.default_rng(3)
    args = rng.random((20, 300)), rng.random(300), rng.random(20), np.zeros(20)
    assert not any("share" in s for s in steps(f, *args))


def _program(rng: random.Random) -> str:
    lines = ["s = w[i]", "t = 0.0", "k = 0"]
    for _ in range(rng.randint(1, 3)):
        kind, value = rng.random(), f"x[j] * {rng.choice(('w[i]', 's', 'y[j]', '2.0'))}"
        test = f"{rng.choice(('x[j]', 'y[j]'))} {rng.choice('<>')} {rng.choice(('w[i]', '1.0', 'v'))}"
        lines.append(f"v = {rng.choice(('w[i]', 't', 's + 1.0', '3.0'))}")
        lines.append(f"for j in range({rng.choice(('n', '1, n', 'n - 2', 'n'))}):")
        if kind < 0.3:
            lines.append(f"    t += {value}")
        elif kind < 0.6:
            lines += [f"    if {test}:", f"        t += {value}", "        k += 1"]
        elif kind < 0.8:
            lines += [f"    t += max({value}, v)", f"    k += {rng.choice('12')}"]
        else:
            lines.append(f"    k = {rng.choice(('min', 'max'))}(k, z[j] * {rng.choice('12')})")
        if rng.random() < 0.4:
            lines.append("out[i] = t")
    lines += ["out[i] = s + t", "at[i] = k"]
    body = "".join(f"        {line}\n" for line in lines)
    return f"def f(x, y, z, w, out, at):\n    n = x.shape[0]\n    for i in range({rng.choice(('m', '1, m'))}):\n{body}".replace(
        "m)", "w.shape[0])"
    )


def shared(seed: int, code: bool = False) -> int:
    """How many maps of a random program share what they read, which has the right values: integers, of which sums are exact."""
    rng = random.Random(seed)
    f = function(_program(rng))
    values, n, m = np.random.default_rng(seed), rng.randint(1, 700), rng.randint(1, 12)
    x, y, w = (values.integers(-4, 5, k).astype(float) for k in (n, n, m))
    args = [x, y, values.integers(-4, 5, n), w, np.zeros(m), np.zeros(m, np.int64)]
    policy = Policy()
    program = lowered(f, *args)
    optimize(program, Context(threads=2, policy=policy))
    chosen = [s for s in policy.taken.steps if s.name not in ("share", "interleave", "vectorize", "parallel")]
    policy = Policy(Recipe(tuple(chosen)), asked=True)
    optimize(program, Context(threads=2, policy=policy))
    there = [s for s, why in policy.moves.items() if s.name == "share" and why is None]
    chosen += [Step(s.name, s.operands, (("rows", rng.randint(1, 9)),)) for s in there]
    expected, found = ([a.copy() for a in args] for _ in "ab")
    f(*expected)
    if code:
        with sol.settings(machine=SMALL):
            sol.jit(f, strict=True)(*found)
    else:
        policy = Policy(Recipe(tuple(chosen)))
        cx = Context(threads=2, policy=policy)
        interpret(verifier.check(optimize(program, cx)), list(found))
        policy.finish()
    for a, b in zip(found, expected):
        np.testing.assert_array_equal(a, b)
    return len(there)


@pytest.mark.parametrize("seed", range(40))
def test_random_sums(seed: int) -> None:
    shared(seed)


@pytest.mark.parametrize("seed", range(100, 106))
def test_random_sums_as_machine_code(seed: int) -> None:
    shared(seed, code=True)


def test_many_random_programs_share() -> None:
    assert sum(shared(seed) > 0 for seed in range(1000, 1020)) >= 5
