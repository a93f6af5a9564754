"""Updates from both ends: what is taken, what is refused, and random statements, with the bits of NumPy."""

from __future__ import annotations

import random

import numpy as np
import pytest

import soljit as sol
from tests.oracle import check, function
from tests.schedule.programs import steps

TAKEN = {
    "durbin": "a[:k] += c * a[:k][::-1]",
    "reversed": "a[:] = a[::-1]",
    "a part": "a[2:k] = a[2:k][::-1] - c * a[2:k]",
    "the last ones": "a[-k:] = a[-k:][::-1] * a[-k:][::-1] + b[:k]",
    "rows": "m[:] = m[::-1] * c",
    "columns": "m -= m[:, ::-1]",
    "one column": "m[:, 1] = m[::-1, 1] + m[:, 1] * b[:len(m)]",
}  # fmt: skip
OTHERS = {
    "another image": "a[1:] = a[:-1][::-1]",
    "two others": "a[:] = a[::-1] + c * a[0]",
    "both axes": "m[:] = m[::-1, ::-1]",
    "across": "m[:] = m.T + m[::-1]",
    "may overlap": "b[:k] = a[:k][::-1]",
    "rows of other lengths": "t = np.empty_like(m)\n    for i in range(len(m)): t[i, :i] = m[i, :i] + m[len(m) - 1 - i, :i]\n    for i in range(len(m)): m[i, :i] = t[i, :i]",
}


def program(line: str) -> str:
    return f"def f(a, b, m, c, k):\n    {line}\n    return a, b, m\n"


@pytest.mark.parametrize("name", [*TAKEN, *OTHERS])
def test_statements(name: str) -> None:
    f = function(program({**TAKEN, **OTHERS}[name]))
    rng = np.random.default_rng(1)
    found = steps(f, rng.random(9), rng.random(9), rng.random((5, 5)), 0.3, 6)
    assert any("mirror" in s for s in found) == (name in TAKEN)
    for n in (4, 5, 17, 64):
        for k in (2, 3, 4):
            check(f, rng.random(n), rng.random(n), rng.random((n, n)), 0.3, k)
    a = rng.random(40)
    check(f, a[3:20], a[:17], rng.random((6, 6)), 0.3, 7)
    check(f, np.arange(12), np.arange(12), np.arange(16).reshape(4, 4), 2, 5)


def test_explain_and_moves_tell_it() -> None:
    f = sol.jit(function("def f(a, c):\n    a += c * a[::-1]\n"), strict=True)
    f(np.ones(8), 2.0)
    assert "elements of a from both ends are computed together" in str(f.explain())
    g = sol.jit(function("def f(a):\n    a[1:] = a[:-1][::-1]\n"), strict=True)
    assert "beside those that it and its mirror image" in str(
        sol.schedule.moves(g, np.ones(8)).why_not("mirror(L2.i0)")
    )
    text = "\n".join(line for line in str(f.schedule(0)).splitlines() if "mirror" not in line)
    stored = sol.jit(function("def f(a, c):\n    a += c * a[::-1]\n"), strict=True, schedule="")
    a, b = np.arange(9.0), np.arange(9.0)
    f(a, 0.3)
    stored(b, 0.3)
    assert "mirror" not in text + str(stored.schedule(0))
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("seed", range(12))
def test_random_statements_in_a_loop(seed: int) -> None:
    rng = random.Random(seed)
    low, high = rng.choice(("", "1", "k")), rng.choice(("", "-1", "n - k"))
    part = f"a[{low}:{high}]"
    terms = [part, f"{part}[::-1]", f"b[{low}:{high}]", f"b[{low}:{high}][::-1]", "c", "a[0]"]
    value = rng.choice(terms[:2])
    for _ in range(rng.randint(1, 3)):
        value += f" {rng.choice('+-*')} {rng.choice(terms)}"
    f = function(
        f"def f(a, b, c):\n    n = len(a)\n    for k in range(n // 2):\n        {part} = {value}\n        b[k] += a[-1]\n    return a\n"
    )
    values = np.random.default_rng(seed)
    for n in (3, 8, 21):
        check(f, values.random(n), values.random(n), 0.5)
