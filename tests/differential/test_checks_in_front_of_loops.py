"""Checks that come out the same in each iteration of a loop: what was done before something raises, and what raises, is as in Python."""

from __future__ import annotations

import numpy as np
import pytest

from soljit.ir.core.nodes import Loop, Raise
from soljit.ir.walk import walk
from tests.oracle import check, function
from tests.schedule.programs import lowered, optimized

LOCAL = """
def f(a, x, k):
    out = np.zeros(len(a))
    for j in range(len(a)):
        s = a[j] * 2.0
        out[j] = s + x[k[0]]
    return out
"""
CASES = {
    "local memory": LOCAL,
    "no iterations": LOCAL.replace("range(len(a))", "range(len(a) - 4)"),
    "downwards": LOCAL.replace("range(len(a))", "range(len(a) - 1, -1, -2)"),
    "an argument is written before": LOCAL.replace("        s =", "        a[j] = 7.0\n        s ="),
    "an argument is written behind": LOCAL.replace("x[k[0]]\n", "x[k[0]]\n        a[j] = 7.0\n"),
    "what is checked is written": LOCAL.replace("x[k[0]]", "x[int(a[0])]\n        a[0] = k[0]"),
    "another check before": LOCAL.replace("        s =", "        s = x[j + k[0]]\n        s ="),
    "another check behind": LOCAL.replace("x[k[0]]\n", "x[k[0]] + a[j + k[0]]\n"),
    "under a condition": LOCAL.replace("        out[j]", "        if s > 3.0:\n            s += x[k[0]]\n        out[j]"),
    "caught": """
def f(a, x, k):
    out = np.zeros(len(a))
    try:
        for j in range(len(a)):
            out[j] = a[j]
            out[j] += x[k[0]]
    except IndexError:
        out[-1] = -1.0
    return out
""",
    "printed before": LOCAL.replace("        s =", "        print(j)\n        s ="),
    "two loops": """
def f(a, x, k):
    out = np.zeros((len(a), len(a)))
    for i in range(len(a)):
        for j in range(i):
            out[i, j] = a[j]
            out[i, j] += x[k[0] + i]
    return out
""",
    "a list of the function's own": """
def f(a, x, k):
    out = [0.0]
    for j in range(len(a)):
        out.append(a[j])
        out[-1] += x[k[0]]
    return out
""",
    "division": """
def f(a, x, k):
    out = np.zeros(len(a))
    for j in range(len(a)):
        out[j] = a[j] + 7 // (int(k[0]) - 2) + x[k[0]]
    return out
""",
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_same_as_python(name: str) -> None:
    f = function(CASES[name])
    for n in (1, 4, 6):
        for k in (0, 2, 3, 5, -4, 99):
            check(f, np.arange(1.0, n + 1), np.arange(4.0), np.array([k]))


@pytest.mark.parametrize(
    ("name", "hoisted"),
    [("local memory", True), ("an argument is written before", False), ("another check before", False)],
)
def test_which_are_hoisted(name: str, hoisted: bool) -> None:
    program, _ = optimized(lowered(function(CASES[name]), np.ones(3), np.ones(4), np.zeros(1, np.int64)))
    inside = any(isinstance(x, Raise) for n in walk(program.body) if isinstance(n, Loop) for x in walk(n))
    assert inside != hoisted
