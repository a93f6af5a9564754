"""Random functions as values: closures over variables that change, `nonlocal`, lambdas in lists and dicts, partial,
sorted by keys, map, filter and reduce; functions that are arguments and results of functions.
"""

from __future__ import annotations

import contextlib
import random

from tests.fuzz.growth import Growth, NoName, ending

PRELUDE = """import operator
from functools import partial, reduce


def twice(g, q):
    return g(g(q))


def made(k, w=None):
    def inner(q):
        return q * k
    return inner


def counter(u):
    k = 0

    def step(d=1):
        nonlocal k
        k += d
        u[0] += k
        return k

    return step


def applied(g, *args, **keys):
    return g(*args, **keys)


def both(g, h):
    return lambda q: g(h(q))
"""
NESTED = (
    "def <N>(q):\n    return q + <S>", "def <N>(q):\n    a[0] += 1\n    return q * a[0]", "def <N>(q, k=<S>):\n    return q - k",
    "def <N>(q):\n    return <A> + q", "def <N>(q):\n    <A>[0] = q\n    return q",
    "def <N>(q):\n    nonlocal_free = q\n    return nonlocal_free + <U>", "def <N>(q):\n    nonlocal <U1>\n    <U1> = <U1> + q\n    return <U1>",
    "def <N>(q):\n    nonlocal <U1>\n    <U1> += 1\n    a[-1] += <U1>\n    return q",
    "def <N>(q):\n    if q > <S>:\n        return q\n    return <S>",
    "def <N>(q):\n    s = 0\n    for i in range(3):\n        s = s + q * i\n    return s",
    "def <N>(q):\n    def inner(p):\n        return p + q\n    return inner(q) * 2", "def <N>(q):\n    return <G>(q) + 1",
    "def <N>(*q):\n    return len(q)", "def <N>(q=<S>):\n    return q", "def <N>(q):\n    print('in', q)\n    return q",
    "def <N>(q):\n    nonlocal <U1>\n    <U1> = q\n    return <G>(<U1>)",
    "def <N>(q):\n    for i in range(2):\n        if a[i] > q:\n            return i\n    return q",
    "def <N>(q):\n    nonlocal a\n    a = a + q\n    return a[0]", "def <N1>(q):\n    return 1 if q < 1 else q * <N1>(q - 1)",
)  # fmt: skip
TEMPLATES = (
    *NESTED, "<U> = <S>", "<U> = <A>", "<U> += 1", "<U> = <S>", "<N> = lambda q: q + <U>", "<N> = lambda q: q * <S>", "<N> = lambda q, k=<S>: q + k",
    "<N> = lambda: <U>", "<N> = lambda *q: sum(q)", "<N> = <G>(<S>)", "<N> = <G>(<A>)", "<N> = <G>(<S>) + <G>(<S>)", "<N> = <G>(<G>(<S>))",
    "a[0] = <G>(<S>)", "a[:] = <G>(<A>)", "print(<G>(<S>), <U>)", "<G>(<S>)", "<N> = <G>()", "<N> = [<G>(<S>), <U>, <G>(<S>)]",
    "for i in range(3):\n    <N> = <G>(i)", "for i in range(n):\n    a[i] = <G>(a[i])", "for i in range(n):\n    <U> = <G>(i)",
    "<N> = [<G>(q) for q in a]", "<N> = [<G>, <G>]", "<N> = [<G>(i) for i in range(3)]", "for g in <GL>:\n    a[0] = g(a[0])",
    "for g in <GL>:\n    <N> = g(<S>)", "<N> = [g(<S>) for g in <GL>]", "<N> = <GL>[0](<S>)", "<N> = <GL>[<I>](<A>)", "<N> = {'p': <G>, 'q': <G>}",
    "<N> = <GD>['p'](<S>)", "for k in <GD>:\n    print(k, <GD>[k](<S>))", "<N> = [lambda q: q + i for i in range(3)]",
    "<N> = [lambda q, i=i: q + i for i in range(3)]", "<N> = []\nfor i in range(3):\n    <N1>.append(lambda q: q * i)",
    "<N1> = []\nfor i in range(3):\n    <N1>.append(lambda q, i=i: q * i)", "<N> = partial(<G>, <S>)", "<N> = partial(<G>, k=<S>)",
    "<N> = partial(applied, <G>)", "<N> = sorted(<Z>, key=<G>)", "<N> = sorted(<Z>, key=lambda q: -q)", "<N> = max(<Z>, key=<G>)",
    "<N> = min(<Z>, key=lambda q: (q - <U>) ** 2)", "<N> = list(map(<G>, <Z>))", "<N> = list(filter(<G>, <Z>))",
    "<N> = list(filter(lambda q: q > <S>, <Z>))", "<N> = reduce(lambda p, q: p + q, <Z>)", "<N> = reduce(lambda p, q: p * 2 + q, <Z>, <S>)",
    "<N> = sum(map(<G>, <Z>))", "<N> = list(map(lambda p, q: p - q, <A>, <A>))", "<N> = reduce(operator.add, <Z>, 0)", "<N> = any(map(<G>, <Z>))",
    "<N> = twice(<G>, <S>)", "<N> = twice(lambda q: q + <U>, <S>)", "<N> = made(<S>)", "<N> = made(<A>)", "<N> = counter(<A>)", "<N> = counter(a)",
    "<N> = applied(<G>, <S>)", "<N> = both(<G>, <G>)", "<N> = <G> if <C> else <G>", "if <C>:\n    <N1> = <G>\nelse:\n    <N1> = lambda q: q - <S>",
    "<N> = (lambda q: q + <S>)(<S>)", "<N> = <G>", "<N> = operator.itemgetter(0)", "<N> = made(2)(<S>)", "<N> = abs", "<N> = np.sin",
    "<N> = <G>(<S>) if <C> else <U>", "if <G>(<S>):\n    <B>", "for i in range(3):\n    <B>", "if <C>:\n    <B>\nelse:\n    <B>", "<N> = <U>",
    "<N> = <G>(<S>) or <G>(<S>)", "<N> = tuple(map(<G>, range(3)))", "<N> = list(map(<G>, range(n)))", "<N> = {i: <G>(i) for i in range(3)}",
    "<N> = sorted(range(4), key=lambda i: a[i % 2])", "<N> = sorted(enumerate(a), key=lambda p: p[1])", "<N> = np.array(list(map(<G>, a)))",
    "<N> = sum(<G>(q) for q in a)", "<N> = <G> is <G>", "<N> = callable(<G>)", "<N> = <G>.__name__",
    "while <U> < 3:\n    <U1> = <U1> + 1\n    <G>(<S>)", "def <N>():\n    yield <S>\n    a[0] += 1\n    yield <U>", "<N> = list(<G>())",
    "for q in <G>():\n    print(q)", "try:\n    <B>\nexcept (TypeError, ValueError) as e:\n    print('no')",
    "def <N>(q, g=<G>):\n    return g(q) + <U>", "<N> = [g for g in <GL>][-1](<S>)", "<N> = np.vectorize(<G>)(<A>)",
    "<N> = np.apply_along_axis(<G>, 0, <A>)",
)  # fmt: skip


def program(seed: int, size: int = 10) -> str:
    """The source of one program (with `f` and `calls`)."""
    return ending(lambda r: _write(r, size), f"functions {seed}")


def _write(r: random.Random, size: int) -> str:
    grown = Growth(r, PRELUDE, TEMPLATES)
    grown.places |= {
        "G": lambda: grown.name(callable),
        "U": lambda: r.choice(("s", "s", "s", "t")),
        "Z": lambda: r.choice(("<A>", "[<S>, <S>, <S>]", "range(3)", "(<S>, <S>)")),
        "GL": lambda: grown.name(lambda v: isinstance(v, (list, tuple)) and bool(v) and all(map(callable, v))),
        "GD": lambda: grown.name(lambda v: isinstance(v, dict) and "p" in v and all(map(callable, v.values()))),
    }
    grown.add(grown.fill("s = <S>\nt = 1"))
    for _ in range(r.randint(1, 3)):
        with contextlib.suppress(NoName):
            grown.add(grown.fill(r.choice(NESTED)))
    grown.grow(r.randint(3, 3 + size))
    return grown.finished()
