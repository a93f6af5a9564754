"""Random work on lists of instances that a function makes: put in, taken out, exchanged, kept under names and in attributes of others, changed by methods;
loops over lists that change. What is returned are numbers that tell all of it, and which instances are one.
"""

from __future__ import annotations

import random

from tests.fuzz.growth import Growth, ending

TEMPLATES = (
    "<M> = []", "<M> = [<Q>]", "<M> = [<Q>, <Q>, <Q>]", "<M> = [P(i + <F>, <K>) for i in range(n)]", "<M> = [<Q>] * 3", "<M> = [P(q.x, i) for i, q in enumerate(<L>)]",
    "<M> = <L> + <L>", "<M> = <L>[:]", "<M> = <L>[1:]", "<M> = <L>[::-1]", "<M> = <L>", "<M> = [q for q in <L> if q.x > <F>]", "<M> = list(<L>)", "<L>.append(<Q>)", "<L>.append(<Q>)",
    "<L>.extend(<L>)", "<L>.append(P(<F>, <K>))", "<L>[<J>] = <Q>", "<L>[<J>] = P(<F>, <K>)", "<O> = <Q>", "<O> = <L>.pop()", "<O> = <L>.pop(<J>)", "<O> = P(<F>, <K>)", "<L>.clear()",
    "<Q>.x = <F>", "<Q>.k = <K>", "<Q>.x += <F>", "<L>[<J>].x *= 0.5", "<Q>.k -= 1", "<Q>.move(<F>)", "<O> = <Q>.moved(<F>)", "<L>.append(<Q>.moved(<F>))", "<N> = <Q>.x", "<N> = <Q>.k",
    "<N> = len(<L>)", "<N> = <Q> is <Q>", "<N> = not <L>", "<N> = sum(q.x for q in <L>)", "<N> = [q.k for q in <L>]", "<N> = max([q.x for q in <L>])",
    "<L1>[<J>], <L1>[<J>] = <L1>[<J>], <L1>[<J>]", "<O1>, <O2> = <O2>, <O1>", "<M1>, <M2> = <M2>, <M1>", "for i in range(len(<L1>)):\n    <L1>[i].x += <L1>[-i].x",
    "for q in <L>:\n    q.x += <F>", "for q in <L>:\n    q.k += 1\n    <O> = q", "for q in <L>:\n    q.move(<F>)\n    <B>", "for q in <L1>:\n    if len(<L1>) < 9:\n        <L1>.append(q.moved(1.0))",
    "for q in <L>:\n    <M>.append(q)\n    if len(<M>) > 12:\n        break", "for q in <L>:\n    if q.k > <K>:\n        continue\n    q.x = <F>",
    "for q in reversed(<L>):\n    <N> = q.x", "for p, q in zip(<L>, <L>):\n    p.x += q.x", "for i in range(3):\n    <B>", "for i in range(n):\n    <L>.append(P(i * 1.0, i))",
    "for i in range(300):\n    <O1> = P(<O1>.x * 0.5 + i, i)\n    <L1>[<J>] = <O1>", "for i in range(40):\n    <M1> = [P(q.x * 0.5, q.k) for q in <M1>]\n    <M1>.append(<Q>)\n    <M1>.pop(0)",
    "while len(<L1>) > 2:\n    <O> = <L1>.pop()", "while <L1>:\n    <O1> = <L1>.pop()\n    if <O1>.x > 2 and len(<L1>) < 9:\n        <L1>.append(P(<O1>.x * 0.25, <K>))", "if <C>:\n    <B>",
    "if <C>:\n    <O> = <Q>", "if <Q>.x > <F>:\n    <O> = <Q>\nelse:\n    <B>", "if <C>:\n    <M> = <L>\nelse:\n    <M> = [<Q>]", "<T>.append(R(<Q>, <K>))", "<T>[<J>].p = <Q>", "<O> = <T>[<J>].p",
    "<T>[<J>].p.x += <F>", "for r in <T>:\n    r.p.x += r.w", "<N> = <T>[<J>].p is <Q>", "<T>[<J>] = R(P(<F>, <K>), <K>)", "for i in range(200):\n    <T>[<J>].p = P(i + <F>, i)",
    "<G>.append(<L>)", "<G>.append([<Q>])", "<M> = <G>[<J>]", "<G>[<J>].append(<Q>)", "<G>[<J>][<J>].x += 1", "for g in <G>:\n    for q in g:\n        q.x += 1", "<G>[<J>] = [P(<F>, <K>)]",
    "try:\n    <O> = <L>[<J>]\nexcept IndexError as e:\n    print(e)", "try:\n    <Q>.x = 1 / <Q>.k\n    <L>.append(<Q>)\nexcept ZeroDivisionError:\n    <L>.append(P(<F>, 0))",
    "try:\n    <O> = <L>.pop(<J>)\n    <O>.x = <F>\nexcept LookupError:\n    <N> = <K>", "a[<J>] = <Q>.x",
    "<L>.sort(key=lambda q: q.x)", "<M> = sorted(<L>, key=lambda q: -q.k)", "<O> = min(<L>, key=lambda q: q.k)",
    "<O> = max(<L>, key=lambda q: q.x * 2)", "<L>[:] = <L>[1:]", "<L>[:] = [<Q>, <Q>]", "<L>.sort(key=lambda q: q.k, reverse=True)",
)  # fmt: skip
LEFT_TO_PYTHON = (
    "<N> = <Q> in <L>", "<N> = <Q> == <Q>", "print(len(str(<Q>)) > 3)", "<L>.append(None)", "del <L>[<J>]", "<L>.insert(0, <Q>)", "<L>.reverse()", "<Q>.x = <K>",
    "<O> = None", "<N> = isinstance(<Q>, P)", "<N> = <L>.index(<Q>)", "<L>.append(S(<F>, <K>))",
)  # fmt: skip
CLASSES = (
    "class P:\n    def __init__(self, x, k):\n        self.x = x\n        self.k = k\n",
    "@dataclass\nclass P:\n    x: float\n    k: int = 0\n",
    "class P:\n    __slots__ = ('x', 'k')\n\n    def __init__(self, x, k):\n        self.k = k\n        self.x = x\n",
    "class B:\n    def __init__(self, x):\n        self.x = x\n\n\nclass P(B):\n    def __init__(self, x, k):\n        super().__init__(x)\n        self.k = k\n",
    "class P:\n    unit = 2.0\n\n    def __init__(self, x, k):\n        self.x = x * self.unit\n        self.k = k + 1\n        if k > 5:\n            self.k = 5\n",
)
METHODS = """
    def move(self, d):
        self.x += d
        self.k += 1

    def moved(self, d):
        return P(self.x + d, self.k)


class S(P):
    pass


class R:
    def __init__(self, p, w):
        self.p = p
        self.w = w


def told(l):
    return [(q.x, q.k) for q in l]


def same(l, m):
    return [p is q for p in l for q in m]
"""


