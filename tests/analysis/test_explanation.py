"""What `explain()` says of threads, vectors, libraries and calls of Python; `inspect_types()` of variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol


def remarks(f: Callable[..., Any], *args: Any) -> dict[str, list[str]]:
    """The remarks under each line of a function, by the line's text. The target "null" stands for a machine with 4 threads and AVX-512."""
    compiled = sol.jit(strict=True, target="null")(f)
    compiled(*args)
    found: dict[str, list[str]] = {}
    line = ""
    for text in compiled.explain().splitlines():
        if text.startswith("      >   "):
            found.setdefault(line, []).append(text[10:])
        elif " | " in text:
            line = text.partition(" | ")[2].strip()
    return found


def test_threads_and_vectors() -> None:
    def f(a, b):
        c = np.exp(a) * b[0]
        return c.astype(np.float32) + np.float32(1)

    (found,) = [r for r in remarks(f, np.ones((4, 5)), np.ones(3)).values() if any("threads" in x for x in r)]
    (threads,) = [x for x in found if "threads" in x]
    assert threads == "on up to 4 threads over axis 0 (a.shape[0]), where a.shape[0] * a.shape[1] >= 19231"
    assert "vector code, up to 8 float64 at a time" in found


def test_libraries() -> None:
    def f(a):
        b = a @ a
        w = np.linalg.eigvalsh(a)
        return b, w, np.sort(w)

    found = remarks(f, np.eye(3))
    assert "NumPy's own BLAS multiplies" in found["b = a @ a"]
    assert found["w = np.linalg.eigvalsh(a)"] == [
        "NumPy's own routine eigvalsh_lo is called, without Python",
        "checks, and may raise LinAlgError",
    ]
    assert "NumPy's own sort is called, without Python" in found["return b, w, np.sort(w)"]


def test_calls_of_python() -> None:
    def f(a, d, rng):
        out = []
        print("begins")
        for k in range(a.shape[0]):
            d["n"] = a[k]
            x = rng.normal()
            y = rng.normal(size=2) + rng.uniform(0.0, 1.0, (1, 2))[0]
            y = rng.normal(a)
            out.append([x + y[0], "text"])
        return out

    found = remarks(f, np.ones(2), {"n": 0.0, "m": "text"}, np.random.default_rng(0))
    assert found['print("begins")'] == ["calls Python: Python prints"]
    assert found['d["n"] = a[k]'] == [
        "calls Python: an item of d is written, at every step; what would change it: numbers in arrays are written without Python"
    ]
    assert found["x = rng.normal()"] == ["draws a random number without Python, from the generator's own state"]
    assert "draws random numbers without Python, from the generator's own state" in "".join(
        found["y = rng.normal(size=2) + rng.uniform(0.0, 1.0, (1, 2))[0]"]
    )
    assert found["y = rng.normal(a)"] == [
        "calls Python: normal() of a random generator, at every step; what would change it: it draws without Python where the parameters are plain numbers"
    ]
    assert "calls Python: a Python list grows, at every step" in "".join(found['out.append([x + y[0], "text"])'])


def test_refused_types_are_told_although_others_were_compiled() -> None:
    @sol.jit(target="null")
    def f(a, text):
        if text:
            return eval("1")
        return a * 2

    f(np.ones(2), "")
    with pytest.warns(sol.FallbackWarning):
        f(np.ones(2), "x")
        f(np.ones((2, 2)), "x")
    told = f.explain()
    assert "f(float64[:], static '')" in told and "runs in plain Python:" in told and "eval" in told


def test_types_of_variables() -> None:
    def f(a, n):
        total = 0.0
        scaled = a * 2
        for k in range(n):
            total += scaled[k]
        words = ["a"]
        words.append(str(n))
        return total, words

    compiled = sol.jit(strict=True, target="null")(f)
    compiled(np.ones(3), 2)
    lines = [line.strip() for line in compiled.inspect_types().splitlines()]
    assert {"a: float64[:]", "n: int", "total = float64", "k = int", "scaled = float64[:]"} <= {*lines}


def test_loops_that_draw_stay_in_order() -> None:
    def f(a, rng):
        for k in range(a.shape[0]):
            a[k] = rng.normal() + np.random.random()

    found = remarks(f, np.ones(2), np.random.default_rng(0))["a[k] = rng.normal() + np.random.random()"]
    assert "draws a random number without Python, from the generator's own state" in found
    assert not any("calls Python" in text or "called back" in text for text in found)
    assert any(
        "it draws random numbers, whose order counts" in text
        for texts in remarks(f, np.ones(2), np.random.default_rng(0)).values()
        for text in texts
    )
