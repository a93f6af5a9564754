"""Functions that are called several times are compiled once, as functions of the program, where that can be expressed."""

from __future__ import annotations

import copy
import re
from typing import Any

import numpy as np
import pytest

import soljit as sol
from bench.compile_time import lowered
from soljit.frontend_ast.calls.recursion import called_often
from tests.oracle import check

LIMIT = 3.0


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each function is one of those after its first call."""
    for name, value in (("LONG", 0), ("SPENT", 0), ("AT_LEAST", 1)):
        monkeypatch.setattr(called_often, name, value)


def functions(f: Any, *args: Any) -> set[str]:
    """The names of the program's functions."""
    jitted = sol.jit(f)
    jitted(*copy.deepcopy(args))
    return set(re.findall(r"static int32_t (\w+)_f\(", str(jitted.source())))


def normed(x, y):
    a = x * 2.0 + y
    c = np.where(a > 1.0, a * y, a + y)
    c = c - c.mean()
    for i in range(1, len(c)):
        c[i] += c[i - 1] * 0.5
    return c


def of_arrays(x, y):
    r = normed(x, y)
    r = normed(r, y) + 1.0
    r = normed(r * x, x)
    return r, normed(y, y[::-1].copy())


def test_arrays() -> None:
    x, y = np.linspace(0.0, 1.0, 7), np.linspace(2.0, -1.0, 7)
    assert functions(of_arrays, x, y) == {"normed"}
    check(of_arrays, x, y, also=[(x[:1], y[:1]), (x, y[:1]), (x, y[:3]), (np.zeros(0), np.zeros(0))])


def test_lengths_of_the_callers_are_known() -> None:
    """No loop of the function can broadcast: all shapes are equal, or one shorter."""

    def inner(x, y):
        return (x[1:] - x[:-1]) / y

    def f(x, y):
        r = inner(x, y)
        s = inner(x * 2.0, y + r)
        return inner(x + 1.0, y + s) + r

    x = np.linspace(0.0, 1.0, 7)

    text = str(lowered(of_arrays, [x, x + 1.0]).program.functions["normed"].body)
    assert "Raise" not in text
    check(f, x, x[1:] + 1.0, also=[(x, x[:3]), (x, x[:1] + 1)])


def test_what_holds_at_one_call_does_not_hold_at_all() -> None:
    check(guarded, np.arange(5.0), 9, also=[(np.arange(5.0), 0), (np.zeros(0), 0), (np.arange(1.0), 5)])


def last(x, k):
    n = len(x)
    if n > 0:
        return x[n - 1] + k
    return 0.0 - k


def guarded(x, k):
    total = 0.0
    if k > 5 and len(x) > 3:
        total += last(x, k)
    for i in range(3):
        total += last(x[i:], k - i)
    return total + last(x, -k)


def changed(x, k):
    x[k] = k
    x += 1.0
    return x[0], None, k


def in_place(x, y):
    a = changed(x, 0)
    b = changed(y, 1)
    c = changed(x, 1)
    return a, b, c, x


def test_arguments_are_changed() -> None:
    check(in_place, np.arange(4.0), np.arange(3.0), also=[(np.arange(4.0), np.arange(1.0))])
    shared = np.arange(4.0)
    check(in_place, shared, shared)
    check(in_place, shared[1:], shared[:-1])


def test_views_and_arguments_that_come_back() -> None:
    def part(x):
        return x[1:]

    def itself(x, y):
        return x if y[0] > 2.0 else y

    def f(x, y):
        a = part(x)
        b = part(y)
        a[0] = 7.0
        c = itself(x, y)
        c[-1] = 5.0
        return itself(y, x) is x, a, b, part(x)

    check(f, np.arange(4.0), np.arange(4.0) + 3.0)


class Body:
    def __init__(self, mass: float, place: Any) -> None:
        self.mass, self.place, self.name, self.hits = mass, place, "body", 0

    @property
    def weight(self) -> float:
        return self.mass * 9.81

    def pull(self, x):
        d = self.place - x
        return d * self.weight / (1.0 + (d * d).sum())

    def step(self, x, h):
        a = self.pull(x)
        b = self.pull(x + h * a)
        return x + h * (a + self.pull(x - b))

    def hit(self, x):
        self.hits += 1
        return x + self.hits


def steps(body, x, n):
    for _ in range(n):
        x = body.step(x, 0.1)
    return body.step(x, 0.2) + body.step(x, -0.1), body.name


def test_methods() -> None:
    body, x = Body(2.0, np.arange(3.0)), np.ones(3)
    assert functions(steps, body, x, 4) >= {"pull", "step"}
    check(steps, body, x, 4, also=[(body, x[:2], 1), (body, x[:1], 2)])


def test_attributes_that_are_assigned() -> None:
    def f(body, x):
        return body.hit(x) + body.hit(x * 2.0) - body.hit(body.pull(x))

    check(f, Body(2.0, np.arange(3.0)), np.ones(3))


def described(x, how, scale=2.0, *rest, flag=False):
    if how == "sum":
        r = x.sum() * scale
    else:
        r = x.max() - scale
    if flag:
        print(how, r)
    return (r, rest, flag) if r > LIMIT else (r * 2, rest, how)


def test_results_of_several_types_and_statics() -> None:
    def f(x):
        a = described(x, "sum")
        b = described(x, "sum", 3.0)
        c = described(x + 1.0, "max", 2.0, 1, 2)
        d = described(x * 2.0, "max", 2.0, 3, 4)
        e = described(x, "sum", flag=True)
        return a, b, c, d, e, described(x - 1.0, "sum", flag=True)

    check(f, np.arange(4.0), also=[(np.zeros(2),), (np.zeros(0),)])


def test_numbers() -> None:
    def clamp(x, low, high):
        if x < low:
            return low
        if x > high:
            raise ValueError(f"{x} > {high}")
        return x

    def f(a, k):
        r = clamp(a, 0.0, 10.0) + clamp(k, 0, 5)
        for i in range(k):
            r += clamp(a - i, 0.5, 10.0)
        return r + clamp(a * 2, 0.0, 10.0) + clamp(k + 1, 0, 6)

    check(f, 3.5, 2, also=[(3.5, 6), (6.0, 1), (-1.0, 0), (np.float64(2.0), np.int64(1))])


def test_python_is_called_back() -> None:
    def spectrum(x):
        f = np.fft.fft(x)
        return f * np.conj(f) / len(x)

    def f(x):
        a = spectrum(x)
        b = spectrum(x + 1.0)
        return a - b + spectrum(x[::-1].copy())

    check(f, np.arange(6.0), also=[(np.arange(1.0),), (np.zeros(0),)])


def test_in_try() -> None:
    def risky(x, k):
        if x[k] > 2.0:
            raise KeyError(k)
        return x * k

    def f(x, k):
        a = risky(x, 0) + risky(x, 1)
        try:
            return a + risky(x, k)
        except KeyError as e:
            return a, e.args

    check(f, np.arange(5.0), 1, also=[(np.arange(5.0), 4), (np.arange(5.0), 9), (np.arange(5.0) + 3, 0)])