def program(seed: int, size: int = 12) -> str:
    """The source of one program (with `f` and `calls`)."""
    return ending(lambda r: _write(r, size), f"rows {seed}")


def _write(r: random.Random, size: int) -> str:
    prelude = "from dataclasses import dataclass\n\n\n" + r.choice(CLASSES) + METHODS
    grown = Growth(r, prelude, TEMPLATES + (LEFT_TO_PYTHON if r.random() < 0.15 else ()))

    def instance() -> str:
        return r.choice(("<O>", "<O>", "<L>[<J>]", "<L>[<J>]", "P(<F>, <K>)"))

    grown.places |= {
        "L": lambda: r.choice(("l0", "l1", "l2")), "M": lambda: r.choice(("l0", "l1", "l2")), "O": lambda: r.choice(("p0", "p1")), "Q": instance, "T": lambda: "t", "G": lambda: "g",
        "J": lambda: r.choice(("0", "1", "-1", "n", "n - 1", "i0 % 2", "-n", "len(l0) - 1", "2", "7", "-4")),
        "F": lambda: r.choice(("0.5", "-2.0", "x * 1.0", "1.5 * n", "<O>.x", "<L>[0].x")), "K": lambda: r.choice(("0", "3", "n", "len(<L>)", "<O>.k", "<L>[-1].k")),
    }  # fmt: skip
    grown.add(["i0 = n", "p0, p1 = P(0.5, 1), P(-1.0, n)"])
    for k in range(3):
        grown.add(
            [
                f"l{k} = [{', '.join(r.choice(('p0', 'p1', 'P(2.0, 0)', 'P(x * 1.0, 3)')) for _ in range(r.randint(1, 3)))}]"
            ]
        )
    for line in ("t = [R(p0, 1.5), R(P(0.0, 0), 2.5)]", "g = [l0, [p1]]"):
        if r.random() < 0.5:
            grown.add([line])
    grown.grow(r.randint(3, 3 + size))
    for line in (
        "r0 = told(l0), told(l1), told(l2)",
        "r1 = same(l0, l1 + l2)",
        "r2 = p0.x, p1.k, p0 is p1",
        "r3 = [told(m) for m in g]",
        "r4 = [(o.p.x, o.w) for o in t]",
    ):
        grown.add([line])
    return grown.source(", ".join(k for k in grown.values if k in ("a", "r0", "r1", "r2", "r3", "r4") or k[0] == "v"))
