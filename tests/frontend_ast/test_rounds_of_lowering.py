"""How often the parts of a function are lowered: sizes that turn out to be equal are known from the beginning of the second round."""

from __future__ import annotations

import inspect
import types
from typing import Any

import numpy as np
import pytest

from soljit.frontend_ast import lower
from soljit.frontend_ast.lowering.work import Work
from soljit.ir.expr import Sym
from soljit.ir.printer import to_text
from soljit.runtime import arguments


def lowered(monkeypatch: pytest.MonkeyPatch, function: Any, *values: Any) -> tuple[lower.Lowered, Work]:
    """The lowered function, and the work that it was."""
    works: list[Work] = []

    def begin() -> Work:
        works.append(Work())
        return works[-1]

    monkeypatch.setattr(lower, "Work", begin)
    described = arguments.describe(list(values), list(inspect.signature(function).parameters))
    return lower.lower_function(function, described.types, described.leaves), works[0]


def generated(lines: list[str], folder: Any) -> Any:
    """A function `f(a, b, n)` of these lines."""
    file = folder / "generated.py"
    file.write_text("def f(a, b, n):\n" + "".join(f"    {x}\n" for x in lines))
    module = types.ModuleType("generated")
    exec(compile(file.read_text(), str(file), "exec"), module.__dict__)
    return module.f


CHAIN = ["x0 = a + b", *(f"x{k + 1} = x{k} * {1 + k % 3}.5 + {'ab'[k % 2]}" for k in range(80)), "return x80"]
LOOPS = [
    "s = 0.0",
    *(
        line
        for k in range(20)
        for line in ("for i in range(1, n):", f"    b[i] = b[i] + a[i - 1] * {k}.5", "s += b[1]")
    ),
    "return s",
]
BRANCHES = [
    "x = a[0]",
    *(line for k in range(20) for line in (f"if x > {k}.0:", f"    x = x * 0.5 + {k}.0", "else:", "    x += b[1]")),
    "return x",
]


@pytest.mark.parametrize("lines", [CHAIN, LOOPS, BRANCHES], ids=["chain", "loops", "branches"])
def test_statements_are_lowered_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Any, lines: list[str]) -> None:
    _, work = lowered(monkeypatch, generated(lines, tmp_path), np.ones(9), np.ones(9), 9)
    assert work.steps > 100
    assert work.total <= 0.1 * work.steps


def test_equal_sizes_that_are_found_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(a, b, c, d):  # type: ignore[no-untyped-def]
        x = a + b
        y = x * c
        z = y - d
        return x * y * z

    result, _ = lowered(monkeypatch, f, *(np.ones(7) for _ in range(4)))
    sizes = {x for p in result.program.data.values() for x in getattr(p, "shape", ()) if isinstance(x, Sym)}
    assert len({s.name for s in sizes}) == 1, to_text(result.program)
