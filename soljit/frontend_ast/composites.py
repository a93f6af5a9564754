"""Values made of parts, which variables hold part by part: tuples, slices, `a.flat`, and methods that are not called yet."""

from __future__ import annotations

import builtins
import types

import numpy as np

from soljit.frontend_ast.values import NONE, Arr, Flat, Method, SliceVal, Static, Tup, Value

Composite = Tup | SliceVal | Flat | Method


def parts_of(v: Composite) -> list[Value]:
    """What a value is made of that a variable holds part by part."""
    match v:
        case SliceVal():
            return [NONE if p is None else p for p in (v.start, v.stop, v.step)]
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
        case Flat():
            return np.flatiter
        case Method():
            return types.MethodType
    return v.cls


def of_parts(parts: list[Value], cls: type | None) -> Composite:
    """The value that is made of these parts."""
    match cls, parts:
        case builtins.slice, _:
            return SliceVal(*(None if p == NONE else p for p in parts))
        case np.flatiter, [Arr() as array]:
            return Flat(array)
        case types.MethodType, [owner, Static(obj=(str() as name,))]:
            return Method(owner, name)
    return Tup(parts, cls)
