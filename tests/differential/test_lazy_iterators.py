"""Iterators that are taken one by one, and only as far as somebody asks."""

# ruff: noqa: C400, C402, C416, C417
from __future__ import annotations

import collections
import heapq
import itertools
import math
import statistics
from typing import Any

import numpy as np

from tests.oracle import check


def fib() -> Any:
    a, b = (0, 1)
    while True:
        yield a
        a, b = (b, a + b)


def upto(n: Any) -> Any:
    for i in range(n):
        print("give", i)
        yield (i * i)


def f1(xs: Any) -> Any:
    return (
        list(filter(lambda x: x % 2 == 0, xs)),
        list(map(lambda x: x * 2, xs)),
        list(filter(None, [0, 1, 2])),
        sum(map(lambda x: x * x, xs)),
        sorted(map(lambda x: -x, xs)),
    )


def f2(n: Any) -> Any:
    xs = []
    for i in range(n):
        xs.append(i)
    return (
        list(filter(lambda x: x % 2 == 0, xs)),
        list(map(lambda x: x * 2, xs)),
        any(map(lambda x: x > 3, xs)),
        all(map(lambda x: x > 0, xs)),
        next(filter(lambda x: x > 2, xs)),
        next(filter(lambda x: x > 20, xs), None),
    )


def f3(xs: Any) -> Any:

    def pos(x):
        print("test", x)
        return 1 / x > 0.6

    return (next(filter(pos, xs)), any(pos(x) for x in xs))


def z1(n: Any) -> Any:
    return ([a + b for a, b in zip(upto(n), range(3))], list(zip(upto(n), "abc")), list(zip(range(2), upto(n))))


def z2(n: Any) -> Any:
    return (
        dict(zip("ab", fib())),
        any(x > 3 for x in fib()),
        next(x for x in fib() if x > 10),
        max(upto(n)),
        tuple(upto(3)),
        set(upto(3)),
        sum(upto(n)),
    )


def z3(n: Any) -> Any:
    out = []
    for x in filter(lambda k: k % 2, range(n)):
        out.append(x)
    for a, b in zip(fib(), [1.0] * n):
        out.append(a * b)
    return (out, dict((k, k * k) for k in range(n)), "".join(str(x) for x in upto(3)), "".join(map(str, range(n))))


def z4(n: Any) -> Any:
    xs = list(range(n))
    it = map(lambda x: x + 1, xs)
    return (
        [x * 2 for x in it],
        list(enumerate(map(lambda x: x * x, xs))),
        min(map(abs, [-3, n])),
        dict(map(lambda x: (x, 1), xs)),
    )


def z5(n: Any) -> Any:
    xs = list(range(n))
    s = 0
    for i, (a, b) in enumerate(zip(xs, xs[1:])):
        s += i * a * b
    for x, y, z in zip(xs, reversed(xs), map(lambda q: q * q, xs)):
        s += x * y * z
    return (s, [x for x in filter(lambda k: k > 1, xs) if x < 4], len(list(filter(lambda k: k > 1, xs))))


def tell(x: Any) -> Any:
    print("t", x)
    return x > 1


def g1(n: Any) -> Any:
    return (
        any(tell(i) for i in range(n)),
        all(tell(i) for i in range(n)),
        any(tell(i) for i in (0, 1, 2, 3)),
        all(tell(i) for i in [2, 3, n]),
    )


def g2(n: Any) -> Any:
    print("x")
    a = np.arange(n)
    return (
        any(tell(v) for v in a),
        sum(tell(v) for v in a),
        max(tell(v) for v in a),
        next((v for v in a if tell(v)), None),
        next((i for i in range(n) if i > 10), None),
    )


def g3(xs: Any) -> Any:
    xs.append(5)
    return (
        sum(x for x in xs),
        max(x * 2 for x in xs),
        sorted(x for x in xs),
        min((x, -x) for x in xs),
        {x for x in xs},
        tuple(x for x in xs if x > 1),
        ",".join(str(x) for x in xs),
        dict((x, 1) for x in xs),
        np.array([x for x in xs]),
        np.sum([x for x in xs]),
        sum((x for x in xs), 10),
        len([x for x in xs]),
        list(x for x in xs),
        np.fromiter((x for x in xs), dtype=float),
        max((x for x in xs), default=3),
        max((x for x in xs), key=lambda v: -v),
    )


def g4(xs: Any) -> Any:
    xs.append(5)
    g = (x * x for x in xs)
    t = 0
    for v in g:
        t += v
    ys = []
    ys.extend(x for x in xs if x > 1)
    ys += [1]
    s = set()
    s.update(x for x in xs)
    return (
        t,
        ys,
        s,
        sum((x * y for x, y in zip(xs, ys))),
        sum(1 for x in xs for y in ys if x < y),
        all((x < y for x, y in zip(xs, ys))),
    )


def g5(xs: Any) -> Any:
    xs.append(5)
    return (
        math.fsum(x for x in xs),
        math.prod(x for x in xs),
        collections.Counter(x % 2 for x in xs),
        list(itertools.chain([1], (2, 3))),
        heapq.nlargest(2, (x for x in xs)),
        statistics.mean(x for x in xs),
        list(enumerate(x for x in xs)),
    )


def test_iterators_over_lists() -> None:
    check(f1, *([1, 2, 3, 4],), also=[([],)])
    check(f2, *(5,))
    check(f3, *([0, 1, 2],), also=[([1, 2, 0],)])
    check(z1, *(5,), also=[(0,)])
    check(z2, *(5,))
    check(z3, *(5,))
    check(z4, *(5,))
    check(z5, *(5,), also=[(0,)])
    check(g1, *(5,), also=[(0,), (1,)])
    check(g2, *(5,))
    check(g3, *([3, 1, 2],))
    check(g4, *([3, 1, 2],))
    check(g5, *([3, 1, 2],))


def h1(n: Any) -> Any:
    return (any(10 // (3 - i) > 4 for i in range(n)), all(10 // (i - 3) < 0 and i < 2 for i in range(n)))


def h2(a: Any) -> Any:
    return (any(1 // int(x) > 0 for x in a), any(a[i + 1] > 1 for i in range(len(a))))


def h3(a: Any) -> Any:
    return (all(a[i] <= a[i + 1] for i in range(len(a) - 1)), any(x == 2 for x in a), all(x < 9 for x in a))


def test_any_and_all_stop() -> None:
    check(h1, *(5,))
    check(h2, *(np.array([1, 2, 0, 4]),))
    check(h3, *(np.array([1, 2, 0, 4]),))
