"""Instances of the user's classes that are made in compiled code, and dataclass instances that change."""

from __future__ import annotations

import enum
import functools
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from tests.oracle import check


@dataclass
class Particle:
    """A dataclass with state."""

    x: float
    n: int = 0
    path: list[float] = field(default_factory=list)

    def step(self, d: float) -> None:
        """Move."""
        self.x += d
        self.n += 1


class Mean:
    """A class with attributes of several kinds."""

    scale = 2

    def __init__(self, n: int) -> None:
        self.n = n
        self.items: list[float] = []
        self.last: float | None = None

    def add(self, x: float) -> Mean:
        """Put a number in."""
        self.items.append(x * self.scale)
        self.n += 1
        self.last = x
        return self

    def value(self) -> float:
        """The mean."""
        return sum(self.items) / len(self.items)

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.items)

    def __repr__(self) -> str:
        return f"Mean({self.n})"


class Link:
    """A linked list."""

    def __init__(self, value: int, after: Link | None = None) -> None:
        self.value, self.after = value, after


class Rod:
    """An array as attribute."""

    def __init__(self, n: int) -> None:
        self.a = np.zeros(n)
        self.t = 0.0

    def step(self, dt: float) -> None:
        """Change in place."""
        self.a[1:-1] += dt
        self.a *= 2
        self.t += dt


def in_loops(k: int) -> Any:
    p, q = Particle(1.0), Particle(2.0)
    for _ in range(k):
        p.x += 0.5
        q.step(0.25)
    if k > 2:
        p.n = 7
    return p.x, p.n, q.x, q.n


def listed(k: int) -> Any:
    r = []
    for i in range(k):
        r.append(Particle(i * 0.5, i))
    r[-1].path.append(1.5)
    return r[-1].x, len(r), [p.n for p in r], r[-1].path


def collected(k: int) -> Any:
    m = Mean(0)
    for i in range(k):
        m.add(i * 0.5)
    print(m)
    return m.n, m.value(), m.size, m.items, m.last


def linked(k: int) -> Any:
    head = None
    for i in range(k):
        head = Link(i, head)
    total = 0
    while head is not None:
        total += head.value
        head = head.after
    return total


def rod(k: int) -> Any:
    r = Rod(4)
    for _ in range(k):
        r.step(0.5)
    return r.a, r.t, r.a.sum()


def of_the_caller(p: Particle, k: int) -> Any:
    for _ in range(k):
        p.x += 1
    return p.x


def test_instances() -> None:
    check(in_loops, 3, also=[(1,)])
    check(listed, 3)
    check(collected, 3)
    check(linked, 4)
    check(rod, 3)
    check(of_the_caller, Particle(1.0), 2)


class Pair(NamedTuple):
    x: int
    y: float


def test_named_tuples_made_and_used_wrongly() -> None:
    def too_few(n):
        return Pair(n)

    def too_many(n):
        return Pair(n, 2.0, 3)

    def another_name(n):
        return Pair(n, z=2.0)

    def assigned(n):
        p = Pair(n, 2.0)
        p.x = 3

    def absent(n):
        return Pair(n, 2.0).z

    for f in (too_few, too_many, another_name):
        check(f, 3, raises=TypeError)
    check(assigned, 3, raises=AttributeError)
    check(absent, 3, raises=AttributeError)


class Access(enum.Flag):
    READ = 1
    WRITE = 2


def test_flags_together_are_returned() -> None:
    def f(n):
        both = Access.READ | Access.WRITE
        return both, Access.READ in both, both & Access.READ, n

    check(f, 3)


class Attributes:
    def __init__(self, x):
        self.x = x


def test_attributes_are_deleted() -> None:
    def f(n):
        a = Attributes(n)
        a.y = 5
        del a.x
        return a.y, hasattr(a, "x")

    def read(n):
        a = Attributes(n)
        del a.x
        return a.x

    check(f, 3)
    check(read, 3, raises=AttributeError)


class Printing:
    def __init__(self):
        print("made")
        self.v = 1

    def __add__(self, other):
        return other

    def doubled(self):
        return 2 * self.v


class PrintingDict(dict):
    def __init__(self):
        print("made")


def test_nothing_is_made_while_compiling() -> None:
    def operated(p, n):
        return p + n, p.doubled(), [p] * n == [p], str(p)[:5]

    def looked_up(d, n):
        d["k"] = n
        return len(d), d["k"], list(d)

    def made(n):
        items = [Printing() for _ in range(n)]
        return len(items), items[0] + 1, sum(x.v for x in items)

    p, d = Printing(), PrintingDict()
    check(operated, p, 2)
    check(looked_up, d, 2)
    check(made, 2)


class Variable:
    def __init__(self, value: Any) -> None:
        super(Variable, self).__init__()  # noqa: UP008
        self.value = value


class Scaled(Variable):
    def __init__(self, value: Any, scale: float) -> None:
        super(Scaled, self).__init__(value)  # noqa: UP008
        self.scale = scale


def test_super_of_a_class_and_an_instance() -> None:
    def made(n):
        items = [Scaled(k, 0.5) if k % 2 else Variable(k) for k in range(n)]
        return [v.value for v in items], Scaled(n, 2.0).scale

    check(made, 4)


