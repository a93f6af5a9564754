"""Classes of small instances that tests of several files make inside of functions."""

from __future__ import annotations

from typing import Any


class P:
    def __init__(self, x: Any, y: Any = 0.0) -> None:
        self.x = x
        self.y = y

    def add(self, k: Any) -> Any:
        self.x += k
        return self

    def moved(self, k: Any) -> Any:
        return P(self.x + k, self.y)


class Q(P):
    def add(self, k: Any) -> Any:
        self.x -= k
        return self


class D:
    count = 3

    def __init__(self) -> None:
        pass


class Dual:
    def __init__(self, v: Any, d: Any = 0.0) -> None:
        self.v, self.d = v, d

    def __add__(self, o: Any) -> Any:
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.v + o.v, self.d + o.d)

    __radd__ = __add__

    def __mul__(self, o: Any) -> Any:
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.v * o.v, self.v * o.d + self.d * o.v)

    __rmul__ = __mul__

    def __sub__(self, o: Any) -> Any:
        return self + (-1.0) * (o if isinstance(o, Dual) else Dual(o))
