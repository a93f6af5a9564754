"""Reductions: sum, prod, min, max, any, all, mean, var, std, argmin, argmax, cumsum, cumprod and the ufuncs' own `reduce`.

Over the fastest axes a reduction is a loop nest with a scalar accumulator per result element; over slower axes whole rows are
combined into the result, so that memory is walked in order either way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from soljit.frontend_ast import promotion
from soljit.frontend_ast.elementwise import (
    apply_ufunc,
    broadcast_into,
    cast_elements,
    copy_array,
    materialize,
    store,
    truth,
)
from soljit.frontend_ast.lowering import Lowering, fold_cast
from soljit.frontend_ast.numpy_api.shaping import insert_axes
from soljit.frontend_ast.numpy_api.table import as_array, axes_of, dtype_of, flag_of, given, implements, method
from soljit.frontend_ast.numpy_api.ufunc_kernels import op
from soljit.frontend_ast.values import Arr, Array, Lazy, Num, Value
from soljit.ir import nodes, symbolic
from soljit.ir.expr import Const, Expr, Memlet, Op, const
from soljit.ir.types import DType, b1, f32, f64, i64

Index = tuple[Expr, ...]


@dataclass(frozen=True)
class Reducer:
    """A combination: its wcr, and its start value for a type (None: the first element, and empty input raises)."""

    name: str
    wcr: str
    start: Callable[[DType], Expr] | None


def _const(value: int) -> Callable[[DType], Expr]:

    return lambda t: fold_cast(Const(value, i64), t)


SUM = Reducer("add", "add", _const(0))
PROD = Reducer("multiply", "mul", _const(1))
MIN = Reducer("minimum", "min", None)
MAX = Reducer("maximum", "max", None)
ANY = Reducer("logical_or", "lor", lambda t: Const(False, b1))
ALL = Reducer("logical_and", "land", lambda t: Const(True, b1))
BY_UFUNC = {
    "add": SUM,
    "multiply": PROD,
    "minimum": MIN,
    "maximum": MAX,
    "logical_or": ANY,
    "logical_and": ALL,
    "bitwise_or": Reducer("bitwise_or", "bor", _const(0)),
    "bitwise_and": Reducer("bitwise_and", "band", _const(-1)),
    "bitwise_xor": Reducer("bitwise_xor", "bxor", _const(0)),
}


def _extreme(t: DType, largest: bool) -> Expr:
    """The identity of minimum (the largest value) or maximum."""
    if t is b1:
        return Const(largest, b1)
    if t.is_int:
        return Const(t.highest if largest else t.lowest, t)
    return Const(float("inf") if largest else float("-inf"), t)


def reduce(
    cx: Lowering, a: Array, r: Reducer, axes: tuple[int, ...] | None, dtype: DType, keepdims: bool,
    initial: Expr | None = None, where: Array | Num | None = None, out: Value | None = None,
) -> Value:  # fmt: skip
    """Combine along `axes` (None: all)."""
    axes = tuple(range(a.ndim)) if axes is None else axes
    if a.ndim and not axes:
        result: Value = copy_array(cx, a, dtype=dtype)
        return finish(cx, result, out)
    start = initial
    if start is None:
        if r.start is not None:
            start = r.start(dtype)
        else:
            n = cx.size_of([a.shape[k] for k in axes])
            text = f"zero-size array to reduction operation {r.name} which has no identity"
            cx.check(symbolic.gt(n, const(0)), "ValueError", text)
            if dtype.is_complex:
                raise cx.unsupported(f"np.{r.name} of complex numbers")
            start = _extreme(dtype, r.wcr == "min")
    kept = [k for k in range(a.ndim) if k not in axes]
    mask = None
    if where is not None and not isinstance(where, Num):
        fits = broadcast_into(cx, where.shape, a.shape)
        assert fits is not None
        element = where.element
        mask = lambda ix: element(fits(ix))  # noqa: E731 - the condition at an index
    elif isinstance(where, Num):
        cond = where.expr
        mask = lambda ix: cond  # noqa: E731

    def combine(target: Memlet, ix: Index) -> None:
        code = cx.cast(a.element(ix), dtype)
        if mask is None:
            cx.emit(nodes.Tasklet(target, code))
            return
        c = cx.let(cx.cast(mask(ix), b1), "where")
        with cx.block() as yes:
            cx.emit(nodes.Tasklet(target, code))
        cx.branch(c, yes)

    if not kept:
        name = cx.scalar(dtype, r.name.rpartition("_")[2])
        cx.write(name, start)
        with cx.map(a.shape, a.rank) as ix:
            combine(Memlet(name, (), None, r.wcr), ix)
        value = Num(cx.let(cx.read(name), r.name.rpartition("_")[2]), False)
        if keepdims:
            expr = value.expr
            return finish(
                cx,
                materialize(cx, Lazy(dtype, tuple(const(1) for _ in a.shape), lambda _: expr, tuple(range(a.ndim)))),
                out,
            )
        return finish(cx, value, out)
    rank = tuple(kept.index(k) for k in a.rank if k in kept)
    result_array = cx.alloc(dtype, [a.shape[k] for k in kept], rank, hint=r.name.rpartition("_")[2])
    inner_last = a.rank[-1] in axes
    if inner_last:
        with cx.map(result_array.shape, result_array.rank) as outer:
            acc = cx.scalar(dtype, "acc")
            cx.write(acc, start)
            spans = [a.shape[k] for k in axes]
            order = [axes.index(k) for k in a.rank if k in axes]
            with cx.map(spans, order, "r") as inner:
                combine(Memlet(acc, (), None, r.wcr), _weave(a.ndim, kept, outer, axes, inner))
            cx.emit(nodes.Tasklet(result_array.at(outer), cx.read(acc)))
    else:
        with cx.map(result_array.shape, result_array.rank) as outer:
            cx.emit(nodes.Tasklet(result_array.at(outer), start))
        with cx.map(a.shape, a.rank) as ix:
            target = result_array.at(tuple(ix[k] for k in kept))
            combine(Memlet(target.data, target.subset, None, r.wcr), ix)
    if keepdims:
        return finish(cx, insert_axes(result_array, axes), out)
    return finish(cx, result_array, out)


def _weave(ndim: int, kept: list[int], outer: Index, axes: tuple[int, ...], inner: Index) -> Index:
    out: list[Expr] = [const(0)] * ndim
    for k, i in zip(kept, outer):
        out[k] = i
    for k, i in zip(axes, inner):
        out[k] = i
    return tuple(out)


def finish(cx: Lowering, result: Value, out: Value | None) -> Value:
    if not given(out):
        return result
    if not isinstance(out, Arr) or not isinstance(result, (Num, Arr, Lazy)):
        raise cx.unsupported("out= of this reduction")
    if not np.can_cast(result.dtype.numpy, out.dtype.numpy, "same_kind"):
        raise cx.unsupported("out= of a type that needs casting")
    store(cx, out, result)
    return out


def _reduction(cx: Lowering, name: str, r: Reducer, a: Value, axis: Value | None, dtype: Value | None, out: Value | None,
               keepdims: Value | None, initial: Value | None, where: Value | None) -> Value:  # fmt: skip
    x = as_array(cx, a)
    t = promotion.reduction_dtype(name, x.dtype, dtype_of(cx, dtype))
    start = None
    if given(initial):
        if not isinstance(initial, Num):
            raise cx.unsupported("initial= that is not a number")
        start = cx.cast(initial.expr, t)
    mask = None
    if given(where):
        assert where is not None
        mask = as_array(cx, where) if not isinstance(where, Num) else where
        if r.start is None and start is None:
            raise cx.unsupported(f"np.{name} with where but without initial")
    return reduce(cx, x, r, axes_of(cx, axis, x.ndim), t, flag_of(cx, keepdims), start, mask, out)


@implements(np.sum)
@method("sum")
def sum_(cx: Lowering, a: Value, axis: Value | None = None, dtype: Value | None = None, out: Value | None = None,
         keepdims: Value | None = None, initial: Value | None = None, where: Value | None = None) -> Value:  # fmt: skip
    """np.sum"""
    return _reduction(cx, "sum", SUM, a, axis, dtype, out, keepdims, initial, where)


@implements(np.prod)
@method("prod")
def prod(cx: Lowering, a: Value, axis: Value | None = None, dtype: Value | None = None, out: Value | None = None,
         keepdims: Value | None = None, initial: Value | None = None, where: Value | None = None) -> Value:  # fmt: skip
    """np.prod"""
    return _reduction(cx, "prod", PROD, a, axis, dtype, out, keepdims, initial, where)


@implements(np.max, np.amax)
@method("max")
def max_(cx: Lowering, a: Value, axis: Value | None = None, out: Value | None = None, keepdims: Value | None = None,
         initial: Value | None = None, where: Value | None = None) -> Value:  # fmt: skip
    """np.max: NaN propagates."""
    return _reduction(cx, "max", MAX, a, axis, None, out, keepdims, initial, where)


@implements(np.min, np.amin)
@method("min")
def min_(cx: Lowering, a: Value, axis: Value | None = None, out: Value | None = None, keepdims: Value | None = None,
         initial: Value | None = None, where: Value | None = None) -> Value:  # fmt: skip
    """np.min: NaN propagates."""
    return _reduction(cx, "min", MIN, a, axis, None, out, keepdims, initial, where)


@implements(np.ptp)
def ptp(
    cx: Lowering, a: Value, axis: Value | None = None, out: Value | None = None, keepdims: Value | None = None
) -> Value:
    """np.ptp: max - min."""
    x = materialize(cx, as_array(cx, a))
    high, low = max_(cx, x, axis, None, keepdims), min_(cx, x, axis, None, keepdims)
    assert isinstance(high, (Num, Arr)) and isinstance(low, (Num, Arr))
    return finish(cx, apply_ufunc(cx, np.subtract, [high, low]), out)  # type: ignore[arg-type]


def _truths(cx: Lowering, a: Value) -> Array:

    x = as_array(cx, a)
    if x.dtype is b1:
        return x
    element = x.element
    return Lazy(b1, x.shape, lambda ix: truth(cx, element(ix)), x.rank)


@implements(np.any)
@method("any")
def any_(
    cx: Lowering,
    a: Value,
    axis: Value | None = None,
    out: Value | None = None,
    keepdims: Value | None = None,
    where: Value | None = None,
) -> Value:
    """np.any"""
    x = _truths(cx, a)
    mask = as_array(cx, where) if given(where) and where is not None else None
    return reduce(cx, x, ANY, axes_of(cx, axis, x.ndim), b1, flag_of(cx, keepdims), None, mask, out)


@implements(np.all)
@method("all")
def all_(
    cx: Lowering,
    a: Value,
    axis: Value | None = None,
    out: Value | None = None,
    keepdims: Value | None = None,
    where: Value | None = None,
) -> Value:
    """np.all"""
    x = _truths(cx, a)
    mask = as_array(cx, where) if given(where) and where is not None else None
    return reduce(cx, x, ALL, axes_of(cx, axis, x.ndim), b1, flag_of(cx, keepdims), None, mask, out)


@implements(np.count_nonzero)
def count_nonzero(cx: Lowering, a: Value, axis: Value | None = None, keepdims: Value | None = None) -> Value:
    """np.count_nonzero"""
    x = _truths(cx, a)
    element = x.element
    ones = Lazy(i64, x.shape, lambda ix: cx.cast(element(ix), i64), x.rank)
    return reduce(cx, ones, SUM, axes_of(cx, axis, x.ndim), i64, flag_of(cx, keepdims))


def _count(cx: Lowering, x: Array, axes: tuple[int, ...] | None) -> Expr:
    return cx.size_of([x.shape[k] for k in (range(x.ndim) if axes is None else axes)])


@implements(np.mean)
@method("mean")
def mean(cx: Lowering, a: Value, axis: Value | None = None, dtype: Value | None = None, out: Value | None = None,
         keepdims: Value | None = None, where: Value | None = None) -> Value:  # fmt: skip
    """np.mean: the sum in the result's type (float64 for integers, float32 for float16), divided by the count."""
    x = as_array(cx, a)
    t = promotion.reduction_dtype("mean", x.dtype, dtype_of(cx, dtype))
    if given(where):
        raise cx.unsupported("np.mean with where")
    axes = axes_of(cx, axis, x.ndim)
    wide = promotion.accumulator_dtype("mean", x.dtype, dtype_of(cx, dtype))
    total = reduce(cx, x, SUM, axes, wide, flag_of(cx, keepdims))
    return finish(cx, _divided(cx, total, _count(cx, x, axes), t), out)


