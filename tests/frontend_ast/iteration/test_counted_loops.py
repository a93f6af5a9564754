"""What a loop runs over: a count of steps and the item of a step, or items that are known one by one."""

from __future__ import annotations

import numpy as np

from soljit.frontend_ast.iteration.counted_loops import UNIFORM, counted, iteration_of
from soljit.frontend_ast.iteration.static_items import iterate_static
from soljit.frontend_ast.values.values import Arr, Iteration, Num, RangeVal, Static, Tup
from soljit.ir import symbolic
from soljit.ir.core.expr import const
from tests.frontend_ast.call import begin, emitted


def test_a_range_is_the_loops_own() -> None:
    cx, (n,) = begin(n=9)
    assert isinstance(n, Num)
    it = iteration_of(cx, RangeVal(const(2), n.expr, const(3)))
    assert isinstance(it, Iteration)
    with counted(cx, it, "i") as (_, item):
        assert isinstance(item, Num) and item.weak
        low, high = cx.facts.bounds(item.expr)
        assert low == 2 and high is not None
    assert emitted(cx)[-1].startswith("for i in range(2, n, 3):")


def test_an_array_is_stepped_through_by_its_first_axis() -> None:
    cx, (a,) = begin(a=np.ones((4, 3)))
    assert isinstance(a, Arr)
    it = iteration_of(cx, a)
    assert isinstance(it, Iteration) and it.length == a.shape[0]
    with counted(cx, it, "i") as (_, row):
        assert isinstance(row, Arr) and row.shape == a.shape[1:] and row.data == a.data
    assert not any("raise" in text for text in emitted(cx))  # the steps are within the array


def test_items_that_are_known_are_taken_one_by_one() -> None:
    cx, (x,) = begin(x=1.5)
    items = [x, Num(const(2), True), Static("text")]
    assert iteration_of(cx, Tup(items)) is None
    assert iterate_static(cx, Tup(items)) == items
    assert [v.obj for v in iterate_static(cx, Static("abc")) if isinstance(v, Static)] == ["a", "b", "c"]


def test_many_numbers_become_an_array() -> None:
    cx, _ = begin()
    many = Tup([Num(const(k), True) for k in range(UNIFORM + 1)])
    it = iteration_of(cx, many)
    assert isinstance(it, Iteration) and symbolic.simplify(it.length) == const(UNIFORM + 1)
    assert iteration_of(cx, Tup(many.items[:UNIFORM])) is None
