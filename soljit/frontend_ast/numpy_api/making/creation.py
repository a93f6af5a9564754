"""Making arrays: zeros, ones, full and empty, array, asarray, copy and astype."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from soljit.frontend_ast.arrays.axis_order import copy_order
from soljit.frontend_ast.arrays.conversion import as_element
from soljit.frontend_ast.arrays.elementwise import copy_array, materialize, store
from soljit.frontend_ast.arrays.literals import array_of, range_array
from soljit.frontend_ast.arrays.operands import as_array, as_operand
from soljit.frontend_ast.arrays.strides import is_contiguous, linear_access
from soljit.frontend_ast.calls.calls import call_value
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements, method
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.values import numpy_versions
from soljit.frontend_ast.values.values import NONE, Arr, Array, Lazy, Num, RangeVal, Static, Tup, Value
from soljit.frontend_ast.views.numpy_arguments import dtype_of, given
from soljit.frontend_ast.views.reshaping import insert_axes, laid_out
from soljit.frontend_ast.views.shape_arguments import shape_of
from soljit.ir import symbolic
from soljit.ir.core.expr import TRUE, Expr, const, is_const
from soljit.ir.core.types import DType, f64


def rank_of_order(cx: Lowering, order: Value | None, like: Array | None, ndim: int) -> tuple[int, ...]:
    """Memory order from an `order` argument ("K" and "A" follow `like`)."""
    o = static_of(cx, order) if given(order) else ("K" if like is not None else "C")
    o = o.upper() if isinstance(o, str) else o
    if o not in (("C", "F") if like is None else ("C", "F", "A", "K")):
        raise cx.unsupported(f"order={o!r}")
    fortran = tuple(range(ndim))[::-1]
    if o == "F":
        return fortran
    if like is not None and o == "K":
        return copy_order(cx, like)
    if like is not None and o == "A" and is_fortran(cx, like):
        return fortran
    return tuple(range(ndim))


def is_fortran(cx: Lowering, a: Array) -> bool:
    """Tell whether the array is contiguous in Fortran order, and not in C order, too."""
    found = fortran_if(cx, a)
    if not isinstance(found, bool):
        raise cx.unsupported("order='A' of an array whose layout is not known at compile time")
    return found


def fortran_if(cx: Lowering, a: Array) -> bool | Expr:
    """The condition for that, where only the run knows the strides."""
    long = [k for k in a.rank if not is_const(a.shape[k], 1)]
    if isinstance(a, Lazy) or len(long) < 2 or long != sorted(long, reverse=True):
        return len(long) > 1 and long == sorted(long, reverse=True)
    fortran, c = is_contiguous(cx, a, tuple(range(a.ndim))[::-1]), is_contiguous(cx, a)
    if fortran is False or c is True:
        return False
    conditions = [fortran, TRUE if c is False else symbolic.negate(c)]
    return True if fortran is True and c is False else symbolic.conj(*(TRUE if x is True else x for x in conditions))


def _lies_in_c_order(cx: Lowering, a: Array) -> bool:
    """NumPy finds that before it asks for another order; of lengths 0 and 1 it is so whatever the strides."""
    found = is_contiguous(cx, a) if isinstance(a, Arr) else a.rank == tuple(range(a.ndim))
    if isinstance(found, bool):
        return found or cx.decide(symbolic.le(cx.size_of(a.shape), const(1))) is True
    return cx.decide(symbolic.disj(found, symbolic.eq(cx.size_of(a.shape), const(0)))) is True


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


@implements(np.empty)
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


def _filling(v: Num | Array) -> Num | Array:
    return v if numpy_versions.FULL_CHECKS or not isinstance(v, Num) else Num(v.expr, False)


@implements(np.full)
def full(
    cx: Lowering, shape: Value, fill_value: Value, dtype: Value | None = None, order: Value | None = None
) -> Value:
    """np.full"""
    s = shape_of(cx, shape)
    v = as_operand(cx, fill_value)
    t = dtype_of(cx, dtype, v.dtype)
    assert t is not None
    return _filled(cx, s, _filling(v), t, rank_of_order(cx, order, None, len(s)), "full")


def _like(
    cx: Lowering, a: Value, dtype: Value | None, order: Value | None, shape: Value | None
) -> tuple[tuple[Expr, ...], DType, tuple[int, ...]]:
    x = as_array(cx, a)
    t = dtype_of(cx, dtype, x.dtype)
    assert t is not None
    if given(shape):
        assert shape is not None
        s = shape_of(cx, shape)
        rank = rank_of_order(cx, order, x if len(s) == x.ndim and not _lies_in_c_order(cx, x) else None, len(s))
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
    return _filled(cx, s, _filling(as_operand(cx, fill_value)), t, rank, "full")


@implements(np.array)
def np_array(
    cx: Lowering,
    object: Value,
    dtype: Value | None = None,
    *,
    copy: Value | None = None,
    order: Value | None = None,
    subok: Value | None = None,
    ndmin: Value | None = None,
) -> Value:
    """np.array: a copy, unless `copy` says otherwise."""
    t = dtype_of(cx, dtype)
    copies = static_of(cx, copy) if copy is not None else True
    dimensions = static_of(cx, ndmin) if given(ndmin) else 0
    if copies is not None and not isinstance(copies, bool):
        raise cx.unsupported(f"np.array with copy={copies!r}")
    if isinstance(object, (Arr, Lazy)) and not copies:
        kept = _kept(cx, object, t, order, copies is None)
        if dimensions <= object.ndim:
            return kept
        a: Array = as_array(cx, kept)
    elif copies is False:
        raise cx.unsupported("np.array with copy=False of something that is not an array")
    else:
        a = _new_array(cx, object, t, order)
    if dimensions <= a.ndim:
        return a
    return _with_axes_in_front(
        cx, materialize(cx, a), dimensions - a.ndim, given(order) and static_of(cx, order) == "F"
    )


def _with_axes_in_front(cx: Lowering, a: Arr, count: int, fortran: bool) -> Arr:
    """The view with so many new axes of length 1 in front, with the strides that np.array gives those."""
    stride: Expr = const(1)
    if a.ndim and not fortran and not (a.ndim > 1 and is_fortran(cx, a)):
        stride = symbolic.mul(a.shape[0], linear_access(cx, a)[1][0])
    view = insert_axes(a, tuple(range(count)))
    return replace(view, units=(*view.units, *((k, stride) for k in range(count))))


def _new_array(cx: Lowering, x: Value, dtype: DType | None, order: Value | None) -> Arr:
    """A new array with the elements of an array-like."""
    if isinstance(x, Tup):
        made = array_of(cx, x, dtype)
        rank = rank_of_order(cx, order, made, made.ndim)
        return made if rank == made.rank else copy_array(cx, made, rank)
    if isinstance(x, Num) and x.weak and dtype is not None:
        x = Num(as_element(cx, x, dtype), False)
    a = as_array(cx, range_array(cx, x) if isinstance(x, RangeVal) else x)
    return copy_array(cx, a, rank_of_order(cx, order, a, a.ndim), dtype=dtype)


def _kept(cx: Lowering, x: Array, dtype: DType | None, order: Value | None, may_copy: bool) -> Value:
    """The array itself where its type and layout are those asked for; else a copy, or NumPy's error."""
    o = str(static_of(cx, order)).upper() if given(order) else "K"
    if dtype is None or dtype is x.dtype:
        a = materialize(cx, x)
        if o in "KA":
            return a
        if o in ("C", "F") and may_copy:
            return laid_out(cx, a, o == "F")
        raise cx.unsupported(f"an array as it is, with order={o!r}")
    if not may_copy:
        raise cx.unsupported("an array of another type without a copy")
    return copy_array(cx, x, rank_of_order(cx, order, x, x.ndim), dtype=dtype)


