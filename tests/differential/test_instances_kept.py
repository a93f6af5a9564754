"""Instances that a function makes for itself under several names: kept from one round to the next, swapped, chosen between, given back by helpers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import IDENTITY, check

A = np.linspace(-1.0, 2.0, 40)


class Particle:
    def __init__(self, x: Any, v: Any) -> None:
        self.x = x
        self.v = v

    def step(self, dt: float) -> None:
        self.x += self.v * dt
        self.v -= self.x * dt

    def stepped(self, dt: float) -> Any:
        return Particle(self.x + self.v * dt, self.v - self.x * dt)


class Vector:
    __slots__ = ("x", "y", "z")

    def __init__(self, x: Any, y: Any, z: Any) -> None:
        self.x, self.y, self.z = x, y, z

    def __add__(self, other: Any) -> Any:
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __mul__(self, k: Any) -> Any:
        return Vector(self.x * k, self.y * k, self.z * k)

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        return Vector(-self.x, -self.y, -self.z)

    def __eq__(self, other: object) -> Any:
        return isinstance(other, Vector) and self.x == other.x

    @property
    def norm(self) -> Any:
        return math.sqrt(self.x * self.x + self.y * self.y + self.z * self.z)


@dataclass
class Pair:
    a: Any
    b: Any = 0.0

    def __add__(self, other: Any) -> Any:
        return Pair(self.a + other.a, self.b + other.b)


class Colour:
    """An attribute that is a tuple, and one that is a text."""

    def __init__(self, rgb: Any) -> None:
        self.rgb = rgb
        self.name = "grey"

    @classmethod
    def black(cls) -> Any:
        return cls((0.0, 0.0, 0.0))

    def plus(self, other: Any) -> Any:
        return Colour((self.rgb[0] + other.rgb[0], self.rgb[1] + other.rgb[1], self.rgb[2]))


class Best:
    def __init__(self) -> None:
        self.value = None
        self.at = -1
        self.found = False

    def see(self, k: int, x: Any) -> None:
        if self.value is None or x > self.value:
            self.value = x
            self.at = k
            self.found = True


class Body:
    def __init__(self, x: Any) -> None:
        self.place = Vector(x, 0.0, 1.0)
        self.speed = Vector(1.0, 2.0, x)

    def move(self, dt: float) -> None:
        self.place = self.place + self.speed * dt


def kept(a: Any) -> Any:
    p = Particle(0.0, 1.0)
    for _ in a:
        p = p.stepped(0.125)
    return p.x, p.v


def kept_and_given_back(a: Any) -> Any:
    p = Particle(0.0, 1.0)
    for x in a:
        p = p.stepped(float(x))
    return p


def swapped(a: Any) -> Any:
    p, q = Particle(0.0, 1.0), Particle(1.0, 0.5)
    for x in a:
        p.step(x)
        p, q = q, p
    return p.x, q.x, p.v, p is q


def rotated(a: Any) -> Any:
    p, q, r = Particle(0.0, 1.0), Particle(1.0, 0.5), Particle(2.0, 0.25)
    first = p
    seen = 0
    for x in a:
        p, q, r = q, r, p
        p.step(x)
        first.v += 1.0
        seen += first is p
    return p.x, q.x, r.x, first.x, seen, first is r


def best(a: Any) -> Any:
    found = Particle(-1.0, 0.0)
    for k in range(len(a)):
        new = Particle(a[k], float(k))
        found = new if new.x > found.x else found
    return found.x, found.v


def best_or_none(a: Any) -> Any:
    found = None
    for k in range(len(a)):
        new = Particle(a[k], float(k))
        if found is None or new.x > found.x:
            found = new
    return (found.x, found.v) if found is not None else None


def best_given_back(a: Any) -> Any:
    found = Particle(-5.0, 0.0)
    for k in range(len(a)):
        new = Particle(a[k], float(k))
        if new.x > found.x:
            found = new
    return found


def chosen(a: Any) -> Any:
    low, high = Particle(0.0, 0.0), Particle(0.0, 0.0)
    for x in a:
        p = low if x < 0.5 else high
        p.x += x
        p.v += 1.0
    return low.x, low.v, high.x, high.v


def chosen_and_asked(a: Any) -> Any:
    low, high = Particle(0.0, 0.0), Particle(0.0, 0.0)
    times = 0
    last = low
    for x in a:
        p = low if x < 0.5 else high
        p.x += x
        times += (p is low) + 2 * (p is last) + 4 * (last is high) + 8 * (p is not None)
        last = p
    return times, last.x, last is high


def of_both_branches(a: Any) -> Any:
    total = 0.0
    for x in a:
        if x < 0.5:
            p = Particle(x, 1.0)
        else:
            p = Particle(-x, 2.0)
        p.step(0.125)
        total += p.x
    return total


def clipped(p: Any) -> Any:
    if p.x > 0.5:
        return Particle(0.5, p.v)
    return p


def of_a_helper(a: Any) -> Any:
    total, same = 0.0, 0
    for x in a:
        p = Particle(x, 1.0)
        q = clipped(p)
        q.v += 1.0
        total += q.x * q.v + p.v
        same += q is p
    return total, same


def written_through_another(a: Any) -> Any:
    p = Particle(0.0, 0.0)
    old = p
    for x in a:
        q = p
        q.x += x
        if x > 1.0:
            p = Particle(x, p.v)
        old.v += p.x
    return p.x, p.v, old.x, old.v, q.x, old is p


def more_through_another(a: Any) -> Any:
    """An attribute that comes later, by another name."""
    p = Particle(0.0, 0.0)
    q = p
    q.extra = a[0]
    return p.extra


def more_through_some(a: Any) -> Any:
    p, r = Particle(0.0, 0.0), Particle(1.0, 1.0)
    q = p if a[0] < 0 else r
    q.extra = a[0]
    return r.extra


def vectors(a: Any) -> Any:
    total = Vector(0.0, 0.0, 0.0)
    for k in range(len(a) - 2):
        v = Vector(a[k], a[k + 1], a[k + 2])
        total = total + v * 0.5 + a[k] * v + -(2.0 * v)
        total += v * a[k + 1]
    return total.norm, total.x


def equal_vectors(a: Any) -> Any:
    n = 0
    v = Vector(a[0], 0.0, 0.0)
    for x in a:
        w = Vector(x, 1.0, 1.0)
        n += (v == w) + 2 * (v != w)
        v = w
    return n


def pairs(a: Any) -> Any:
    total = Pair(0.0)
    for x in a:
        total = total + Pair(x, 1.0)
    return total.a, total.b


def pairs_given_back(a: Any) -> Any:
    total = Pair(0.0)
    for x in a:
        total = total + Pair(float(x), 1.0)
    return total


def colours(a: Any) -> Any:
    c = Colour.black()
    for x in a:
        c = c.plus(Colour((x, 1.0, 2.0)))
    return c.rgb[0], c.rgb[1], c.rgb


def colours_by_name(a: Any) -> Any:
    c = Colour.black()
    for x in a:
        c = c.plus(Colour((x, 1.0, 2.0)))
        if x > 1.0:
            c.name = c.name + "er"
    return c.rgb[1], c.name


def none_or_number(a: Any) -> Any:
    b = Best()
    for k in range(len(a)):
        b.see(k, a[k])
    return b.value, b.at, b.found


def none_or_number_again(a: Any) -> Any:
    b = Best()
    total = 0.0
    for k in range(len(a)):
        b.see(k, a[k])
        seen = b.value
        if a[k] > 0.0:
            b.value = None
        if seen is not None:
            total += seen
    return total, b.value, seen


def none_compared(a: Any) -> Any:
    b = Best()
    return a[0] > b.value


def bodies(a: Any) -> Any:
    b = Body(a[0])
    total = 0.0
    for x in a:
        before = b.place
        b.move(float(x))
        total += before.x + b.place.norm
    return total, b.place is before


def shared_in_bodies(a: Any) -> Any:
    b, c = Body(a[0]), Body(a[1])
    c.speed = b.speed
    for x in a:
        c.speed.x += x
        b.move(0.5)
        c.move(0.5)
    return b.place.x, c.place.x, b.speed is c.speed


def chain(a: Any) -> Any:
    node = None
    for x in a:
        node = Particle(x, node)
    total = 0.0
    while node is not None:
        total += node.x
        node = node.v
    return total


def given_away_on_one_way(a: Any) -> Any:
    kept = []
    p = Particle(0.0, 0.0)
    for x in a:
        p = p.stepped(0.5)
        if x > 1.5:
            kept.append(p)
    p.x = 100.0
    return [q.x for q in kept], p.x


def shown_in_an_error(a: Any) -> Any:
    p = Particle(0.0, 0.0)
    q = p
    for x in a:
        q.x += x
        if q.x < -5.0:
            raise ValueError(q.x)
        p = q
    return p.x


def two_given_back(a: Any) -> Any:
    p = Particle(1.0, 2.0)
    q = p if a[0] < 0 else Particle(3.0, 4.0)
    p.x += 1.0
    return p, q


def twice_under_two_names(a: Any) -> Any:
    p = Particle(1.0, 2.0)
    q = p
    q.x += a[0]
    return p, q


def bound_late(a: Any) -> Any:
    for k in range(len(a)):
        p = Particle(k, 0)
        if k == 0:
            first = p
        first.v += 1
    first.x = 7
    return first.x, first.v, p.x


def early(a: Any) -> Any:
    p = Particle(0.0, 1.0)
    for x in a:
        q = p.stepped(0.5)
        if x > 0.5:
            break
        if x > 0.0:
            continue
        p = q
        p.x += 1.0
    return p.x, q.x, p is q


def counted(a: Any) -> Any:
    p, q = Particle(0, 0), Particle(0, 0)
    for x in a:
        r = p if x > 0 else q
        r.x += 1
    return p.x, q.x


VARIABLES = (kept, swapped, best, best_or_none, chosen, chosen_and_asked, of_both_branches, of_a_helper, vectors, pairs)
VARIABLES += (none_or_number, bodies, early, counted, rotated, written_through_another, equal_vectors, bound_late)
PROGRAMS = (*VARIABLES, kept_and_given_back, best_given_back, more_through_another, more_through_some, pairs_given_back)
PROGRAMS += (
    colours,
    colours_by_name,
    none_or_number_again,
    none_compared,
    shared_in_bodies,
    chain,
    given_away_on_one_way,
)
PROGRAMS += (shown_in_an_error, two_given_back, twice_under_two_names)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_same(f: Callable[..., Any]) -> None:
    check(f, A, also=[(-A,), (A[:3],), (A + 2.0,)], rtol=1e-12)  # sums of a loop may be added up in another order


@pytest.mark.skipif(IDENTITY, reason="about compiled code")
@pytest.mark.parametrize("f", VARIABLES, ids=lambda f: f.__name__)
def test_no_instances(f: Callable[..., Any]) -> None:
    compiled = sol.jit(strict=True)(f)
    compiled.compile(A)
    for name in ("soljit.support.objects.new", "builtins.getattr", "builtins.setattr"):
        assert f'"{name}"' not in compiled.ir()


class Asked:
    """Who is asked first, and with what."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __mul__(self, k: Any) -> Any:
        return self.x, k

    def __rmul__(self, k: Any) -> Any:
        return k, self.x

    def __rsub__(self, k: Any) -> Any:
        return type(k).__name__

    def __add__(self, k: Any) -> Any:
        return NotImplemented

    def __eq__(self, k: object) -> Any:
        return self.x, k


class Sequence(Asked):
    def __getitem__(self, k: int) -> Any:
        return [self.x, 2.0][k]

    def __len__(self) -> int:
        return 2


def asked(a: Any) -> Any:
    p = Asked(3.0)
    return p * a[0], a[0] * p, a[1] - p, p == a[0], np.int32(4) * p, np.True_ * p, p * a, np.float32(0.1) * p


def asked_in_place(a: Any) -> Any:
    p = q = Asked(3.0)
    p *= a[0]
    x = a[1]
    x *= q
    return p, x


def not_implemented(a: Any) -> Any:
    return Asked(3.0) + a[0]


def asked_as_a_sequence(a: Any) -> Any:
    return Sequence(3.0) * a[0], a[0] * Sequence(3.0)


@pytest.mark.parametrize("f", (asked, asked_in_place, not_implemented, asked_as_a_sequence), ids=lambda f: f.__name__)
def test_beside_numbers_of_numpy(f: Callable[..., Any]) -> None:
    check(f, A[:4], raises=TypeError if f is not_implemented else None)
