"""Classes that a compiled function defines: bank accounts, inheritance, dataclasses, variables around them."""

# ruff: noqa (programs as users write them)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from tests.cases import case_tests
from typing import Any, NamedTuple
import math
import numpy as np
import pytest
import soljit as sol


def account(n: Any) -> Any:
    class Account:
        """What somebody owns."""

        rate = 0.02

        def __init__(self, owner, money=0.0):
            self.owner, self.money, self.log = owner, money, []

        def deposit(self, x):
            if x <= 0:
                raise ValueError("only more than nothing")
            self.money += x
            self.log.append(("d", x))
            return self

        def years(self, k=1):
            for _ in range(k):
                self.money *= 1 + self.rate

    a = Account("ann", 100.0)
    a.deposit(50).deposit(n + 1)
    a.years(n)
    try:
        a.deposit(-1)
    except ValueError as e:
        a.log.append(str(e))
    return a.money, a.log, Account.__doc__, Account.__name__, Account.__qualname__


def inherits(n: Any) -> Any:
    class Animal:
        count = 0

        def __init__(self, name):
            self.name = name
            Animal.count += 1

        def speak(self):
            return "..."

        def __repr__(self):
            return f"{type(self).__name__}({self.name})"

    class Dog(Animal):
        def speak(self):
            return super().speak() + "wow"

        @property
        def loud(self):
            return self.speak().upper()

        @staticmethod
        def make(n):
            return Dog("d" * n)

    many = [Dog("a"), Animal("b"), Dog.make(n)]
    return [x.speak() for x in many], Animal.count, repr(many), many[0].loud, [isinstance(x, Dog) for x in many]


def records(n: Any) -> Any:
    @dataclass(order=True)
    class P:
        x: int
        y: int = 0

        def norm(self):
            return math.hypot(self.x, self.y)

    class C(Enum):
        A = 1
        B = 2

    class T(NamedTuple):
        a: int
        b: float = 2.0

    p, q, t = P(n, 4), P(n), T(n)
    return p.norm(), p < q, repr(p), p == P(n, 4), C.A.value, [c.name for c in C], t.a + t.b, repr(t), max(p, q).y


def around(n: Any) -> Any:
    k = 10

    class V:
        k = 5

        def __init__(self, x):
            self.x = x

        def __add__(self, o):
            return V(self.x + o.x + n)

        def __iter__(self):
            yield from range(n)

        def __getitem__(self, i):
            return self.x * i + self.k + k

    s = V(1)
    for i in range(n):
        s = s + V(i)
    return s.x, list(s), s[3], V.k, k


def in_a_loop(n: Any) -> Any:
    made = []
    for i in range(n):

        class Q:
            tag = i

            def f(self):
                return i

        made.append(Q)
    return [(c().f(), c.tag) for c in made]


def wrong_calls(n: Any) -> Any:
    class Q:
        def __init__(self, v):
            self.v = v

        @classmethod
        def make(cls, *, v):
            return cls(v)

    out = []
    for f in (lambda: Q(), lambda: Q.make(), lambda: Q(n).w, lambda: Q(n) + 1):
        try:
            out.append(f())
        except (TypeError, AttributeError) as e:
            out.append(str(e))
    return out


def bodies(n: Any) -> Any:
    class Body:
        def __init__(self, p, v):
            self.p, self.v = np.array(p, float), np.array(v, float)

        def step(self, dt):
            self.p += self.v * dt

    many = [Body([i, 0], [0, i]) for i in range(n)]
    for _ in range(3):
        for b in many:
            b.step(0.5)
    return [b.p for b in many], sum(float(b.p.sum()) for b in many)


def helper() -> Any:
    class A:
        rate = 2

        def __init__(self, x):
            self.x = x

        def get(self):
            return self.x * A.rate

    return A


def from_a_helper(n: Any) -> Any:
    a = helper()(n)
    return a.get(), a.x


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (account, [(3,), (0,)]),
    (inherits, [(3,), (0,)]),
    (records, [(3,), (1,)]),
    (around, [(3,), (0,)]),
    (in_a_loop, [(3,), (0,)]),
    (wrong_calls, [(3,)]),
    (bodies, [(3,), (0,)]),
    (from_a_helper, [(3,)]),
]


test_interpreted, test_compiled = case_tests(CASES, compiled={"account", "inherits", "in_a_loop", "bodies"})


def test_classes_that_assign_variables_outside_are_refused() -> None:
    def f(n):
        class Q:
            def up(self):
                nonlocal n
                n += 1

        Q().up()
        return n

    with pytest.raises(sol.UnsupportedError, match="a class that assigns variables outside of it"):
        sol.jit(strict=True)(f)(1)
