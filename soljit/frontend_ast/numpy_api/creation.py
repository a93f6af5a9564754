"""Making arrays: zeros, ones, full, empty, arange, linspace, eye, array, copies, and NumPy scalars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from soljit.frontend_ast import promotion
from soljit.frontend_ast.elementwise import cast_elements, check_weak_int, copy_array, materialize, store
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api.shaping import laid_out
from soljit.frontend_ast.numpy_api.table import (
    as_array,
    as_operand,
    dtype_of,
    given,
    implements,
    method,
    shape_of,
    static_of,
)
from soljit.frontend_ast.operators import describe
from soljit.frontend_ast.values import Arr, Array, Lazy, Num, RangeVal, Static, Tup, Value
from soljit.ir import nodes, symbolic
from soljit.ir.expr import Const, Expr, const
from soljit.ir.types import DType, f64, i64


def scalar_of(cx: Lowering, dtype: DType, args: Sequence[Value]) -> Value:
    """`np.float64(x)` and so on: a NumPy scalar, or an array converted."""
    if not args:
        return Num(cx.cast(Const(0, i64), dtype), False)
    x = as_operand(cx, args[0])
    if isinstance(x, Num):
        if x.weak and x.dtype is i64 and dtype.is_int:
            check_weak_int(cx, x.expr, dtype)
        return Num(cx.cast(x.expr, dtype), False)
    if x.ndim == 0:
        return Num(cx.cast(x.element(()), dtype), False)
    return materialize(cx, cast_elements(x, dtype))


def array_of(cx: Lowering, v: Tup, dtype: DType | None = None) -> Arr:
    """`np.array` of a nested sequence of numbers and arrays."""
    items = [array_of(cx, x) if isinstance(x, Tup) else x for x in v.items]
    for x in items:
        if not isinstance(x, (Num, Arr, Lazy)):
            raise cx.unsupported(f"an array of {describe(x)}")
    numeric: list[Num | Array] = [x for x in items if isinstance(x, (Num, Arr, Lazy))]
    if dtype is None:
        dtype = promotion.array_literal_dtype([x.dtype for x in numeric]) if numeric else f64
    shapes = [() if isinstance(x, Num) else x.shape for x in numeric]
    inner: tuple[Expr, ...] = shapes[0] if shapes else ()
    for s in shapes[1:]:
        same = len(s) == len(inner) and all(cx.same_size(a, b) for a, b in zip(s, inner))
        if not same:
            raise cx.unsupported("an array of sequences of different or unknown lengths")
    out = cx.alloc(dtype, (const(len(items)), *inner))
    for k, x in enumerate(numeric):
        if isinstance(x, Num):
            cx.emit(nodes.Tasklet(out.at((const(k),)), cx.cast(x.expr, dtype)))
            continue
        element = x.element
        with cx.map(inner) as ix:
            cx.emit(nodes.Tasklet(out.at((const(k), *ix)), cx.cast(element(ix), dtype)))
    return out


def rank_of_order(cx: Lowering, order: Value | None, like: Array | None, ndim: int) -> tuple[int, ...]:
    """Memory order from an `order` argument ("K" and "A" follow `like`)."""
    o = static_of(cx, order) if given(order) else ("K" if like is not None else "C")
    fortran = tuple(range(ndim))[::-1]
    if o == "F":
        return fortran
    if like is not None and o == "K":
        return like.rank
    if like is not None and o == "A" and like.rank == fortran:
        return fortran
    return tuple(range(ndim))


def _filled(
    cx: Lowering, shape: tuple[Expr, ...], value: Num | Array, dtype: DType, rank: tuple[int, ...] | None, hint: str
) -> Arr:

    out = cx.alloc(dtype, shape, rank, hint=hint)
    store(cx, out, value)
    return out


@implements(np.zeros)
def zeros(cx: Lowering, shape: Value, dtype: Value | None = None, order: Value | None = None) -> Value:
    """np.zeros"""
    s = shape_of(cx, shape)
    t = dtype_of(cx, dtype, f64)
    assert t is not None
    return cx.alloc(t, s, rank_of_order(cx, order, None, len(s)), zero=True, hint="zeros")


@implements(np.empty, np.ndarray)
def empty(cx: Lowering, shape: Value, dtype: Value | None = None, order: Value | None = None) -> Value:
    """np.empty"""
    s = shape_of(cx, shape)
    t = dtype_of(cx, dtype, f64)
    assert t is not None
    return cx.alloc(t, s, rank_of_order(cx, order, None, len(s)), hint="empty")


@implements(np.ones)
def ones(cx: Lowering, shape: Value, dtype: Value | None = None, order: Value | None = None) -> Value:
    """np.ones"""
    s = shape_of(cx, shape)
    t = dtype_of(cx, dtype, f64)
    assert t is not None
    return _filled(cx, s, Num(cx.cast(const(1), t), False), t, rank_of_order(cx, order, None, len(s)), "ones")


@implements(np.full)
def full(
    cx: Lowering, shape: Value, fill_value: Value, dtype: Value | None = None, order: Value | None = None
) -> Value:
    """np.full"""
    s = shape_of(cx, shape)
    v = as_operand(cx, fill_value)
    t = dtype_of(cx, dtype, v.dtype)
    assert t is not None
    return _filled(cx, s, v, t, rank_of_order(cx, order, None, len(s)), "full")


def _like(
    cx: Lowering, a: Value, dtype: Value | None, order: Value | None, shape: Value | None
) -> tuple[tuple[Expr, ...], DType, tuple[int, ...]]:
    x = as_array(cx, a)
    t = dtype_of(cx, dtype, x.dtype)
    assert t is not None
    if given(shape):
        assert shape is not None
        s = shape_of(cx, shape)
        rank = rank_of_order(cx, order, x if len(s) == x.ndim else None, len(s))
        return s, t, rank
    return x.shape, t, rank_of_order(cx, order, x, x.ndim)


@implements(np.zeros_like)
def zeros_like(
    cx: Lowering,
    a: Value,
    dtype: Value | None = None,
    order: Value | None = None,
    subok: Value | None = None,
    shape: Value | None = None,
) -> Value:
    """np.zeros_like"""
    s, t, rank = _like(cx, a, dtype, order, shape)
    return cx.alloc(t, s, rank, zero=True, hint="zeros")


@implements(np.empty_like)
def empty_like(
    cx: Lowering,
    prototype: Value,
    dtype: Value | None = None,
    order: Value | None = None,
    subok: Value | None = None,
    shape: Value | None = None,
) -> Value:
    """np.empty_like"""
    s, t, rank = _like(cx, prototype, dtype, order, shape)
    return cx.alloc(t, s, rank, hint="empty")


@implements(np.ones_like)
def ones_like(
    cx: Lowering,
    a: Value,
    dtype: Value | None = None,
    order: Value | None = None,
    subok: Value | None = None,
    shape: Value | None = None,
) -> Value:
    """np.ones_like"""
    s, t, rank = _like(cx, a, dtype, order, shape)
    return _filled(cx, s, Num(cx.cast(const(1), t), False), t, rank, "ones")


@implements(np.full_like)
def full_like(
    cx: Lowering,
    a: Value,
    fill_value: Value,
    dtype: Value | None = None,
    order: Value | None = None,
    subok: Value | None = None,
    shape: Value | None = None,
) -> Value:
    """np.full_like"""
    s, t, rank = _like(cx, a, dtype, order, shape)
    return _filled(cx, s, as_operand(cx, fill_value), t, rank, "full")


@implements(np.array)
def np_array(
    cx: Lowering,
    object: Value,
    dtype: Value | None = None,
    *,
    copy: Value | None = None,
    order: Value | None = None,
    ndmin: Value | None = None,
) -> Value:
    """np.array: a copy."""
    if given(ndmin) and static_of(cx, ndmin) != 0:
        raise cx.unsupported("np.array with ndmin")
    t = dtype_of(cx, dtype)
    if given(copy) and static_of(cx, copy) is False:
        raise cx.unsupported("np.array with copy=False")
    a: Array = (
        array_of(cx, object, t)
        if isinstance(object, Tup)
        else as_array(cx, object if not isinstance(object, RangeVal) else _range_array(cx, object))
    )
    if isinstance(object, Tup) and not given(order):
        return a
    return copy_array(cx, a, rank_of_order(cx, order, a, a.ndim), dtype=t)


@implements(np.asarray, np.asanyarray)
def asarray(cx: Lowering, a: Value, dtype: Value | None = None, order: Value | None = None) -> Value:
    """np.asarray: the array itself if it has the type already."""
    t = dtype_of(cx, dtype)
    o = static_of(cx, order) if given(order) else "K"
    if o != "K":
        if o not in ("C", "F"):
            raise cx.unsupported("np.asarray with this order")
        return laid_out(cx, materialize(cx, as_array(cx, asarray(cx, a, dtype))), o == "F")
    if isinstance(a, Tup):
        return array_of(cx, a, t)
    x = as_array(cx, a)
    if t is None or t is x.dtype:
        return materialize(cx, x)
    return copy_array(cx, x, x.rank, dtype=t)


def _range_array(cx: Lowering, r: RangeVal) -> Arr:
    n = cx.range_length(r.start, r.stop, r.step)
    return materialize(cx, Lazy(i64, (n,), lambda ix: symbolic.add(r.start, symbolic.mul(r.step, ix[0])), (0,)))


@implements(np.copy)
def copy(cx: Lowering, a: Value, order: Value | None = None, subok: Value | None = None) -> Value:
    """np.copy: order "K"."""
    x = as_array(cx, a)
    return copy_array(cx, x, rank_of_order(cx, order, x, x.ndim))


@method("copy")
def copy_method(cx: Lowering, a: Value, order: Value | None = None) -> Value:
    """a.copy(): order "C" by default."""
    if isinstance(a, Num):
        return a
    x = as_array(cx, a)
    o = order if given(order) else Static("C")
    return copy_array(cx, x, rank_of_order(cx, o, x, x.ndim), hint="copy")


@method("astype")
def astype(
    cx: Lowering,
    a: Value,
    dtype: Value,
    order: Value | None = None,
    casting: Value | None = None,
    subok: Value | None = None,
    copy: Value | None = None,
) -> Value:
    """a.astype(dtype): a copy in K order."""
    t = dtype_of(cx, dtype)
    assert t is not None
    if given(casting) and not np.can_cast(as_operand(cx, a).dtype.numpy, t.numpy, static_of(cx, casting)):
        raise cx.unsupported("astype with this casting")
    if isinstance(a, Num):
        return Num(cx.cast(a.expr, t), False)
    x = as_array(cx, a)
    if given(copy) and not static_of(cx, copy) and t is x.dtype:
        return materialize(cx, x)
    return copy_array(cx, x, rank_of_order(cx, order, x, x.ndim), dtype=t)


@method("fill")
def fill(cx: Lowering, a: Value, value: Value) -> Value:
    """a.fill(value)"""

    assert isinstance(a, Arr)
    store(cx, a, as_operand(cx, value))
    return Static(None)


__all__ = ["array_of", "scalar_of"]
