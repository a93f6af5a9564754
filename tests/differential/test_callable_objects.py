"""Objects that can be called: pointers to C functions, objects with an `==` of their own, functions with a memory, closures in closures."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import polyutils

from tests.cases import case_tests

shifted = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_long)(lambda k: k + 7)
magnitude = ctypes.CDLL(None).abs


class Scaling:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __eq__(self, other: object) -> bool:
        return self.factor == other.factor  # type: ignore[attr-defined, no-any-return]

    def __call__(self, x: Any) -> Any:
        return x * self.factor


class Tag:
    """No class: isinstance says so."""


HALF = Scaling(0.5)
TAG = Tag()


@functools.lru_cache
def cubed(x: float) -> float:
    return x**3


def through_pointers(n: int) -> Any:
    total = 0
    for k in range(n):
        total += shifted(k) * magnitude(-k)
    return total


def scaled(a: np.ndarray, x: float) -> Any:
    return HALF(a), HALF(x) + HALF.factor


def applied(g: Callable[[Any], Any], x: Any) -> Any:
    return g(x), g(x + 1)


def is_number(x: Any, strict: bool) -> Any:
    if isinstance(x, (int, Tag)):
        return True
    return isinstance(x, (list, TAG))  # type: ignore[arg-type]


def trimmed(c: Any) -> Any:
    return polyutils.trimseq(c)


def raised_by(f: Callable[[Any], Any], step: float) -> Callable[[Any], Any]:
    def g(x: Any) -> Any:
        return f(x) + step

    return g


thrice = raised_by(raised_by(raised_by(abs, 0.5), 2.0), 4.0)


def stacked(x: Any) -> Any:
    return thrice(x), thrice(thrice(-x))


class Polynomials:
    square = np.polynomial.Polynomial([1.0, 2.0, 3.0])
    half = Scaling(0.5)
    root = np.sqrt

    def values(self, x: Any) -> Any:
        p, q = -self.square, divmod(self.square, x)
        return (self.square * 2).coef, (2 * self.square).coef, (self.square**2).coef, p.coef, [r.coef for r in q]

    def called(self, x: Any) -> Any:
        return self.square(x), self.half(x), self.root(4.0), self.half.factor


A = np.arange(4.0)
CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (through_pointers, [(5,), (0,)]),
    (scaled, [(A, 3.0), (A[::2], -1.0)]),
    (applied, [(Scaling(2.0), 4), (cubed, 2.0), (functools.partial(max, 3), 2)]),
    (is_number, [(3, True), (2.5, True)]),
    (stacked, [(-3.0,), (2,)]),
    (Polynomials.values, [(Polynomials(), np.array([1.0, 2.0]))]),
    (Polynomials.called, [(Polynomials(), 3.0)]),
    (thrice, [(A,)]),
    (trimmed, [((2, 5, 0),), ([1, 0, 0],), (np.array([3.0, 0.0]),)]),
]

test_interpreted, test_compiled = case_tests(CASES, compiled={"through_pointers", "trimmed"})
