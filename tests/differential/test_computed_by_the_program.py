"""What code of the program computes behind an attribute, an item or a call of an object outside: at each use, as Python does, and errors as Python's."""

from __future__ import annotations

import collections
import enum
import functools
import linecache
import sys
import types
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import check


class Finder:
    """Every other attribute is found by a method."""

    known = 2.0

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "unknown":
            raise AttributeError(f"no {name}")
        return float(len(name))


class Watched:
    """Each attribute that is asked for is counted."""

    def __init__(self) -> None:
        self.scale, self.asked = 3.0, 0

    def __getattribute__(self, name: str) -> Any:
        if name == "scale":
            self.asked += 1
        return object.__getattribute__(self, name)


class Lazily:
    @functools.cached_property
    def table(self) -> np.ndarray:
        return np.arange(4.0)


class Colour(enum.Enum):
    RED, GREEN = 1, 2

    @classmethod
    def _missing_(cls, value: object) -> Any:
        return cls.GREEN if value == "green" else None


class Numbers(list):  # type: ignore[type-arg]
    def __getitem__(self, k: Any) -> Any:
        return 10 * list.__getitem__(self, k)


class Fold(str):
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self.lower() == str(other).lower()

    def __hash__(self) -> int:
        return hash(self.lower())


class Steps(collections.namedtuple("Steps", "a b")):
    __slots__ = ()

    def __iter__(self) -> Any:
        yield from (100.0, 200.0)


def _computed(name: str) -> float:
    if name == "nothing" or name.startswith("__"):  # test runners ask every module for its file
        raise AttributeError("there is nothing")
    return float(len(name))


finder, watched, lazily, numbers, word, steps = (
    Finder(),
    Watched(),
    Lazily(),
    Numbers([1, 2, 3]),
    Fold("Red"),
    Steps(1.0, 2.0),
)
answering = types.ModuleType("answering_module_of_the_tests")
answering.__getattr__ = _computed  # type: ignore[method-assign]
sys.modules[answering.__name__] = answering


def found(a: Any) -> Any:
    return a + finder.known, a + finder.length, hasattr(finder, "length"), hasattr(finder, "unknown"), finder.unknown


def asked(a: Any) -> Any:
    before = watched.asked
    return a * watched.scale + watched.scale, watched.asked - before


def lazy(a: Any) -> Any:
    return lazily.table + a, lazily.table is lazily.table


def of_a_module(a: Any) -> Any:
    return a + answering.length, hasattr(answering, "length"), hasattr(answering, "nothing"), answering.nothing


def members(a: Any, x: Any) -> Any:
    return Colour(x).value * a, Colour["RED"].name, Colour("green") is Colour.GREEN, Colour("blue")


def items(a: Any) -> Any:
    return a + numbers[1], sum(numbers), numbers[0], list(steps), steps.a


def keys(a: Any) -> Any:
    return {word: 1}["red"], word in ("RED", "x"), {"red": 2}.get(word), a


def signs(a: Any, k: int) -> Any:
    if k == 0:
        return -word
    if k == 1:
        return +np.sum
    if k == 2:
        return ~Colour.RED
    return {"a": 1}[k : k + 1]


@pytest.mark.parametrize("function", [found, lazy, of_a_module, items, keys])
def test_attributes_items_and_keys(function: Any) -> None:
    check(function, np.arange(4.0))


def test_what_is_asked_is_asked_at_each_use() -> None:
    jitted = sol.jit(target="null", strict=True)(asked)
    for _ in range(2):
        for f in (asked, jitted):
            got, count = f(np.ones(2))
            assert count == 2 and np.all(got == 6.0)


@pytest.mark.parametrize("x", [1, 2, "green", "blue", 7])
def test_members_by_value(x: Any) -> None:
    check(members, np.arange(3.0), x)


@pytest.mark.parametrize("k", range(4))
def test_operators_that_an_object_lacks(k: int) -> None:
    check(signs, np.arange(3.0), k)


def test_named_tuples_of_a_notebook_have_the_methods_that_were_written() -> None:
    text = """
class Ten(collections.namedtuple("Ten", "a b")):
    __slots__ = ()
    def __new__(cls, a, b):
        return super().__new__(cls, 10 * a, b)
    def __getitem__(self, k):
        return 100.0
GIVEN = Ten(1, 2)
def f(a):
    made = Ten(3, 4)
    return a + made.a, made.b, a + GIVEN.a, a + GIVEN[0], len(GIVEN)
"""
    name = "<cell of a notebook>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = {"collections": collections, "__name__": "__main__"}
    exec(compile(text, name, "exec"), space)
    want, got = space["f"](np.ones(2)), sol.jit(target="null")(space["f"])(np.ones(2))
    assert repr(got) == repr(want)
