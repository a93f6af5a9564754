"""Norms, closeness and equality of arrays, rounding, angles: in terms of other NumPy functions, as NumPy defines them."""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from typing import Any  # NumPy functions and constant arguments

import numpy as np

from soljit.frontend_ast.arrays.axis_order import copy_order
from soljit.frontend_ast.arrays.elementwise import copy_array, element_of
from soljit.frontend_ast.arrays.operands import as_array, as_operand
from soljit.frontend_ast.calls.calls import call_value
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements, method
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.numbers.operators import binary
from soljit.frontend_ast.numpy_api.making.creation import rank_of_order
from soljit.frontend_ast.numpy_api.shapes import reshape
from soljit.frontend_ast.values import numpy_versions
from soljit.frontend_ast.values.values import Arr, Lazy, Num, Static, Value
from soljit.frontend_ast.views.numpy_arguments import flag_of, given
from soljit.ir.core.expr import FALSE, Const, const
from soljit.ir.core.types import b1, f64, i64
from soljit.ir.symbolic import conj, eq


def _do(cx: Lowering, function: Any, *args: Value, **kwargs: Value) -> Value:
    """Call a NumPy function."""
    result: Value = call_value(cx, Static(function), list(args), kwargs)
    return result


@implements(np.round, np.around)
@method("round")
def round_(cx: Lowering, a: Value, decimals: Value | None = None, out: Value | None = None) -> Value:
    """np.round: to the nearest number of decimals; ties go to the even one."""
    x = as_operand(cx, a)
    places = static_of(cx, decimals) if given(decimals) else 0
    if given(out) or not isinstance(places, int):
        raise cx.unsupported("np.round in this form")
    if x.dtype.is_int and x.dtype is not b1:
        if places < 0:
            raise cx.unsupported("np.round of integers to tens")
        if isinstance(x, Arr) and not numpy_versions.ROUND_COPIES:
            return x
        if isinstance(x, Num) or x.ndim == 0:
            return Num(element_of(x)(()), False)
        return copy_array(cx, x, copy_order(cx, x))
    if not x.dtype.is_float:
        raise cx.unsupported(f"np.round of {x.dtype.numpy.name}")
    if places == 0:
        return _do(cx, np.rint, x)
    up, down = (np.multiply, np.true_divide) if places > 0 else (np.true_divide, np.multiply)
    factor = Num(Const(_power_of_ten(abs(places)), f64), True)
    rounded = _do(cx, down, _do(cx, np.rint, _do(cx, up, x, factor)), factor)
    if isinstance(x, Num) or not isinstance(rounded, Lazy):
        return rounded
    return replace(rounded, rank=rank_of_order(cx, Static("A"), x, x.ndim))


def _power_of_ten(n: int) -> float:
    """As NumPy computes it: beyond 1e9 by products, each of them rounded."""
    power = 10.0 ** min(n, 9)
    for _ in range(9, min(n, 400)):
        power *= 10
    return power


@implements(np.linalg.norm, remark="of vectors; matrices by default and 'fro'")
def norm(
    cx: Lowering, x: Value, ord: Value | None = None, axis: Value | None = None, keepdims: Value | None = None
) -> Value:
    """np.linalg.norm"""
    a = as_array(cx, x)
    kind = static_of(cx, ord) if given(ord) else None
    keep = flag_of(cx, keepdims)
    if not a.dtype.is_float and not a.dtype.is_complex:
        a = copy_array(cx, a, a.rank, dtype=f64)
    plain = kind is None or (kind in ("f", "fro") and a.ndim == 2) or (kind == 2 and a.ndim == 1)
    if not given(axis) and plain:
        if keep or a.ndim == 0:
            raise cx.unsupported("np.linalg.norm in this form")
        return _do(cx, np.sqrt, _square_norm(cx, reshape.ravel_function(cx, a, Static("K"))))
    place = static_of(cx, axis) if given(axis) else (0 if a.ndim == 1 else None)
    alone = a.ndim == 0  # a number has no axis 0 here, as it has one in sums
    if not isinstance(place, int) or isinstance(kind, str) or alone:
        raise cx.unsupported("np.linalg.norm in this form")
    how: dict[str, Value] = {"axis": Num(const(int(place)), True), "keepdims": Num(Const(keep, b1), True)}
    if kind is None or kind == 2:
        square = _do(cx, np.multiply, _do(cx, np.conjugate, a), a)
        return _do(cx, np.sqrt, _do(cx, np.sum, _do(cx, np.real, square), **how))
    if kind == 1:
        return _do(cx, np.sum, _do(cx, np.absolute, a), **how)
    if kind == math.inf and not numpy_versions.EMPTY_NORMS:
        return _do(cx, np.max, _do(cx, np.absolute, a), **how)
    if kind == math.inf:
        return _do(cx, np.max, _do(cx, np.absolute, a), **how, initial=Num(const(0), True))
    if kind == -math.inf:
        return _do(cx, np.min, _do(cx, np.absolute, a), **how)
    raise cx.unsupported("np.linalg.norm of this order")


