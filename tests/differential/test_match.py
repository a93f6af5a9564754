"""`match` statements: every kind of pattern, guards, the names that patterns bind."""

from __future__ import annotations

import enum
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.oracle import check


class C(enum.Enum):
    A = 1
    B = 2


@dataclass
class Circle:
    r: float


@dataclass
class Rect:
    w: float
    h: float


Pt = namedtuple("Pt", "x y")


def area(s: Any) -> Any:
    match s:
        case Circle(r):
            return 3.0 * r * r
        case Rect(w=w, h=h) if w == h:
            return w**2
        case Rect(w, h):
            return w * h
        case _:
            return -1


def m1(x: Any) -> Any:
    return (area(Circle(x)), area(Rect(x, 3.0)), area(Rect(x, x)), area(x))


def m2(x: Any) -> Any:
    match x:
        case True:
            return "true"
        case int(n):
            return n + 1
        case float():
            return x * 2
        case str() as s:
            return s + "!"
        case None:
            return "none"
        case [a, b]:
            return a + b
        case [a, *rest]:
            return (a, rest)
        case {"a": v}:
            return v
        case {"b": v}:
            return -v
        case y:
            return y


def m3(c: Any) -> Any:
    match c:
        case C.A:
            return "a"
        case C.B:
            return "b"


def m4(prog: Any) -> Any:
    st = []
    for op, v in prog:
        match op:
            case "push":
                st.append(v)
            case "add":
                st.append(st.pop() + st.pop())
            case "mul":
                st.append(st.pop() * st.pop())
            case "dup":
                st.append(st[-1])
            case other:
                raise ValueError(f"unknown {other}")
    return st


def m5(n: Any) -> Any:
    r = []
    for i in range(n):
        match (i % 3, i % 5):
            case [0, 0]:
                r.append("FizzBuzz")
            case [0, _]:
                r.append("Fizz")
            case [_, 0]:
                r.append("Buzz")
            case _:
                r.append(str(i))
    return r


def m6(n: Any) -> Any:
    match n:
        case 0:
            s = 0
        case x if x > 0:
            s = 1
        case _:
            s = -1
    return (s, n)


def m7(a: Any) -> Any:
    match a.ndim:
        case 1:
            return a.sum()
        case 2:
            return a.sum(axis=0)


def m8(a: Any) -> Any:
    match a:
        case [x, y, z]:
            return "seq"
        case np.ndarray():
            return "array"


def m9(a: Any) -> Any:
    match a.shape:
        case [n]:
            return n
        case [n, m]:
            return n * m


def m10(cmd: Any) -> Any:
    match cmd.split():
        case ["go", d]:
            return "going " + d
        case ["look"]:
            return "looking"
        case ["quit", *_]:
            return "bye"
        case [a, *b, c]:
            return (a, b, c)
        case []:
            return "empty"


def m11(n: Any) -> Any:
    match n:
        case 1 | 2 | 3 as k:
            return k
        case _ if n > 5:
            return "big"


def m12(n: Any) -> Any:
    p = Pt(1, n)
    match p:
        case Pt(x=0):
            return 0
        case Pt(x, y):
            return x + y


def m13(n: Any) -> Any:

    def classify(k):
        match k % 2:
            case 0:
                return "even"
            case 1:
                return "odd"

    return [classify(i) for i in range(n)]


def m14(n: Any) -> Any:
    tot = 0
    i = 0
    while True:
        match i:
            case 5:
                break
            case 2:
                i += 1
                continue
        tot += i
        i += 1
    return tot


def m15(n: Any) -> Any:
    match (n, n + 1):
        case [3, y]:
            return y


def m16(d: Any) -> Any:
    match d:
        case {"kind": "circle", "r": r}:
            return r
        case {"kind": k, **rest}:
            return (k, rest)
        case _:
            return None


def m17(x: Any) -> Any:
    p, names = Circle(x), []
    del p.r
    match p:
        case Circle(r=1.0):
            names.append("one")
        case Circle(r=_):
            names.append("any")
        case object(q=1):
            names.append("q")
        case _:
            names.append("none")
    match [p]:
        case [Circle(1.0)]:
            names.append("one")
        case _:
            names.append("none")
    return names


def test_match() -> None:
    check(m1, *(2.0,))
    check(m17, 1.0)
    check(m2, *(1,), also=[(2.0,), ("s",), (None,), (True,), ([1, 2],), ((1, 2, 3),), ({"a": 1},), ({"b": 5},), (1j,)])
    check(m3, *(C.A,), also=[(C.B,)])
    check(m4, *([("push", 1), ("push", 2), ("add", 0), ("dup", 0), ("mul", 0)],))
    check(m5, *(10,))
    check(m6, *(5,), also=[(-5,), (0,)])
    check(m7, *(np.arange(3.0),))
    check(m8, *(np.arange(3.0),))
    check(m9, *(np.arange(4.0).reshape(2, 2),))
    check(m10, *("go north",), also=[("look",), ("quit now",), ("x y z",)])
    check(m11, *(3,), also=[(7,)])
    check(m12, *(3,))
    check(m13, *(4,))
    check(m14, *(4,))
    check(m15, *(3,))
    check(m16, *({"kind": "circle", "r": 2.0},), also=[({"kind": "sq", "a": 3.0},), ({"x": 1},)])
