"""Functions that NumPy itself writes in Python: differences, integrals, counts, places and interpolation.

Their texts stand in `formulas.py` and are compiled where they are called, so they fuse with what is around them, and a call
for one number in a loop costs no call of Python. What a handler does not let through goes back to NumPy.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from soljit.frontend_ast.arrays.elementwise import cast_elements
from soljit.frontend_ast.arrays.operands import as_array, as_operand
from soljit.frontend_ast.calls import calls, inlining
from soljit.frontend_ast.calls.calls import call_value
from soljit.frontend_ast.joins.binding import pin
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.numpy_api.prelude import formulas
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.values import Arr, Lazy, Num, Static, Tup, Value
from soljit.frontend_ast.views.numpy_arguments import axis_of, flag_of, given, normal_axis
from soljit.ir import symbolic
from soljit.ir.core.expr import const
from soljit.ir.core.types import b1, f32, f64, i64, u64


def run(cx: Lowering, formula: Callable[..., Any], *args: Value | int | bool | None) -> Value:
    """The value of a formula."""
    values = [pin(cx, a) if isinstance(a, Value) else constant(a) for a in args]
    return inlining.inline_function(cx, cast(types.FunctionType, formula), values, {})


def _vector(cx: Lowering, v: Value, *dtypes: object) -> Arr | Lazy:
    a = as_array(cx, v)
    if a.ndim != 1 or a.dtype not in dtypes:
        raise cx.unsupported("arrays of other types or more dimensions")
    return a


def _number(cx: Lowering, v: Value) -> Num:
    """One number that is taken as a float64."""
    x = as_operand(cx, v)
    if not isinstance(x, Num) or x.dtype is not f64:
        raise cx.unsupported("anything but one float64")
    return Num(x.expr, False)


@implements(np.diff)
def diff(
    cx: Lowering,
    a: Value,
    n: Value | None = None,
    axis: Value | None = None,
    prepend: Value | None = None,
    append: Value | None = None,
) -> Value:
    """np.diff"""
    times = static_of(cx, n) if given(n) else 1
    if times == 0:
        return a
    x: Value = as_array(cx, a)
    assert isinstance(x, (Arr, Lazy))
    if times < 0 or x.ndim == 0 or Static(None) in (prepend, append):
        raise cx.unsupported("np.diff of this kind")
    k = x.ndim - 1 if axis is None else normal_axis(cx, static_of(cx, axis), x.ndim)
    if cx.current.done:
        return x
    ends = [run(cx, formulas.end, v, x, k) for v in (prepend, append) if v is not None and given(v)]
    if ends:
        parts = [*ends[: given(prepend)], x, *ends[given(prepend) :]]
        x = call_value(cx, Static(np.concatenate), [Tup(parts), constant(k)])
        if cx.current.done:
            return x
        assert isinstance(x, (Arr, Lazy))
    formula = formulas.change if x.dtype is b1 else formulas.difference
    for _ in range(times):
        x = run(cx, formula, x, k)
    return x


@implements(np.trapezoid)
def trapezoid(
    cx: Lowering, y: Value, x: Value | None = None, dx: Value | None = None, axis: Value | None = None
) -> Value:
    """np.trapezoid"""
    a = as_array(cx, y)
    if a.ndim == 0 or a.dtype is not f64:
        raise cx.unsupported("np.trapezoid of other types")
    if given(x):
        assert x is not None
        if given(axis) and static_of(cx, axis) not in (0, -1):
            raise cx.unsupported("np.trapezoid over points along another axis")
        points = _vector(cx, x, f64)
        if a.ndim != 1:
            raise cx.unsupported("np.trapezoid of more dimensions over points")
        return run(cx, formulas.trapezoid_between, a, points)
    if given(axis) and static_of(cx, axis) not in range(-a.ndim, a.ndim):
        raise cx.unsupported("np.trapezoid along an axis that is not there")
    k = axis_of(cx, axis, a.ndim) if given(axis) else a.ndim - 1
    step = dx if dx is not None else constant(1.0)
    if not isinstance(step, Num) or k is None:
        raise cx.unsupported("np.trapezoid with an array of distances")
    return run(cx, formulas.trapezoid, a, step, k)


@implements(np.gradient)
def gradient(
    cx: Lowering, f: Value, *varargs: Value, axis: Value | None = None, edge_order: Value | None = None
) -> Value:
    """np.gradient: equal distances, edges of the first order"""
    a = as_array(cx, f)
    if a.dtype not in (f64, f32) or a.ndim == 0 or (given(edge_order) and static_of(cx, edge_order) != 1):
        raise cx.unsupported("np.gradient of this kind")
    wanted = static_of(cx, axis) if given(axis) else None
    if isinstance(wanted, (tuple, list)):
        raise cx.unsupported("np.gradient along several chosen axes")
    one = axis_of(cx, axis, a.ndim)
    axes = list(range(a.ndim)) if one is None else [one]
    steps = [as_operand(cx, h) for h in varargs] or [as_operand(cx, constant(1.0))]
    if any(not isinstance(h, Num) or not (h.weak or a.dtype is f64) or h.dtype.is_complex for h in steps):
        raise cx.unsupported("np.gradient with other distances")
    if len(steps) not in (1, len(axes)) or cx.current.done:
        raise cx.unsupported("np.gradient with another number of distances")
    source = pin(cx, a)
    found = [run(cx, formulas.gradient, source, h, k) for h, k in zip(steps * (len(axes) // len(steps)), axes)]
    return found[0] if len(axes) == 1 else Tup(found)


@implements(np.bincount)
def bincount(cx: Lowering, x: Value, /, weights: Value | None = None, minlength: Value | None = None) -> Value:
    """np.bincount"""
    numbers = as_array(cx, x)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or numbers.dtype is u64:
        raise cx.unsupported("np.bincount of other types")
    least = minlength if given(minlength) else constant(0)
    if not isinstance(least, Num) or not least.dtype.is_int:
        raise cx.unsupported("np.bincount with this minlength")
    cx.check(symbolic.ge(cx.cast(least.expr, i64), const(0)), "ValueError", "'minlength' must not be negative")
    least = Num(cx.cast(least.expr, i64), True)
    if given(weights):
        assert weights is not None
        if cx.decide(symbolic.gt(numbers.shape[0], const(0))) is not True:
            raise cx.unsupported("np.bincount of nothing with weights, which is of another type")
        return run(cx, formulas.weighted_bincount, numbers, _vector(cx, weights, f64), least)
    return run(cx, formulas.bincount, numbers, least)


@implements(np.histogram)
def histogram(
    cx: Lowering, a: Value, bins: Value | None = None, range: Value | None = None, density: Value | None = None,
    weights: Value | None = None,
) -> Value:  # fmt: skip
    """np.histogram: equal bins"""
    numbers = as_array(cx, a)
    count = bins if given(bins) else constant(10)
    if numbers.dtype is not f64 or not isinstance(count, Num) or not count.dtype.is_int or flag_of(cx, density):
        raise cx.unsupported("np.histogram of this kind")
    cx.check(symbolic.ge(cx.cast(count.expr, i64), const(1)), "ValueError", "`bins` must be positive, when an integer")
    count = Num(cx.cast(count.expr, i64), True)
    cx.moderate(count.expr)  # so that bins are exact numbers, of which proofs tell
    flat = pin(cx, _raveled(cx, numbers))
    if given(range):
        if not isinstance(range, Tup) or len(range.items) != 2:
            raise cx.unsupported("np.histogram with this range")
        if given(weights):
            raise cx.unsupported("np.histogram with a range and weights")
        ends = run(cx, formulas.given_range, *range.items)
    else:
        ends = run(cx, formulas.range_of, flat)
    if not isinstance(ends, Tup):  # it raises
        return ends
    if given(weights):
        assert weights is not None
        w = as_array(cx, weights)
        if w.dtype is not f64 or w.ndim != numbers.ndim or w.ndim != 1:
            raise cx.unsupported("np.histogram with weights of other types")
        return run(cx, formulas.weighted_histogram, flat, w, count, *ends.items)
    return run(cx, formulas.histogram_within if given(range) else formulas.histogram, flat, count, *ends.items)


def _raveled(cx: Lowering, a: Arr | Lazy) -> Value:
    if a.ndim == 1:
        return a
    return calls.call_numpy(cx, np.ravel, [a])


@implements(np.searchsorted)
def searchsorted(cx: Lowering, a: Value, v: Value, side: Value | None = None, sorter: Value | None = None) -> Value:
    """np.searchsorted of one number"""
    how = static_of(cx, side) if given(side) else "left"
    x = as_operand(cx, v)
    if given(sorter) or how not in ("left", "right") or not isinstance(x, Num):
        raise cx.unsupported("np.searchsorted of this kind")
    points = as_array(cx, a)
    exact = points.dtype is f64 and (x.dtype is f64 or (x.weak and x.dtype is i64))
    if points.ndim != 1 or not (exact or (points.dtype is i64 and x.dtype is i64)):
        raise cx.unsupported("np.searchsorted of other types")
    place = run(
        cx,
        formulas.place_left if how == "left" else formulas.place_right,
        points,
        Num(cx.cast(x.expr, points.dtype), False),
    )
    assert isinstance(place, Num)
    return Num(place.expr, False)


@implements(np.interp)
def interp(
    cx: Lowering, x: Value, xp: Value, fp: Value, left: Value | None = None, right: Value | None = None,
    period: Value | None = None,
) -> Value:  # fmt: skip
    """np.interp of one number"""
    points, values = pin(cx, _vector(cx, xp, f64)), pin(cx, _vector(cx, fp, f64))
    if given(period):
        raise cx.unsupported("np.interp with a period")
    assert isinstance(points, Arr) and isinstance(values, Arr)
    at = _number(cx, x)
    n, m = points.shape[0], values.shape[0]
    cx.check(symbolic.gt(n, const(0)), "ValueError", "array of sample points is empty")
    cx.check(symbolic.eq(n, m), "ValueError", "fp and xp are not of the same length.")
    if cx.current.done:
        return at
    ends = [
        _number(cx, v) if v is not None and given(v) else Num(values.element((k,)), False)
        for v, k in ((left, const(0)), (right, symbolic.sub(n, const(1))))
    ]
    return run(cx, formulas.interpolated, at, points, values, *ends)


@implements(np.polyval)
def polyval(cx: Lowering, p: Value, x: Value) -> Value:
    """np.polyval at one number"""
    coefficients = _vector(cx, p, f64)
    if cx.decide(symbolic.gt(coefficients.shape[0], const(0))) is not True:
        raise cx.unsupported("np.polyval of no coefficients, which is an array")
    return run(cx, formulas.polyval, coefficients, _number(cx, x))


@implements(np.median)
def median(cx: Lowering, a: Value, axis: Value | None = None) -> Value:
    """np.median of one vector"""
    numbers = as_array(cx, a)
    if numbers.dtype.is_int and numbers.dtype is not b1:
        numbers = cast_elements(numbers, f64)  # keeps the order
    if numbers.dtype not in (f64, f32) or (given(axis) and (numbers.ndim != 1 or axis_of(cx, axis, 1) != 0)):
        raise cx.unsupported("np.median of other types, or along an axis")
    if cx.decide(symbolic.gt(cx.size_of(numbers.shape), const(0))) is not True:
        raise cx.unsupported("np.median of nothing")
    return run(cx, formulas.median, _raveled(cx, numbers))
