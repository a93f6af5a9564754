"""Values as NumPy takes its operands: arrays and numbers, made of sequences where it makes arrays of them."""

from __future__ import annotations

import numpy as np

from soljit.frontend_ast.arrays.elementwise import materialize
from soljit.frontend_ast.arrays.literals import array_of
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.values import Arr, Lazy, Num, RangeVal, Static, Tup, Value
from soljit.ir.core.types import b1


def in_memory(cx: Lowering, v: Value) -> Arr:
    """An array-like argument in memory."""
    return materialize(cx, as_array(cx, v))


def weak_of(v: Value) -> bool:
    """Tell whether this is a Python number."""
    return isinstance(v, Num) and v.weak


def as_operand(cx: Lowering, v: Value) -> Num | Arr | Lazy:
    """What NumPy makes of an array-like argument."""
    if isinstance(v, (Num, Arr, Lazy)):
        return v
    if isinstance(v, (Tup, RangeVal)):
        return array_of(cx, v)
    raise cx.unsupported(f"{describe(v)} where an array is expected")


def mask_of(cx: Lowering, where: Value | None) -> Num | Arr | Lazy | None:
    """What `where=` lets through; None if it was not passed. NumPy takes truth values only, and None for one."""
    if where is None or isinstance(where, Static) and where.obj is np._NoValue:
        return None
    mask = as_operand(cx, where)
    if mask.dtype is not b1:
        raise cx.unsupported("where= that is not of type bool")
    return mask


def as_array(cx: Lowering, v: Value) -> Arr | Lazy:
    """Likewise, but numbers become 0-d arrays."""
    a = as_operand(cx, v)
    if isinstance(a, Num):
        expr = cx.let(a.expr)
        return Lazy(a.dtype, (), lambda _: expr, ())
    return a
