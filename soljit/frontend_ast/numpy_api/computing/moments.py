"""Means and variances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from soljit.frontend_ast.arrays.elementwise import apply_ufunc, materialize
from soljit.frontend_ast.arrays.operands import as_array
from soljit.frontend_ast.arrays.ufunc_kernels import op
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements, method
from soljit.frontend_ast.numpy_api.computing.reductions import SUM, Index, axes_of_ufunc, reduce
from soljit.frontend_ast.values import promotion
from soljit.frontend_ast.values.values import Arr, Array, Lazy, Num, Value
from soljit.frontend_ast.views.numpy_arguments import dtype_of, flag_of, given
from soljit.frontend_ast.views.out_arguments import deliver
from soljit.ir import symbolic
from soljit.ir.core.expr import Const, Expr, Op, const
from soljit.ir.core.types import DType, b1, c128, f64, i64


def _count(cx: Lowering, x: Array, axes: tuple[int, ...] | None) -> Expr:
    return cx.size_of([x.shape[k] for k in (range(x.ndim) if axes is None else axes)])


@implements(np.mean)
@method("mean")
def mean(cx: Lowering, a: Value, axis: Value | None = None, dtype: Value | None = None, out: Value | None = None,
         keepdims: Value | None = None, where: Value | None = None) -> Value:  # fmt: skip
    """np.mean: the sum in the result's type (float64 for integers, float32 for float16), divided by the count."""
    x = as_array(cx, a)
    t = promotion.reduction_dtype("mean", x.dtype, dtype_of(cx, dtype))
    if where is not None or t.is_int or t is b1:
        raise cx.unsupported("np.mean with where, or of an integer dtype")
    axes = axes_of_ufunc(cx, axis, x.ndim)
    wide = promotion.accumulator_dtype("mean", x.dtype, dtype_of(cx, dtype))
    if isinstance(out, Arr) and out.dtype is not wide:
        raise cx.unsupported("np.mean into an array of another type, in which the sum is computed")
    counted = i64 if x.dtype is b1 and wide is f64 else wide  # the same numbers, as long as they are whole
    total = reduce(cx, x, SUM, axes, counted, flag_of(cx, keepdims))
    return deliver(cx, _divided(cx, total, _count(cx, x, axes), t), out)


def _divided(cx: Lowering, total: Value, n: Expr, t: DType) -> Value:
    count = cx.let(n, "count")

    def quotient(e: Expr) -> Expr:
        wide = c128 if e.dtype.is_complex else f64  # the quotient of a float16 or a complex64 and an int64
        return cx.cast(op("div", cx.cast(e, wide), cx.cast(count, wide)), t)

    if isinstance(total, Num):
        return Num(quotient(total.expr), False)
    assert isinstance(total, Arr)
    element = total.element
    return Lazy(t, total.shape, lambda ix: quotient(element(ix)), total.rank)


@implements(np.var)
@method("var")
def var(cx: Lowering, a: Value, axis: Value | None = None, dtype: Value | None = None, out: Value | None = None, ddof: Value | None = None,
        keepdims: Value | None = None, where: Value | None = None, mean: Value | None = None, correction: Value | None = None) -> Value:  # fmt: skip
    """np.var: the mean of squared deviations, in two passes as NumPy does."""
    x = materialize(cx, as_array(cx, a))
    if where is not None or given(mean) or given(correction):
        raise cx.unsupported("np.var with where, mean or correction")
    t = promotion.reduction_dtype("var", x.dtype, dtype_of(cx, dtype))
    if (given(dtype) and (x.dtype.is_complex or t.is_complex)) or t.is_int or t is b1:
        raise cx.unsupported("np.var of complex numbers with dtype, or of an integer dtype")
    if isinstance(out, Arr) and out.dtype is not t:
        raise cx.unsupported("np.var into an array of another type, in which the sum is computed")
    work = t if not x.dtype.is_complex else x.dtype
    axes = axes_of_ufunc(cx, axis, x.ndim)
    n = _count(cx, x, axes)
    total = reduce(cx, x, SUM, axes, work, True)
    center = _divided(cx, total, n, work)
    if isinstance(center, Lazy):
        center = materialize(cx, center)
    assert isinstance(center, (Num, Arr))
    deviation = apply_ufunc(cx, np.subtract, [x, center])
    assert isinstance(deviation, (Lazy, Num))
    if isinstance(deviation, Num):
        expr = deviation.expr
        deviation = Lazy(deviation.dtype, (), lambda _: expr, ())
    element = deviation.element

    def square(ix: Index) -> Expr:
        d = cx.let(element(ix), "d")
        if not d.dtype.is_complex:
            return op("mul", d, d)
        re, im = op("real", d), op("imag", d)
        return op("add", op("mul", re, re), op("mul", im, im))

    squares = Lazy(deviation.dtype.real, deviation.shape, square, deviation.rank)
    summed = reduce(cx, squares, SUM, axes, work.real, flag_of(cx, keepdims))
    d = cx.cast(ddof.expr, f64) if isinstance(ddof, Num) else Const(0.0, f64)
    if isinstance(d, Const) and float(d.value.real).is_integer():
        left = symbolic.sub(n, const(int(d.value.real)))
        left = left if cx.decide(symbolic.gt(left, const(0))) else Op("max", (left, const(0)), i64)
        return deliver(cx, _divided(cx, summed, left, t), out)
    rest = op("max", op("sub", cx.cast(n, f64), d), Const(0.0, f64))
    return deliver(cx, _divided(cx, summed, rest, t), out)


@implements(np.std)
@method("std")
def std(cx: Lowering, a: Value, axis: Value | None = None, dtype: Value | None = None, out: Value | None = None, ddof: Value | None = None,
        keepdims: Value | None = None, where: Value | None = None, mean: Value | None = None, correction: Value | None = None) -> Value:  # fmt: skip
    """np.std: the square root of np.var."""
    if isinstance(out, Arr) and out.dtype is not promotion.reduction_dtype(
        "std", as_array(cx, a).dtype, dtype_of(cx, dtype)
    ):
        raise cx.unsupported("np.std into an array of another type, in which the sum is computed")
    v = var(cx, a, axis, dtype, None, ddof, keepdims, where, mean, correction)
    assert isinstance(v, (Num, Arr, Lazy))
    root = apply_ufunc(cx, np.sqrt, [v])
    if isinstance(root, Lazy) and isinstance(v, (Arr, Lazy)):
        root = replace(root, rank=v.rank)
    return deliver(cx, root, out)  # type: ignore[arg-type]
