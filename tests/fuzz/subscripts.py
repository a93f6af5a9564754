"""Random loops over single elements whose subscripts conditions, remainders, minima and maxima keep inside, or nearly.

What is proved needs no check; what is not must raise as in Python, at the same iteration.
"""

from __future__ import annotations

import random

INTEGERS = (
    "k", "j", "n", "t", "m", "i", "0", "1", "2", "-1", "len(h)", "len(x)", "n - 1", "len(h) - 1", "i + 1", "i - 1", "k + 1", "k - 1", "j + m", "-k",
    "abs(k)", "k // 2", "k % n", "k % len(h)", "k % 3", "min(k, n)", "max(k, 0)", "min(k, len(h) - 1)", "max(min(k, len(h) - 1), 0)",
)  # fmt: skip
STARTS = (
    "x[i]",
    "int(x[i])",
    "i",
    "int(x[i]) % n if n > 0 else 0",
    "x[i] % len(h)",
    "min(max(i - m, 0), n)",
    "int(x[i] * 0.75)",
)
ITEMS = (0, 1, 2, 3, -1, -2, 5, 7)


def program(seed: int, size: int = 8) -> str:
    """The source of one program (with `f` and `calls`)."""
    r = random.Random(f"subscripts {seed}")
    lines = ["import numpy as np", "", "", "def f(x, h, n, m):", "    s, j, t = 0, 0, 1", "    for i in range(len(x)):"]
    lines.append(f"        k = {r.choice(STARTS)}")
    lines += _block(r, 2, size, "        ")
    lines += [
        f"        j = {r.choice(('k', 'i', 'j + 1'))}",
        "    return s, j, t",
        "",
        "",
        "def calls():",
        "    return [",
    ]
    for _ in range(3):
        length = r.choice((1, 3, 4, 6))
        items = [r.choice((*ITEMS, length, length - 1)) for _ in range(r.randint(0, 6))]
        n = r.choice((length, length, length - 1, 0, 2, length + 1))
        given = f"np.array({items}, int), np.zeros({length}, {r.choice(('int', 'int', 'float'))})"
        lines.append(f"        ({given}, {n}, {r.choice((0, 1, 2, -1))}),")
    return "\n".join([*lines, "    ]", ""])


def _block(r: random.Random, depth: int, size: int, indent: str) -> list[str]:
    """A few statements."""
    lines = []
    for _ in range(r.randint(1, 1 + size // 4)):
        kind = r.choice(("add", "add", "read", "name", "if", "if", "else", "leave", "set", "keep"))
        if kind in ("name", "if", "else") and depth:
            if kind == "name":
                lines.append(f"{indent}ok = {_condition(r)}")
            lines.append(f"{indent}if {'ok' if kind == 'name' else _condition(r)}:")
            lines += _block(r, depth - 1, size, indent + "    ")
            if kind == "else":
                lines += [f"{indent}else:", *_block(r, depth - 1, size, indent + "    ")]
        elif kind == "read":
            lines.append(f"{indent}s += h[{r.choice(INTEGERS)}]")
        elif kind == "leave":
            lines += [f"{indent}if {_condition(r)}:", f"{indent}    {r.choice(('continue', 'continue', 'break'))}"]
        elif kind in ("set", "keep"):
            lines.append(f"{indent}{'k' if kind == 'set' else 't'} = {r.choice(INTEGERS)}")
        else:
            lines.append(f"{indent}h[{r.choice(INTEGERS)}] += {r.choice(('1', 'k', 'i'))}")
    return lines


def _condition(r: random.Random, depth: int = 2) -> str:
    """A condition on integers."""
    kind = r.random()
    if not depth or kind < 0.45:
        return f"{r.choice(INTEGERS)} {r.choice(('<', '<=', '>', '>=', '==', '!='))} {r.choice(INTEGERS)}"
    if kind < 0.6:
        return f"{r.choice(INTEGERS)} {r.choice(('<', '<='))} {r.choice(INTEGERS)} {r.choice(('<', '<='))} {r.choice(INTEGERS)}"
    if kind < 0.9:
        return f"({_condition(r, depth - 1)}) {r.choice(('and', 'or'))} ({_condition(r, depth - 1)})"
    return f"not ({_condition(r, depth - 1)})"
