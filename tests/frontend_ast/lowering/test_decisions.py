"""Questions about sizes and numbers: proved, decided by the call with a guard, or left to the run."""

from __future__ import annotations

import numpy as np

from soljit.frontend_ast.values.values import Arr, Num
from soljit.ir import symbolic
from soljit.ir.core.expr import Sym, const
from tests.frontend_ast.call import begin, emitted


def test_what_follows_from_facts_needs_no_guard() -> None:
    cx, (a,) = begin(a=np.ones(5))
    assert isinstance(a, Arr)
    (n,) = a.shape
    assert cx.decide(symbolic.ge(n, const(0))) is True  # a length
    assert cx.guards == []


def test_an_answer_of_the_call_is_a_guard_and_a_fact() -> None:
    cx, (a,) = begin(a=np.ones(5))
    assert isinstance(a, Arr)
    (n,) = a.shape
    assert cx.decide(symbolic.ge(n, const(3))) is True
    assert cx.decide(symbolic.ge(n, const(2))) is True  # follows
    assert cx.decide(symbolic.ge(n, const(9))) is False
    assert cx.guards == [symbolic.ge(n, const(3)), symbolic.lt(n, const(9))]


def test_equal_sizes_become_one() -> None:
    cx, (a, b) = begin(a=np.ones(5), b=np.ones(5))
    assert isinstance(a, Arr) and isinstance(b, Arr)
    assert cx.decide(symbolic.eq(a.shape[0], b.shape[0])) is True
    assert {*cx.equalities} | {e.name for e in cx.equalities.values() if isinstance(e, Sym)} == {"a_n0", "b_n0"}


def test_without_guards_nothing_is_taken_from_the_call() -> None:
    cx, (a, k) = begin(undecided=True, a=np.ones(5), k=3)
    assert isinstance(a, Arr) and isinstance(k, Num)
    assert cx.decide(symbolic.ge(a.shape[0], const(3))) is None
    assert cx.static_int(k.expr) is None
    assert cx.guards == []


def test_what_the_program_computes_is_not_known() -> None:
    cx, (a,) = begin(a=np.ones(5))
    assert isinstance(a, Arr)
    x = cx.let(a.element((const(0),)), "x")
    assert cx.decide(symbolic.gt(x, const(0.0))) is None
    assert cx.value_now(x) is None
    assert emitted(cx) == ["x: f64 = a[0]"]


def test_a_number_is_specialized_on() -> None:
    cx, (k,) = begin(k=3)
    assert isinstance(k, Num)
    assert cx.static_int(symbolic.add(k.expr, const(1))) == 4
    assert symbolic.eq(k.expr, const(3)) in cx.guards
    assert cx.value_now(k.expr) == 3


def test_a_second_try_forgets_nodes_but_no_guards() -> None:
    cx, (a,) = begin(a=np.ones(5))
    assert isinstance(a, Arr)
    mark = cx.snapshot()
    cx.let(a.element((const(0),)), "x")
    assert cx.decide(symbolic.ge(a.shape[0], const(4)))
    cx.restore(mark)
    assert emitted(cx) == []
    assert cx.guards == [symbolic.ge(a.shape[0], const(4))]
    assert cx.decide(symbolic.ge(a.shape[0], const(4))) is True
    assert len(cx.guards) == 1
