"""Floats that become wider are told where that happens, with what makes them so; what does not widen in NumPy is not told."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests import oracle

pytestmark = pytest.mark.skipif(oracle.IDENTITY, reason="needs the compiler")

X = np.ones((3, 3), np.float32)
NUMBER, ARRAY = "a NumPy number of type ", "an array of type "

WIDER: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str, str]] = {
    "a root of an int": (lambda x, y: x / np.sqrt(len(x)), (), "x / np.sqrt(len(x))", f"{NUMBER}float64"),
    "an int of NumPy's": (lambda x, y: x * y.sum(), (np.arange(3),), "x * y.sum()", f"{NUMBER}int64"),
    "zeros": (lambda x, y: np.zeros(3) + x, (), "np.zeros(3) + x", f"{ARRAY}float64"),
    "an array of ints": (lambda x, y: x * y, (np.arange(3),), "x * y", f"{ARRAY}int64"),
    "a comparison": (lambda x, y: x < y, (np.float64(2),), "x < y", f"{NUMBER}float64"),
    "a product": (lambda x, y: x @ y, (np.ones(3),), "x @ y", f"{ARRAY}float64"),
    "where": (lambda x, y: np.where(x > 0, x, np.float64(1)), (), "np.where(x > 0, x, np.float64(1))", NUMBER),
    "concatenate": (lambda x, y: np.concatenate((x, y)), (np.ones((1, 3)),), "np.concatenate((x, y))", ARRAY),
    "complex": (lambda x, y: x + y, (np.complex128(1),), "x + y", f"{NUMBER}complex128"),
}
SAME: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "a root of math": (lambda x, y: x / math.sqrt(len(x)), ()),
    "numbers of Python's": (lambda x, y: x * 2.0 + 1 + y, (3.0,)),
    "a smaller int": (lambda x, y: x + y, (np.ones(3, np.int16),)),
    "complex64": (lambda x, y: x * y, (np.complex64(2),)),
    "what the program asks for": (lambda x, y: x.astype(np.float64) * y, (np.ones(3),)),
    "an argument dtype": (lambda x, y: np.add(x, x, dtype=np.float64), ()),
    "a sum": (lambda x, y: x.sum() / len(x), ()),
}


def told_of(f: Callable[..., Any], rest: tuple[Any, ...], x: Any = X) -> tuple[Any, list[sol.Remark]]:
    compiled = sol.jit(target="null", strict=True)(f)
    compiled(x, *(rest or (None,)))
    return compiled, [r for r in sol.explain(compiled) if r.kind == "types"]


@pytest.mark.parametrize("name", WIDER)
def test_it_is_told_where_and_why(name: str) -> None:
    f, rest, text, by = WIDER[name]
    compiled, told = told_of(f, rest)
    assert [r.facts["before"] for r in told] == ["float32"]
    assert str(told[0].facts["by"]).startswith(by) and told[0].cure
    assert f" in {text}: {by}" in told[0].text
    assert f"float32 becomes {told[0].facts['after']} by {by}" in compiled.explain(brief=True)
    result = f(X, *(rest or (None,)))
    assert result.dtype in (told[0].facts["after"], np.bool_)


@pytest.mark.parametrize("name", SAME)
def test_what_stays_is_not_told(name: str) -> None:
    assert not told_of(*SAME[name])[1]


def test_nothing_becomes_wider_than_float64() -> None:
    for name in WIDER.keys() - {"complex"}:
        f, rest, _, _ = WIDER[name]
        assert not told_of(f, rest, X.astype(np.float64))[1]


def test_numbers_in_loops() -> None:
    def f(x: Any, n: int) -> Any:
        for i in range(len(x)):
            x[i] *= np.sqrt(n)
        return x

    _, told = told_of(f, (4,), np.ones(3, np.float16))
    assert [(r.facts["before"], r.facts["after"], r.facts["by"]) for r in told] == [
        ("float16", "float64", f"{NUMBER}float64")
    ]
