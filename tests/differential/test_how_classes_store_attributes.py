"""Attributes of instances that a function makes for itself under several names: how classes store them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.instance_classes import Dual, P, Q
from tests.oracle import check

A = np.linspace(-1.0, 2.0, 12)


class Eq:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __eq__(self, o: Any) -> Any:
        return self.x == o.x

    def __hash__(self) -> Any:
        return 1


class Cmp:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __lt__(self, o: Any) -> Any:
        return self.x < o.x

    def __len__(self) -> Any:
        return 2


@dataclass
class DC:
    a: float
    b: float = 1.0


@dataclass(frozen=True)
class Fr:
    a: float
    b: float = 1.0


class PartFrozen(Fr):
    """Sets attributes that are no fields."""


@dataclass(order=True)
class Ord:
    a: float
    b: float = 1.0


class Slots:
    __slots__ = ("x", "y")

    def __init__(self, x: Any) -> None:
        self.x = x


class Prop:
    def __init__(self, x: Any) -> None:
        self._x = x

    @property
    def x(self) -> Any:
        return self._x

    @x.setter
    def x(self, v: Any) -> Any:
        self._x = v * 2


class SetA:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __setattr__(self, n: Any, v: Any) -> None:
        object.__setattr__(self, n, v if n != "x" else v + 1)


class GetA:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __getattr__(self, n: Any) -> Any:
        return 7.0


class Counter2:
    total = 0

    def __init__(self) -> None:
        Counter2.total += 1
        self.n = Counter2.total


class Call:
    def __init__(self, k: Any) -> None:
        self.k = k

    def __call__(self, x: Any) -> Any:
        self.k += 1
        return self.k * x

    def __getitem__(self, i: Any) -> Any:
        return self.k + i

    def __setitem__(self, i: Any, v: Any) -> None:
        self.k = i * v

    def __iter__(self) -> Any:
        return iter([self.k, 2])

    def __contains__(self, v: Any) -> Any:
        return v == self.k

    def __iadd__(self, o: Any) -> Any:
        self.k += o
        return self


class IaddNew:
    def __init__(self, k: Any) -> None:
        self.k = k

    def __iadd__(self, o: Any) -> Any:
        return IaddNew(self.k + o)


class Super(P):
    def __init__(self, x: Any) -> None:
        super().__init__(x, 1.0)
        self.w = self.x * 2

    def moved(self, k: Any) -> Any:
        r = Super(self.x + k)
        r.w = self.w
        return r


class SlotsSub(Slots):
    pass


class SlotsSub2(Slots):
    __slots__ = ("w",)


@dataclass
class SlotsDC:
    __slots__ = ("a", "b")
    a: float
    b: float


@dataclass
class Post:
    a: float
    b: float = 0.0

    def __post_init__(self) -> None:
        self.b = self.a * 2


class Cached:
    def __init__(self, x: Any) -> None:
        self.x = x
        self.calls = 0

    @functools.cached_property
    def twice(self) -> Any:
        self.calls += 1
        return self.x * 2


class RO:
    def __init__(self, x: Any) -> None:
        self._x = x

    @property
    def x(self) -> Any:
        return self._x


class ClassCount:
    made = 0

    def __init__(self) -> None:
        self.k = ClassCount.made
        ClassCount.made += 1


class Mat:
    def __init__(self, a: Any, b: Any, c: Any, d: Any) -> None:
        self.a, self.b, self.c, self.d = a, b, c, d

    def __matmul__(self, o: Any) -> Any:
        return Mat(
            self.a * o.a + self.b * o.c,
            self.a * o.b + self.b * o.d,
            self.c * o.a + self.d * o.c,
            self.c * o.b + self.d * o.d,
        )

    def __pow__(self, n: Any) -> Any:
        r = Mat(1, 0, 0, 1)
        b = self
        while n:
            if n & 1:
                r = r @ b
            b = b @ b
            n >>= 1
        return r


def equal(a: Any) -> Any:
    p = Eq(a[0])
    n = 0
    for x in a:
        q = Eq(x)
        n += (p == q) + 10 * (p is q) + 100 * (p != q)
        p = q
    return n


def compared(a: Any) -> Any:
    p = Cmp(a[0])
    for x in a:
        q = Cmp(x)
        if p < q:
            p = q
    return p.x, len(p)


def max_of(a: Any) -> Any:
    p, q = Cmp(a[0]), Cmp(a[1])
    r = max(p, q)
    r.x += 1
    return p.x, q.x, r is q


def dataclasses(a: Any) -> Any:
    p, q = DC(1.0), DC(2.0)
    for x in a:
        r = p if x < 0 else q
        r.a += x
        p, q = q, p
    return p.a, q.a, p == q, p is q


def dataclass_returned(a: Any) -> Any:
    p = DC(1.0)
    for x in a:
        p = DC(p.a + x, p.b) if x > 0 else p
    return p


def frozen(a: Any) -> Any:
    p = Fr(1.0)
    for x in a:
        p = Fr(p.a + x, p.b)
    q = p
    try:
        q.a = 3.0
    except AttributeError as e:
        return p.a, str(e)
    return p.a


def frozen_in_a_list(a: Any) -> Any:
    ps = [Fr(x) for x in a]
    t = 0.0
    for k in range(7):
        t += ps[k % 3].a
    try:
        ps[1].b = 4.0
    except AttributeError as e:
        return t, str(e), ps[1].b
    return t, ps[1].b


def part_frozen(a: Any) -> Any:
    p = PartFrozen(1.0)
    for x in a:
        p = PartFrozen(p.a + x)
    p.note = 5.0
    try:
        p.a = 9.0
    except AttributeError as e:
        return p.a, p.note, str(e)
    return p.a


def ordered(a: Any) -> Any:
    p = Ord(0.0)
    for x in a:
        q = Ord(x, -x)
        p = max(p, q)
    return p.a, p.b, p


def slots(a: Any) -> Any:
    p = Slots(1.0)
    q = Slots(2.0)
    for x in a:
        p, q = q, p
        p.x += x
    return p.x, q.x


def slots_unset(a: Any) -> Any:
    p = Slots(1.0)
    if a[0] > 5:
        p.y = 1.0
    q = p
    return q.y


def slots_wrong(a: Any) -> Any:
    p = Slots(1.0)
    q = p
    q.z = 1.0
    return p.x


def properties(a: Any) -> Any:
    p, q = Prop(1.0), Prop(2.0)
    for x in a:
        r = p if x < 0 else q
        r.x = x
        p.x += r.x
    return p.x, q.x, p._x


def set_attr(a: Any) -> Any:
    p, q = SetA(1.0), SetA(2.0)
    for x in a:
        r = p if x < 0 else q
        r.x = x
        p = q
    return p.x, q.x


def get_attr(a: Any) -> Any:
    p = GetA(1.0)
    q = p
    for x in a:
        q.x += x
    return p.x, p.nothing


def class_counter(a: Any) -> Any:
    Counter2.total = 0
    c = Counter2()
    for x in a:
        c = Counter2() if x > 0 else c
    return c.n, Counter2.total


def special(a: Any) -> Any:
    c, d = Call(1.0), Call(2.0)
    s = 0.0
    for x in a:
        e = c if x > 0 else d
        s += e(x) + e[3] + (2.0 in e)
        e[2] = x
        e += 1.0
        c, d = d, e
    return s, c.k, d.k, c is d


def iadd_new(a: Any) -> Any:
    p = IaddNew(0.0)
    q = p
    for x in a:
        p += x
    return p.k, q.k, p is q


def supers(a: Any) -> Any:
    p = Super(1.0)
    for x in a:
        p = p.moved(x)
    return p.x, p.y, p.w, p


def slots_sub(a: Any) -> Any:
    p = SlotsSub(1.0)
    q = p
    q.z = 2.0
    return p.z, p.x


def slots_sub2(a: Any) -> Any:
    p = SlotsSub2(1.0)
    q = p
    q.w = 2.0
    for x in a:
        p = q if x > 0 else SlotsSub2(x)
    return p.x


def slots_sub2_wrong(a: Any) -> Any:
    p = SlotsSub2(1.0)
    p.zz = 2.0
    return p.x


def slots_dc(a: Any) -> Any:
    p, q = SlotsDC(1.0, 2.0), SlotsDC(3.0, 4.0)
    for x in a:
        p, q = q, SlotsDC(p.a + x, p.b)
    return p.a, q.b, p


def slots_dc_wrong(a: Any) -> Any:
    p = SlotsDC(1.0, 2.0)
    p.c = 3.0
    return p.a


def slots_wrong_caught(a: Any) -> Any:
    n = 0
    p = Slots(0.0)
    for x in a:
        q = p if x > 0 else Slots(x)
        try:
            q.zz = x
        except AttributeError:
            n += 1
            q.x += 1
    return n, p.x


def read_only(a: Any) -> Any:
    p = RO(1.0)
    q = p
    q.x = 5.0
    return p.x


def read_only_caught(a: Any) -> Any:
    p = RO(1.0)
    n = 0
    for x in a:
        q = p if x > 0 else RO(x)
        try:
            q.x = x
        except AttributeError:
            n += 1
        p = q
    return p.x, n


def class_changed(a: Any) -> Any:
    p = P(1.0)
    q = p
    q.__class__ = Q
    p.add(3.0)
    return p.x


def class_changed_some(a: Any) -> Any:
    p = P(1.0)
    if a[0] < 0:
        p.__class__ = Q
    p.add(3.0)
    return p.x, type(p).__name__


def dict_written(a: Any) -> Any:
    p = P(1.0)
    q = p
    q.__dict__["x"] = 5.0
    return p.x


def dict_replaced(a: Any) -> Any:
    p = P(1.0)
    q = p
    q.__dict__ = {"x": 8.0, "y": 1.0}
    return p.x


def dict_updated(a: Any) -> Any:
    p = P(1.0)
    q = p
    for x in a:
        q.__dict__.update(x=x)
    return p.x


def post(a: Any) -> Any:
    p = Post(1.0)
    for x in a:
        p = Post(p.b * 0.25 + x)
    return p.a, p.b, p


def cached(a: Any) -> Any:
    p = Cached(1.0)
    q = p
    s = 0.0
    for x in a:
        s += p.twice + q.twice
        if x > 1:
            p = Cached(x)
    return s, p.calls, q.calls


def class_count(a: Any) -> Any:
    ClassCount.made = 0
    p = ClassCount()
    for x in a:
        if x > 0:
            p = ClassCount()
    return p.k, ClassCount.made


def matrix_power(a: Any) -> Any:
    m = Mat(1, 1, 1, 0) ** 30
    return m.b, m.d


def dual(a: Any) -> Any:
    s = Dual(0.0)
    for x in a:
        u = Dual(x, 1.0)
        s = s + u * u * 3.0 + 2.0 * u - 1
    return s.v, s.d


def newton(a: Any) -> Any:
    x = Dual(1.0, 1.0)
    for k in range(20):
        f = x * x - 2.0
        x = Dual(x.v - f.v / f.d, 1.0)
        if abs(f.v) < 1e-12:
            break
    return x.v, k


REFUSED = (class_changed, class_changed_some, dict_replaced)
PROGRAMS = (
    equal,
    compared,
    max_of,
    dataclasses,
    dataclass_returned,
    frozen,
    frozen_in_a_list,
    part_frozen,
    ordered,
    slots,
    slots_unset,
    slots_wrong,
    properties,
    set_attr,
    get_attr,
    class_counter,
    special,
    iadd_new,
    supers,
    slots_sub,
    slots_sub2,
    slots_sub2_wrong,
    slots_dc,
    slots_dc_wrong,
    slots_wrong_caught,
    read_only,
    read_only_caught,
    class_changed,
    class_changed_some,
    dict_written,
    dict_replaced,
    dict_updated,
    post,
    cached,
    class_count,
    matrix_power,
    dual,
    newton,
)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_same(f: Callable[..., Any]) -> None:
    check(f, A, also=[(-A,), (A[:3],), (A + 3.0,), (A * 0.1,)], rtol=1e-12, or_refused=f in REFUSED)
