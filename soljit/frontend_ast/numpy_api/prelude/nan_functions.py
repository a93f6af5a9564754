"""NumPy's functions that leave NaN out: written in `nan_formulas.py` for floats; of integers and bools they are the functions without `nan`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from soljit.frontend_ast.arrays.operands import as_array
from soljit.frontend_ast.calls import calls
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.numpy_api.prelude import nan_formulas
from soljit.frontend_ast.numpy_api.prelude.written_out import run
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.values import Arr, Lazy, Num, Value
from soljit.frontend_ast.views.numpy_arguments import flag_of, given
from soljit.ir import symbolic
from soljit.ir.core.expr import const
from soljit.ir.core.types import f32, f64


def _formula(
    cx: Lowering, formula: Callable[..., Any], plain: Callable[..., Any], a: Value, axis: Value | None, keepdims: Value | None
) -> Value:  # fmt: skip
    """A function of an array, an axis and `keepdims`. plain: the one that looks at NaN, too."""
    numbers = _numbers(cx, a)
    if numbers.dtype.kind != "f":
        return calls.call_numpy(cx, plain, [numbers], _named(axis=axis, keepdims=keepdims))
    return run(cx, formula, numbers, _axis(axis), flag_of(cx, keepdims))


def _replaced(
    cx: Lowering, plain: Callable[..., Any], a: Value, instead: float, axis: Value | None, keepdims: Value | None = None
) -> Value:
    """A function of the array in which a number has taken the place of each NaN."""
    numbers = _numbers(cx, a)
    taken = run(cx, nan_formulas.without_nan, numbers, constant(instead)) if numbers.dtype.kind == "f" else numbers
    return calls.call_numpy(cx, plain, [taken], _named(axis=axis, keepdims=keepdims))


def _numbers(cx: Lowering, a: Value) -> Arr | Lazy:
    numbers = as_array(cx, a)
    if numbers.dtype.is_complex or numbers.dtype.kind == "f" and numbers.dtype not in (f64, f32):
        raise cx.unsupported("a function that leaves NaN out of other types")
    return numbers


def _not_empty(cx: Lowering, a: Value) -> None:
    if cx.decide(symbolic.gt(cx.size_of(as_array(cx, a).shape), const(0))) is not True:
        raise cx.unsupported("a function that leaves NaN out of nothing")


def _axis(axis: Value | None) -> Value:
    return axis if axis is not None and given(axis) else constant(None)


def _named(**arguments: Value | None) -> dict[str, Value]:
    return {k: v for k, v in arguments.items() if v is not None}


@implements(np.nansum)
def nansum(cx: Lowering, a: Value, axis: Value | None = None, *, keepdims: Value | None = None) -> Value:
    """np.nansum"""
    return _replaced(cx, np.sum, a, 0.0, axis, keepdims)


@implements(np.nanprod)
def nanprod(cx: Lowering, a: Value, axis: Value | None = None, *, keepdims: Value | None = None) -> Value:
    """np.nanprod"""
    return _replaced(cx, np.prod, a, 1.0, axis, keepdims)


@implements(np.nancumsum)
def nancumsum(cx: Lowering, a: Value, axis: Value | None = None) -> Value:
    """np.nancumsum"""
    return _replaced(cx, np.cumsum, a, 0.0, axis)


@implements(np.nancumprod)
def nancumprod(cx: Lowering, a: Value, axis: Value | None = None) -> Value:
    """np.nancumprod"""
    return _replaced(cx, np.cumprod, a, 1.0, axis)


@implements(np.nanmean)
def nanmean(cx: Lowering, a: Value, axis: Value | None = None, *, keepdims: Value | None = None) -> Value:
    """np.nanmean"""
    return _formula(cx, nan_formulas.nanmean, np.mean, a, axis, keepdims)


@implements(np.nanvar)
def nanvar(
    cx: Lowering, a: Value, axis: Value | None = None, *, ddof: Value | None = None, keepdims: Value | None = None
) -> Value:
    """np.nanvar"""
    numbers = _numbers(cx, a)
    if numbers.dtype.kind != "f":
        return calls.call_numpy(cx, np.var, [numbers], _named(axis=axis, ddof=ddof, keepdims=keepdims))
    less = ddof if ddof is not None else constant(0)
    if not isinstance(less, Num):
        raise cx.unsupported("np.nanvar with this ddof")
    return run(cx, nan_formulas.nanvar, numbers, _axis(axis), less, flag_of(cx, keepdims))


@implements(np.nanstd)
def nanstd(
    cx: Lowering, a: Value, axis: Value | None = None, *, ddof: Value | None = None, keepdims: Value | None = None
) -> Value:
    """np.nanstd: the square root of np.nanvar."""
    return calls.call_numpy(cx, np.sqrt, [nanvar(cx, a, axis, ddof=ddof, keepdims=keepdims)])


@implements(np.nanmin)
def nanmin(cx: Lowering, a: Value, axis: Value | None = None, *, keepdims: Value | None = None) -> Value:
    """np.nanmin"""
    _not_empty(cx, a)
    return _formula(cx, nan_formulas.nanmin, np.min, a, axis, keepdims)


@implements(np.nanmax)
def nanmax(cx: Lowering, a: Value, axis: Value | None = None, *, keepdims: Value | None = None) -> Value:
    """np.nanmax"""
    _not_empty(cx, a)
    return _formula(cx, nan_formulas.nanmax, np.max, a, axis, keepdims)


@implements(np.nanargmin)
def nanargmin(cx: Lowering, a: Value, axis: Value | None = None, *, keepdims: Value | None = None) -> Value:
    """np.nanargmin"""
    return _formula(cx, nan_formulas.nanargmin, np.argmin, a, axis, keepdims)


@implements(np.nanargmax)
def nanargmax(cx: Lowering, a: Value, axis: Value | None = None, *, keepdims: Value | None = None) -> Value:
    """np.nanargmax"""
    return _formula(cx, nan_formulas.nanargmax, np.argmax, a, axis, keepdims)
