"""Random loops whose array variables are bound again and again: to what an iteration computes, to each other, to parts of arrays.

Some of it is looked at in between, the loop may be left early or by an exception, and the arguments may be what is written. On a device all
of this decides about transfers.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

VARIABLES = ("u", "v", "w")
STARTS = ("{a}", "{a}.copy()", "{a} * 2.0", "np.zeros_like({a})", "np.ones(len(a))", "{a}[:]")
COMPUTED = (
    "{x} + 0.5 * {y}",
    "np.where({x} > {y}, {x} - 1.0, {y} * 0.5)",
    "np.concatenate(({y}[1:], {x}[:1]))",
    "{x} * {x}.sum() / 64.0",
    "{x}.copy()",
    "np.minimum({x}, {y} + 1.0)",
    "0.5 * ({x} + {x}[::-1])",
)
STATEMENTS = (
    *["{x} = {e}"] * 5,
    *["{x}, {y} = {y}, {x}"] * 2,
    "{x}, {y} = {y}, {e}",
    "{x} = {y}",
    "{x} = {y}[:]",
    "{x} = {y}[::-1]",
    "{x}[:] = {e}",
    "{x}[1:-1] = 0.5 * ({y}[:-2] + {y}[2:])",
    "{x}[::2] = {y}[::2] * 2.0",
    "{x} += {y}",
    "{x} *= 0.5",
    "{x}[0] = {y}[-1]",
    "{x}[t % len({x})] += 1.0",
    "s += {x}[t % len({x})]",
    "s += {x}.sum()",
    "s = max(s, np.abs({x}).max())",
    "p = {x}[1:]",
    "p = p * 0.5 + 1.0",
    "p = np.append(p, {x}[0])",
    "s += p[0] + len(p)",
    "p[:1] += {x}[:1]",
    "kept.append(float({x}[0]))",
    "kept.append({x})",
)
CONDITIONS = ("t % 2 == 0", "t == 2", "s > 10.0", "{x}[0] > {y}[0]", "{x}[:1].sum() < 1.0")
EXITS = ("break", "continue", "return {x}", "raise ValueError(t)", "return {x}, s")
ENDS = ("{x}", "{x}, {y}", "{x}, s", "{x}[1:], p", "s", "u, v, w, p, s, kept", "{x} is {a}", "{x} + {y}")


def program(seed: int, size: int = 8) -> str:
    """The source of one program (with `f` and `calls`)."""
    r = random.Random(f"bindings {seed}")
    lines = ["import numpy as np", "", "", "def f(a, b, n):", "    s, kept = 0.0, []"]
    lines += [f"    {name} = {_filled(r, r.choice(STARTS))}" for name in VARIABLES]
    lines.append(f"    p = {_filled(r, r.choice(('{a}', '{a}[1:]', '{a} + 1.0')))}")
    for k in range(r.choice((1, 1, 1, 2))):
        lines += _loop(r, size, "    ", "t" if k == 0 else "k")
    lines.append(f"    return {_filled(r, r.choice(ENDS))}")
    n = r.choice((4, 5, 7))
    counts = [r.randint(0, 4) for _ in range(3)]
    lines += ["", "", "def calls():"]
    lines.append(f"    return [(np.cos(np.arange({n}.0)), np.sin(np.arange({n}.0)), k) for k in {tuple(counts)}]")
    return "\n".join(lines) + "\n"


def _loop(r: random.Random, size: int, indent: str, var: str) -> list[str]:
    head = "for t in range(n):" if var == "t" else "for t in range(n + 1):"
    lines = [indent + head]
    for _ in range(r.randint(2, max(2, size))):
        lines += _statement(r, indent + "    ")
    return lines


def _statement(r: random.Random, indent: str) -> list[str]:
    if r.random() < 0.2:
        inner = r.choice((STATEMENTS, EXITS)) if r.random() < 0.6 else STATEMENTS
        lines = [f"{indent}if {_filled(r, r.choice(CONDITIONS))}:", f"{indent}    {_filled(r, r.choice(inner))}"]
        if inner is STATEMENTS and r.random() < 0.4:
            lines += [f"{indent}else:", f"{indent}    {_filled(r, r.choice(STATEMENTS))}"]
        return lines
    if r.random() < 0.05:
        return [f"{indent}for j in range(2):", f"{indent}    {_filled(r, r.choice(STATEMENTS))}"]
    return [indent + _filled(r, r.choice(STATEMENTS))]


def _filled(r: random.Random, text: str, names: Sequence[str] = VARIABLES) -> str:
    x, y = r.sample(names, 2)
    e = r.choice(COMPUTED).format(x=r.choice(names), y=r.choice(names))
    return text.format(x=x, y=y, e=e, a=r.choice("ab"))
