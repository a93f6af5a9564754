"""Making arrays: zeros, ones, full, empty, arange, linspace, eye, array, copies, and NumPy scalars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from soljit.frontend_ast import promotion
from soljit.frontend_ast.elementwise import cast_elements, check_weak_int, copy_array, materialize
from soljit.frontend_ast.lowering import Lowering
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
from soljit.ir.expr import Const, Expr, Op, const
from soljit.ir.types import DType, b1, f64, i64


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


def _order(cx: Lowering, order: Value | None, like: Array | None, ndim: int) -> tuple[int, ...]:
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
    from soljit.frontend_ast.elementwise import store

    out = cx.alloc(dtype, shape, rank, hint=hint)
    store(cx, out, value)
    return out


@implements(np.zeros)
def zeros(cx: Lowering, shape: Value, dtype: Value | None = None, order: Value | None = None) -> Value:
    """np.zeros"""
    s = shape_of(cx, shape)
    t = dtype_of(cx, dtype, f64)
    assert t is not None
    return cx.alloc(t, s, _order(cx, order, None, len(s)), zero=True, hint="zeros")


@implements(np.empty, np.ndarray)
def empty(cx: Lowering, shape: Value, dtype: Value | None = None, order: Value | None = None) -> Value:
    """np.empty"""
    s = shape_of(cx, shape)
    t = dtype_of(cx, dtype, f64)
    assert t is not None
    return cx.alloc(t, s, _order(cx, order, None, len(s)), hint="empty")


@implements(np.ones)
def ones(cx: Lowering, shape: Value, dtype: Value | None = None, order: Value | None = None) -> Value:
    """np.ones"""
    s = shape_of(cx, shape)
    t = dtype_of(cx, dtype, f64)
    assert t is not None
    return _filled(cx, s, Num(cx.cast(const(1), t), False), t, _order(cx, order, None, len(s)), "ones")


@implements(np.full)
def full(
    cx: Lowering, shape: Value, fill_value: Value, dtype: Value | None = None, order: Value | None = None
) -> Value:
    """np.full"""
    s = shape_of(cx, shape)
    v = as_operand(cx, fill_value)
    t = dtype_of(cx, dtype, v.dtype)
    assert t is not None
    return _filled(cx, s, v, t, _order(cx, order, None, len(s)), "full")


def _like(
    cx: Lowering, a: Value, dtype: Value | None, order: Value | None, shape: Value | None
) -> tuple[tuple[Expr, ...], DType, tuple[int, ...]]:
    x = as_array(cx, a)
    t = dtype_of(cx, dtype, x.dtype)
    assert t is not None
    if given(shape):
        assert shape is not None
        s = shape_of(cx, shape)
        rank = _order(cx, order, x if len(s) == x.ndim else None, len(s))
        return s, t, rank
    return x.shape, t, _order(cx, order, x, x.ndim)


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
    return copy_array(cx, a, _order(cx, order, a, a.ndim), dtype=t)


@implements(np.asarray, np.asanyarray)
def asarray(cx: Lowering, a: Value, dtype: Value | None = None, order: Value | None = None) -> Value:
    """np.asarray: the array itself if it has the type already."""
    t = dtype_of(cx, dtype)
    if given(order) and static_of(cx, order) not in ("K",):
        raise cx.unsupported("np.asarray with order")
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
    return copy_array(cx, x, _order(cx, order, x, x.ndim))


@method("copy")
def copy_method(cx: Lowering, a: Value, order: Value | None = None) -> Value:
    """a.copy(): order "C" by default."""
    if isinstance(a, Num):
        return a
    x = as_array(cx, a)
    o = order if given(order) else Static("C")
    return copy_array(cx, x, _order(cx, o, x, x.ndim), hint="copy")


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
    return copy_array(cx, x, _order(cx, order, x, x.ndim), dtype=t)


@implements(np.arange)
def arange(
    cx: Lowering, start: Value, stop: Value | None = None, step: Value | None = None, dtype: Value | None = None
) -> Value:
    """np.arange: ceil((stop - start) / step) values start + k * step, computed from the first two as NumPy does."""
    numbers = [x for x in (start, stop, step) if given(x)]
    if not given(stop):
        start, stop = Num(const(0), True), start
    s = step if given(step) else Num(const(1), True)
    a, b, d = (as_operand(cx, x) for x in (start, stop, s) if x is not None)
    if not (isinstance(a, Num) and isinstance(b, Num) and isinstance(d, Num)):
        raise cx.unsupported("np.arange of arrays")
    operands = [(x.dtype, x.weak) for x in numbers if isinstance(x, Num)]
    t = dtype_of(cx, dtype) or promotion.result_type(operands)
    if all(x.dtype.is_int or x.dtype is b1 for x in (a, b, d)) and t.kind in "iu":
        lo, hi, by = (cx.cast(x.expr, i64) for x in (a, b, d))
        cx.check(symbolic.ne(by, const(0)), "ZeroDivisionError", "division by zero")
        n = cx.let(cx.range_length(lo, hi, by), "n")
        return materialize(
            cx, Lazy(t, (n,), lambda ix: cx.cast(symbolic.add(lo, symbolic.mul(by, ix[0])), t), (0,)), "arange"
        )
    if not t.is_float:
        raise cx.unsupported(f"np.arange with dtype {t.numpy.name} of floats")
    lo, hi, by = (cx.let(cx.cast(x.expr, f64)) for x in (a, b, d))
    steps = Op("ceil", (Op("div", (Op("sub", (hi, lo), f64), by), f64),), f64)
    n = cx.let(cx.cast(steps, i64), "n")
    n = cx.let(Op("max", (n, const(0)), i64), "n")
    cx.facts = cx.facts.with_size(n)
    first, second = cx.cast(lo, t), cx.cast(Op("add", (lo, by), f64), t)
    delta = cx.let(Op("sub", (second, first), t), "delta")

    def element(ix: tuple[Expr, ...]) -> Expr:
        return Op("add", (first, Op("mul", (cx.cast(ix[0], t), delta), t)), t)

    return materialize(cx, Lazy(t, (n,), element, (0,)), "arange")


@implements(np.linspace)
def linspace(
    cx: Lowering,
    start: Value,
    stop: Value,
    num: Value | None = None,
    endpoint: Value | None = None,
    retstep: Value | None = None,
    dtype: Value | None = None,
) -> Value:
    """np.linspace of numbers: start + k * step with the last value set to stop, as NumPy computes it."""
    a, b = as_operand(cx, start), as_operand(cx, stop)
    if not (isinstance(a, Num) and isinstance(b, Num)) or a.dtype.is_complex or b.dtype.is_complex or given(retstep):
        raise cx.unsupported("np.linspace in this form")
    n = num.expr if isinstance(num, Num) else const(50)
    n = cx.cast(n, i64)
    cx.check(symbolic.ge(n, const(0)), "ValueError", "Number of samples, {0}, must be non-negative.", [n])
    n = cx.let(n, "n")
    end = not given(endpoint) or bool(static_of(cx, endpoint))
    div = symbolic.sub(n, const(1)) if end else n
    lo, hi = cx.let(cx.cast(a.expr, f64), "start"), cx.let(cx.cast(b.expr, f64), "stop")
    delta = cx.let(Op("sub", (hi, lo), f64), "delta")
    many = symbolic.gt(div, const(0))
    step = cx.let(
        Op("select", (many, Op("div", (delta, cx.cast(div, f64)), f64), Const(float("nan"), f64)), f64), "step"
    )
    t = dtype_of(cx, dtype, f64)
    assert t is not None
    zero_step = Op("eq", (step, Const(0.0, f64)), b1)
    floored = t.is_int

    def element(ix: tuple[Expr, ...]) -> Expr:
        k = cx.cast(ix[0], f64)
        plain = Op("mul", (k, step), f64)
        tiny = Op("mul", (Op("div", (k, cx.cast(div, f64)), f64), delta), f64)
        value: Expr = Op("select", (zero_step, tiny, plain), f64)
        value = Op("add", (Op("select", (many, value, Op("mul", (k, delta), f64)), f64), lo), f64)
        if end:
            last = symbolic.conj(symbolic.eq(ix[0], symbolic.sub(n, const(1))), symbolic.gt(n, const(1)))
            value = Op("select", (last, hi, value), f64)
        if floored:
            value = Op("floor", (value,), f64)
        return cx.cast(value, t)

    return materialize(cx, Lazy(t, (n,), element, (0,)), "linspace")


@implements(np.eye)
def eye(
    cx: Lowering,
    N: Value,
    M: Value | None = None,
    k: Value | None = None,
    dtype: Value | None = None,
    order: Value | None = None,
) -> Value:
    """np.eye"""
    (n,) = shape_of(cx, N)
    m = shape_of(cx, M)[0] if given(M) and M is not None else n
    shift = cx.cast(k.expr, i64) if isinstance(k, Num) else const(0)
    t = dtype_of(cx, dtype, f64)
    assert t is not None
    one, zero = cx.cast(const(1), t), cx.cast(const(0), t)

    def element(ix: tuple[Expr, ...]) -> Expr:
        return Op("select", (symbolic.eq(ix[1], symbolic.add(ix[0], shift)), one, zero), t)

    return materialize(cx, Lazy(t, (n, m), element, _order(cx, order, None, 2)), "eye")


@implements(np.identity)
def identity(cx: Lowering, n: Value, dtype: Value | None = None) -> Value:
    """np.identity"""
    return eye(cx, n, dtype=dtype)


def triangle(cx: Lowering, m: Value, k: Value | None, lower: bool) -> Value:
    """The elements on one side of diagonal k, zero elsewhere."""
    x = as_array(cx, m)
    if x.ndim < 2:
        raise cx.unsupported("np.tril and np.triu of a 1-d array")
    shift = cx.cast(k.expr, i64) if isinstance(k, Num) else const(0)
    shift = cx.let(shift, "k")
    element, t = x.element, x.dtype
    zero = cx.cast(const(0), t)

    def at(ix: tuple[Expr, ...]) -> Expr:
        inside = (
            symbolic.le(ix[-1], symbolic.add(ix[-2], shift))
            if lower
            else symbolic.ge(ix[-1], symbolic.add(ix[-2], shift))
        )
        return Op("select", (inside, element(ix), zero), t)

    return Lazy(t, x.shape, at, tuple(range(x.ndim)))


@implements(np.tril)
def tril(cx: Lowering, m: Value, k: Value | None = None) -> Value:
    """np.tril"""
    return triangle(cx, m, k, True)


@implements(np.triu)
def triu(cx: Lowering, m: Value, k: Value | None = None) -> Value:
    """np.triu"""
    return triangle(cx, m, k, False)


@method("fill")
def fill(cx: Lowering, a: Value, value: Value) -> Value:
    """a.fill(value)"""
    from soljit.frontend_ast.elementwise import store

    assert isinstance(a, Arr)
    store(cx, a, as_operand(cx, value))
    return Static(None)


__all__ = ["array_of", "scalar_of"]
