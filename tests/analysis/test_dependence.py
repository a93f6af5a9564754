"""Which loops carry a dependence: a table of bodies, each asked about its outermost loop."""

from __future__ import annotations

import itertools

import pytest

from soljit.analysis.flow.program_point import Situation
from soljit.analysis.loops.dependence import Dependences, constant_distance
from soljit.analysis.memory import integer_sets
from soljit.analysis.memory.accesses import Access, aliases, effects
from soljit.analysis.memory.witness import meets
from soljit.ir.core.expr import ONE, Range, Sym, const
from soljit.ir.core.nodes import Loop
from soljit.ir.symbolic import add
from soljit.ir.text.parser import from_text
from soljit.passes.manager import Context

HEAD = "@symbols(N=A.shape[0], M=A.shape[1])\ndef f(A: f64[N, M], x: f64[N], k: i64[N], n: i64):\n"


def carried(body: str, head: str = HEAD) -> bool:
    """May two accesses of the first loop in `body` meet in different iterations?"""
    program = from_text(head + "".join(f"    {line}\n" for line in body.splitlines()))
    loop = next(n for n in program.body.nodes if isinstance(n, Loop))
    here = Situation(Context().facts(program))
    dependences = Dependences(aliases(program))
    e = effects(loop.body)
    pairs = itertools.combinations_with_replacement(dict.fromkeys(e.accesses), 2)
    lets = e.defines - {v for a in e.accesses for v, _ in a.loops}
    return any(
        dependences.carried(a, b, (loop.var, loop.span), here, lets)
        for a, b in pairs
        if (a.write or b.write) and aliases(program).may_alias(a.data, b.data)
    )


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(0, N):\n    x[i] = x[i] + 1.0",
        "for i in range(0, N):\n    x[N - 1 - i] = 1.0",
        "for i in range(0, N // 2):\n    x[i] = x[i + N // 2]",
        "for i in range(0, N // 2):\n    x[2 * i] = x[2 * i + 1]",
        "for i in range(0, 4):\n    x[i] = x[i + 4]",
        "for i in range(0, N, 3):\n    x[i] = x[i + 1] + x[i + 2]",
        "for i in range(0, N):\n    for j in range(0, M):\n        A[i, j] = A[i, M - 1 - j]",
        "for i in range(1, N):\n    x[i] = x[0]",
        "for i in range(0, N):\n    for j in range(i + 1, N):\n        A[i, j] = A[j, i]",
        "for i in range(0, N):\n    for j in range(0, i):\n        A[i, j] = x[j]\n        A[j, i] = x[i]",
        "for i in range(0, N // 2):\n    for j in range(0, 2):\n        x[2 * i + j] = x[2 * i + 1 - j]",
        "for i in range(0, N):\n    x[i] = A[k[i], k[i]]",
    ],
)
def test_iterations_are_apart(body: str) -> None:
    assert not carried(body)


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(1, N):\n    x[i] = x[i - 1]",
        "for i in range(0, N - 1):\n    x[i] = x[i + 1]",
        "for i in range(0, N):\n    x[0] = x[i]",
        "for i in range(0, N):\n    x[i] = x[N - 1 - i]",
        "for i in range(0, N):\n    x[k[i]] = 1.0",
        "for i in range(0, N):\n    x[i // 2] = 1.0",
        "for i in range(0, N):\n    j: i64 = k[i]\n    x[j] = 1.0",
        "for i in range(0, N):\n    for j in range(0, M):\n        A[j, i] = A[i, j]",
        "for i in range(0, 5):\n    x[i] = x[i + 4]",
        "for i in range(0, N, 2):\n    x[i] = x[i + 4]",
        "for i in range(0, N):\n    for j in range(0, 3):\n        x[2 * i + j] = 1.0",
        "for i in range(0, N):\n    for j in range(0, i + 1):\n        x[j] = 1.0",
        "for i in range(0, N):\n    m: i64 = k[i]\n    for j in range(0, m):\n        x[j] = x[N - 1 - j]",
        "for i in range(0, N):\n    x[i * n] = 1.0",
    ],
)
def test_iterations_may_meet(body: str) -> None:
    assert carried(body)


def test_other_names_of_the_same_memory() -> None:
    apart = "def f(a: f64[n], b: f64[n], n: i64):\n"
    group = 'def f(a: f64[n].alias("g"), b: f64[n].alias("g"), n: i64):\n'
    body = "for i in range(0, n):\n    a[i] = b[i]"
    assert not carried(body, apart)
    assert carried(body, group)


def test_spans_that_move_from_iteration_to_iteration_prove_nothing() -> None:
    body = "for i in range(0, N):\n    m: i64 = k[i]\n    for j in range(0, m):\n        x[j] = 1.0\n"
    body += "    for j in range(m, N):\n        x[j] = 2.0"
    assert carried(body)


def test_distances() -> None:
    i, span = Sym("i"), ("i", Range(const(0), Sym("N"), ONE))
    a, b = Access("x", (add(i, const(3)),), True), Access("x", (i,), False)
    assert constant_distance(a, b, span) is not None
    assert constant_distance(a, b, span).by == 3  # type: ignore[union-attr]
    assert constant_distance(a, a, span).by == 0  # type: ignore[union-attr]
    assert constant_distance(Access("x", (const(1),), True), Access("x", (const(2),), True), span).by is None  # type: ignore[union-attr]
    assert constant_distance(a, Access("x", (Sym("q"),), False), span) is None


def test_an_example_of_a_dependence() -> None:
    span = ("i", Range(const(0), Sym("N"), ONE))
    inner = (("j", Range(const(0), Sym("i"), ONE)),)
    assert meets(Access("x", (Sym("j"),), True, loops=inner), Access("x", (Sym("i"),), False), span, ())
    assert not meets(Access("x", (Sym("i"),), True), Access("x", (Sym("i"),), False), span, ())


def test_integer_sets() -> None:
    i, j = Sym("i"), Sym("j")
    loops = [("i", Range(const(0), Sym("N"), ONE))], [("j", Range(const(0), Sym("N"), ONE))]
    two_i, odd_j = add(i, i), add(add(j, j), ONE)
    assert integer_sets.empty(*loops, [(two_i, odd_j)], (i, j))
    assert not integer_sets.empty(*loops, [(two_i, add(j, ONE))], (i, j))
    assert not integer_sets.empty(*loops, [(i, add(j, Sym("d")))], (i, j))