def test_attributes_of_what_may_be_none() -> None:
    def first_of(n):
        first = None
        for k in range(n):
            v = Variable(k)
            if k == 0:
                first = v
        first.value = 7
        return first.value

    def told(n):
        v = "text" if n else Variable(1)
        try:
            v.other = n
        except AttributeError as e:
            return str(e)
        return v.other

    check(first_of, 3)
    check(first_of, 0, raises=AttributeError)
    check(told, 0, also=[(1,)])


class Settings:
    rate = 0.1
    steps = 10

    def __init__(self, **given: Any) -> None:
        self.__dict__.update(given)

    def run(self, x: float) -> float:
        for _ in range(self.steps):
            x = x - self.rate * x
        return x


class Counted:
    count = 1

    def __init__(self, count: int, **more: Any) -> None:
        self.count = count
        self.more = more


class CountedByPython(Counted):
    count = 2

    def __init__(self, count: int, names: list[str], **more: Any) -> None:
        for name in names:
            more.pop(name, None)
        super().__init__(count, **more)
        self.seen = self.count


def test_attributes_that_python_sets_hide_those_of_the_class() -> None:
    def by_their_dict(k):
        a, b = Settings(rate=0.5), Settings(steps=k)
        b.x = 1
        b.__dict__.update(x=2.5)
        return a.run(3.0), b.run(3.0), a.steps, b.rate, b.x, Settings().steps

    def by_a_partial_function(k, names, more):
        c = CountedByPython(k, names, **more)
        make = functools.partial(setattr, c, "count")
        make(k + 1)
        return c.seen, c.count, sorted(c.more)

    check(by_their_dict, 3, also=[(0,)])
    check(by_a_partial_function, 5, ["a"], {"a": 1, "b": 2}, also=[(6, [], {"a": 1})])


class Tracker:
    """A filter of two numbers whose attributes are None until there is something to track."""

    def __init__(self, dt: float) -> None:
        self.dt = dt
        self.x: Any = None
        self.p: Any = None
        self.best: Any = None
        self.last: Any = None
        self.steps: list[float] = []

    def step(self, z: float) -> None:
        if self.x is None:
            self.x = np.zeros(2)
            self.p = 10 * np.eye(2)
        f = np.array([[1, self.dt], [0, 1]])
        self.x = f @ self.x
        self.p = f @ self.p @ f.T + 0.01 * np.eye(2)
        gain = self.p[:, 0] / (self.p[0, 0] + 0.5)
        self.x += gain * (z - self.x[0])
        self.p = self.p - np.outer(gain, self.p[0])
        if self.best is None or self.x[0] > self.best:
            self.best = self.x[0]
        if self.last is not None:
            self.steps.append(self.x[0] - self.last[0])
        self.last = self.x.copy()


class Maybe:
    def __init__(self) -> None:
        self.a: Any = None
        self.b: Any = None


def test_attributes_that_are_none_at_first_are_operands() -> None:
    def tracked(zs):
        t = Tracker(0.1)
        for z in zs:
            t.step(z)
        return t, t.x, t.p, t.last is t.x, -t.x if t.x is not None else 0

    def operated(a, n):
        p = Maybe()
        if n > 0:
            p.a = a * n
        if n > 1:
            p.b = 0.5
        return p.a - a, p.b * p.a, p.a < p.b, p.a[1:], p.a.T, p.a.sum(), p.b + 1

    def chosen(a, n, given):
        p = Maybe()
        if n:
            p.a = a
        at, items = [], iter(given)
        for k in range(n):
            at.append(next(items))
        return p.a[np.arange(n), at], p.a[at, 0]

    def changed(a, n):
        p = Maybe()
        p.a = a if n else None
        p.b = 0.5 if n > 1 else None
        p.a += 1
        p.a[0] = 5
        p.a[1:] *= 2
        q = p.a
        p.b += n
        return p, q is a, q is p.a, p.b

    def handed_on(a, n):
        p, q = Maybe(), Maybe()
        p.a = a if n else None
        q.b = p.a
        p.b = q.b
        q.a = [p.a, p.b]
        return p, q, q.b is a, q.a[0] is a, p.a is None, p.a == 2, (p.b, n), str(p.a), p.a if n else q.a

    a = np.array([1.0, 2.0, 4.0])
    check(tracked, a, also=[(a[:1],), (a[:0],)])
    check(operated, a, 2)
    for n in range(2):
        check(operated, a, n, raises=TypeError)
    check(operated, a[:0], 2, also=[(np.array([1, 2]), 3)])
    check(chosen, np.eye(3), 2, [2, 1])
    check(chosen, np.eye(3), 0, [2, 1], raises=TypeError)
    check(changed, a, 2)
    for n in range(2):
        check(changed, a, n, raises=TypeError)
    check(handed_on, a, 1, also=[(a, 0)])


def test_empty_arrays_and_none_give_what_numpy_gives() -> None:
    def added(a, n):
        p, last = Maybe(), None
        if n:
            p.a = last = a
        return a + p.a, last - a

    a = np.arange(3.0)
    check(added, a, 1, also=[(a[:0], 1), (a[:0], 0)])
    check(added, a, 0, raises=TypeError)