def _divided(cx: Lowering, total: Value, n: Expr, t: DType) -> Value:
    count = cx.let(n, "count")

    def quotient(e: Expr) -> Expr:
        return cx.cast(op("div", e, cx.cast(count, e.dtype)), t)

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
    if given(where) or given(mean) or given(correction):
        raise cx.unsupported("np.var with where, mean or correction")
    t = promotion.reduction_dtype("var", x.dtype, dtype_of(cx, dtype))
    work = t if not x.dtype.is_complex else x.dtype
    if x.dtype.name == "f16":
        work = f32
    axes = axes_of(cx, axis, x.ndim)
    n = _count(cx, x, axes)
    total = reduce(cx, x, SUM, axes, work, True)
    center = _divided(cx, total, n, work)
    if isinstance(center, Lazy):
        center = materialize(cx, center)
    assert isinstance(center, (Num, Arr))
    deviation = apply_ufunc(cx, np.subtract, [_as(cx, x, work), center])
    assert isinstance(deviation, (Lazy, Num))
    if isinstance(deviation, Num):
        expr = deviation.expr
        deviation = Lazy(work, (), lambda _: expr, ())
    element = deviation.element

    def square(ix: Index) -> Expr:
        d = cx.let(element(ix), "d")
        if not d.dtype.is_complex:
            return op("mul", d, d)
        re, im = op("real", d), op("imag", d)
        return op("add", op("mul", re, re), op("mul", im, im))

    squares = Lazy(work.real, deviation.shape, square, deviation.rank)
    summed = reduce(cx, squares, SUM, axes, work.real, flag_of(cx, keepdims))
    d = cx.cast(ddof.expr, f64) if isinstance(ddof, Num) else Const(0.0, f64)
    if isinstance(d, Const) and float(d.value.real).is_integer():
        left = symbolic.sub(n, const(int(d.value.real)))
        left = left if cx.decide(symbolic.gt(left, const(0))) else Op("max", (left, const(0)), i64)
        return finish(cx, _divided(cx, summed, left, t), out)
    rest = op("max", op("sub", cx.cast(n, f64), d), Const(0.0, f64))
    return finish(cx, _divided(cx, summed, rest, t), out)


