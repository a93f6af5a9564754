"""Calls with `*` of a list and `**` of a dict of which only the run tells what is in them; functions that change their `**kwargs`."""

# ruff: noqa: C416 (lists that the run makes)
from __future__ import annotations

import functools
import itertools
import math
import operator
from typing import Any

import numpy as np

from tests.cases import case_tests


def shown(a: Any, b: Any = 2, *c: Any, **d: Any) -> Any:
    return a, b, c, sorted(d.items())


def with_defaults(*args: Any, **kw: Any) -> Any:
    kw.setdefault("b", 5)
    return shown(*args, **kw)


def with_one_less(a: Any, **kw: Any) -> Any:
    c = kw.pop("c", 0)
    return shown(a, **kw), c


def with_what_the_run_tells(a: Any, **kw: Any) -> Any:
    if a > 1:
        kw["b"] = a
    for k in list(kw):
        kw[k] += 1
    return shown(a, **kw), set(kw) - {"b"}, len(kw), kw


class Kept:
    def __init__(self, *a: Any, **k: Any) -> None:
        self.a, self.k = a, k

    def total(self, *a: Any, s: int = 0) -> Any:
        return sum(a) + s

    def __call__(self, *a: Any) -> int:
        return len(a)


def built(n: int) -> list[int]:
    items = []
    for k in range(n):
        items.append(k + 1)
    return items


def changed_keywords(n: int) -> Any:
    return with_defaults(n), with_defaults(n, z=7), with_one_less(n), with_one_less(n, c=4, b=2), n


def keywords_in_branches(n: int) -> Any:
    return with_what_the_run_tells(n), with_what_the_run_tells(n, b=2, z=3)


def spread(n: int) -> Any:
    items, kw = built(n), {}
    for k in range(n):
        kw["k" + str(k)] = k

    def inner(*a: Any, s: int = 1) -> Any:
        return sum(a) * s * n

    f = max if n > 2 else min
    print(*items, **{"sep": "-"})
    print(*items, sep="+")
    kept = Kept(1, *items, **kw)
    return (
        [shown(*items), shown(*items, z=1), shown(*items, **kw), shown(1, *items, z=3, **kw), shown(1, b=4, **kw)],
        [inner(*items), inner(*items, s=3), (lambda *q: q)(*items), f(*items), math.gcd(*items), dict(**kw), {**kw}],
        [kept.a, kept.k, kept.total(*items), kept.total(*items, s=2), kept(*items), list(zip(*[items, items]))],
        list(itertools.product(*[items, items]))[:3],
    )


def names_given_twice(n: int) -> Any:
    kw = {}
    for k in range(n):
        kw["b" if k else "c"] = k
    try:
        return shown(1, b=3, **kw)
    except TypeError as e:
        return str(e)


def of_arrays(x: np.ndarray, n: int) -> Any:
    items = built(n)
    items[0] = 3
    x.fill(*[float(k) for k in built(1)])
    x.__setitem__(*[0, 9.0])
    return x.reshape(*items), x.reshape(*built(1), -1), np.hypot(*items), operator.add(*items), x.sum(), x[0]


def coloured(k: int) -> Any:
    return (1.0, 2.0, k) if k % 2 else [1, 2, 3]


def of_one_of_two_kinds(n: int) -> Any:
    found = None
    for k in range(n):
        found = coloured(k)
    return math.hypot(*found), [0, *found], max(4, *found)


def weighted(a: float, b: float, c: float, axes: str = "xyz") -> Any:
    return a + 2 * b - c, axes


def of_lengths_of_the_run(v: np.ndarray, n: int) -> Any:
    return weighted(*v, axes="q"), max(*v), [*v, 1], (*v,), [*range(n), 5], max(*range(n))


def unpacked_flat(m: np.ndarray) -> Any:
    try:
        a, b, c, d = m.flat
    except ValueError as e:
        return str(e)
    return a * d - b * c


WHEN = {"end": 0, "begin": 1}


def when_of(when: Any) -> Any:
    try:
        return WHEN[when]
    except (KeyError, TypeError):
        return [WHEN[w] for w in when]


def items_of_several_types(rate: Any, when: Any) -> Any:
    r, w, k = map(np.asarray, [rate, when_of(when), 2])
    return np.where(r == 0, k, r * (1 + w)), list(zip([when_of(when), 3], [1, 2])), list(enumerate([when_of(when)]))


class Named:
    unit = 4.0

    def __init__(self, n: int = 1, name: Any = None, dt: float = 0.0) -> None:
        self.n, self.name, self.dt = n, name, dt

    def scaled(self, x: Any, k: Any = 1, m: Any = 2) -> Any:
        return x * k * m * self.n

    @staticmethod
    def twice(x: Any) -> Any:
        return 2 * x

    @classmethod
    def build(cls, a: Any) -> Any:
        return cls(a, 1)


class WithMore(Named):
    unit = 5.0

    def __init__(self, a: Any, *args: Any, **kwargs: Any) -> None:
        given = list(args)
        if len(a) > 2:
            kwargs["dt"] = 0.5
            given.append("extra")
        super().__init__(*given, **kwargs)
        self.a = a

    def scaled(self, x: Any, **kw: Any) -> Any:
        for k in ("a", "k"):
            if k in kw and len(x) > 2:
                kw.pop(k)
        return super().scaled(x, **kw)

    @staticmethod
    def twice(x: Any) -> Any:
        return 3 * x

    @classmethod
    def build(cls, a: Any) -> Any:
        made = super().build(a)
        made.other = super().unit
        return made

    def both(self, x: Any) -> Any:
        return super().twice(x), super().unit, self.twice(x), self.unit


def through_super(a: Any) -> Any:
    d = WithMore(a, 3)
    e = WithMore.build(a)
    return d.n, d.name, d.dt, d.a, d.scaled(a, k=3, m=1), d.both(a), e.n, e.other, type(e).__name__


def through_partials(a: Any, options: Any) -> Any:
    o = dict(options)
    for i in range(len(a)):
        o["m"] = i
    largest = functools.partial(max, 3.0)
    items = []
    for x in a:
        items.append(x)
    return functools.partial(scaled_by, k=3)(a, **o), largest(*items), largest(*a)


def scaled_by(x: Any, k: Any = 1, m: Any = 2) -> Any:
    return x * k + m


CASES: list[Any] = [
    (through_super, [(np.arange(1, 4.0),), (np.arange(1, 3.0),)]),
    (through_partials, [(np.arange(1, 4.0), {"m": 3}), (np.arange(2, 8.0), {})]),
    (of_lengths_of_the_run, [(np.arange(3.0), 3), (np.arange(3.0)[::-1], 2)]),
    (unpacked_flat, [(np.arange(4.0).reshape(2, 2).T,), (np.arange(3),), (np.arange(6),)]),
    (items_of_several_types, [(np.array([0.0, 0.5]), "begin"), (0.0, ["end", "begin"])]),
    (of_one_of_two_kinds, [(1,), (2,)]),
    (changed_keywords, [(1,), (3,)]),
    (keywords_in_branches, [(1,), (3,)]),
    (spread, [(3,), (2,)]),
    (names_given_twice, [(1,), (3,)]),
    (of_arrays, [(np.arange(6.0), 2)]),
]
test_interpreted, test_compiled = case_tests(CASES, {"keywords_in_branches", "spread", "through_super"})
