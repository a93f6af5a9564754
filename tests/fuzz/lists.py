"""Random work on lists of numbers of one type, or of pairs of numbers: growing, shrinking, subscripts that may be out of range, loops over lists that change,
lists that variables exchange; what is returned, printed, or given to functions that look at a list.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.fuzz.growth import Growth, ending

TEMPLATES = (
    "<M> = []", "<M> = [<V>]", "<M> = [<V>, <V>, <V>]", "<M> = [<V>] * n", "<M> = [<C0>] * (n + 3)", "<M> = <L> + <L>", "<M> = <L> + [<V>]", "<M> = <L> * 2",
    "<M> = <L>[:]", "<M> = <L>[1:]", "<M> = <L>[::-1]", "<M> = <L>[<J>:<J>]", "<M> = <L>[::2]", "<M> = list(<L>)", "<M> = <L>.copy()", "<M> = <L>",
    "<L>.append(<V>)", "<L>.append(<V>)", "<L>.append(<V>)", "<L>.extend(<L>)", "<L>.extend([<V>, <V>])", "<L>[<J>] = <V>", "<L>[<J>] = <V>",
    "<N> = <L>[<J>]", "<N> = <L>[<J>]", "<N> = <L>.pop()", "<N> = <L>.pop(<J>)", "<L>.clear()", "<N> = len(<L>)", "<L1>[0], <L1>[-1] = <L1>[-1], <L1>[0]",
    "for i in range(n):\n    <L>.append(<V>)", "for i in range(n):\n    <L1>.append(<L1>[-1])", "for i in range(len(<L1>)):\n    <L1>[i] = <L1>[-i]",
    "for i in range(n):\n    <M> = <M>[1:]\n    <B>", "for i in range(4):\n    <M1> = [<V>] * 5\n    <M1>[i] = <V>", "while <L1>:\n    <N> = <L1>.pop()",
    "while len(<L1>) > 2:\n    <N> = <L1>.pop(0)", "for q in <L>:\n    <N> = q", "for q in <L>:\n    <M>.append(q)",
    "for q in <L1>:\n    if len(<L1>) < 9:\n        <L1>.append(q)", "for q in <L1>:\n    <L1> = [<V>, <V>]", "for q in <L1>:\n    <L1>[0] = q\n    print(q)",
    "for q in <L>:\n    if <C>:\n        break\n    <L>.append(<V>)", "for i in range(n):\n    if <C>:\n        continue\n    <L>.append(<V>)",
    "for i, q in enumerate(<L>):\n    print(i, q)", "for p, q in zip(<L>, <L>):\n    print(p, q)", "<M1>, <M2> = <M2>, <M1>", "if <C>:\n    <M> = <L>",
    "if <C>:\n    <M> = [<V>]\nelse:\n    <M> = <L>", "if <C>:\n    <B>", "for i in range(3):\n    <B>", "<M> = [q for q in <L>]",
    "<M> = [q for q in <L> if <C>]", "<M> = [<V> for i in range(n + 2)]", "print(<L>)", "<N> = sum(<S1>)", "<N> = max(<L>)", "<N> = min(<L>)",
    "<N> = any(<L>)", "<N> = all(<L>)", "<N> = sorted(<L>)", "<L>.sort()", "<L>.sort(key=lambda q: -q)", "<M> = sorted(<L>, key=lambda q: q * 2, reverse=True)", "<N> = min(<L>, key=lambda q: q * q)",
    "<N> = max(<L>, key=lambda q: q == <L>[0])", "<L>[:] = <L>", "<L>[:] = [<V>, <V>]", "<L>.reverse()", "<L>.insert(<J>, <V>)", "del <L>[<J>]", "<N> = np.array(<L>)",
    "<N> = np.asarray(<L>)", "<N> = np.sum(<L>)", "<N> = tuple(<L>)", "<N> = not <L>", "<N> = <L> == <L>", "<N> = <V> in <L>", "h(<L>)", "<N> = h(<L>)",
    "try:\n    <N> = <L>[<J>]\nexcept IndexError as e:\n    print(e)", "try:\n    <N> = <L>.pop()\n    <L>.append(<V>)\nexcept (IndexError, ValueError) as e:\n    print(e)",
    "try:\n    <L>[<J>] = <V>\n    print(len(<L>))\nexcept LookupError:\n    <L>.append(<V>)", "a[<J>] = len(<L>)", "a[0] = x", "<N> = (<L>, <L>)",
)  # fmt: skip
HELPERS = (
    "def h(l):\n    return l[0], len(l)",
    "def h(l):\n    l.append(l[0])\n    return l[-1]",
    "def h(l):\n    l = l[1:]\n    l.append(l[0])\n    return l",
    "def h(l):\n    for q in l:\n        if len(l) > 3:\n            return q\n    return l",
    "def h(l):\n    while l:\n        l.pop()",
)
KINDS = {  # literals, and expressions of the variables at hand
    "int": (("0", "1", "-7", "2**62", "5"), ("n", "len(<L>)", "n * 3 - 1", "<L>[0]")),
    "float": (("0.0", "-0.0", "1.5", "float('nan')", "2e300"), ("x", "x * 0.5", "n / 3", "<L>[-1]")),
    "bool": (("True", "False"), ("n > 2", "x < 1", "<L>[0]")),
    "either": (
        ("0.0", "-0.0", "np.float64(2.5)", "float('nan')"),
        ("x", "np.float64(n)", "max(0.5, np.float64(x))", "<L>[-1]", "<L>[0] * 2"),
    ),
    "numpy": (("np.float64(0.5)",), ("a[0]", "a[-1] * 2", "np.float64(x)", "<L>[0]")),
    "complex": (("1j", "2.5 + 0j"), ("x * 1j", "<L>[0]")),
    "pair": (("(0, 1.5)", "(-3, -0.0)"), ("(n, x)", "(len(<L>), 2.0)", "<L>[0]")),
}


def program(seed: int, size: int = 10) -> str:
    """The source of one program (with `f` and `calls`)."""
    return ending(lambda r: _write(r, size), f"lists {seed}")


def _write(r: random.Random, size: int) -> str:
    grown = Growth(r, r.choice(HELPERS), TEMPLATES)
    constants, values = KINDS[r.choice(list(KINDS))]

    def numbers() -> str:
        return grown.name(lambda v: isinstance(v, list))

    def value() -> str:
        return r.choice(constants if r.random() < 0.4 else values)

    def index() -> str:
        return r.choice(("0", "1", "-1", "n", "n - 1", "-n", "len(<L>) - 1", "2", "7", "-4"))

    def variable() -> str:
        return r.choice(("l0", "l1", "l2"))

    grown.places |= {"L": numbers, "V": value, "J": index, "M": variable, "C0": lambda: r.choice(constants)}
    grown.places |= {"S1": lambda: "<L>" if r.random() < 0.9 else "a"}
    for k in range(3):
        grown.add([f"l{k} = [{', '.join(r.choice(constants) for _ in range(r.randint(1, 3)))}]"])
    grown.grow(r.randint(3, 3 + size))
    return grown.finished(_plain)


def _plain(v: Any) -> bool:
    if isinstance(v, (tuple, list)):
        return all(map(_plain, v))
    return v is None or isinstance(v, (np.ndarray, np.generic, int, float, complex, str))
