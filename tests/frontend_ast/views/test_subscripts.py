"""Subscripts and slices: which bounds need a check, a guard or neither."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from soljit.frontend_ast.values.values import Arr, Num, SliceVal
from soljit.frontend_ast.views.subscripts import position, slice_of
from soljit.ir import symbolic
from soljit.ir.core.expr import const
from tests.frontend_ast.call import begin, emitted


def test_a_constant_subscript_is_settled_by_the_length() -> None:
    cx, (a,) = begin(a=np.ones(5))
    assert isinstance(a, Arr)
    assert position(cx, const(2), a.shape[0], 0) == const(2)
    assert position(cx, const(-1), a.shape[0], 0) == symbolic.sub(a.shape[0], const(1))
    assert emitted(cx) == []
    assert cx.guards == [symbolic.gt(a.shape[0], const(2))]


def test_a_subscript_of_run_time_is_checked_there() -> None:
    cx, (a, p) = begin(a=np.ones(5), p=np.array([3]))
    assert isinstance(a, Arr) and isinstance(p, Arr)
    position(cx, p.element((const(0),)), a.shape[0], 0)
    text = "\n".join(emitted(cx))
    assert text.count("raise builtins.IndexError") == 1
    assert "if a_n0 + k < 0 or a_n0 <= k:" in text and "k_2: i64 = a_n0 + k if k < 0 else k" in text


def test_what_is_out_of_bounds_in_this_call_always_raises() -> None:
    cx, (a,) = begin(a=np.ones(5))
    assert isinstance(a, Arr)
    position(cx, const(5), a.shape[0], 0)
    assert emitted(cx) == ['raise builtins.IndexError("index {0} is out of bounds for axis 0 with size {1}", 5, a_n0)']
    assert cx.current.done


BOUNDS = [None, 0, 1, 3, 4, 5, 9, -1, -4, -5, -9]


@pytest.mark.parametrize("step", [None, 1, 2, 7, -1, -3])
def test_slices_are_pythons(step: Any) -> None:
    for start in BOUNDS:
        for stop in BOUNDS:
            cx, (a,) = begin(a=np.ones(5))
            assert isinstance(a, Arr)
            parts = (None if x is None else Num(const(x), True) for x in (start, stop, step))
            found = slice_of(cx, SliceVal(*parts), a.shape[0])
            first, by, count = (cx.value_now(e) for e in found)
            want = range(5)[start:stop:step]
            assert count == len(want)
            assert not want or (first == want[0] and by == want.step)
            assert emitted(cx) == []
