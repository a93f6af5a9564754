"""Random loops that keep the greatest and smallest values: the optimized program gives the bits of the one as lowered."""

from __future__ import annotations

import random

import numpy as np
import pytest

from soljit.ir.interpret.interpreter import run as interpret
from soljit.passes.manager import Context
from soljit.passes.pipeline import optimize
from tests.oracle import function
from tests.schedule.programs import lowered

SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -2.5, 5e-324, -5e-324, 2.0])
VALUES = (
    "abs(x[i] - y[j])", "x[j] * x[j]", "np.sqrt(abs(y[j]))", "abs(x[i]) + y[j] ** 2", "x[i]", "abs(x[i]) - y[j]", "x[i] - abs(y[j])", "np.exp(x[i])", "abs(x[i]) / abs(y[j])",
    "float(i - j)", "max(x[i], 0.0)", "x[i] if x[i] > 0.0 else 1.0", "np.maximum(y[j], 0.0)",
)  # fmt: skip


def _update(rng: random.Random, name: str) -> list[str]:
    value, operator = rng.choice(VALUES), rng.choice((">", "<", ">=", "<="))
    condition = rng.choice(("", "", "x[i] > 0.0 and ", "i % 2 == 0 and ", "v > 0.0 and "))
    condition += rng.choice((f"v {operator} {name}", f"{name} {operator} v"))
    mark = rng.choice(("", "", f"; k = {rng.randint(0, 2)}", "; flag = True"))
    forms = [
        [f"v = {value}", f"if {condition}:", f"    {name} = v{mark}"],
        [f"v = {value}", f"{name} = v if {condition} else {name}"],
        [f"{name} = {rng.choice(('max', 'min'))}({rng.choice((f'{name}, {value}', f'{value}, {name}'))})"],
    ]
    return rng.choice(forms) + ([f"z[i] = {name}"] if rng.random() < 0.1 else [])


def _program(rng: random.Random) -> str:
    lines = ["def f(x, y, z, start):", f"    a = {rng.choice(('start', '0.0', '-0.0', 'np.inf'))}", "    b = start"]
    lines += ["    k, flag = 0, False", "    for i in range(len(x)):"]
    nested = rng.random() < 0.5
    if nested:
        lines += [f"        b = {rng.choice(('start', '1.0'))}"] * (rng.random() < 0.3) + [
            "        for j in range(len(y)):"
        ]
    else:
        lines += ["        j = i"]
    body = ["z[i] = x[i] + 1.0"] * (rng.random() < 0.3)
    for _ in range(rng.randint(1, 2)):
        body += _update(rng, rng.choice("ab"))
    lines += [f"{' ' * (12 if nested else 8)}{line}" for line in body]
    if nested and rng.random() < 0.5:
        lines += rng.choice(([f"        {x}" for x in _update(rng, "a")], ["        if b > a:", "            a = b"]))
        lines = [
            line.replace("[j]", "[i]").replace("i - j", "i") if line.startswith("        v") else line for line in lines
        ]
    return "\n".join([*lines, "    return a, b, k, flag\n"])


def _bits(values: object) -> list[tuple[str, bytes]]:
    found = []
    for v in values if isinstance(values, (list, tuple)) else [values]:
        x = np.asarray(v, dtype=float)
        found.append((np.asarray(v).dtype.str, np.where(np.isnan(x), 7.5, x).tobytes()))
    return found


@pytest.mark.parametrize("seed", range(60))
def test_bits(seed: int) -> None:
    rng, draw = random.Random(seed), np.random.default_rng(seed)
    f = function(_program(rng))
    calls = [
        (*(draw.choice(SPECIAL[draw.choice((0, 3)) :], (2, n))), np.zeros(n), float(draw.choice(SPECIAL)))
        for n in (12, 1, 5, 7)
    ]
    with np.errstate(all="ignore"):
        before = lowered(f, *calls[0])
        after = optimize(before, Context(threads=2))
        for x, y, z, start in calls:
            one, other = z.copy(), z.copy()
            expected = interpret(before, [x.copy(), y.copy(), one, start])
            found = interpret(after, [x.copy(), y.copy(), other, start])
            assert _bits(found) == _bits(expected)
            assert _bits(other) == _bits(one)
