"""Loops over known numbers whose bodies are long: the numbers stand in a table, unless the body needs them while it is compiled."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

from bench.compile_time import counted_work, lowered
from bench.generated import generated
from tests.oracle import check

A = np.random.default_rng(3).integers(-9, 9, (6, 6)) * 1.0


def body(depth: int, more: list[str]) -> list[str]:
    """Statements about `a` and `k` that cost much to compile, and then `more`."""
    lines = ["b = a * k + a.T", "c = np.where(b > k, b - a, b + a)", "t = 0.0"]
    for n in range(12):
        lines += [f"x{n} = c[:, {n % 5}] * {n}.5 + k", f"t = t + x{n}.max() - np.sqrt((x{n} * x{n}).sum())"]
        lines += [f"if t > {n}.0:", f"    t = t - c[{n % 6}, 0] * k", "else:", f"    t = t + b[0, {n % 6}]"]
    return ["    " * depth + x for x in [*lines, *more]]


def function(items: str, more: list[str], *, before: str = "out = []", after: str = "return out") -> Any:
    return made("f(a, ks)", [before, f"for k in {items}:", *body(1, more), after])


def made(head: str, lines: list[str], others: str = "") -> Any:
    text = f"import numpy as np\n{others}def {head}:\n" + "".join(f"    {x}\n" for x in lines)
    return generated(text, f"large_bodies_{hashlib.sha256(text.encode()).hexdigest()[:8]}").f


CASES = {
    "numbers": function("(2, 3, 4)", ["out.append((k, t))"]),
    "floats": function("[0.5, 2.0, 0.25]", ["out.append((k, t))"]),
    "an argument": function("ks", ["out.append((k, t))"]),
    "shapes": function("(2, 3, 4)", ["z = np.zeros((k, k))", "z[:] = t", "out.append(z.sum())"]),
    "an axis": function("(0, 1, 0, 1)", ["out.append((t, c.sum(axis=k)))"]),
    "ranks": function("(1, 2, 3)", ["out.append((np.zeros((2,) * k), t))"]),
    "items of a list": function("(0, 1, 2)", ["out.append([a, t, 'x'][k])"]),
    "names": function("(1, 2, 3)", ["out.append({1: 'a', 2: 'b', 3: 'c'}[k])", "out.append(t)"]),
    "other types": function("(1, 2, 3)", ["v = None if k == 2 else t", "out.append(v)"]),
    "break": function("(1, 2, 3)", ["out.append(t)", "if k == 2:", "    break"]),
    "continue": function("(1, 2, 3)", ["if k == 2:", "    continue", "out.append(t)"]),
    "return": function("(1, 2, 3)", ["if t > 100.0 * k:", "    return k", "out.append(t)"]),
    "after the loop": function("(1, 5, 3)", ["s += t"], before="s = 0.0", after="return s, k, t, x3"),
    "changed while it runs": function("m", ["m[2] = 7", "out.append(t)"], before="m = [1, 2, 3]\n    out = []"),
    "longer while it runs": function(
        "m", ["if k < 3:", "    m.append(k + 2)", "out.append(t)"], before="m = [1, 2]\n    out = []"
    ),
    "map": function(
        "map(tell, (1, 2, 3))",
        ["print('end', k)", "out.append(t)"],
        before="def tell(x):\n        print(x)\n        return x\n    out = []",
    ),
    "a list of lists": function("(1, 2, 3)", ["out[k - 1].append(t)"], before="out = [[], [], []]"),
}


@pytest.mark.parametrize("name", CASES)
def test_results(name: str) -> None:
    check(CASES[name], A, [2, 3, 4], also=[(A * 3.0, [1, 1, 2])])


@pytest.mark.parametrize(
    "items", ["((2, 0.5), (3, 1.5), (4, 2.5))", "zip((1, 2, 3), (4, 5, 6))", "enumerate((4, 5, 6))"]
)
def test_pairs(items: str) -> None:
    lines = ["s = 0.0", f"for k, w in {items}:", *body(1, ["s += t * w"]), "return s, k, w"]
    check(made("f(a)", lines), A)


def test_in_functions_and_loops() -> None:
    inner = ["out = 0.0", "for k in (2, 3, 4):", *body(1, ["if t > 50.0 * k:", "    return out, k", "out += t"])]
    helper = "def g(a, n):\n" + "".join(f"    {x}\n" for x in [*inner, "return out, n"])
    calls = ["s = []", "for n in range(3):", "    s.append(g(a + n, n))", "return s, g(a, 5)"]
    check(made("f(a, ks)", calls, helper), A, [2])


def steps(count: int) -> int:
    f = function(str(tuple(range(2, 2 + count))), ["s += t"], before="s = 0.0", after="return s")
    with counted_work() as works:
        lowered(f, [A, [2]])
    return sum(work.total + work.steps for work in works)


def test_the_number_of_items_costs_nothing() -> None:
    assert steps(8) <= 1.1 * steps(3)
