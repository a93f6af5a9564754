"""Attributes that classes give their instances: constants, lists, descriptors, names made of text; and small questions about values."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.cases import case_tests


class Base:
    kind = "p"
    limit: Any = 10
    table: dict[str, int] = {"a": 1}
    weights = np.array([1.0, 2.0])

    def __init__(self, **given: Any) -> None:
        for k, v in given.items():
            setattr(self, k, v)

    def total(self, n: int) -> Any:
        self.table["n"] = n
        return self.limit * self.weights.sum() + len(self.kind)

    @functools.cached_property
    def slow(self) -> int:
        print("computing")
        return 42


class Child(Base):
    kind = "child"
    limit = 2.5


class Grandchild(Child):
    def total(self, n: int) -> Any:
        return super().total(n) + 1


class Node:
    def __init__(self, value: Any, next: Any = None) -> None:
        self.value, self.next = value, next


class Doubled:
    def __get__(self, owner: Any, cls: Any = None) -> Any:
        return owner._x * 2

    def __set__(self, owner: Any, value: Any) -> None:
        owner._x = value


class Holder:
    x: Any = Doubled()

    def __init__(self, x: Any) -> None:
        self.x = x


@dataclass
class Fields:
    a: int
    b: int = 0


def constants_of_classes(n: int) -> Any:
    c = Child()
    return c.total(n), Base().total(n), c.table is Base.table, c.__class__.__name__, c.__class__ is Child


def inherited(n: int) -> Any:
    return Grandchild().total(n), [c.__name__ for c in Grandchild.__mro__]


def reversed_chain(xs: list[Any]) -> Any:
    head: Any = None
    for x in xs:
        head = Node(x, head)
    before: Any = None
    while head is not None:
        head.next, before, head = before, head, head.next
    out = []
    while before:
        out.append(before.value)
        before = before.next
    return out


def cached_and_descriptors(n: int) -> Any:
    c, h = Child(), Holder(n)
    h.x += 1
    return c.slow, c.slow + 1, h.x


def names_made_of_text(n: int) -> Any:
    c = Child(x=n, y="q")
    d = Fields(n)
    for name in ("a", "b"):
        setattr(d, name, getattr(d, name) + 1)
    setattr(c, "x", 2.5)  # noqa: B010
    return c.x, c.y, hasattr(c, "z"), d  # type: ignore[attr-defined]


def class_of(x: Any) -> Any:
    return x.__class__.__name__, x.__class__ is type(x)


def empty_tuples(n: int) -> Any:
    a, b, c = (), (n,), ()
    return a is c, b is c, [a][0] is c


def wrong_formats(n: int) -> Any:
    try:
        print(f"{n}{None:.2f}")
    except TypeError as e:
        return str(e)


def keyed_with_default(xs: list[Any]) -> Any:
    return min(xs, key=lambda v: (v - 2) ** 2, default="none"), max(xs, key=abs, default=None)


def argument_dict_at_run_time(d: dict[Any, Any], keys: list[Any]) -> Any:
    out = []
    for k in keys:
        out.append(d.get(k, ()))
    for k in keys:
        out.append(d[k])
    return out


def slices(a: Any, step: Any) -> Any:
    return a[0:1:step]


class Sized:
    def __init__(self, n: Any) -> None:
        self.n = n

    @property
    def size(self) -> Any:
        return self.n

    @size.setter
    def size(self, value: Any) -> None:
        self.n = value


class TwiceSized(Sized):
    @property
    def size(self) -> Any:
        return super().size * 2

    @size.setter
    def size(self, value: Any) -> None:
        self.n = value + 1

    @property
    def own(self) -> str:
        return __class__.__name__  # type: ignore[name-defined,no-any-return]  # noqa: F821


def scaled_by(k: Any) -> Any:
    class Scaled:
        def __init__(self, x: Any) -> None:
            self.x = x

        @property
        def scaled(self) -> Any:
            return self.x * k

    return Scaled


Tripled = scaled_by(3)


def closures_of_properties(a: Any) -> Any:
    d = TwiceSized(a)
    before = d.size
    d.size = 4
    return before, d.size, d.n, d.own, Tripled(a).scaled


CASES = [
    (closures_of_properties, [(np.ones(2),)]),
    (slices, [([1], 0), ([1], 2.5), ((1, 2), 0), ([1, 2], -1)]),
    (constants_of_classes, [(3,)]),
    (inherited, [(3,)]),
    (reversed_chain, [([1, 2, 3],), ([],)]),
    (cached_and_descriptors, [(3,)]),
    (names_made_of_text, [(3,)]),
    (class_of, [(2.5,), ("s",), ([1],), (np.arange(3),), (np.float32(1),), (None,)]),
    (empty_tuples, [(1,)]),
    (wrong_formats, [(1,)]),
    (keyed_with_default, [([1, -5, 3],), ([],)]),
    (argument_dict_at_run_time, [({"a": [1], "b": [2]}, ["b", "a"]), ({"a": 1}, ["b"])]),
]

test_interpreted, test_compiled = case_tests(
    CASES, ["cached_and_descriptors", "closures_of_properties", "inherited", "reversed_chain"]
)
