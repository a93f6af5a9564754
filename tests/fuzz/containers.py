"""Random work on lists, tuples and dicts of arrays and numbers: growing, shrinking, swapping, slicing, unpacking,
rebinding in loops, comprehensions; items and variables that are the same array.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.fuzz.growth import Growth, ending

TEMPLATES = (
    "<N> = [<W>, <W>]", "<N> = [<A>, <A>, <A>]", "<N> = []", "<N> = {}", "<N> = {'p': <W>, 'q': <W>}", "<N> = {0: <W>, 1: <W>}", "<N> = (<W>, <W>)",
    "<N> = [<S>, <S>, <S>]", "<N> = [[<W>, <W>], [<W>]]", "<N> = {'p': [<W>], 'q': [<W>, <W>]}", "<N> = {<S>, <S>}", "<N> = [(<W>, <S>), (<W>, <S>)]",
    "<N> = dict(p=<W>, r=<W>)", "<N> = [<A>] * 2", "<L>.append(<W>)", "<L>.append(<W>)", "<L>.insert(<I>, <W>)", "<L>.extend([<W>, <W>])",
    "<L> += [<W>]", "<N> = <L> + <L>", "<L>.reverse()", "<N> = <L>.pop()", "<N> = <L>.pop(<I>)", "<L>[<I>] = <W>",
    "<L1>[0], <L1>[-1] = <L1>[-1], <L1>[0]", "<L>[1:] = [<W>]", "<N> = <L>[1:]", "<N> = <L>[::-1]", "<N> = <L>[:]", "<N> = <L>.copy()",
    "del <L>[<I>]", "<L>.clear()", "<N> = len(<L>)", "<N> = <L>[<I>]", "<N1>, *<N2> = <L>", "*<N1>, <N2> = <L>", "<N1>, <N2> = <L>",
    "<N> = list(<L>)", "<N> = tuple(<L>)", "<N> = <S> in <L>", "<N> = <L>.index(<S>)", "<N> = <L>.count(<S>)", "<L>.remove(<S>)", "<L>.sort()",
    "<N> = sorted(<L>)", "<N> = sorted(<L>, reverse=True)", "<N> = sum(<L>)", "<N> = max(<L>)", "<X>[0] = <S>", "<X> += <S>", "<X>[:] = <A>",
    "<X> *= 2", "<N> = <X>", "<N> = <X> + <A>", "<N> = <X> is <A>", "a[0] = <X>[0]", "<X>[<I>] += <X>[0]", "<N> = <X>[1:]", "<D>['p'] = <W>",
    "<D>[<I>] = <W>", "<D>['q'] += <S>", "<N> = <D>['p']", "<N> = <D>.get('r', <W>)", "<N> = <D>.pop('p')", "<N> = <D>.pop('z', <W>)",
    "<D>.update({'s': <W>})", "<D>.setdefault('t', <W>)", "<N> = list(<D>)", "<N> = list(<D>.values())", "<N> = 'p' in <D>", "<N> = len(<D>)",
    "del <D>['q']", "<N> = dict(<D>)", "<N> = <D>.copy()", "<N> = <D> | {'u': <W>}", "<N> = {**<D>, 'p': <W>}", "<N> = [*<L>, <W>]",
    "<N> = sorted(<D>)", "<N> = list(<D>.items())", "<D>.setdefault('l', []).append(<W>)", "<D>['p'], <D>['q'] = <W>, <W>",
    "for k in <D>:\n    a[0] += 1\n    <D>[k] = <W>", "for k, v in <D>.items():\n    print(k, v)", "for k, v in <D>.items():\n    <N> = v",
    "for v in <D>.values():\n    v += 1", "for q in <L>:\n    <Q>", "for q in <L>:\n    q += 1", "for q in <L>:\n    <N> = q",
    "for i, q in enumerate(<L>):\n    a[<I>] += i\n    <Q>", "for i in range(len(<L1>)):\n    <L1>[i] = <L1>[i] * 2",
    "for i in range(len(<L1>)):\n    <L1>[i] += 1", "for i in range(n):\n    <L>.append(<W>)", "for i in range(n):\n    <L>.append(a[i])",
    "for i in range(3):\n    <L1>.append(<L1>[-1] + 1)", "for i in range(n):\n    <N1> = <A>\n    <L>.append(<N1>)",
    "for i in range(3):\n    <D>[i] = <W>", "for p, q in zip(<L>, <L>):\n    <Q>", "while <L1>:\n    <N> = <L1>.pop()",
    "while len(<L1>) > 1:\n    <N> = <L1>.pop(0)", "for i in range(n):\n    <L1> = <L1> + [<W>]",
    "for i in range(n):\n    <L1>, <N> = <L1>[1:], <L1>[0]", "for i in range(3):\n    <B>", "if <C>:\n    <B>", "if <C>:\n    <B>\nelse:\n    <B>",
    "<N> = [q * 2 for q in <L>]", "<N> = [q for q in <L> if <C>]", "<N> = [<W> for i in range(n)]", "<N> = [a * i for i in range(3)]",
    "<N> = [q for q in a]", "<N> = {i: <W> for i in range(3)}", "<N> = {k: v for k, v in <D>.items()}", "<N> = [(i, q) for i, q in enumerate(<L>)]",
    "<N> = [q for p in <L> for q in p]", "<N> = [[j * i for j in range(2)] for i in range(3)]", "<N> = {q for q in a}", "<N> = np.array(<L>)",
    "<N> = np.stack(<L>)", "<N> = np.concatenate(<L>)", "<N> = np.array([q[0] for q in <L>])", "<N> = any(q is <A> for q in <L>)",
    "<N> = all(<C> for q in <L>)", "print(<L>)", "print(<D>)", "print(len(<L>), <X>)", "<N1> = <N2> = [<W>]", "<N> = <L> == <L>", "<N> = <L> is <L>",
    "<N> = not <L>", "<N> = <L> if <C> else [<W>]", "<N> = <L> or [<W>]", "<L>[<I>].append(<W>)", "<L>[<I>] += [<W>]", "<L>[<I>] += <S>",
    "(<N1>, <N2>), <N3> = (<W>, <W>), <W>", "<N> = list(zip(<L>, <L>))", "<N> = dict(zip('pq', <L>))", "<N> = list(reversed(<L>))",
    "<N> = next(iter(<L>))", "h(<L>)", "<N> = h(<L>)", "<N> = g(<D>)", "<N> = g({'p': <A>})", "<N> = h([<W>, <W>])", "<N> = k(*<L>)",
    "<N> = k(**<D>)", "try:\n    <B>\nexcept (IndexError, KeyError) as e:\n    print(repr(e))",
)  # fmt: skip
STEPS = ("a[0] += 1", "q[0] = <S>", "q = q * 2", "print(q)", "b[0] = b[0] + q", "q *= 2", "<L>.append(q)")
HELPERS = (
    (
        "def h(l, v=1):\n    l.append(v)\n    return l",
        "def h(l):\n    l[0] = l[-1]\n    return l[1:]",
        "def h(l):\n    l = l + [1]\n    l[0] = 2\n    return len(l)",
        "def h(l):\n    return l.pop()",
        "def h(l):\n    for q in l:\n        q += 1\n    return l[0]",
        "def h(l):\n    if len(l) > 2:\n        return l[0]\n    l.append(l[0])\n    return l",
    ),
    (
        "def g(d):\n    d['p'] = 1\n    return d",
        "def g(d):\n    return d.get('p', 0)",
        "def g(d):\n    d = dict(d)\n    d['n'] = 2\n    return d",
        "def g(d):\n    s = 0\n    for k in d:\n        s = s + d[k]\n    return s",
    ),
    (
        "def k(p=0, *r, q=1):\n    return p, q, r",
        "def k(p=0, q=1, **r):\n    return len(r), q",
        "def k(*r, **m):\n    return r",
    ),
)


def program(seed: int, size: int = 10) -> str:
    """The source of one program (with `f` and `calls`)."""
    return ending(lambda r: _write(r, size), f"containers {seed}")


def _write(r: random.Random, size: int) -> str:
    grown = Growth(r, "\n\n\n".join(r.choice(h) for h in HELPERS), TEMPLATES)

    def items() -> str:
        name = grown.name(lambda v: isinstance(v, (list, tuple)))
        inner = [k for k, x in _pairs(grown.values[name]) if isinstance(x, list)]
        return f"{name}[{inner[0]}]" if inner and r.random() < 0.3 else name

    def table() -> str:
        return grown.name(lambda v: isinstance(v, dict))

    def item() -> str:
        """An array in a container."""
        found = [
            f"{name}[{k!r}]" for name, v in grown.values.items() for k, x in _pairs(v) if isinstance(x, np.ndarray)
        ]
        return r.choice(found) if found else grown.array()

    def anything() -> str:
        return r.choice(
            ("<A>", "<A>", "<A>", "<S>", "<S>", "<X>", "a", "b", "<L>", "None", "'s'")
            if r.random() < 0.4
            else ("<A>", "a", "b", "<X>")
        )

    def step() -> str:
        return r.choice(STEPS)

    grown.places |= {"L": items, "D": table, "X": item, "W": anything, "Q": step}
    grown.grow(r.randint(3, 3 + size))
    return grown.finished()


def _pairs(v: Any) -> list[tuple[Any, Any]]:
    return list(v.items()) if isinstance(v, dict) else list(enumerate(v)) if isinstance(v, (list, tuple)) else []
