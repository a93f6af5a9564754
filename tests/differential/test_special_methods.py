"""Operators, builtins and `super()` on instances of dataclasses, classes and named tuples."""

# ruff: noqa: C400, C402, C416, C417
from __future__ import annotations

import math
from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.oracle import check


@dataclass
class Held:
    """Iterated over; without `__contains__`."""

    items: Any

    def __iter__(self) -> Any:
        return iter(self.items)


def contained(x: float) -> Any:
    h = Held([1, x])
    return 3 in h, x not in h, 1.0 in h, [2 * q for q in h], [q * r for r in (1, 2) for q in h]


@dataclass
class Vec:
    """A vector."""

    x: float
    y: float

    def __add__(self, o: Any) -> Any:
        if not isinstance(o, Vec):
            return NotImplemented
        return Vec(self.x + o.x, self.y + o.y)

    def __sub__(self, o: Any) -> Any:
        return Vec(self.x - o.x, self.y - o.y)

    def __mul__(self, k: Any) -> Any:
        return Vec(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __truediv__(self, k: Any) -> Any:
        return Vec(self.x / k, self.y / k)

    def __matmul__(self, o: Any) -> Any:
        return self.x * o.x + self.y * o.y

    def __neg__(self) -> Any:
        return Vec(-self.x, -self.y)

    def __abs__(self) -> Any:
        return math.hypot(self.x, self.y)

    def __bool__(self) -> Any:
        return self.x != 0 or self.y != 0

    def __getitem__(self, i: Any) -> Any:
        return (self.x, self.y)[i]

    def __iadd__(self, o: Any) -> Any:
        self.x += o.x
        self.y += o.y
        return self

    def __lt__(self, o: Any) -> Any:
        return self.x < o.x

    def __contains__(self, v: Any) -> Any:
        return v == self.x or v == self.y

    def __call__(self, k: Any) -> Any:
        return self.x + k

    def __len__(self) -> Any:
        return 2

    def __iter__(self) -> Any:
        yield self.x
        yield self.y

    def __str__(self) -> Any:
        return f"<{self.x}, {self.y}>"


@dataclass(frozen=True)
class Cx:
    re: float
    im: float = 0.0
    ONE = 1

    def __add__(self, o: Any) -> Any:
        return Cx(self.re + o.re, self.im + o.im)

    def __mul__(self, o: Any) -> Any:
        return Cx(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)

    def norm2(self) -> Any:
        return self.re * self.re + self.im * self.im

    @property
    def conj(self) -> Any:
        return Cx(self.re, -self.im)

    @staticmethod
    def make(r: Any) -> Any:
        return Cx(r, r)

    @classmethod
    def one(cls) -> Any:
        return cls(cls.ONE)


@dataclass(order=True)
class Item:
    pri: int
    name: str = field(default="x", compare=False)
    tags: list = field(default_factory=list, compare=False)


@dataclass
class Post:
    a: int
    b: int = 0
    c: int = field(init=False, default=7)

    def __post_init__(self) -> Any:
        self.b = self.a * 2


@dataclass
class Post2:
    a: int
    b: int = 0

    def __post_init__(self) -> Any:
        if self.a < 0:
            raise ValueError(f"negative {self.a}")
        self.b = self.a * 2


class Acc:
    K = 3

    def __init__(self, n: Any) -> Any:
        self.n = n
        self.items = []

    def add(self, x: Any) -> Any:
        self.items.append(x * self.K)
        return self

    @property
    def total(self) -> Any:
        return sum(self.items)

    def __len__(self) -> Any:
        return len(self.items)

    def __getitem__(self, i: Any) -> Any:
        return self.items[i]

    def __add__(self, o: Any) -> Any:
        r = Acc(self.n + o.n)
        r.items = self.items + o.items
        return r

    def __eq__(self, o: Any) -> Any:
        return self.n == o.n

    def __hash__(self) -> Any:
        return 1

    @staticmethod
    def two() -> Any:
        return 2

    @classmethod
    def make(cls, k: Any) -> Any:
        a = cls(k)
        a.add(k)
        return a


class Base:
    def __init__(self, v: Any) -> Any:
        self.v = v

    def area(self) -> Any:
        return 0

    def describe(self) -> Any:
        return self.area() + self.v


class Sq(Base):
    def __init__(self, v: Any, s: Any) -> Any:
        super().__init__(v)
        self.s = s

    def area(self) -> Any:
        return self.s**2


Pt = namedtuple("Pt", "x y")


class NT(NamedTuple):
    a: int
    b: float = 2.0

    def total(self) -> Any:
        return self.a + self.b

    @property
    def twice(self) -> Any:
        return self.a * 2

    def __add__(self, o: Any) -> Any:
        return NT(self.a + o.a, self.b + o.b)


def v1(a: Any, b: Any) -> Any:
    v = Vec(a, b)
    w = Vec(3.0, 4.0)
    u = v + w - v * 2 + 3 * w
    return (u.x, u.y, v @ w, abs(w), bool(v), v[0], v[-1], len(v), v < w, a in v, v(1.0), -v == Vec(-a, -b))


def v2(a: Any, b: Any) -> Any:
    v = Vec(a, b)
    w = v
    v += Vec(1.0, 1.0)
    return (w.x, v.x, v is w)


def v3(a: Any, b: Any) -> Any:
    v = Vec(a, b)
    return (str(v), f"{v}", repr(v), [q for q in v])


def v4(a: Any, b: Any) -> Any:
    return Vec(a, b) + 1


def v5(a: Any, b: Any) -> Any:
    return Vec(a, b) + "s" if a > 2 else Vec(a, b) ** 2


def v6(a: Any, b: Any) -> Any:
    t = 0.0
    for q in Vec(a, b):
        t += q
    x, y = Vec(a, b)
    return (t, x, y, list(Vec(a, b)), sum(Vec(a, b)), max(Vec(a, b)), tuple(Vec(a, b)))


def v7(n: Any) -> Any:
    s = Vec(0.0, 0.0)
    for i in range(n):
        s = s + Vec(i * 1.0, 1.0) * 0.5
    for i in range(n):
        s += Vec(1.0, 1.0)
    return (s.x, s.y, s)


def v8(n: Any) -> Any:
    vs = [Vec(i * 1.0, 2.0) for i in range(n)]
    c = Vec(0.0, 0.0)
    for v in vs:
        c = c + v
    return (c / n, max(vs, key=abs), sorted(vs, key=lambda v: -v.x)[0].x, sum(v.x for v in vs))


def mandel(a: Any, b: Any, n: Any) -> Any:
    z = Cx(0.0)
    c = Cx(a, b)
    for i in range(n):
        z = z * z + c
        if z.norm2() > 4:
            return i
    return n


def cx2(a: Any) -> Any:
    z = Cx.make(a)
    return (z.conj, Cx.one(), z == Cx(a, a), z != Cx(a), z.ONE, hash(Cx(1.0)) == hash(Cx(1.0)))


def cx3(a: Any) -> Any:
    z = Cx(a)
    z.re = 1.0
    return z


def it1(a: Any, b: Any) -> Any:
    p, q = (Item(a), Item(b, "z"))
    return (p < q, p <= q, p > q, p >= q, p == q, p != q, max(p, q).name, sorted([p, q])[0].name)


def it2(a: Any, b: Any) -> Any:
    p = Item(a)
    p.tags.append(b)
    q = Item(a)
    return (p.tags, q.tags, p, Item(b, tags=[1]))


def po(a: Any) -> Any:
    return (Post(a), Post2(a).b)


def po2(a: Any) -> Any:
    return Post2(a)


def badcall(a: Any) -> Any:
    return Cx()


def badcall2(a: Any) -> Any:
    return Cx(1, 2, 3)


def badattr(a: Any) -> Any:
    return Cx(1.0).zz


def acc(n: Any) -> Any:
    a = Acc(n)
    for i in range(n):
        a.add(i)
    b = a + Acc.make(2)
    return (a.total, len(a), a[1], b.total, a == b, Acc.two(), a.K, len(b), a != b, bool(a))


def inh(n: Any) -> Any:
    return (Sq(n, 2).describe(), Base(n).describe(), isinstance(Sq(1, 1), Base))


def nt(n: Any) -> Any:
    p = Pt(1, n)
    q = p._replace(x=n)
    return (
        q,
        p + q,
        p == (1, n),
        p < q,
        q._asdict(),
        p * 2,
        Pt._fields,
        len(p),
        list(p),
        Pt(*[1, 2]),
        Pt(y=1, x=2),
        p.index(n),
        p._replace(),
    )


def nt2(n: Any) -> Any:
    a = NT(n)
    return (a.total(), a.twice, a + NT(1, 1.5), a)


def nt3(n: Any) -> Any:
    return Pt(1, 2)._replace(w=n)


def ntloop(n: Any) -> Any:
    p = Pt(0, 1)
    for i in range(n):
        p = Pt(p.y, p.x + p.y)
    return p


def cond(c: Any) -> Any:
    v = Vec(1.0, 2.0) if c else Vec(3.0, 4.0)
    if c:
        w = Vec(0.0, 0.0)
    else:
        w = None
    return (v.x, w is None)


def norm(v: Any) -> Any:
    return v / abs(v)


def through(a: Any, b: Any) -> Any:
    u = norm(Vec(a, b))
    return (u.x, u.y)


def args(v: Any, w: Any) -> Any:
    u = v + w
    v.x = 9.0
    return (u, v, v.x)


def args2(vs: Any) -> Any:
    t = Vec(0.0, 0.0)
    for v in vs:
        t = t + v
    return t.x


def test_instances() -> None:
    check(v1, *(1.0, 2.0))
    check(v2, *(1.0, 2.0))
    check(v3, *(1.0, 2.0))
    check(v4, *(1.0, 2.0))
    check(v5, *(1.0, 2.0))
    check(v6, *(1.0, 2.0))
    check(v7, *(4,))
    check(v8, *(4,))
    check(mandel, *(0.3, 0.5, 20))
    check(cx2, *(2.0,))
    check(cx3, *(2.0,))
    check(it1, *(2, 1), also=[(1, 2), (1, 1)])
    check(it2, *(2, 1))
    check(po, *(2,))
    check(po2, *(2,), also=[(-2,)])
    check(badcall, *(2,))
    check(badcall2, *(2,))
    check(badattr, *(2,))
    check(acc, *(3,))
    check(inh, *(3,))
    check(nt, *(3,))
    check(nt2, *(3,))
    check(nt3, *(3,))
    check(ntloop, *(5,))
    check(contained, *(3.0,), also=[(7,)])
    check(cond, *(True,), also=[(False,)])
    check(through, *(3.0, 4.0))
    check(args, *(Vec(1.0, 2.0), Vec(3.0, 4.0)))
    check(args2, *([Vec(1.0, 2.0), Vec(3.0, 4.0)],))
