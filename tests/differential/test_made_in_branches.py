"""Functions, partial objects and instances that are made in a branch and used behind it, with what they hold."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any

import numpy as np

from tests.cases import Case, case_tests


@dataclasses.dataclass
class Pair:
    v: float
    w: object = None


def closure_of_a_maker(a: np.ndarray, x: float) -> Any:
    def made(k: Any) -> Any:
        m = k + 1
        return lambda q: q * k + m

    if x > 0:
        g = made(a * 2)
    if x > 0:
        return g(1.0)
    return 0


def lambda_with_defaults(a: np.ndarray, x: float) -> Any:
    if x > 0:
        k = a.sum()
        g = lambda q, c=a * 3: q + k + c  # noqa: E731
    return g(1.0), g(2.0, a)


def counter_made_in_a_branch(a: np.ndarray, x: float) -> Any:
    def counter() -> Any:
        k = 0

        def step(d: int = 1) -> int:
            nonlocal k
            k += d
            return k

        return step

    if x > 0:
        c = counter()
        c(2)
    if x > 0:
        return c(3), c()
    return None


def called_in_a_loop(a: np.ndarray, x: float) -> Any:
    def made(k: Any) -> Any:
        held = [k * 2, k, k[1:]]
        return lambda q: held[0] + q + held[2].sum()

    r = None
    if x > 0:
        g = made(a * 2)
    for i in range(3):
        if x > 0:
            r = g(i)
    return r


def functions_in_lists(a: np.ndarray, x: float) -> Any:
    if x > 0:
        made = [lambda q, c=a * 3: q + c, a.sum(), partial(np.add, a * 2)]
    if x > 0:
        return made[0](2), made[1], made[2](a)
    return 0


def made_in_both(a: np.ndarray, x: float) -> Any:
    def made(k: Any) -> Any:
        return lambda q: q * k

    g = made(a * 2) if x > 0 else made(a * 3)
    return g(1.0)


def instance_changed_behind(a: np.ndarray, x: float) -> Any:
    if x > 0:
        p = Pair(a.sum(), a * 2)
    for i in range(3):
        p.v += i
    return p.v, p.w


def in_loops(a: np.ndarray, n: int) -> Any:
    for i in range(n):
        if i % 2 == 1:
            t = a * i
            u = t[1:]
            g = lambda q, t=t, u=u: (q + t, u)  # noqa: E731
    s = g(1.0)
    return s[0], s[1]


A = np.arange(4.0)
BOTH = [(A, 1.5), (A, -1.0)]
CASES: list[Case] = [
    (closure_of_a_maker, BOTH),
    (lambda_with_defaults, BOTH),
    (counter_made_in_a_branch, BOTH),
    (called_in_a_loop, BOTH),
    (functions_in_lists, BOTH),
    (made_in_both, BOTH),
    (instance_changed_behind, BOTH),
    (in_loops, [(A, 4), (A, 2), (A, 1)]),
]

test_interpreted, test_compiled = case_tests(
    CASES, {"lambda_with_defaults", "called_in_a_loop", "functions_in_lists", "in_loops"}
)
