"""Random classes and dataclasses with arrays and numbers in their attributes: methods that bind or change them,
properties, inheritance, operators, instances in lists and in other instances, instances given to functions.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.fuzz.growth import PARAMETERS, Growth, NoName, contents, ending

HEADS = (
    "class P:\n    def __init__(self, u, v=1):\n        self.u = u\n        self.v = v\n",
    "class P:\n    scale = 2\n\n    def __init__(self, u, v=1):\n        self.u = u * self.scale\n        self.v = v\n",
    "class P:\n    def __init__(self, u, v=1):\n        self.reset(u, v)\n\n    def reset(self, u, v):\n        self.u, self.v = u, v\n",
    "@dataclass\nclass P:\n    u: object\n    v: float = 1\n",
    "@dataclass\nclass P:\n    u: np.ndarray\n    v: int = 1\n\n    def __post_init__(self):\n        self.u = self.u.copy()\n",
    "class P:\n    count = 0\n\n    def __init__(self, u, v=1):\n        self.u = u[::-1]\n        self.v = v\n        self.w = [v, v]\n",
    "class P:\n    __slots__ = ('u', 'v')\n\n    def __init__(self, u, v=1):\n        self.u = u\n        self.v = v\n",
    "class P(NamedTuple):\n    u: np.ndarray\n    v: float = 1\n",
)  # fmt: skip
STEPS = (
    "self.u[0] += v", "self.u = self.u + 1", "self.u *= 2", "self.v += 1", "self.v = v", "self.u[:] = self.u[::-1]", "self.u = self.u[1:]",
    "self.v = self.u[0]", "self.u[-1] = self.v", "if v > self.v:\n    return self.v", "v += self.v", "for i in range(2):\n    self.u[0] += i",
    "print('m', self.v, v)", "self.v, v = v, self.v", "u = self.u\nu[0] = v", "if self.v > 2:\n    self.u = self.u * 1\nelse:\n    self.v += 2",
    "while v < 2:\n    v += 1\n    self.v -= 1", "self.u += self.v",
)  # fmt: skip
RESULTS = (
    "self", "self.u", "self.v", "self.u[1:]", "self.u.sum() + v", "type(self)(self.u, v)", "P(self.u + v, self.v)", "None", "(self.u, v)",
    "self.v > v", "v", "self.u * v", "self.u[0]",
)  # fmt: skip
SPECIAL = (
    "def __add__(self, v):\n    return P(self.u + (v.u if isinstance(v, P) else v), self.v)",
    "def __mul__(self, v):\n    return P(self.u * v, self.v)", "def __getitem__(self, i):\n    return self.u[i]",
    "def __setitem__(self, i, x):\n    self.u[i] = x", "def __len__(self):\n    return len(self.u)",
    "def __iadd__(self, v):\n    self.u += v\n    return self", "def __call__(self, v=0):\n    return self.u * v",
    "def __eq__(self, v):\n    return self.v == v.v", "def __lt__(self, v):\n    return self.v < v.v",
    "def __bool__(self):\n    return bool(self.v > 0)", "def __iter__(self):\n    return iter(self.u)",
    "def __contains__(self, v):\n    return v == self.v", "@property\ndef size(self):\n    return len(self.u)",
    "@property\ndef first(self):\n    self.u[0] += 1\n    return self.u[0]",
    "@property\ndef top(self):\n    return self.u[-1]\n\n@top.setter\ndef top(self, x):\n    self.u[-1] = x",
    "def __repr__(self):\n    return f'P({self.v})'", "@staticmethod\ndef make(u, v=3):\n    return P(u.copy(), v)",
    "@classmethod\ndef of(cls, u):\n    return cls(u, 4)", "def __neg__(self):\n    return P(-self.u, self.v)",
    "def __rmul__(self, v):\n    return P(v * self.u, self.v)", "def __hash__(self):\n    return 3",
    "def __enter__(self):\n    self.u[0] = 7\n    return self\n\ndef __exit__(self, *_):\n    self.u[-1] = 9\n    return False",
    "def __abs__(self):\n    return abs(self.v)",
)  # fmt: skip
DERIVED = (
    "class Q(P):\n    def m0(self, v=1):\n        self.u[0] -= v\n        return super().m0(v)",
    "class Q(P):\n    def m1(self, v=2):\n        self.v += v\n        return self",
    "class Q(P):\n    def __init__(self, u, v=2):\n        super().__init__(u + 1, v)\n        self.w = v * 2\n\n    def m2(self, v=0):\n        return self.w + v",
    "class Q(P):\n    def m0(self, v=0):\n        v = P.m0(self, v)\n        return v", "class Q(P):\n    pass",
)  # fmt: skip
HELPERS = (
    "def h(p, v=1):\n    p.u[0] += v\n    return p", "def h(p, v=1):\n    p.v = v\n    return p.v + 1",
    "def h(p, v=1):\n    p.u = p.u + v\n    p.v += 1", "def h(p, v=1):\n    p = P(p.u, v)\n    p.v += 1\n    return p",
    "def h(p, v=1):\n    if p.v > v:\n        return p\n    return P(p.u.copy(), v)", "def h(p, v=1):\n    p.m0(v)\n    return p.m1()",
    "def h(p, v=1):\n    for i in range(3):\n        p.m2(i)\n    return p.u",
)  # fmt: skip
TEMPLATES = (
    "<N> = <K>(<A>, <S>)", "<N> = <K>(<A>)", "<N> = <K>(u=<A>, v=<S>)", "<N> = <O>.m<J>(<S>)", "<N> = <O>.m<J>()", "<O>.m<J>(<S>)",
    "<O>.u[<I>] = <S>", "<O>.u = <A>", "<O>.v = <S>", "<O>.v += <S>", "<O>.u += <S>", "<O>.u *= <S>", "<O>.u[<I>] += <O>.v", "<N> = <O>.u",
    "<N> = <O>.v", "<N> = <O>", "<N> = h(<O>, <S>)", "<N> = h(<O>)", "h(<O>, <S>)", "<N> = [<O>, <O>]", "<N> = [<K>(a * i, i) for i in range(3)]",
    "<N> = [<O>.v, <O>.m<J>()]", "for o in <L>:\n    <OS>", "for o in <L>:\n    o.u[0] += <S>\n    o.v += 1", "for i in range(n):\n    <O>.m<J>(i)",
    "for i in range(n):\n    <O>.v += i\n    <O>.u[0] += 1", "for i in range(3):\n    <B>", "if <C>:\n    <B>", "if <C>:\n    <B>\nelse:\n    <B>",
    "<N> = <L>[<I>]", "<L>[<I>] = <O>", "<L>.append(<O>)", "<N> = <L>.pop()", "<N> = <O> if <C> else <O>",
    "if <C>:\n    <N1> = <O>\nelse:\n    <N1> = <K>(<A>, <S>)", "<N> = <O>.v + <O>.m<J>() + <O>.v", "print(<O>.u, <O>.v)", "<N> = <O> + <S>",
    "<N> = <O> * <S>", "<N> = <O>[<I>]", "<O>[<I>] = <S>", "<N> = len(<O>)", "<O> += <S>", "<N> = <O>(<S>)", "<N> = <O> == <O>", "<N> = <O> < <O>",
    "<N> = 1 if <O> else 2", "<N> = sum(<O>)", "<N> = <S> in <O>", "<N> = <O>.size", "<N> = <O>.first + <O>.first", "<O>.top = <S>", "<O>.top += <S>",
    "print(f'{<O>}')", "<N> = <K>.make(<A>)", "<N> = <K>.of(<A>)", "<N> = -<O>", "<N> = 2 * <O>", "with <O> as <N>:\n    a[0] = <S>",
    "<N> = isinstance(<O>, <K>)", "<N> = type(<O>) is <K>", "<N> = <O> is <O>", "<O>.w = <S>", "<N> = <O>.w", "<N> = hasattr(<O>, 'w')",
    "<N> = getattr(<O>, 'v')", "setattr(<O>, 'v', <S>)", "<N> = [o.v for o in <L>]", "<N> = sum(o.v for o in <L>)",
    "<N> = max(<L>, key=lambda o: o.v)", "<N> = sorted(<L>, key=lambda o: o.v)", "<N> = {'p': <O>, 'q': <A>}", "<N> = (<O>, <O>.u)",
    "<N1>, <N2> = <O>, <O>", "<N> = <O>.u is <A>", "<O>.u, <O>.v = <A>, <S>", "<N> = K2(<O>, [<O>])", "<O>.p = <O>", "<N> = <O>.u + <O>.m<J>()",
    "<N> = <O>._replace(v=<S>)", "<N> = replace(<O>, v=<S>)", "<K>.scale = 3", "<N> = <K>.scale", "<O>.scale = <S>",
    "try:\n    <B>\nexcept AttributeError as e:\n    print(e)", "<N> = <O>.none", "<O>.v = None", "<N1>, <N2> = <O>", "del <O>.v",
    "<N> = list(map(lambda o: o.v, <L>))", "<N> = <O>.m<J>", "match <O>:\n    case P(v=1):\n        <N> = 5\n    case _:\n        <N> = 6",
)  # fmt: skip
OUTER = "class K2:\n    def __init__(self, p, ps):\n        self.p = p\n        self.ps = ps\n        self.u = p.u\n        self.v = 0\n"
OUTER += "\n    def m0(self, v=0):\n        self.ps.append(self.p)\n        return self.p.m1(v)\n\n    def m1(self, v=1):\n        for p in self.ps:\n            p.u[0] += v\n"
OUTER += "            self.v += 1\n        return self.v\n\n    def m2(self, v=1):\n        self.p = self.ps[0]\n        return self.p\n"


SHARED = (
    "o = p = P(a.copy(), 2)", "o, p = P(a, 2), P(b, 1)", "o = P(a[1:], 2); p = P(a[:-1], 0)", "o = P(b, n); p = K2(o, [o])",
    "o = P(a.copy(), x); p = P(o.u, x)", "o, p = P(b, 2), P(b * 1, x); o.u = a", "o = P(a.copy(), 1); p = P(b.copy(), 2); o.v = p",
    "o, p = P(a + 1, 1), P(b, x)", "o, p = P(a * 2, x), P(b, n)", "o, p = P(a * 2, x), P(b + 1, n)", "o, p = P(b * 2, n), P(b + 1, 2)",
)  # fmt: skip  # how instances that are arguments come about


def program(seed: int, size: int = 9) -> str:
    """The source of one program (with `f` and `calls`)."""
    return ending(lambda r: _write(r, size), f"classes {seed}")


def with_arguments(seed: int, size: int = 9) -> str:
    """The same of one whose `f` gets two instances, too; they share arrays and attributes in some calls."""
    return ending(lambda r: _write(r, size, True), f"instances {seed}")


def _write(r: random.Random, size: int, arguments: bool = False) -> str:
    parts = [_class(r, HEADS[:-1] if arguments else HEADS)]
    kinds = ["P"]
    if r.random() < 0.45:
        parts += [r.choice(DERIVED) + "\n"]
        kinds += ["Q", "Q"]
    prelude = "from dataclasses import dataclass, replace\nfrom typing import NamedTuple\n\n\n" + "\n\n".join(
        [*parts, r.choice(HELPERS) + "\n", OUTER]
    )
    grown = (
        Growth(r, prelude, TEMPLATES, (*PARAMETERS, "o", "p"), _calls(r))
        if arguments
        else Growth(r, prelude, TEMPLATES)
    )

    def instance() -> str:
        if r.random() < 0.06:
            return f"{r.choice(kinds)}({grown.array()})"
        mine = grown.name(_is_instance)
        inner = f"{mine}.p" if hasattr(grown.values[mine], "p") and r.random() < 0.3 else mine
        return inner

    def items() -> str:
        return grown.name(lambda v: isinstance(v, list) and bool(v) and all(map(_is_instance, v)))

    def step() -> str:
        return r.choice(
            ("o.m<J>()", "o.v += 1", "o.u[0] = o.v", "a[0] += o.v", "o.u = o.u + 1", "h(o, <S>)", "print(o.v)")
        )

    def attribute() -> str:
        if r.random() < 0.6:
            raise NoName
        return f"{grown.name(_is_instance)}.v"

    number = grown.number
    grown.places |= {"O": instance, "K": lambda: r.choice(kinds), "J": lambda: r.choice("012"), "L": items, "OS": step}
    grown.places["S"] = lambda: (
        attribute() if r.random() < 0.2 and any(map(_is_instance, grown.values.values())) else number()
    )
    if not arguments:
        grown.add(grown.fill("<N> = <K>(<A>, <S>)"))
    grown.grow(r.randint(2, 2 + size))
    return _finished(grown)


def _calls(r: random.Random) -> str:
    """The text of `calls()`, which gives two instances after the arrays and numbers."""
    lines = ["def calls():", "    out = []"]
    for number in range(4):
        size, n, x = (4, 5, 4, r.choice((1, 2, 3)))[number], (3, 1, 3, 2)[number], r.choice((0.5, 2.0, -1.0, 1))
        first, second = ([r.randint(-2, 6) for _ in range(size)] for _ in range(2))
        lines.append(f"    a, b, n, x = np.array({first}, float), np.array({second}, float), {n}, {x}")
        lines.append(f"    {r.choice(SHARED) if number else r.choice(SHARED[-4:])}")
        lines.append("    out.append((a, b, n, x, o, p))")
    return "\n".join([*lines, "    return out"])


def _is_instance(v: Any) -> bool:
    return type(v).__name__ in ("P", "Q", "K2")


def _finished(grown: Growth) -> str:
    """The source; instances are returned by their attributes, now and then as they are."""
    texts: list[str] = []
    for name, v in grown.values.items():
        for path, value in [(f"{name}[{k}]", x) for k, x in enumerate(v)] if isinstance(v, list) else [(name, v)]:
            if _is_instance(value) and grown.r.random() < 0.3:
                texts.append(path)
            elif _is_instance(value):
                texts += [f"{path}.{k}" for k in ("u", "v", "w") if _plain(getattr(value, k, grown))]
            elif _plain(value):
                texts.append(path)
    return grown.source(", ".join(grown.r.sample(texts, min(len(texts), grown.r.randint(1, 6)))) or "None")


def _plain(v: Any) -> bool:
    return (
        v is None
        or isinstance(v, (np.ndarray, np.generic, int, float, str))
        or (isinstance(v, (tuple, list)) and all(map(_plain, contents(v))))
    )


def _class(r: random.Random, heads: Sequence[str] = HEADS) -> str:
    """The text of the class P."""
    head = r.choice(heads)
    methods = [f"def m{k}(self, v={k}):\n" + "\n".join("    " + s for s in _body(r, k)) for k in range(3)]
    methods += r.sample(SPECIAL, r.randint(0, 5))
    return head + "\n" + "\n\n".join("\n".join("    " + s if s else s for s in m.split("\n")) for m in methods) + "\n"


def _body(r: random.Random, number: int) -> list[str]:
    steps = [*STEPS, *([f"v = self.m{number - 1}(v)", f"self.m{number - 1}()"] * 2 if number else [])]
    lines = [line for _ in range(r.randint(0, 3)) for line in r.choice(steps).split("\n")]
    return [*lines, f"return {r.choice(RESULTS)}"]
