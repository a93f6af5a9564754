"""What is an accumulation, and what only looks like one."""

from __future__ import annotations

import pytest

from soljit.analysis.loops.reductions import as_accumulation, colliding_sums
from soljit.ir.core.nodes import Map, Tasklet
from soljit.ir.text.parser import from_text
from soljit.ir.text.spelling import spell

HEAD = "def f(n: i64, a: f64[n], q: f64, k: i64, p: b1):\n    s: f64\n    m: i64\n    b: b1\n"


def accumulation(text: str) -> tuple[str, str] | None:
    node = from_text(f"{HEAD}    {text}\n").body.nodes[0]
    assert isinstance(node, Tasklet)
    found = as_accumulation(node)
    return None if found is None else (found[0], spell(found[1]))


@pytest.mark.parametrize(
    "text, op, operand",
    [
        ("s = s + q", "add", "q"),
        ("s = q + s", "add", "q"),
        ("s = s - q", "add", "-q"),
        ("s = s + q - a[k]", "add", "q - a[k]"),
        ("s = s - q - a[k]", "add", "-q - a[k]"),
        ("a[k] = a[k] * q * q", "mul", "q * q"),
        ("s = min(q, s)", "min", "q"),
        ("s = max(s, q)", "max", "q"),
        ("m = k if k < m else m", "min", "k"),
        ("m = m if k < m else k", "max", "k"),
        ("m = k if k >= m else m", "max", "k"),
        ("m = m ^ k", "bxor", "k"),
        ("b = b | p", "bor", "p"),
    ],
)
def test_accumulations(text: str, op: str, operand: str) -> None:
    assert accumulation(text) == (op, operand)


@pytest.mark.parametrize(
    "text",
    [
        "s = q - s",  # alternates
        "s = s + s",
        "s = s + a[k] * s",
        "s = q if q < s else s",  # keeps the old value when q is NaN, not when s is
        "s = fmin(s, q)",
        "s = s / q",
        "a[k] = a[k + 1] + q",
        "s = q",
        "m = k if k < m else k",
        "b = b and p",
    ],
)
def test_no_accumulations(text: str) -> None:
    assert accumulation(text) is None


def test_sums_that_collide() -> None:
    p = from_text(
        "def f(n: i64, A: f64[n, n], r: f64[n], c: f64[n], k: i64[n]):\n    with map(i=range(0, n), j=range(0, n)):\n"
        "        r[i] += A[i, j]\n        c[j] += A[i, j]\n        A[i, k[j]] += 1.0\n"
    )
    m = p.body.nodes[0]
    assert isinstance(m, Map)
    assert colliding_sums(m, ("i",), p.data) == {"c"}
    assert colliding_sums(m, ("j",), p.data) == {"r", "A"}
    assert colliding_sums(m, ("i", "j"), p.data) == {"r", "c", "A"}
