"""A program grows in proportion to its function, whatever types its branches give to names: no copy of what follows is made for each combination."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from bench.compile_time import lowered
from soljit.ir.text.printer import to_text
from tests.oracle import function

# name → what the two or three arms bind `q{k}` to, and the number that is read of it
MIXTURES = {
    "float or np.float64": (("float(y[{k}])", "y[{k}]"), "q{k}"),
    "int or float": (("int(n[{k}])", "y[{k}]"), "q{k}"),
    "three types": (("int(n[{k}])", "y[{k}]", "2.5"), "q{k}"),
    "bool or np.bool": (("bool(n[{k}])", "y[{k}] < 1"), "q{k}"),
    "two dtypes": (("h[{k}]", "y[{k}]"), "q{k}"),
    "complex or float": (("1j", "y[{k}]"), "q{k}"),
    "None or a number": (("None", "y[{k}]"), "(0.0 if q{k} is None else q{k})"),
    "None or an array": (("None", "y[:{k}]"), "(0.0 if q{k} is None else q{k}.sum())"),
    "a number or an array": (("1.5", "y[:{k}]"), "np.sum(q{k})"),
    "None or a tuple": (("None", "(1, y[{k}])"), "(0.0 if q{k} is None else q{k}[1])"),
    "tuples": (("(1, y[{k}])", "(y[{k}], 2.0)"), "q{k}[1]"),
    "texts": (("'a'", "'bc'"), "len(q{k})"),
    "flags": (("True", "False"), "(1.0 if q{k} else 2.0)"),
    "functions": (("math.sin", "math.cos"), "q{k}(1.0)"),
    "arrays of two dtypes": (("y", "h"), "q{k}.sum()"),
    "arrays of two ranks": (("y", "y.reshape(2, -1)"), "q{k}.sum()"),
    "slices": (("slice(None)", "slice(1, None)"), "y[q{k}].sum()"),
}


def merging(arms: Sequence[str], use: str, n: int) -> str:
    """A function with n branches one after the other, each of which gives a name one of several types."""
    lines = ["def f(y, n, h):"]
    for k in range(n):
        for j, arm in enumerate(arms):
            word = "if" if j == 0 else "else" if j == len(arms) - 1 else "elif"
            test = "" if word == "else" else f" y[{k}] < {0.3 + 0.3 * j}"
            lines += [f"    {word}{test}:", f"        q{k} = {arm.format(k=k)}"]
    return "\n".join([*lines, "    return " + " + ".join(use.format(k=k) for k in range(n))]) + "\n"


def returning(arm: Sequence[str], n: int) -> str:
    """A function that is compiled along and returns from inside n branches."""
    lines = ["def g(y, t):", "    s = 0.0"]
    for k in range(n):
        lines += [x.format(k=k % 40) for x in arm]
    return "\n".join([*lines, "    return s", "def f(y, n, h):", "    return g(y, 0.5)"]) + "\n"


RETURNS = {
    "early returns": ["    if y[{k}] > t:", "        return {k}.5 + s", "    s += y[{k}]"],
    "returns of one arm": [
        "    if y[{k}] < 0.4:",
        "        if y[{k}] > t:",
        "            return {k}.5",
        "        s += 1.0",
        "    else:",
        "        s += y[{k}]",
    ],
    "two returns": [
        "    if y[{k}] < 0.4:",
        "        if y[{k}] > t:",
        "            return s",
        "        if y[{k}] > 0.3:",
        "            return {k}.5",
        "        s += 1.0",
    ],
}


SUBSCRIPTS = (
    "b[{i}, {j}] = 1.5",
    "b[{i}, {j}] += 2",
    "s += b[{i}, {j}]",
    "s += b[{j}, {i}] * b[{i}, {i}]",
    "b[{i}:{j}] = 0.5",
)


def of_two_types(n: int) -> str:
    """Names of an int or a text."""
    return "".join(f"    i{k} = int(n[{k}])\n    if y[{k}] < 0.5:\n        i{k} = str(n[0])\n" for k in range(n))


def subscripts(form: str, n: int) -> str:
    """A function with n subscripts of several types."""
    lines = ["    " + form.format(i=f"i{k % 4}", j=f"i{(k + 1 + k // 4) % 4}") for k in range(n)]
    return "\n".join(
        ["def f(y, n, h):", "    b, s = np.ones((3, 3)), 0.0", of_two_types(4), *lines, "    return b, s\n"]
    )


def of_parts(axes: int) -> str:
    """A function with subscripts of so many parts."""
    at = ", ".join(f"i{k}" for k in range(axes))
    lines = [f"    b = np.ones((3,) * {axes})", of_two_types(axes)]
    lines += [
        f"    b[{at}] = {k}\n    b[{at}] += {k}" for k in range(12)
    ]  # so many that they follow no branch in copies
    return "\n".join(["def f(y, n, h):", *lines, "    return b\n"])


def nested(depth: int) -> str:
    """Branches in one another, each of which asks whether a name of several types is true."""
    lines = ["def f(y, n, h):", "    s = 0.0", of_two_types(depth)]
    for k in range(depth):
        lines += [f"{'    ' * k}    if i{k}:", *(f"{'    ' * k}        s = s * 0.5 + y[{k + j}]" for j in range(6))]
    return "\n".join([*lines, "    return s\n"])


def size(source: str) -> int:
    """The characters of the program that a function becomes, but for those that indent it."""
    f: Callable[..., Any] = function(source, "f", np=np, math=math)
    found = lowered(f, [np.linspace(0.0, 1.0, 40), np.arange(40), np.linspace(0.0, 1.0, 40, dtype=np.float32)])
    return sum(len(line.strip()) for line in to_text(found.program).splitlines())


def is_linear(make: Callable[[int], str]) -> None:
    few, some, many = (size(make(n)) for n in (8, 16, 32))
    assert many <= 2.3 * some, (
        few,
        some,
        many,
    )  # while little follows a branch it is copied, which makes the first one large
    assert many <= 8 * few, (few, some, many)


@pytest.mark.share(0.3)
@pytest.mark.parametrize("name", MIXTURES)
def test_branches_that_merge_types(name: str) -> None:
    arms, use = MIXTURES[name]
    is_linear(lambda n: merging(arms, use, n))


@pytest.mark.parametrize("name", RETURNS)
def test_returns_from_branches(name: str) -> None:
    is_linear(lambda n: returning(RETURNS[name], n))


def test_many_early_returns() -> None:
    assert size(returning(RETURNS["early returns"], 100)) < 60_000


def test_a_result_of_many_numbers_and_one_of_another_kind() -> None:
    def result(n: int) -> str:
        source = merging(("float(y[{k}])", "y[{k}]"), "q{k}", n).rpartition("    return")[0]
        names = ", ".join(f"q{k}" for k in range(n))
        return source + f"    a = None\n    if y[0] > 2:\n        a = y\n    return a, {names}\n"

    is_linear(result)


@pytest.mark.parametrize("form", SUBSCRIPTS)
def test_subscripts_of_several_types(form: str) -> None:
    is_linear(lambda n: subscripts(form, 2 * n))


def test_parts_of_a_subscript() -> None:
    few, many = (size(of_parts(n)) for n in (3, 6))
    assert many <= 2.3 * few, (few, many)


def test_branches_in_one_another_on_values_of_several_types() -> None:
    is_linear(nested)


TRIES = {
    "handlers in one another": [
        "try:",
        "    s += y[n[{k}]]",
        "except (ValueError, IndexError) as e:",
        "    s += len(str(e))",
    ],
    "finally clauses in one another": ["try:", "    s += y[n[{k}]]", "finally:", "    s += 1"],
    "both": ["try:", "    s += y[n[{k}]]", "except KeyError:", "    s -= y[1]", "finally:", "    s += 1"],
    "bodies in one another": ["with G(y):", "    s += y[n[{k}]]"],
}
GUARD = """
class G:
    def __init__(self, y):
        self.y = y

    def __enter__(self):
        self.y[0] += 1
        return self

    def __exit__(self, kind, e, at):
        self.y[0] -= 1
        return kind is KeyError

"""


@pytest.mark.share(0.3)
@pytest.mark.parametrize("name", TRIES)
def test_tries(name: str) -> None:
    def text(depth: int) -> str:
        lines = [f"{'    ' * k}    {x.format(k=k)}" for k in range(depth) for x in TRIES[name]]
        return "\n".join([GUARD, "def f(y, n, h):", "    s = 0.0", *lines, "    return s\n"])

    few, many = size(text(3)), size(text(9))
    assert many <= 3.5 * few, (few, many)


def test_many_tries_one_after_the_other() -> None:
    def text(count: int) -> str:
        lines = [
            "try:",
            "    s += y[n[{k}]]",
            "except IndexError as e:",
            "    s -= len(str(e))",
            "finally:",
            "    s += 1",
        ]
        body = "\n".join(f"    {x.format(k=k % 40)}" for k in range(count) for x in lines)
        return f"def f(y, n, h):\n    s = 0.0\n{body}\n    return s\n"

    few, many = size(text(45)), size(text(180))
    assert many <= 4.4 * few, (few, many)