@implements(np.asarray, np.asanyarray)
def asarray(
    cx: Lowering,
    a: Value,
    dtype: Value | None = None,
    order: Value | None = None,
    *,
    device: Value | None = None,
    copy: Value | None = None,
) -> Value:
    """np.asarray: the array itself if it has the type already."""
    if device is not None and static_of(cx, device) not in (None, "cpu"):
        raise cx.unsupported("this device")
    return np_array(cx, a, dtype, copy=copy if copy is not None else NONE, order=order)


@implements(np.asarray_chkfinite)
def asarray_chkfinite(cx: Lowering, a: Value, dtype: Value | None = None, order: Value | None = None) -> Value:
    """np.asarray_chkfinite: np.asarray that refuses infinities and NaNs."""
    x = asarray(cx, a, dtype, order)
    if not isinstance(x, Arr):
        raise cx.unsupported("np.asarray_chkfinite of an array that only the run tells to be contiguous")
    if x.dtype.kind in "fc":
        finite = call_value(cx, Static(np.all), [call_value(cx, Static(np.isfinite), [x])])
        assert isinstance(finite, Num)
        cx.check(finite.expr, "ValueError", "array must not contain infs or NaNs")
    return x


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
    t = dtype_of(cx, dtype, f64)
    assert t is not None
    if given(casting):
        rule, source = static_of(cx, casting), as_operand(cx, a).dtype.numpy
        if rule not in ("no", "equiv", "safe", "same_kind", "unsafe") or not np.can_cast(source, t.numpy, rule):
            raise cx.unsupported("astype with this casting")
    if isinstance(a, Num):
        return Num(cx.cast(a.expr, t), False)
    x = as_array(cx, a)
    if given(copy) and not static_of(cx, copy):
        return _kept(cx, x, t, order, True)
    return copy_array(cx, x, rank_of_order(cx, order, x, x.ndim), dtype=t)
