"""Random work on lists of lists of numbers, arguments and others: items read and set, rows taken out, put in, exchanged, kept under names, made anew,
loops over rows in step, backwards and counted, over rows that change; what is returned shares rows.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.fuzz.growth import Growth, ending

TEMPLATES = (
    "<N> = <G>[<J>][<J>]", "<G>[<J>][<J>] = <V>", "<G>[<J>][<J>] += <V>", "<G>[<J>][<J>] = <G>[<J>][<J>]", "<O> = <G>[<J>]", "<G>[<J>] = <R>", "<G>[<J>] = <R>[:]", "<G>.append(<R>)",
    "<G>.append([<V>, <V>])", "<O> = <G>.pop()", "<O> = <G>.pop(<J>)", "<G1>[<J>], <G1>[<J>] = <G1>[<J>], <G1>[<J>]", "<R>[<J>] = <V>", "<R>.append(<V>)", "<R>.extend(<R>)", "<R>.pop()",
    "<N> = <R>.pop(<J>)", "<O> = <R> + [<V>]", "<O> = <R>", "<O> = <R>[1:]", "<O> = [<V>] * n", "<O> = []", "<N> = len(<R>)", "<N> = len(<G>)", "<N> = sum(<R>)", "<N> = max(<R>)",
    "<M> = <G>", "<M> = <G>[:]", "<M> = list(<G>)", "<M> = <G>[1:]", "<M> = <G> + [<R>]", "<M> = [<R>, <R>]", "<M> = [<R>] * 2", "<M> = []", "<M> = [[<V>] * n for _ in range(n + 1)]",
    "<M> = [q[:] for q in <G>]", "<M> = [q for q in <G>]", "<M> = [[p for p in q] for q in <G>]", "<M> = [[q[0] for q in <G1>] for i in range(n)]", "<O> = [q[<J>] for q in <G>]",
    "<O> = [sum(q) for q in <G>]", "for i in range(len(<G1>)):\n    <G1>[i][0] = <V>", "for i in range(len(<G1>)):\n    for j in range(len(<G1>[i])):\n        <G1>[i][j] = <G1>[i][-1 - j]",
    "for i in range(len(<G1>)):\n    for j in range(i):\n        <G1>[i][j], <G1>[j][i] = <G1>[j][i], <G1>[i][j]", "for q in <G>:\n    q[0] = <V>",
    "for q in <G>:\n    for p in q:\n        <N> = p", "for q in <G>:\n    <O> = q", "for q in <G>:\n    q.append(<V>)", "for q in <G>:\n    if len(q) > 2:\n        q.pop()",
    "for i, q in enumerate(<G>):\n    q[0] = <V>\n    <N> = i", "for i, p in enumerate(<R>):\n    <R>.append(p)\n    if i > 3:\n        break", "for q, s in zip(<G>, <G>):\n    q[0] = s[0]",
    "for p, s in zip(<R>, <R>):\n    <N> = p", "for q in reversed(<G>):\n    <O> = q", "for p in reversed(<R>):\n    <R>.append(p)\n    <N> = p",
    "for q in <G1>:\n    if len(<G1>) < 12:\n        <G1>.append(q)", "for q in <G>:\n    <M>.append(q)\n    if len(<M>) > 20:\n        break",
    "for i in range(n):\n    <M> = [[<V>, <V>] for _ in range(3)]\n    <B>", "for i in range(3):\n    <B>", "for i in range(n):\n    <O> = [<V>]\n    <G>.append(<O>)", "if <C>:\n    <B>",
    "if <C>:\n    <M> = <G>", "if <C>:\n    <O> = <G>[<J>]\nelse:\n    <O> = [<V>]", "while len(<G1>) > 4:\n    <O> = <G1>.pop()", "while <R1>:\n    <N> = <R1>.pop()",
    "<M1>, <M2> = <M2>, <M1>", "<O1>, <O2> = <O2>, <O1>", "try:\n    <N> = <G>[<J>][<J>]\nexcept IndexError as e:\n    print(e)",
    "try:\n    <G>[<J>][<J>] = <V>\n    <R>.append(<V>)\nexcept LookupError:\n    <G>.append([<V>])", "print(<R>)", "print(<G>[0])", "<N> = <R> is <R>", "<N> = <G> == <G>", "<R>.clear()",
    "<N> = <G>[<J>][<J>] * 2 + <V>", "<N> = np.array(<R>)", "<O> = sorted(<R>)", "<R>.sort()", "<M> = [[<V>], []]", "<N> = (<G>, <R>)", "<N> = [min(q) for q in <G>]", "<G>.extend(<G>)",
    "<G>.clear()",
)  # fmt: skip
LEFT_TO_PYTHON = (
    "print(",
    " is ",
    " == ",
    "sort",
    "np.",
    "<N> = (",
)  # with any of these, most lists of a program are objects
KINDS = {  # literals, and expressions of the variables at hand
    "int": (("0", "1", "-7", "2**62", "5"), ("n", "len(<G>)", "n * 3 - 1", "<G>[0][0]", "<R>[0]")),
    "float": (("0.0", "-0.0", "1.5", "float('nan')", "2e300"), ("x", "x * 0.5", "n / 3", "<G>[-1][-1]", "<R>[0]")),
    "bool": (("True", "False"), ("n > 2", "x < 1", "<G>[0][0]")),
    "mixed": (("1", "0.5"), ("x", "n", "<R>[0]")),
}


def program(seed: int, size: int = 10) -> str:
    """The source of one program (with `f` and `calls`)."""
    return ending(lambda r: _write(r, size), f"nested {seed}")


def _write(r: random.Random, size: int) -> str:
    constants, values = KINDS[r.choice(list(KINDS))]
    few = [t for t in TEMPLATES if not any(x in t for x in LEFT_TO_PYTHON)]
    grown = Growth(r, "", TEMPLATES if r.random() < 0.25 else few, ("g", "t", "n", "x"), _calls(r, constants))

    def value() -> str:
        return r.choice(constants if r.random() < 0.4 else values)

    grown.places |= {
        "V": value,
        "J": lambda: r.choice(("0", "1", "-1", "n", "n - 1", "-n", "2", "7", "-4", "len(<G>) - 1")),
        "G": lambda: r.choice(("g", "g", "t", "m0", "m1")),
        "M": lambda: r.choice(("m0", "m1", "m2")),
        "R": lambda: r.choice(("r0", "r1", "<G>[<J>]", "g[0]")),
        "O": lambda: r.choice(("r0", "r1")),
    }
    grown.add([f"m0 = [[{constants[0]}] * 3 for _ in range(4)]"])
    grown.add(["m1 = [q for q in g]" if r.random() < 0.5 else f"m1 = [[{constants[0]}, {constants[-1]}]]"])
    grown.add(["m2 = []", "r0 = g[1]", f"r1 = [{constants[0]}] * 4"])
    grown.add(
        ["for i in range(len(g)):", f"    g[i][0] = {constants[-1]}" if r.random() < 0.7 else "    r1.append(g[i][0])"]
    )
    grown.grow(r.randint(2, 2 + size))
    return grown.finished(_plain)


def _calls(r: random.Random, constants: tuple[str, ...]) -> str:
    """Lists that are too large to be taken apart; later ones may share rows, be ragged, or hold something else."""
    lines, plain = [], [c for c in constants if "**" not in c]
    for number in range(3):
        rows = [[r.choice(plain) for _ in range(8)] for _ in range(9)]
        others = [[r.choice(plain) for _ in range(9)] for _ in range(8)]
        if number and r.random() < 0.2:
            rows[2][3] = r.choice(("None", "7", "0.25", "True", "np.float64(1.5)"))
        if number and r.random() < 0.3:
            rows[r.randrange(9)] = []
        g, t = (f"[{', '.join('[' + ', '.join(row) + ']' for row in x)}]" for x in (rows, others))
        sharing = r.random() if number else 1.0
        if sharing < 0.15:
            lines.append(f"(lambda g: (g, g, {number}, 0.5))({g})")
        elif sharing < 0.3:
            lines.append(f"(lambda g, t: (g, [*t, g[3]], {number}, -1.0))({g}, {t})")
        else:
            lines.append(f"({g}, {t}, {(3, 0, 2)[number]}, {r.choice((0.5, -1.0))})")
    return "def calls():\n    return [\n" + "".join(f"        {s},\n" for s in lines) + "    ]"


def _plain(v: Any) -> bool:
    if isinstance(v, (tuple, list)):
        return all(map(_plain, v))
    return v is None or isinstance(v, (np.ndarray, np.generic, int, float, complex, str))
