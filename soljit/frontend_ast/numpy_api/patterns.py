"""Arrays whose elements follow from their positions: ranges, identities, triangles."""

from __future__ import annotations

import numpy as np

from soljit.frontend_ast import promotion
from soljit.frontend_ast.elementwise import materialize
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api.creation import rank_of_order
from soljit.frontend_ast.numpy_api.table import (
    as_array,
    as_operand,
    dtype_of,
    given,
    implements,
    shape_of,
    static_of,
)
from soljit.frontend_ast.values import Lazy, Num, Value
from soljit.ir import symbolic
from soljit.ir.expr import Const, Expr, Op, const
from soljit.ir.types import b1, f64, i64


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

    return materialize(cx, Lazy(t, (n, m), element, rank_of_order(cx, order, None, 2)), "eye")


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
