"""Strides of views, and the order of axes in memory: NumPy's for the same array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from soljit.frontend_ast.arrays.axis_order import copy_order, k_order
from soljit.frontend_ast.arrays.strides import is_contiguous, linear_access
from soljit.frontend_ast.values.values import Arr, Num, SliceVal, Static, Tup
from soljit.frontend_ast.views.indexing import get_item
from soljit.ir.core.expr import Expr, const
from tests.frontend_ast.call import begin

VIEWS: dict[str, tuple[Any, Callable[[np.ndarray], np.ndarray]]] = {
    "whole": ((slice(None),), lambda a: a),
    "row": ((1,), lambda a: a[1]),
    "column": ((slice(None), 2), lambda a: a[:, 2]),
    "backwards": ((slice(None, None, -1),), lambda a: a[::-1]),
    "every other": ((slice(1, None, 2), slice(None, None, 2)), lambda a: a[1::2, ::2]),
    "new axis": ((slice(None), None), lambda a: a[:, None]),
}


def part(x: Any) -> Any:
    """A piece of a subscript as the front end sees it."""
    if isinstance(x, slice):
        return SliceVal(*(None if p is None else Num(const(p), True) for p in (x.start, x.stop, x.step)))
    return Static(None) if x is None else Num(const(x), True)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", VIEWS)
def test_views_have_numpys_strides_and_offsets(name: str, order: Any) -> None:
    subscript, view = VIEWS[name]
    a = np.ones((4, 6), order=order)
    cx, (v,) = begin(a=a)
    found = get_item(cx, v, Tup([part(x) for x in subscript]))
    assert isinstance(found, Arr)
    want = view(a)

    def now(e: Expr) -> int:
        value = cx.value_now(e)
        assert value is not None
        return int(value)

    offset, strides = linear_access(cx, found)
    assert tuple(map(now, found.shape)) == want.shape
    assert 8 * now(offset) == want.__array_interface__["data"][0] - a.__array_interface__["data"][0]
    moving = [k for k, n in enumerate(want.shape) if n > 1]
    assert [8 * now(strides[k]) for k in moving] == [want.strides[k] for k in moving]
    assert bool(is_contiguous(cx, found)) == want.flags.c_contiguous


def test_results_are_laid_out_like_their_operands() -> None:
    cx, (c, f) = begin(c=np.ones((2, 3)), f=np.ones((2, 3), order="F"))
    assert isinstance(c, Arr) and isinstance(f, Arr)
    assert k_order(cx, [c, c], 2) == (0, 1)
    assert k_order(cx, [f, f], 2) == (1, 0)
    assert k_order(cx, [c, f], 2) == (0, 1)
    assert k_order(cx, [f, f], 3) == (0, 2, 1)
    assert copy_order(cx, f) == (1, 0)
