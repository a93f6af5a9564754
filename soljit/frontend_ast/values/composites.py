"""Values made of parts, which variables hold part by part: tuples, slices, ranges, `a.flat`, and methods that are not called yet."""

from __future__ import annotations

import builtins
import types

import numpy as np

from soljit.frontend_ast.values.values import NONE, Arr, Flat, Method, Num, RangeVal, SliceVal, Static, Tup, Value
from soljit.ir.core.expr import Const, const

Composite = Tup | SliceVal | RangeVal | Flat | Method


def parts_of(v: Composite) -> list[Value]:
    """What a value is made of that a variable holds part by part."""
    match v:
        case SliceVal():
            return [NONE if p is None else p for p in (v.start, v.stop)] + [_step(v.step)]
        case RangeVal():
            return [Num(v.start, True), Num(v.stop, True), _step(Num(v.step, True))]
        case Flat():
            return [v.array]
        case Method():
            return [v.owner, Static((v.name,))]  # no text: different texts have a type in common
    return v.items


def class_of_parts(v: Composite) -> type | None:
    """The class that tells `of_parts` what such a value is; None: a plain tuple."""
    match v:
        case SliceVal():
            return slice
        case RangeVal():
            return range
        case Flat():
            return np.flatiter
        case Method():
            return types.MethodType
    return v.cls


def of_parts(parts: list[Value], cls: type | None) -> Composite:
    """The value that is made of these parts."""
    match cls, parts:
        case builtins.slice, [start, stop, step]:
            return SliceVal(*(None if p == NONE else p for p in (start, stop, _number(step))))
        case builtins.range, [Num(start), Num(stop), step]:
            step = _number(step)
            assert isinstance(step, Num)
            return RangeVal(start, stop, step.expr)
        case np.flatiter, [Arr() as array]:
            return Flat(array)
        case types.MethodType, [owner, Static(obj=(str() as name,))]:
            return Method(owner, name)
    return Tup(parts, cls)


def _step(v: Value | None) -> Value:
    """A step that is known is part of the type: where one variable holds several, each has its own loops."""
    if isinstance(v, Num) and isinstance(v.expr, Const) and v.weak:
        return Static(v.expr.value)
    return NONE if v is None else v


def _number(step: Value) -> Value:
    """The step again."""
    return Num(const(step.obj), True) if isinstance(step, Static) and type(step.obj) is int else step
