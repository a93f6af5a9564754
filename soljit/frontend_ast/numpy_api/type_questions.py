"""Questions about types, shapes and names, which the compiler answers."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api import callback
from soljit.frontend_ast.numpy_api.table import implements, static_of
from soljit.frontend_ast.operators import describe
from soljit.frontend_ast.python_numbers import constant
from soljit.frontend_ast.values import (
    Arr,
    Dict,
    Func,
    Lazy,
    Method,
    Num,
    Opaque,
    RangeVal,
    SliceVal,
    Static,
    Tup,
    Value,
)
from soljit.ir.expr import Const, const
from soljit.ir.types import b1, c128, f64, i64


def class_of(v: Value) -> type | None:
    """The Python class of a value."""
    match v:
        case Num():
            if v.weak:
                return {b1: bool, i64: int, f64: float, c128: complex}[v.dtype]
            return v.dtype.numpy.type
        case Arr() | Lazy():
            return np.ndarray
        case Tup():
            return v.cls or (list if v.mutable else tuple)
        case Dict():
            return v.cls or dict
        case Static():
            return type(v.obj)
        case RangeVal():
            return range
        case SliceVal():
            return slice
        case Opaque():
            return v.type
        case Func() | Method():
            return type(class_of)
    return None


@implements(isinstance)
def isinstance_(cx: Lowering, v: Value, classes: Value) -> Value:
    """isinstance, settled at compile time"""
    cls = class_of(v)
    if cls is None:
        raise cx.unsupported(f"isinstance of {describe(v)}")
    return Num(Const(issubclass(cls, static_of(cx, classes)), b1), True)


@implements(type)
def type_(cx: Lowering, v: Value) -> Value:
    """type(x)"""
    cls = class_of(v)
    if cls is None:
        raise cx.unsupported(f"type of {describe(v)}")
    return Static(cls)


@implements(hasattr)
def hasattr_(cx: Lowering, v: Value, name: Value) -> Value:
    """hasattr, settled at compile time"""
    cls = class_of(v)
    key = static_of(cx, name)
    if isinstance(v, Static):
        return Num(Const(hasattr(v.obj, key), b1), True)
    return Num(Const(cls is not None and hasattr(cls, key), b1), True)


@implements(callable)
def callable_(cx: Lowering, v: Value) -> Value:
    """callable"""
    return Num(Const(isinstance(v, (Func, Method)) or (isinstance(v, Static) and callable(v.obj)), b1), True)


@implements(str)
def str_(cx: Lowering, v: Value) -> Value:
    """str of a constant"""
    return Static(str(static_of(cx, v)))


@implements(repr)
def repr_(cx: Lowering, v: Value) -> Value:
    """repr of a constant"""
    return Static(repr(static_of(cx, v)))


@implements(print)
def print_(cx: Lowering, *args: Value, **kwargs: Value) -> Value:
    """print: called back"""
    return callback.call_builtin(cx, builtins.print, list(args), kwargs)


def _about_types(function: Any) -> None:
    @implements(function)
    def handler(cx: Lowering, *args: Value, **kwargs: Value) -> Value:
        def plain(v: Value) -> Any:
            if isinstance(v, (Arr, Lazy)):
                return v.dtype.numpy
            if isinstance(v, Num):
                return {b1: bool, i64: int, f64: float, c128: complex}[v.dtype](0) if v.weak else v.dtype.numpy.type(0)
            return static_of(cx, v)

        return constant(cx, function(*map(plain, args), **{k: plain(v) for k, v in kwargs.items()}))


for _f in (np.iinfo, np.finfo, np.result_type, np.promote_types, np.can_cast, np.dtype):
    _about_types(_f)


@implements(np.ndim)
def ndim(cx: Lowering, a: Value) -> Value:
    """np.ndim"""
    return Num(const(a.ndim if isinstance(a, (Arr, Lazy)) else 0), True)


@implements(np.shape)
def shape(cx: Lowering, a: Value) -> Value:
    """np.shape"""
    return Tup([Num(n, True) for n in a.shape] if isinstance(a, (Arr, Lazy)) else [])


@implements(np.size)
def size(cx: Lowering, a: Value, axis: Value | None = None) -> Value:
    """np.size"""
    if not isinstance(a, (Arr, Lazy)):
        return Num(const(1), True)
    if axis is not None:
        return Num(a.shape[static_of(cx, axis)], True)
    return Num(cx.size_of(a.shape), True)


@implements(np.isscalar)
def isscalar(cx: Lowering, v: Value) -> Value:
    """np.isscalar"""
    return Num(Const(isinstance(v, Num) or (isinstance(v, Static) and isinstance(v.obj, (str, bytes))), b1), True)
