"""Steps of lowering grow with the program: with the depth of loops, the number of their variables, and the depth of calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.compile_time import counted_work, lowered
from bench.generated import generated
from soljit.codegen.emit import emit
from tests.oracle import check


def _nested(depth: int) -> list[str]:
    """Loops inside one another, whose variables become floats in the innermost one, and names that are first bound in them."""
    lines = ["s = 0", "t = 0"]
    for k in range(depth):
        lines += [f"{'    ' * k}for i{k} in range(n):", f"{'    ' * (k + 1)}q{k} = i{k}"]
    inside = "    " * depth
    lines += [f"{inside}s = s + a[i0] * 2.0", f"{inside}t = s - 1.0", f"{inside}last = t", f"{inside}if t > 5.0:"]
    lines.append(f"{inside}    t = 0.0")
    lines += [f"{'    ' * k}s = s + q{k} * 0.5" for k in range(depth - 1, 0, -1)]
    return [*lines, "return s, t, last"]


def _accumulators(count: int) -> list[str]:
    """Variables of one loop that begin as ints and become floats, and names that are first bound in it."""
    names = range(count)
    lines = [*(f"s{k} = 0" for k in names), "for i in range(n):"]
    lines += [f"    s{k} += a[i] * {k}.5" for k in names] + [f"    u{k} = s{k} - a[i]" for k in names]
    return [*lines, "return " + " + ".join(f"s{k} * u{k}" for k in names)]


def _returns_from_loops(depth: int) -> list[str]:
    """Functions that call one another in loops, and return from these."""
    lines: list[str] = []
    for k in range(depth):
        call = f"g{k - 1}(x + i)" if k else "a[i] - x"
        lines += [f"def g{k}(x):", "    for i in range(n):", f"        j = {call}", "        if j > 1:"]
        lines += ["            return j * 1.0", "    return 0"]
    return [*lines, f"return g{depth - 1}(0.5)"]


def _through_tries(count: int) -> list[str]:
    """A name that gets another type in the innermost of three tries, and others that go through all of them."""
    names = [f"s{k}" for k in range(count)]
    lines = ["import numpy as np", *(f"{s} = 0" for s in names), "y = 0", "k = n", "try:", "    try:"]
    lines += ["        y = np.zeros((k, 2))[0, 0]", "    except LookupError:", "        y = k", "    print(k, y)"]
    lines += [
        *(f"    {s} += 1" for s in names),
        "except AssertionError:",
        "    k += 1",
        "except:",
        "    pass",
        "finally:",
    ]
    lines += ["    if b[0] < a[0]:", f"        return y, k, {', '.join(names)}", "    print(k)", "return y"]
    return lines


def _bound_again(count: int) -> list[str]:
    """Arrays that a loop binds again, to one another and to new ones."""
    names = range(count)
    lines = [*(f"x{k} = a * {k}.5" for k in names), *(f"y{k} = b + {k}.0" for k in names), "for i in range(n):"]
    lines += [f"    x{k}, y{k} = y{k}, x{k} + {'y' if k % 2 else 'x'}{k}" for k in names]
    return [*lines, "return " + " + ".join(f"(x{k} * y{k}).sum()" for k in names)]


def _function(text: list[str]) -> Any:
    return generated("def f(a, b, n):\n" + "".join(f"    {x}\n" for x in text)).f


def _steps(text: list[str]) -> int:
    with counted_work() as works:
        lowered(_function(text), [np.arange(4.0), np.ones(4), 3])
    return sum(work.total + work.steps for work in works)


@pytest.mark.parametrize(
    ("text", "few", "many", "most"),
    [
        (_nested, 2, 6, 6.5),
        (_accumulators, 10, 40, 4.2),
        (_returns_from_loops, 2, 6, 6.5),
        (_through_tries, 10, 40, 2.5),
        (_bound_again, 4, 16, 4.4),
    ],
)
def test_steps(text: Callable[[int], list[str]], few: int, many: int, most: float) -> None:
    assert _steps(text(many)) <= most * _steps(text(few))


@pytest.mark.parametrize(
    "text", [_nested(3), _accumulators(4), _returns_from_loops(3), _through_tries(3), _bound_again(3)]
)
def test_results(text: list[str]) -> None:
    f = _function(text)
    check(f, np.arange(4.0), np.ones(4), 3, also=[(np.linspace(-3.0, 4.0, 5), np.ones(5), 2)])


def _calls(count: int) -> list[str]:
    """Calls of a function of ten statements on arrays."""
    lines = ["def g(x, y):", "    p = x * 2.0 + y", "    q = p - y * 0.5", "    r = np.where(q > 1.0, p * q, p + q)"]
    lines += [
        "    r = r - r.mean()",
        "    s = np.sqrt((r * r).sum())",
        "    r = r / s",
        "    for i in range(1, len(r)):",
    ]
    lines += ["        r[i] += r[i - 1] * 0.5", "    return r", "def f(x, y):"]
    return [*lines, *(f"    x = g(x, y) + {k}.5 * y" for k in range(count)), "    return x"]


def _characters(count: int, folder: Path) -> int:
    """Of the C++ text."""
    file = folder / f"calls{count}.py"
    file.write_text("import numpy as np\n" + "\n".join(_calls(count)))
    namespace: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), namespace)  # noqa: S102 (a program that the test has written)
    program = lowered(namespace["f"], [np.arange(4.0), np.ones(4)]).program
    assert len(program.functions) == 1
    return len(emit(program).text)


def test_one_function_for_all_calls(tmp_path: Path) -> None:
    few, many = _characters(10, tmp_path), _characters(40, tmp_path)
    assert many - few < 30 * 1_200  # a call and a sum; the function has 5,000


def test_attempts_that_find_out_nothing() -> None:
    assert _steps(_through_tries(10)) <= 700
