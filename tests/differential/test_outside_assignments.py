"""Assignments to globals and to attributes of classes and instances that exist before the call; names bound in comprehensions."""

# ruff: noqa (programs as users write them)

from __future__ import annotations

from collections.abc import Callable
from tests.cases import case_tests
from typing import Any
import numpy as np

G = 5


LOG = []


H = 0


def bump():
    global H
    H += 1
    return H


def glob(n: Any) -> Any:
    global G
    G = n
    G += 1
    return G


def reader():
    return G * 2


def glob2(n: Any) -> Any:
    global G
    a = reader()
    G = n
    b = reader()
    G = "x"
    c = reader()
    G = 5
    return (a, b, c)


def glob3(n: Any) -> Any:
    global H
    H = 0
    xs = [bump() for _ in range(n)]
    return (xs, H)


def glob4(n: Any) -> Any:
    global H
    H = 0
    fs = []
    fs.append(bump)
    fs.append(lambda: bump())
    for f in fs:
        f()
    return H


class Cfg:
    width = 3

    def area(self):
        return self.width * 2


cfg = Cfg()


def clsattr(n: Any) -> Any:
    Cfg.width = n
    a = (Cfg.width, cfg.width, cfg.area(), Cfg().area())
    Cfg.width = 3
    return a


def instattr(n: Any) -> Any:
    cfg.width = n
    a = (cfg.width, cfg.area(), Cfg.width)
    cfg.width = 3
    return a


class Counter:
    made = 0

    def __init__(self):
        Counter.made += 1
        self.id = Counter.made


def counted(n: Any) -> Any:
    Counter.made = 0
    cs = [Counter() for _ in range(n)]
    return (Counter.made, [c.id for c in cs])


ARR = np.arange(3.0)


def globarr(n: Any) -> Any:
    global ARR
    ARR = ARR + n
    s = ARR.sum()
    ARR = np.arange(3.0)
    return s


def w1(xs: Any) -> Any:
    a = [y for x in xs if (y := (x * 2)) > 4]
    return (a, y)


def w2(xs: Any) -> Any:
    if any(((z := x) > 4 for x in xs)):
        return z
    return None


def w3(n: Any) -> Any:
    a = [y for x in range(n) if (y := (x * 2)) > 4]
    return (a, y)


def w4(n: Any) -> Any:
    a = [(last := i) for i in range(n)]
    return (len(a), last)


def w5(n: Any) -> Any:
    total = 0
    p = [(total := (total + x)) for x in range(n)]
    return (p, total)


def w6(n: Any) -> Any:
    while (n := (n - 1)) > 2:
        pass
    if (m := (n * 2)) > 3 and (k := (m + 1)):
        return (n, m, k)
    return n


def or_pat(a: Any, b: Any) -> Any:
    match (a, b):
        case [0, x] | [x, 2]:
            return x
        case [x, y]:
            return x + y


def or_pat2(c: Any) -> Any:
    match c:
        case ["go", d] | ["head", d] if d != "q":
            return d
        case ["up" as d] | ("up" as d):
            return d
        case _:
            return None


def or_pat3(c: Any) -> Any:
    match c:
        case {"x": v} | {"y": v}:
            return v
    return -1


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (glob, [(4,)]),
    (glob2, [(4,), (5,)]),
    (glob3, [(4,)]),
    (glob4, [(4,)]),
    (clsattr, [(4,)]),
    (instattr, [(4,)]),
    (counted, [(4,)]),
    (globarr, [(4,)]),
    (w1, [([1, 5, 2, 8],)]),
    (w2, [([1, 5, 2, 8],), ([],)]),
    (w3, [(5,)]),
    (w4, [(100,)]),
    (w5, [(5,)]),
    (w6, [(5,)]),
    (or_pat, [(1, 2), (0, 3), (5, 5)]),
    (or_pat2, [(["go", "n"],), (["head", "s"],), (["x"],), ("up",)]),
    (or_pat3, [({"x": 1},), ({"y": 2},), ({"z": 2},)]),
]


test_interpreted, test_compiled = case_tests(CASES, compiled={"glob3", "counted", "w5", "w2"})