def _as(cx: Lowering, x: Array, t: DType) -> Array:

    return cast_elements(x, t)


@implements(np.std)
@method("std")
def std(cx: Lowering, a: Value, axis: Value | None = None, dtype: Value | None = None, out: Value | None = None, ddof: Value | None = None,
        keepdims: Value | None = None, where: Value | None = None, mean: Value | None = None, correction: Value | None = None) -> Value:  # fmt: skip
    """np.std: the square root of np.var."""
    v = var(cx, a, axis, dtype, None, ddof, keepdims, where, mean, correction)
    assert isinstance(v, (Num, Arr, Lazy))
    return finish(cx, apply_ufunc(cx, np.sqrt, [v]), out)  # type: ignore[arg-type]


def reduce_ufunc(cx: Lowering, ufunc: np.ufunc, a: Value, axis: Value | None, dtype: Value | None, out: Value | None, keepdims: Value | None,
                 initial: Value | None, where: Value | None) -> Value:  # fmt: skip
    """`ufunc.reduce(a, axis=0)`."""
    r = BY_UFUNC.get(ufunc.__name__)
    if r is None:
        raise cx.unsupported(f"np.{ufunc.__name__}.reduce")
    x = _truths(cx, a) if r in (ANY, ALL) else as_array(cx, a)
    ax = axis if axis is not None else Num(const(0), True)
    if ufunc.__name__ in ("add", "multiply"):
        return _reduction(cx, "sum" if r is SUM else "prod", r, x, ax, dtype, out, keepdims, initial, where)
    if given(where) or given(initial):
        raise cx.unsupported(f"np.{ufunc.__name__}.reduce with where or initial")
    return reduce(
        cx,
        x,
        r,
        axes_of(cx, ax, x.ndim),
        dtype_of(cx, dtype, x.dtype) or x.dtype,
        flag_of(cx, keepdims),
        None,
        None,
        out,
    )
