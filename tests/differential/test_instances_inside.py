"""Instances that a function makes for itself: their attributes are variables, and nobody can tell; those that others see are objects."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import IDENTITY, check

A = np.linspace(-1.0, 2.0, 40).reshape(20, 2)


class Mean:
    def __init__(self) -> None:
        self.n, self.total = 0, 0.0

    def add(self, x: Any) -> None:
        self.n += 1
        self.total += x

    def value(self) -> Any:
        return self.total / self.n if self.n else 0.0


class Vector:
    def __init__(self, x: Any, y: Any) -> None:
        self.x = x
        self.y = y

    def dot(self, other: Any) -> Any:
        return self.x * other.x + self.y * other.y

    def __add__(self, other: Any) -> Any:
        return Vector(self.x + other.x, self.y + other.y)

    @property
    def length(self) -> Any:
        return np.sqrt(self.dot(self))


class Field:
    cells = 3

    def __init__(self, n: int) -> None:
        self.u = np.zeros(n)
        self.time = 0.0

    def step(self, dt: float) -> None:
        self.u[1:] += dt * (1.0 - self.u[:-1])
        self.time += dt


def mean(a: Any) -> Any:
    m = Mean()
    for row in a:
        for x in row:
            m.add(x)
    return m.value(), m.n


def nothing_added(a: Any) -> Any:
    return Mean().value()


def vectors(a: Any) -> Any:
    total = 0.0
    for i in range(len(a) - 1):
        v, w = Vector(a[i, 0], a[i, 1]), Vector(a[i + 1, 0], a[i + 1, 1])
        total += v.dot(w + v) + w.length
    return total


def arrays(a: Any) -> Any:
    f = Field(len(a))
    for _ in range(5):
        f.step(0.125)
    return f.u.sum(), f.time, f.u[2], f.cells


def array_replaced(a: Any) -> Any:
    f = Field(len(a))
    for _ in range(4):
        new = np.zeros(len(a))
        new[1:] = f.u[:-1] + 1.0
        f.u = new
    return f.u.max(), f.u[3]


def array_returned(a: Any) -> Any:
    f = Field(len(a))
    f.step(0.5)
    return f.u, f.u


def two_types(a: Any) -> Any:
    m = Mean()
    m.total = 1
    for row in a:
        m.total += row[0]
    return m.total


def counts(a: Any) -> Any:
    m = Mean()
    for row in a:
        if row[0] > 0:
            m.n += 1
        elif row[0] < -0.5:
            m.n -= 2
    return m.n


def large(a: Any) -> Any:
    m = Mean()
    m.n = 1
    for _ in range(70):
        m.n *= 2
    return m.n


def unset(a: Any) -> Any:
    v = Vector(1.0, 2.0)
    if a[0, 0] > 0:
        v.z = 3.0
    return v.z


def unset_in_a_round(a: Any) -> Any:
    total = 0.0
    for i in range(3):
        v = Vector(a[i, 0], 0.0)
        if i == 0:
            v.z = 1.0
        total += v.z
    return total


def of_the_class(a: Any) -> Any:
    f = Field(3)
    before = f.cells
    f.cells += 2
    return before, f.cells, Field.cells


def alive_together(a: Any) -> Any:
    """Two instances of one place at the same time."""
    old = Vector(0.0, 0.0)
    total = 0.0
    for i in range(len(a)):
        v = Vector(a[i, 0], a[i, 1])
        total += v.dot(old) + (v is old)
        old = v
    return total


def shared(a: Any) -> Any:
    v = Vector(1.0, 2.0)
    w = v
    w.x = 5.0
    return v.x + w.x, v is w


def in_branches(a: Any) -> Any:
    if a[0, 0] > 0:
        v = Vector(1.0, 2.0)
    else:
        v = Vector(a[1, 0], a[1, 1])
    return v.dot(v)


def in_a_list(a: Any) -> Any:
    vs = [Vector(x, y) for x, y in a]
    return sum([v.x for v in vs]), len(vs)


def returned(a: Any) -> Any:
    v = Vector(a[0, 0], 1)
    v.x += 1.0
    return v.x, v.__dict__


def seen_by_python(a: Any) -> Any:
    v = Vector(1.0, a[0, 1])
    return sorted(v.__dict__), v.x, hasattr(v, "z"), isinstance(v, Vector), type(v).__name__


def deleted(a: Any) -> Any:
    v = Vector(1.0, 2.0)
    del v.x
    return getattr(v, "x", 7.0)


def raised(a: Any) -> Any:
    m = Mean()
    for k in range(30):
        m.add(a[k, 0])
    return m.value()


def handled(a: Any) -> Any:
    m = Mean()
    try:
        for k in range(30):
            m.add(a[k, 0])
    except IndexError:
        m.n += 100
    return m.n, m.total


GONE: list[str] = []


class Finalized:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __del__(self) -> None:
        GONE.append("gone")


class Checked:
    def __set__(self, owner: Any, value: Any) -> None:
        GONE.append(f"set {value}")
        owner.__dict__["held"] = value * 2

    def __get__(self, owner: Any, cls: Any = None) -> Any:
        return owner.__dict__["held"]


class WithDescriptor:
    x = Checked()

    def __init__(self, x: Any) -> None:
        self.x = x


def finalized(a: Any) -> Any:
    GONE.clear()
    f = Finalized(a[0, 0])
    return f.x + 1.0


def with_descriptor(a: Any) -> Any:
    GONE.clear()
    w = WithDescriptor(a[1, 1])
    w.x = 3.0
    return w.x, list(GONE)


class Nested:
    def __init__(self) -> None:
        self.mean = Mean()
        self.seen: list[Any] = []

    def add(self, x: Any) -> None:
        self.mean.add(x)
        if x > 0:
            self.seen.append(x)


def nested(a: Any) -> Any:
    n = Nested()
    for row in a:
        n.add(row[1])
    return n.mean.total, n.mean.n, len(n.seen)


def nested_replaced(a: Any) -> Any:
    n = Nested()
    for row in a:
        if row[0] > 1.0:
            n.mean = Mean()
        n.mean.add(row[0])
    return n.mean.value()


def nested_of_a_round(a: Any) -> Any:
    total = 0.0
    outer = Nested()
    for row in a:
        inner = Mean()
        inner.add(row[0])
        total += outer.mean.total
        outer.mean = inner
    return total, outer.mean.n


def nested_in_both(a: Any) -> Any:
    m = Mean()
    first, second = Nested(), Nested()
    first.mean = second.mean = m
    first.mean.add(a[0, 0])
    second.mean.add(a[1, 0])
    return m.n, first.mean.total, first.mean is second.mean


def in_itself(a: Any) -> Any:
    v = Vector(1.0, 2.0)
    v.me = v
    return v.me.x, v.me is v


@dataclass
class Particle:
    x: Any
    v: Any = 0.5
    name: str = "p"

    def move(self, dt: float) -> None:
        self.x += self.v * dt
        self.v -= self.x * dt


@dataclass(frozen=True)
class Pair:
    a: Any
    b: Any


@dataclass
class WithList:
    x: Any
    items: list[Any] = dataclasses.field(default_factory=list)


def particle(a: Any) -> Any:
    p = Particle(a[0, 0])
    for _ in range(10):
        p.move(0.1)
    return p.x, p.v


def particle_by_name(a: Any) -> Any:
    p = Particle(v=1.0, x=a[0, 0])
    for _ in range(3):
        p.move(0.1)
    return p.x, p.name, p.v


def particle_twice(a: Any) -> Any:
    p = Particle(1.0)
    for k in range(3):
        p = Particle(p.x + a[k, 0], p.v)
        p.move(0.5)
    return p


def pairs(a: Any) -> Any:
    total = 0.0
    for x, y in a:
        p = Pair(y, x)
        total += p.a - p.b
    return total


def with_list(a: Any) -> Any:
    total = 0.0
    for row in a:
        w = WithList(row[0])
        w.items.append(row[1])
        w.x += 1.0
        total = max(total, len(w.items) + w.x)
    return total


OBJECT = object()


@dataclass
class WithObjects:
    """Defaults that only the class has."""

    x: Any
    tag: Any = OBJECT
    f: Any = lambda y: y


def with_objects(a: Any) -> Any:
    w = WithObjects(0.0)
    for row in a:
        w = WithObjects(w.x + row[0])
        w.x += 1.0
    return w.x, w.tag is OBJECT


def read_late(a: Any) -> Any:
    """What was read is used when the attribute holds another object already."""
    n = Nested()
    total = 0.0
    for row in a:
        before = n.mean
        n.mean = Mean()
        n.mean.add(row[0])
        total += before.total + n.mean.total
    return total


def too_many(a: Any) -> Any:
    for _ in a:
        p = Particle(1.0, 2.0, "q", 3.0)  # type: ignore[call-arg]
        p.x += 1
    return p


def twice_the_same(a: Any) -> Any:
    for _ in a:
        p = Particle(1.0, x=2.0)  # type: ignore[misc]
        p.x += 1
    return p


def given_back(a: Any) -> Any:
    m = Mean()
    for row in a:
        m.add(row[0])
    return m


def given_back_early(a: Any) -> Any:
    m = Mean()
    for row in a:
        if row[0] > 1.0:
            return m, m.n
        m.add(row[1])
    return m, 0


def given_back_in_some_order(a: Any) -> Any:
    v = Vector(1.0, a[0, 0])
    if a[0, 0] > 0:
        v.p = 1
        v.q = 2
    else:
        v.q = 2
        v.p = 1
    return v


def given_back_with_more(a: Any) -> Any:
    v = Vector(1.0, a[0, 0])
    if a[0, 0] > 0:
        v.p = 1
    return v


def given_back_with_a_text(a: Any) -> Any:
    p = Particle(a[0, 0])
    p.move(0.5)
    return p


def given_back_twice(a: Any) -> Any:
    v = Vector(True, 1)
    v.x = not v.x
    return v, [v], v


def given_back_with_another(a: Any) -> Any:
    n = Nested()
    n.add(a[0, 0])
    return n


def made_again(a: Any) -> Any:
    v = Vector(0.0, 0.0)
    for x, y in a:
        v = Vector(v.x + x, y)
    return v


PROGRAMS = (mean, nothing_added, vectors, arrays, array_replaced, array_returned, two_types, counts, unset)
PROGRAMS += (unset_in_a_round, of_the_class, alive_together, shared, in_branches, in_a_list, returned, seen_by_python)
PROGRAMS += (deleted, raised, handled, with_descriptor)
PROGRAMS += (nested, nested_replaced, nested_of_a_round, nested_in_both, in_itself, particle, particle_by_name)
PROGRAMS += (given_back, given_back_early, given_back_in_some_order, given_back_with_more, given_back_with_a_text)
PROGRAMS += (given_back_twice, given_back_with_another, made_again)
PROGRAMS += (with_objects, read_late, particle_twice, pairs, with_list, too_many, twice_the_same)
VARIABLES = (mean, vectors, arrays, array_replaced, counts, nested, particle, pairs)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_same(f: Callable[..., Any]) -> None:
    check(f, A, also=[(-A,), (A[:3],)])


@pytest.mark.skipif(IDENTITY, reason="about compiled code")
@pytest.mark.parametrize("f", VARIABLES, ids=lambda f: f.__name__)
def test_no_python(f: Callable[..., Any]) -> None:
    compiled = sol.jit(strict=True)(f)
    compiled.compile(A)
    assert "calls Python" not in compiled.explain()


@pytest.mark.skipif(IDENTITY, reason="about compiled code")
def test_numbers_that_grow() -> None:
    """Nobody has seen anything yet, so the call runs again in Python."""
    with pytest.warns(sol.FallbackWarning, match="does not fit 64 bits"):
        assert sol.jit(large)(A) == 2**70


def test_a_class_that_sees_its_instances_go() -> None:
    assert sol.jit(finalized)(A) == 0.0
    assert GONE == ["gone"]


class Later:
    def __init__(self, x: Any) -> None:
        self.x = x


def made_later(a: Any) -> Any:
    return Later(a[0, 0]).x * 2.0


@pytest.mark.skipif(IDENTITY, reason="about compiled code")
def test_a_class_that_changes() -> None:
    compiled = sol.jit(made_later)
    assert compiled(A) == -2.0
    try:
        Later.x = property(lambda self: 10.0, lambda self, value: None)  # type: ignore[misc]
        assert compiled(A) == 20.0
    finally:
        del Later.x
    assert compiled(A) == -2.0
