"""Instances beside NumPy's values, in augmented assignments, and iterated over by their subscripts; what Python says where that is wrong."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.cases import Case, case_tests
from tests.oracle import check


@dataclass
class Plain:
    u: Any
    v: Any = 0


@dataclass
class Scaled:
    u: Any
    v: Any = 0

    def __mul__(self, o: Any) -> Any:
        return Scaled(self.u * o, self.v)

    def __rmul__(self, o: Any) -> Any:
        print(type(o))
        return Scaled(o * self.u, self.v)

    def __add__(self, o: Any) -> Any:
        self.v += 1
        return self

    def __lt__(self, o: Any) -> Any:
        return self.v < o

    def __eq__(self, o: Any) -> Any:
        return type(o).__name__


class First:
    """NumPy leaves operations to it."""

    __array_ufunc__ = None

    def __init__(self, u: Any) -> None:
        self.u = u

    def __mul__(self, o: Any) -> Any:
        return First(self.u * o)

    def __rmul__(self, o: Any) -> Any:
        return First(o * self.u)

    def __radd__(self, o: Any) -> Any:
        o[0] = 7
        return self


@dataclass
class Subscripts:
    u: Any
    v: Any = 0

    def __getitem__(self, i: int) -> Any:
        return self.u[i]


@dataclass
class Sequence:
    u: Any

    def __len__(self) -> int:
        return len(self.u)

    def __getitem__(self, i: int) -> Any:
        return self.u[i]


@dataclass
class Wrong:
    v: Any = 0

    def __add__(self, o: Any) -> Any:
        return NotImplemented

    def __getitem__(self, i: int) -> Any:
        if i > 3:
            raise KeyError("k")
        return i


class Unlike:
    def __init__(self, u: Any) -> None:
        self.u, self.k = u, 0

    def __eq__(self, o: Any) -> Any:
        self.k += 1
        return False


@dataclass(eq=False)
class UnlikeToo:
    u: Any
    k: int = 0

    def __eq__(self, o: Any) -> Any:
        self.k += 1
        return False


def beside_numpy(a: np.ndarray) -> Any:
    p, s = Scaled(a), a[0] + 1
    q, r, t, w = s * p, p * s, a * p, p + a
    p += s
    return q.u, r.u, t, w.v, p < s, s > p, s == p, p == s, a == p, p == a, p.v, w is p


def left_to_the_instance(a: np.ndarray) -> Any:
    p, s, b = First(a), a[0] + 1, a * 2
    t, c = b * p, b + p
    return (s * p).u, (p * s).u, t.u, b, c is p, b[0]


def sequences_beside_numpy(a: np.ndarray) -> Any:
    p, s = Sequence(a), a[0] + 1
    return s * p, a + p, p * s, np.sum(p), s == p


def not_for_numpy(a: np.ndarray, which: int) -> Any:
    p, s = Plain(a), a[0] + 1
    if which == 0:
        return p * s
    if which == 1:
        return s * p
    if which == 2:
        return s < p
    if which == 3:
        s -= p
    if which == 4:
        p -= s
    return p ** a.astype(np.int32)[0]


def not_in_place(a: np.ndarray, n: int) -> Any:
    for p in (Plain(a), Wrong()):
        try:
            p += n
        except TypeError as e:
            print(e)
        try:
            n **= p
        except TypeError as e:
            print(e)
        try:
            n @= p
        except TypeError as e:
            print(e)
        try:
            a[0] += p
        except TypeError as e:
            print(e)
    if a[0] > 1:
        q = Plain(a)
        q += 1
    return n


def not_to_unpack(a: np.ndarray) -> Any:
    p = Plain(a)
    try:
        x, *y = p
    except TypeError as e:
        print(e)
    try:
        for x, y in [p, p]:
            pass
    except TypeError as e:
        print(e)
    x, y = p
    return x


def not_negative(a: np.ndarray) -> Any:
    try:
        ~Plain(a)
    except TypeError as e:
        print(e)
    return -Plain(a)


def items_by_subscripts(a: np.ndarray, n: int) -> Any:
    p = Subscripts(a, n)
    x, y, z = p
    k = 0
    for w in p:
        k += w
    folded = sum(p), max(p), sorted(p), any(p), [*p], list(zip(p, p)), list(enumerate(p)), tuple(p)
    return folded, [w + 1 for w in p], x, y, z, k, n in p, 2.0 in p, 9 not in p


def items_up_to_an_error(n: int) -> Any:
    p = Wrong()
    try:
        for x in p:
            print(x)
    except KeyError as e:
        print(e)
    return 3 in p, n in p


def same_before_equal(n: int) -> Any:
    p, q = Unlike(2), Unlike(3)
    xs = [p, q]
    r: list[Any] = [xs.index(p), p in xs, xs == [p, q], (p, q) == (p, q), xs.count(q), q in (p, q), xs == [q, p]]
    zs = [q if i else p for i in range(n)]
    r += [zs.index(q), zs[0] in zs, zs == [p, q, q], [zs[0]] == [p], [zs[0]] == [q], xs != [p, q]]
    return r, p.k, q.k


def same_fields_before_equal(n: int) -> Any:
    p, q = UnlikeToo(2), UnlikeToo(n)
    xs = [p, q]
    r = [xs.index(p), p in xs, xs == [p, q], (p, q) == (p, q), xs.count(q), q in (p, q), xs == [q, p], xs != [p, q]]
    return r, p.k, q.k


A = np.array([2.0, -1.0, 3.0])
CASES: list[Case] = [
    (beside_numpy, [(A,)]),
    (left_to_the_instance, [(A,)]),
    (sequences_beside_numpy, [(A,)]),
    (not_for_numpy, [(A, k) for k in range(6)]),
    (not_in_place, [(A, 3), (A - 5, 3)]),
    (not_to_unpack, [(A,)]),
    (not_negative, [(A,)]),
    (items_by_subscripts, [(A, 3), (A, 7)]),
    (same_before_equal, [(3,)]),
    (same_fields_before_equal, [(3,)]),
    (items_up_to_an_error, [(3,), (9,)]),
]
test_interpreted, test_compiled = case_tests(CASES, {"beside_numpy", "items_by_subscripts"})


@functools.total_ordering
class Version:
    def __init__(self, text: str) -> None:
        self.parts = tuple(int(x) for x in text.split("."))

    def __eq__(self, other: object) -> Any:
        return self.parts == other.parts if isinstance(other, Version) else NotImplemented

    def __lt__(self, other: Version) -> Any:
        return self.parts < other.parts


def test_orders_that_functools_completes() -> None:
    def ordered(texts: list[str]) -> Any:
        vs = sorted(Version(s) for s in texts)
        return [v.parts for v in vs], vs[0] <= vs[1], vs[0] >= vs[1], vs[1] > vs[0], vs[0] == 3, max(vs).parts

    check(ordered, ["1.10.2", "1.2", "1.10"])


def test_not_implemented_in_a_list() -> None:
    def told(x: Any) -> Any:
        items = [NotImplemented, x]
        for i in range(2):
            items.append(items[i])
        return items[2] is NotImplemented, [y is NotImplemented for y in items], items, NotImplemented

    check(told, 1, also=[("a",)])
