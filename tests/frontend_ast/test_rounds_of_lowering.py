"""How often the parts of a function are lowered: sizes that turn out to be equal are known from the beginning of the second round."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bench.compile_time import counted_work, lowered
from bench.generated import KINDS, arguments, generated
from soljit import driver, jit
from soljit.ir.core.expr import Sym
from soljit.ir.text.printer import to_text


@pytest.mark.parametrize("kind", ["chain", "scalars", "loops", "branches", "stencils", "returns"])
def test_statements_are_lowered_once(kind: str) -> None:
    with counted_work() as works:
        lowered(generated(KINDS[kind](80)).f, arguments())
    (work,) = works
    assert work.steps > 100
    assert work.total <= 0.1 * work.steps


def test_equal_sizes_that_are_found_one_after_the_other() -> None:
    def f(a, b, c, d):  # type: ignore[no-untyped-def]
        x = a + b
        y = x * c
        z = y - d
        return x * y * z

    result = lowered(f, [np.ones(7) for _ in range(4)])
    sizes = {x for p in result.program.data.values() for x in getattr(p, "shape", ()) if isinstance(x, Sym)}
    assert len({s.name for s in sizes}) == 1, to_text(result.program)


def test_what_is_found_early_ends_a_round_early() -> None:
    lists = [f"    s{k} = []\n    for x in a:\n        s{k}.append((x, {k}))\n" for k in range(4)]
    rest = "".join(f"    t = a * {k}.5 + t\n    u = t - u * {k}.0\n" for k in range(60))
    text = f"def f(a):\n    t = u = a\n{''.join(lists)}{rest}    return s0, s1, s2, s3, t, u\n"
    with counted_work() as works:
        lowered(generated(text, "found_early").f, [np.ones(7)])
    (work,) = works
    assert work.steps > 500
    assert work.total <= 0.75 * work.steps


def test_equal_sizes_are_known_when_the_function_is_lowered_again() -> None:
    lines = [f"    x = x + y * {k}.0\n" for k in range(40)]
    text = f"def f(x, y):\n    s = []\n    for k in range(3):\n        s.append(k)\n{''.join(lines)}    return s, x\n"
    with counted_work() as works:
        lowered(generated(text, "equal_again").f, [np.ones(7), np.ones(7)])
    (work,) = works
    assert work.total <= 0.5 * work.steps


def guesses(a: Any, names: Any) -> Any:
    print(len(names))
    x = len(names[0]) + 1
    print(x)
    y = len(names[1]) + x
    print(y)
    return a * y


def test_what_cannot_be_done_again_is_left_to_python_in_one_more_round(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = []
    lower = driver.lower_function

    def counted(*args: Any, **options: Any) -> Any:
        rounds.append(1)
        return lower(*args, **options)

    monkeypatch.setattr(driver, "lower_function", counted)
    f = jit(strict=True)(guesses)
    assert np.array_equal(f(np.ones(3), ["ab", "c"]), np.full(3, 4.0))
    assert len(rounds) <= 2
