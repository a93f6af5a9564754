"""A module whose globals, functions, classes and containers functions of another module use: `test_changed_elsewhere.py` changes it between calls."""

from __future__ import annotations

import array
import collections
import datetime
import fractions
import functools
import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import soljit as sol

K: Any = 3


@sol.jit
def helper(x: Any) -> Any:
    return x * K


def plain(x: Any) -> Any:
    return x * K


@sol.jit
def outer(x: Any) -> Any:
    return helper(x) + plain(x)


def decorator(f: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(f)
    def inner(*args: Any) -> Any:
        return f(*args) * K

    return inner


@decorator
def decorated(x: Any) -> Any:
    return x + K


@decorator
@sol.jit
def decorated_jitted(x: Any) -> Any:
    return x + K


@sol.jit
@decorator
def jitted_decorated(x: Any) -> Any:
    return x + K


@sol.jit
def recursive(n: int) -> Any:
    return K if n == 0 else recursive(n - 1) + K


def with_default(x: Any, f: Any = helper, g: Any = plain) -> Any:
    return f(x) + g(x)


def closures() -> Any:
    """A jitted function and a plain one of a closure variable, and what sets it."""
    z: Any = 1

    def set_z(value: Any) -> None:
        nonlocal z
        z = value

    @sol.jit
    def g(x: Any) -> Any:
        return x * z

    def h(x: Any) -> Any:
        return g(x) * z

    return g, h, set_z


g, h, set_z = closures()


class Operand:
    """With special methods of the kinds that Python has."""

    def __init__(self, a: int) -> None:
        self.a = a

    def method(self, x: Any) -> Any:
        return x * K + self.a

    @sol.jit
    def jitted_method(self, x: Any) -> Any:
        return x * K + self.a

    @property
    def prop(self) -> Any:
        return self.a * K

    @staticmethod
    def static(x: Any) -> Any:
        return x * K

    @classmethod
    def of_class(cls, x: Any) -> Any:
        return x * K

    def __len__(self) -> int:
        return int(K)

    def __getitem__(self, i: Any) -> Any:
        return (i.start, K) if isinstance(i, slice) else i * K

    def __iter__(self) -> Iterator[Any]:
        return iter([K, K + 1])

    def __contains__(self, x: Any) -> bool:
        return bool(x > K)

    def __bool__(self) -> bool:
        return bool(K > 4)

    def __eq__(self, other: object) -> bool:
        return bool(K == 5)

    def __lt__(self, other: Any) -> bool:
        return bool(K < 4)

    def __ge__(self, other: Any) -> bool:
        return bool(K < 4)

    def __abs__(self) -> Any:
        return K

    def __float__(self) -> float:
        return float(K)

    def __int__(self) -> int:
        return int(K)

    def __neg__(self) -> Any:
        return -K

    def __invert__(self) -> Any:
        return K

    def __add__(self, other: Any) -> Any:
        return other + K

    def __radd__(self, other: Any) -> Any:
        return other + K * 2

    def __pow__(self, other: Any) -> Any:
        return other**K

    def __divmod__(self, other: Any) -> Any:
        return divmod(other, K)

    def __round__(self) -> Any:
        return round(K)

    def __str__(self) -> str:
        return f"C{K}"

    def __call__(self, x: Any) -> Any:
        return x * K


operand = Operand(1)
bound = operand.method
bound_jitted = operand.jitted_method
partial = functools.partial(helper, 2)
by_name = {"plain": plain, "helper": helper}
in_tuple = (plain, helper)


class Numbers(list[int]):
    """A list under another name."""


class Table(dict[int, int]):
    """A dict that computes what it lacks."""

    def __missing__(self, key: int) -> Any:
        return key * K


numbers, table = Numbers(), Table()
deque, ints, octets = collections.deque[int](), array.array("q"), bytearray()
counter, ordered = collections.Counter[int](), collections.OrderedDict[int, int]()
default = collections.defaultdict[int, int](int)


def fill(n: int) -> None:
    """Put n items into each of the containers."""
    for items in (numbers, deque, ints, octets):
        while len(items):
            items.pop()
        items.extend(range(n))
    for mapping in (counter, ordered, default, table):
        mapping.clear()
        mapping.update({i: i + n for i in range(n)})


fill(2)


def start() -> None:
    """Make the objects that remember what was done with them anew."""
    global rng, state, draw, uniform, python, counted, items, polynomial, poly, third, day, flat, append, total
    rng, state, python = np.random.default_rng(0), np.random.RandomState(1), random.Random(2)
    draw, uniform = rng.normal, state.rand
    counted, items, flat = itertools.count(5), iter(range(9)), np.arange(4.0).flat
    polynomial, poly = np.polynomial.Polynomial([1, 2]), np.poly1d([1, 2])
    third, day = fractions.Fraction(1, 3), datetime.date(2020, 1, 1)
    fill(2)
    append, total = numbers.append, collections.deque(maxlen=3).append


start()
