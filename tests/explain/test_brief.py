"""`explain(brief=True)`: a line for each statement that costs or gains, what costs most first; and several variants told once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import soljit as sol


class Gauge:
    """Something that only Python knows."""

    def __init__(self) -> None:
        self.seen: list[float] = []

    def read(self, v: float, *rest: int, **named: int) -> float:
        self.seen = [v]
        return v + 1.0


def calling(gauge, x, d):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(3):
        s += float(gauge.read(x[i], *[1], z=3))
        s += np.kaiser(3, x[i])[1]
    print(s)
    return s


def overlapping(a, n):  # type: ignore[no-untyped-def]
    t = 0.0
    for _ in range(n):
        a[1:] = a[:-1] * 2
        t += np.exp(a).sum()
    return t


def compiled(f: Any, *arguments: Any) -> Any:
    made = sol.jit(target="null", strict=True)(f)
    made(*arguments)
    return made


def test_calls_of_python_come_first_with_their_names() -> None:
    made = compiled(calling, Gauge(), np.ones(3), {})
    head, *lines = made.explain(brief=True).splitlines()
    first = calling.__code__.co_firstlineno
    told = [(int(n) - first, text) for n, _, text in (x.partition(" | ") for x in lines if " | " in x)]
    assert head.startswith("calling(")
    assert [n for n, _ in told] == [3, 4, 5, 2]
    assert told[0][1] == "s += float(gauge.read(x[i], *[1], z=3)) > Python at every step: .read(), float()"
    assert "> Python at every step: np.kaiser()" in told[1][1]
    assert told[2][1].endswith("> Python once: print()")
    assert told[3][1].endswith("> iterations stay in order: it calls back into Python")


def test_calls_are_data() -> None:
    made = compiled(calling, Gauge(), np.ones(3), {})
    calls = {str(r.facts["call"]): (r.facts["often"], r.done) for r in sol.explain(made) if r.kind == "python"}
    assert calls["np.kaiser()"] == ("at every step", False) and calls["print()"] == ("once", False)
    assert calls[".read()"] == ("at every step", False)
    assert "calls Python: the method read() of gauge is called, at every step" in made.explain()
    assert "np.kaiser is called back, at every step" in made.explain()


def test_arrays_threads_and_vectors() -> None:
    made = compiled(overlapping, np.ones(5), 3)
    _, *lines = made.explain(brief=True).splitlines()
    (copied,) = [x for x in lines if "a[1:] = " in x]
    assert "stores float64[a.shape[0] - 1]" in copied and "; vectors of 8 float64" in copied
    assert not any("def overlapping" in x or "return t" in x for x in lines)


def test_equal_calls_of_a_line_are_counted() -> None:
    def f(d: Any) -> Any:
        return str(d["a"]) + str(d["b"])

    made = compiled(f, {"a": 1, "b": [2]} | {str(k): [k] for k in range(99)})
    assert "str() is called (2 times)" in made.explain()
    assert "str() × 2" in made.explain(brief=True)


def test_variants_of_equal_types_are_told_apart() -> None:
    def f(x: Any, y: Any) -> Any:
        z = x * 2.0
        return z + y

    made = compiled(f, np.ones(5), np.ones(5))
    made(np.ones(5), np.ones(1))
    head, second = made.explain().split("\n\n")
    name = "test_variants_of_equal_types_are_told_apart.<locals>.f(float64[:], float64[:])"
    assert head.startswith(f"{name}, variant 1 of 2\n") and second.startswith(f"{name}, variant 2 of 2\n")
    equal = "compiled for calls where x.shape[0] == y.shape[0]"
    assert equal in head and equal not in second and "compiled for calls where" in second
    assert "what differs from the first variant" in second and "def f" in head and "def f" not in second


def test_a_variant_without_differences_is_one_line() -> None:
    def f(x: Any, flag: Any) -> Any:
        return x + 1.0

    made = compiled(f, np.ones(3), 1)
    made(np.ones(3), math.pi)
    first, second = made.explain().split("\n\n")
    assert second.splitlines()[1:] == [f"  as {first.splitlines()[0]}"]


def test_arrays_that_are_allocated_in_front_of_a_loop_are_one_remark() -> None:
    def f(a: Any, b: Any, n: int) -> Any:
        for _ in range(n):
            up = np.argsort(a)
            down = np.argsort(b)
            a[:] = b[down[::-1]] + up
            b[:] = a[up[::-1]] + down
        return a, b

    made = compiled(f, np.ones(5), np.ones(5), 3)
    told = [r.text for r in sol.explain(made) if "allocated once" in r.text]
    assert told == ["up, down are allocated once, in front of the loop"]


def test_of_many_conditions_the_short_ones_are_told() -> None:
    def f(x: Any, k: Any) -> Any:
        n, c, h, w = x.shape
        return (x.reshape(n, c, h // 2, 2, w // 2, 2).max(axis=(3, 5)) * k).sum()

    made = compiled(f, np.ones((2, 3, 4, 10))[..., :4], 2.0)
    (told,) = [r for r in sol.explain(made) if r.kind == "special" and "longer condition" in r.text]
    guards = told.facts["guards"]
    assert isinstance(guards, list) and len(told.text) < 220
    shown = [g for g in guards if g in told.text.partition("where ")[2].split(" and ")]
    assert f"and {len(guards) - len(shown)} longer condition" in told.text
    assert "x.shape[2] != 1" in shown


def test_what_runs_in_plain_python_is_one_sentence() -> None:
    def f(x: Any) -> Any:
        return eval("x + 1")

    made = sol.jit(target="null")(f)
    with pytest.warns(sol.FallbackWarning):
        made(np.ones(3))
    assert "eval" in made.explain(brief=True)


def test_before_the_first_call_there_is_nothing() -> None:
    assert "has not been compiled yet" in sol.jit(overlapping).explain(brief=True)
