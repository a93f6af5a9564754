"""Classes, instances and functions outside of the compiled function that change between two calls: nothing is stale."""

from __future__ import annotations

import enum
import types  # noqa: F401  (the texts below name it)
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import soljit as sol


class Base:
    """Constants, methods, a property."""

    k = 1

    def __init__(self) -> None:
        self.q = 5

    def m(self, x: Any) -> Any:
        return x + self.k

    @staticmethod
    def s(x: Any) -> Any:
        return x + 1

    @classmethod
    def c(cls, x: Any) -> Any:
        return x + cls.k

    @property
    def p(self) -> Any:
        return self.q + self.k


class Derived(Base):
    """Inherits all."""


@dataclass
class Settings:
    """With defaults, an array and a list."""

    v: float = 2.0
    w: Any = None
    steps: Any = ()


class Colour(enum.Enum):
    """Of members."""

    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    """Of integers."""

    LOW = 3


def negative(self: Any, x: Any) -> Any:
    return x - self.k


def hundredfold(x: Any) -> Any:
    return x * 100


def seven(self: Any) -> Any:
    return 7


def other(x: Any, k: Any = 1, *, j: Any = 1) -> Any:
    return x - k - j


START = """
Base.k, Base.m, Base.s, Base.c, Base.p = originals
for name in ("k", "s"):
    if name in vars(Derived):
        delattr(Derived, name)
one, two = Base(), Derived()
names = types.SimpleNamespace(a=1, b=types.SimpleNamespace(z=2))
chosen = Settings(2.0, np.ones(3), [1, 2])
pair = (one, two)
tools = [hundredfold, hundredfold]
"""
EXPRESSIONS = [
    "x + Base.k", "x + one.q", "x + names.a + names.b.z", "x * chosen.v + chosen.w", "one.m(x)", "two.m(x) + two.k",
    "Base.s(x)", "Derived.c(x)", "one.p + x", "Derived.k + x", "pair[0].q + pair[1].k + x", "made(x)", "of(x, one)",
    "x + len(chosen.steps) + sum(chosen.steps)", "x + helper(x)", "tools[0](x) + tools[1](x)",
    "x + names.new", "x + (1 if Colour.RED is red else 2) + int(Level.LOW)",
]  # fmt: skip
CHANGES = [
    "pass", "Base.k = 10", "one.q = 6", "names.a = 2", "names.new = 4", "names.b.z = 5", "names.b = types.SimpleNamespace(z=50)",
    "chosen.v = 3", "chosen.w = np.arange(3)", "chosen.w[0] = 9", "chosen.w = 2", "chosen.steps.append(3)", "two.k = 4",
    "del two.k", "Derived.k = 8", "Base.m = negative", "Base.s = staticmethod(hundredfold)", "Derived.s = 1",
    "Base.p = property(seven)", "one.m = hundredfold", "Base.c = classmethod(negative)", "two.__class__ = Base",
    "chosen = Settings(4.0, np.ones(3), [])", "one = Derived()", "helper.__defaults__ = (10,)",
    "helper.__kwdefaults__ = {'j': 20}", "helper.__code__ = other.__code__", "tools.reverse()", "tools[0] = abs",
    "red = Colour.BLUE",
]  # fmt: skip


def test_nothing_is_stale() -> None:
    def helper(x: Any, k: Any = 2, *, j: Any = 3) -> Any:
        return x * k + j

    def made(x: Any) -> Any:
        o = space["Base"]()
        return o.m(x) + o.p

    space = globals()
    originals = tuple(vars(Base)[n] for n in ("k", "m", "s", "c", "p"))
    space |= {"originals": originals, "helper": helper, "red": Colour.RED}
    exec(START, space)
    functions = {e: function_of(e) for e in EXPRESSIONS}
    try:
        for change in CHANGES:
            exec(change, space)
            for text, f in functions.items():
                want, got = outcome(f.python), outcome(f)
                assert repr(want) == repr(got), f"{text} after {change}: {got} instead of {want}"
    finally:
        exec(START, space)


def function_of(expression: str) -> Any:
    """The compiled function of an expression in x."""
    lines = {
        "made(x)": ["def f(x):", " o = Base()", " return o.m(x) + o.p"],
        "of(x, one)": ["def f(x, o=None):", " return o.m(x) + o.q + o.s(x)"],
    }.get(expression, ["def f(x):", f" return {expression}"])
    import linecache

    source = [line + "\n" for line in lines]
    name = f"<changed {expression}>"
    linecache.cache[name] = (len(source), None, source, name)
    exec(compile("".join(source), name, "exec"), globals())
    return sol.jit(strict=True, cache=False)(globals()["f"])


def outcome(f: Any) -> Any:
    """What a call gives, or the class of its exception."""
    x = np.array([1.0, 2.0, 3.0])
    try:
        return f(x, globals()["one"]) if f.__code__.co_argcount > 1 else f(x)
    except sol.SoljitError:
        raise
    except Exception as e:
        return type(e)


class Countdown:
    """A descriptor."""

    def __get__(self, instance: Any, owner: Any) -> int:
        return 1


class Odd:
    """Has one."""

    d = Countdown()


odd = Odd()


def test_what_cannot_be_followed_is_refused() -> None:
    def descriptor(x: Any) -> Any:
        return x + odd.d

    with pytest.raises(sol.UnsupportedError, match="'d', a descriptor of the class Odd"):
        sol.jit(strict=True)(descriptor)(1.0)
