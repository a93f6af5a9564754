"""Ways in which Python code holds an array that a compiled function holds, too, and changes it when it is asked for something.

Each holder is made for an array; the expression in `POKES` changes the array's elements through the holder: all are
multiplied by two, and one is added.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


def change(a: Any) -> None:
    """What every holder does with its array."""
    a *= 2
    a += 1


class Sim:
    """An object that changes its array whenever any of its special methods runs."""

    def __init__(self, u: Any) -> None:
        self.u = u

    def step(self) -> int:
        change(self.u)
        return 1

    @property
    def slow(self) -> int:
        return self.step()

    def __getattr__(self, name: str) -> int:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.step()

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "u":
            self.step()
        object.__setattr__(self, name, value)

    def __call__(self) -> int:
        return self.step()

    def __getitem__(self, k: Any) -> int:
        return self.step()

    def __setitem__(self, k: Any, value: Any) -> None:
        self.step()

    def __contains__(self, k: Any) -> bool:
        return bool(self.step())

    def __index__(self) -> int:
        return self.step()

    def __len__(self) -> int:
        return self.step()

    def __bool__(self) -> bool:
        return bool(self.step())

    def __eq__(self, other: object) -> bool:
        return bool(self.step())

    def __hash__(self) -> int:
        return self.step()

    def __lt__(self, other: object) -> bool:
        return bool(self.step())

    def __float__(self) -> float:
        return float(self.step())

    def __add__(self, other: Any) -> int:
        return self.step()

    def __rmul__(self, other: Any) -> int:
        return self.step()

    def __neg__(self) -> int:
        return self.step()

    def __iadd__(self, other: Any) -> Sim:
        self.step()
        return self

    def __str__(self) -> str:
        return str(self.step())

    def __iter__(self) -> Iterator[int]:
        yield self.step()

    def __enter__(self) -> int:
        return self.step()

    def __exit__(self, *_: object) -> None:
        self.step()

    def __round__(self, digits: int = 0) -> int:
        return self.step()

    def __abs__(self) -> int:
        return self.step()


def _generator(a: Any) -> Iterator[int]:
    while True:
        change(a)
        yield 1


def _list_of_sims(a: Any) -> list[Any]:
    return [Sim(a), Sim(a)]


def _dict_of_sims(a: Any) -> dict[str, Any]:
    return {"s": Sim(a), "f": Sim(a).step}


POKES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "method": (Sim, "h.step()"),
    "property": (Sim, "h.slow"),
    "missing attribute": (Sim, "h.other"),
    "setting an attribute": (Sim, "h.other = 1"),
    "call": (Sim, "h()"),
    "item": (Sim, "h[0]"),
    "setting an item": (Sim, "h[0] = 1"),
    "contains": (Sim, "1 in h"),
    "index": (Sim, "range(9)[h]"),
    "len": (Sim, "len(h)"),
    "bool": (Sim, "bool(h)"),
    "not": (Sim, "not h"),
    "equal": (Sim, "h == 1"),
    "hash": (Sim, "hash(h)"),
    "less": (Sim, "h < 1"),
    "float": (Sim, "float(h)"),
    "add": (Sim, "h + 1"),
    "multiply": (Sim, "2 * h"),
    "minus": (Sim, "-h"),
    "in place": (Sim, "h += 1"),
    "text": (Sim, "str(h)"),
    "format": (Sim, "f'{h}'"),
    "steps": (Sim, "[x for x in h]"),
    "with": (Sim, "h.__enter__()"),
    "round": (Sim, "round(h)"),
    "abs": (Sim, "abs(h)"),
    "key of a dict": (Sim, "{h: 1}"),
    "list of objects": (_list_of_sims, "h[1].step()"),
    "dict of objects": (_dict_of_sims, "h['s'].step()"),
    "dict of methods": (_dict_of_sims, "h['f']()"),
    "comparison of lists": (_list_of_sims, "h == [1, 2]"),
    "search in a list": (_list_of_sims, "h.index(1)"),
    "bound method": (lambda a: Sim(a).step, "h()"),
    "partial": (lambda a: functools.partial(change, a), "h()"),
    "closure": (lambda a: lambda: change(a), "h()"),
    "generator": (_generator, "next(h)"),
    "list of arrays": (lambda a: [a, a[1:]], "h[0].__imul__(2)"),
    "item of an array in a list": (lambda a: [a], "h[0].__setitem__(0, h[0][0] * 2 + 1)"),
    "dict of arrays": (lambda a: {"u": a}, "h['u'].__imul__(2)"),
    "array in a namespace": (lambda a: types.SimpleNamespace(u=a), "h.u.__imul__(2)"),
    "memoryview": (memoryview, "h.__setitem__(0, h[0] * 2 + 1)"),
    "flat": (lambda a: a.flat, "h.__setitem__(0, 5.5)"),
    "nditer": (lambda a: np.nditer(a, op_flags=["readwrite"]), "h.__setitem__(0, 7.5)"),
    "masked array": (lambda a: np.ma.array(a, copy=False), "h.__setitem__(0, 8.5)"),
    "matrix": (lambda a: np.asmatrix(a), "h.__setitem__((0, 0), 9.5)"),
    "swapped bytes": (lambda a: a.view(a.dtype.newbyteorder()), "h.__setitem__(0, 0.0)"),
    "record": (lambda a: a.view([("x", "f8")]), "h['x'].__setitem__(0, 3.25)"),
}
"""name → what is made of the array `a`, and the statement that changes `a` through it (`h`)."""

PROGRAMS = {
    "element read before and after": """
        x = a[0]
        POKE
        return x, a[0], a[0] + x""",
    "array read before and after": """
        y = a + 1.0
        POKE
        z = a + 1.0
        return y, z, a.sum()""",
    "element read in a loop": """
        s = 0.0
        for i in range(4):
            s += a[0] + a[n - 1]
            POKE
            s -= a[1]
        return s""",
    "written, seen and written again": """
        a[0] = 5.0
        POKE
        x = a[0]
        a[0] = 6.0
        a[1] = x
        POKE
        return x, a[0] + a[1]""",
    "temporary used on both sides": """
        t = a * 3.0
        u = t + a
        POKE
        return t + a, u""",
    "condition asked again": """
        r = 0.0
        if a[0] > 0:
            POKE
            if a[0] > 1:
                r = a[0] * 2
        while a[0] < 50.0:
            POKE
            r += 1.0
            if r > 30.0:
                break
        return r, a[0]""",
    "view used on both sides": """
        v = a[1:]
        w = v[0] + v[1]
        POKE
        v[0] = v[0] + w
        return a[1], v[0], w""",
    "sum kept in the array": """
        for i in range(3):
            a[0] += i
            for j in range(n):
                a[0] += 0.5
                a[1] -= a[0]
            POKE
        return a[0], a[1]""",
    "expression around": """
        b = a[0] + (a[1] + k)
        POKE
        c = b * (a[0] + (a[1] + k))
        return b, c, np.dot(a, a), a.max()""",
}
