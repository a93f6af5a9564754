"""What later iterations combine is combined when it is found: programs over intervals, random ones and by name; and what is refused."""

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
from soljit.schedule.recipe import Recipe
from tests.oracle import function
from tests.schedule.programs import lowered

INTERVALS = {
    "folding": """
def f(n, w, best):
    for i in range(n - 2, -1, -1):
        for j in range(i + 1, n):
            score = max(best[i, j - 1], best[i + 1, j], best[i + 1, j - 1] + w[i] * w[j])
            for k in range(i + 1, j):
                score = max(score, best[i, k] + best[k + 1, j])
            best[i, j] = score
""",
    "products": """
def f(n, w, best):
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            cost = np.int64(1000000)
            for k in range(i, j):
                cost = min(cost, best[i, k] + best[k + 1, j] + w[i] * w[k] * w[j])
            best[i, j] = cost
""",
    "counts": """
def f(n, w, best):
    for i in range(n - 1, -1, -1):
        best[i, i] = w[i]
        for j in range(i + 1, n):
            s = best[i + 1, j]
            for k in range(i + 1, j):
                s += best[i, k] * best[k, j]
            best[i, j] = s % 10007
""",
    "elements of a table": """
def pairs(a, b):
    if a + b == 3:
        return 1
    else:
        return 0

def f(n, w, best):
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            if j - 1 >= 0:
                best[i, j] = max(best[i, j], best[i, j - 1])
            if i + 1 < n:
                best[i, j] = max(best[i, j], best[i + 1, j])
                if i < j - 1:
                    best[i, j] = max(best[i, j], best[i + 1, j - 1] + pairs(w[i], w[j]))
            for k in range(i + 1, j):
                best[i, j] = max(best[i, j], best[i, k] + best[k + 1, j])
""",
    "a row": """
def f(n, w, best):
    for j in range(n):
        s = w[j]
        for k in range(j):
            s = min(s, best[0, k] + best[k, j])
        best[0, j] = s
""",
}  # fmt: skip


def arguments(n: int, seed: int = 0) -> tuple[int, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return n, rng.integers(-4, 9, n), rng.integers(-50, 50, (n, n))


@pytest.mark.parametrize("name", INTERVALS)
def test_programs_over_intervals(name: str) -> None:
    f = function(INTERVALS[name])
    compiled = sol.jit(f, strict=True)
    for n in (7, 1, 2, 3, 20, 41):
        expected, found = arguments(n, n), arguments(n, n)
        f(*expected)
        compiled(*found)
        np.testing.assert_array_equal(found[2], expected[2], strict=True)


@pytest.mark.parametrize("name", ["folding", "counts", "elements of a table"])
def test_it_is_taken_and_told(name: str) -> None:
    f = sol.jit(function(INTERVALS[name].replace("w[", "v[").replace("n, w,", "n, v,")), strict=True)
    f(*arguments(9))
    assert "push" in [s.name for s in sol.schedule.moves(f, *arguments(9)).recipe]
    assert "elements of best are combined with those of later iterations as soon as they are known" in str(f.explain())


def random_intervals(seed: int) -> str:
    """A loop in a loop, with a map that combines terms of earlier iterations; some are right."""
    rng = random.Random(seed)
    begin = rng.choice(("i", "i + 1", "i + 1", "i + 2", "0", "1"))
    first = begin if rng.random() < 0.6 else rng.choice(("i + 1", "i + 2", "2"))
    stop = rng.choice(("n", "n", "n - 1", "n - 3", "min(n, i + 5)"))
    others = [
        "best[k + 1, j]",
        "best[k + 1, j]",
        "best[k, j]",
        "w[k]",
        "w[j]",
        "best[k, k]",
        "best[i, j]",
        "best[k - 1, j - 1]",
    ]
    loads = [*(["best[i, k]"] if rng.random() < 0.8 else []), *rng.sample(others, rng.randint(1, 2))]
    value = rng.choice((" + ", " * ", " - ")).join(loads)
    combine = rng.choice(("max(s, {})", "min(s, {})", "s + {}", "s * ({})", "s ^ ({})")).format(value)
    store = rng.choice((*["best[i, j]"] * 6, "best[i, n - 1 - j]", "best[j, i]", "best[i, j // 2]"))
    rows = rng.choice(("range(n - 3, -1, -1)", "range(n - 3)", "range(1, n - 2)"))
    head = rng.choice(("w[j]", "best[i, j]", "best[i, j - 1] + 1", "np.int64(3)"))
    lines = [
        f"for j in range({begin}, {stop}):",
        f"    s = {head}",
        f"    for k in range({first}, j):",
        f"        s = {combine}",
        f"    {store} = s % 1009",
    ]
    if rng.random() < 0.1:
        lines.append("    best[i + 1, j] = w[i]")
    return f"def f(n, w, best):\n    for i in {rows}:\n" + "".join(f"        {x}\n" for x in lines)


def check(seed: int) -> int:
    f = function(random_intervals(seed))
    expected, found = (
        arguments(random.Random(seed).randint(4, 14), seed),
        arguments(random.Random(seed).randint(4, 14), seed),
    )
    with np.errstate(all="ignore"):
        try:
            f(*expected)
        except IndexError:
            return 0
        program = lowered(f, *arguments(expected[0], seed))
        policy = Policy()
        optimize(program, Context(policy=policy))
        first = tuple(s for s in policy.taken if s.name in {"loops", "map", "collapse"})
        policy = Policy(Recipe(first), asked=True)
        optimize(program, Context(policy=policy))
        there = [s for s, why in policy.moves.items() if s.name == "push" and why is None]
        interpret(verifier.check(optimize(program, Context(policy=Policy(Recipe((*first, *there)))))), list(found))
    np.testing.assert_array_equal(found[2], expected[2], strict=True)
    return len(there)


@pytest.mark.parametrize("seed", range(50))
def test_random_intervals_keep_their_values(seed: int) -> None:
    check(seed)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("best[i, k] + best[k + 1, j]", "best[i, k] + best[i, j - k]"), "others write"),
        (("best[i, k] + best[k + 1, j]", "w[k] + best[k + 1, j]"), "does not combine"),
        (("range(i + 1, j)", "range(i + 1, j - 1)"), "does not combine"),
    ],
)
def test_what_is_refused(change: tuple[str, str], why: str) -> None:
    f = sol.jit(function(INTERVALS["folding"].replace(*change)), strict=True)
    moves = sol.schedule.moves(f, *arguments(9))
    assert why in str(moves.why_not("push(L6.k)"))


def test_sums_of_floats_keep_their_order() -> None:
    f = sol.jit(function(INTERVALS["folding"]), strict=True)
    n, w, best = arguments(9)
    moves = sol.schedule.moves(f, n, w.astype(float), best.astype(float))
    assert not [s for s in moves.recipe if s.name == "push"]
    assert not [s for s in moves.legal if s.name == "push"]
