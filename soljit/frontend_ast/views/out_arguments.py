"""`out=`: results that go into an array that is there. What does not fit is left to NumPy, which raises."""

from __future__ import annotations

from typing import Literal

import numpy as np

from soljit.frontend_ast.arrays.elementwise import store
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values import promotion
from soljit.frontend_ast.values.values import Arr, Lazy, Num, Value
from soljit.frontend_ast.views.numpy_arguments import given
from soljit.ir.core.types import DType

Casting = Literal["no", "safe", "same_kind"]


def check_loop(
    cx: Lowering, ufunc: np.ufunc, operand: DType, computed: DType, dtype: Value | None, out: Value | None
) -> None:
    """Refuse a reduction whose `out`, where no dtype is given, makes NumPy compute in another type than without it."""
    if given(dtype) or not isinstance(out, Arr) or (computed.is_int and out.dtype.is_int):
        return
    try:
        loop = promotion.resolve(ufunc, [(out.dtype, False), (operand, False)])
    except TypeError:
        loop = ()
    if not loop or (ufunc in (np.add, np.multiply) and loop[-1] is not computed):
        raise cx.unsupported(f"np.{ufunc.__name__} along an axis into an array of another type")


def number_in(cx: Lowering, out: Arr) -> Num:
    """The number in a 0-d array, which some functions give instead of the array."""
    return Num(cx.let(out.element(())), False)


def deliver(cx: Lowering, result: Value, out: Value | None, casting: Casting = "same_kind") -> Value:
    """The result, or `out` filled with it: an array of the result's own shape."""
    if not given(out):
        return result
    if not isinstance(out, Arr) or not isinstance(result, (Num, Arr, Lazy)):
        raise cx.unsupported("out= of this function")
    if not out.writable or out.ndim != (0 if isinstance(result, Num) else result.ndim):
        raise cx.unsupported("out= that does not fit")
    if not isinstance(result, Num) and not all(cx.same_size(n, m) for n, m in zip(result.shape, out.shape)):
        raise cx.unsupported("out= of another shape")
    if not np.can_cast(result.dtype.numpy, out.dtype.numpy, casting):
        raise cx.unsupported("out= of a type that needs casting")
    store(cx, out, result)
    return out