def _square_norm(cx: Lowering, x: Value) -> Value:
    assert isinstance(x, Arr)
    if not x.dtype.is_complex:
        return _do(cx, np.dot, x, x)
    parts = [_do(cx, f, x) for f in (np.real, np.imag)]
    return _do(cx, np.add, *(_do(cx, np.dot, p, p) for p in parts))


@implements(np.isclose)
def isclose(
    cx: Lowering,
    a: Value,
    b: Value,
    rtol: Value | None = None,
    atol: Value | None = None,
    equal_nan: Value | None = None,
) -> Value:
    """np.isclose: |a - b| <= atol + rtol * |b|."""
    x, y = (v if isinstance(v, Num) else as_array(cx, v) for v in (a, b))
    relative = rtol if rtol is not None else Num(Const(1e-5, f64), True)
    absolute = atol if atol is not None else Num(Const(1e-8, f64), True)
    if not isinstance(relative, Num) or not isinstance(absolute, Num):
        raise cx.unsupported("np.isclose with tolerances that are not numbers")
    if isinstance(y, Num) and y.weak:
        y = Num(cx.cast(y.expr, f64), True) if y.dtype in (i64, b1) else y
    elif not y.dtype.is_float and not y.dtype.is_complex:
        y = Num(cx.cast(y.expr, f64), False) if isinstance(y, Num) else copy_array(cx, y, y.rank, dtype=f64)

    def operate(kind: type[ast.operator], left: Value, right: Value) -> Value:
        return binary(cx, kind, left, right)

    size = _magnitude(cx, y)
    limit = operate(ast.Add, absolute, operate(ast.Mult, relative, size))
    near = _do(cx, np.less_equal, _magnitude(cx, operate(ast.Sub, x, y)), limit)
    result = _do(cx, np.bitwise_and, near, _do(cx, np.isfinite, y))
    result = _do(cx, np.bitwise_or, result, _do(cx, np.equal, x, y))
    if flag_of(cx, equal_nan):
        result = _do(cx, np.bitwise_or, result, _do(cx, np.bitwise_and, _do(cx, np.isnan, x), _do(cx, np.isnan, y)))
    return result


def _magnitude(cx: Lowering, v: Value) -> Value:
    result: Value = call_value(cx, Static(abs), [v])
    return result


@implements(np.allclose)
def allclose(
    cx: Lowering,
    a: Value,
    b: Value,
    rtol: Value | None = None,
    atol: Value | None = None,
    equal_nan: Value | None = None,
) -> Value:
    """np.allclose: a Python bool."""
    return _truth(cx, _do(cx, np.all, isclose(cx, a, b, rtol, atol, equal_nan)))


def _truth(cx: Lowering, v: Value) -> Value:
    result: Value = call_value(cx, Static(bool), [v])
    return result


@implements(np.array_equal)
def array_equal(cx: Lowering, a1: Value, a2: Value, equal_nan: Value | None = None) -> Value:
    """np.array_equal: a Python bool."""
    if flag_of(cx, equal_nan):
        raise cx.unsupported("np.array_equal with equal_nan")
    x, y = as_array(cx, a1), as_array(cx, a2)
    if x.ndim != y.ndim:
        return Num(FALSE, True)
    same = cx.decide(conj(*(eq(n, m) for n, m in zip(x.shape, y.shape))))
    if same is None:
        raise cx.unsupported("np.array_equal of arrays whose lengths are not known at compile time")
    return _truth(cx, _do(cx, np.all, _do(cx, np.equal, x, y))) if same else Num(FALSE, True)


@implements(np.angle)
def angle(cx: Lowering, z: Value, deg: Value | None = None) -> Value:
    """np.angle"""
    x = as_operand(cx, z)
    if isinstance(x, Num) and x.weak:
        x = as_array(cx, x)
    real, imag = (_do(cx, np.real, x), _do(cx, np.imag, x)) if x.dtype.is_complex else (x, Num(const(0), True))
    found = _do(cx, np.arctan2, imag, real)
    return binary(cx, ast.Mult, found, Num(Const(180 / math.pi, f64), True)) if flag_of(cx, deg) else found


@implements(np.linalg.tensordot)
def tensordot(cx: Lowering, x1: Value, x2: Value, /, *, axes: Value | None = None) -> Value:
    """np.linalg.tensordot"""
    return _do(cx, np.tensordot, x1, x2, axes if axes is not None else Num(const(2), True))


@implements(np.linalg.matmul)
def matmul(cx: Lowering, x1: Value, x2: Value, /) -> Value:
    """np.linalg.matmul"""
    return _do(cx, np.matmul, x1, x2)


@implements(np.linalg.trace)
def trace(cx: Lowering, x: Value, /, *, offset: Value | None = None, dtype: Value | None = None) -> Value:
    """np.linalg.trace: over the last two axes."""
    last = {"axis1": Num(const(-2), True), "axis2": Num(const(-1), True)}
    more = {k: v for k, v in (("offset", offset), ("dtype", dtype)) if v is not None}
    return _do(cx, np.trace, x, **last, **more)
