"""What is said of two accesses is true of all iterations: tried for random subscripts."""

from __future__ import annotations

import itertools
import random

from soljit.analysis.memory.accesses import Access
from soljit.analysis.memory.overlap import meet_only_in_same_iteration
from soljit.ir.core.expr import Expr, Sym, const
from soljit.ir.symbolic import add, mul

SHARED, OUTSIDE = ("e", "f"), ("i", "n")
VALUES = range(-2, 4)


def subscript(draws: random.Random, shared: tuple[str, ...]) -> dict[str, int]:
    """Coefficients of a sum; "" is the constant."""
    names = [*draws.sample(shared, draws.randint(0, len(shared))), *draws.sample(OUTSIDE, draws.choice((0, 1)))]
    return {"": draws.choice((0, 0, 1)), **{v: draws.choice((1, 1, -1, 2)) for v in names}}


def expression(form: dict[str, int]) -> Expr:
    out: Expr = const(form[""])
    for v, c in form.items():
        if v:
            out = add(out, mul(const(c), Sym(v)))
    return out


def value(form: dict[str, int], at: dict[str, int]) -> int:
    return form[""] + sum(c * at[v] for v, c in form.items() if v)


def meets_elsewhere(a: list[dict[str, int]], b: list[dict[str, int]], shared: tuple[str, ...]) -> bool:
    """Do two different iterations touch one element, for some values of what is outside?"""
    for outside in itertools.product(VALUES, repeat=len(OUTSIDE)):
        given = dict(zip(OUTSIDE, outside))
        touched: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
        for mine in itertools.product(VALUES, repeat=len(shared)):
            at = given | dict(zip(shared, mine))
            touched.setdefault(tuple(value(x, at) for x in a), []).append(mine)
        for its in itertools.product(VALUES, repeat=len(shared)):
            at = given | dict(zip(shared, its))
            if any(mine != its for mine in touched.get(tuple(value(x, at) for x in b), ())):
                return True
    return False


def test_same_iterations_only() -> None:
    draws, proved = random.Random(5), 0
    for _ in range(3000):
        dims, shared = draws.choice((2, 3)), SHARED[: draws.choice((1, 1, 2))]
        a, b = ([subscript(draws, shared) for _ in range(dims)] for _ in range(2))
        if draws.random() < 0.5:
            b[0] = a[0]
        first, second = (Access("x", tuple(expression(x) for x in form), True) for form in (a, b))
        if meet_only_in_same_iteration(first, second, shared):
            proved += 1
            assert not meets_elsewhere(a, b, shared), (a, b)
    assert proved > 50


def test_a_row_and_a_column_meet_in_a_corner() -> None:
    i, e = Sym("i"), Sym("e")
    column, row = Access("x", (add(i, e), i), True), Access("x", (i, add(i, e)), True)
    beside = Access("x", (i, add(add(i, e), const(1))), True)
    assert meet_only_in_same_iteration(column, row, ("e",)) and meet_only_in_same_iteration(row, column, ("e",))
    assert not meet_only_in_same_iteration(column, beside, ("e",))
    assert not meet_only_in_same_iteration(column, row, ("e",), unstable=("i",))
