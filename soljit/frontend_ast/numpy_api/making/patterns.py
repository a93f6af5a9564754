"""Arrays whose elements follow from their positions: ranges, identities, triangles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from soljit.frontend_ast.arrays.axis_order import k_order
from soljit.frontend_ast.arrays.elementwise import apply_ufunc, materialize
from soljit.frontend_ast.arrays.operands import as_array, as_operand
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.numpy_api.making.creation import rank_of_order
from soljit.frontend_ast.values import promotion
from soljit.frontend_ast.values.values import Lazy, Num, Value
from soljit.frontend_ast.views.numpy_arguments import dtype_of, given, integer_of
from soljit.frontend_ast.views.shape_arguments import shape_of
from soljit.ir import symbolic
from soljit.ir.core.expr import Const, Expr, Op, const
from soljit.ir.core.types import DType, b1, f16, f32, f64, from_numpy, i8, i16, i64, u8, u16, u64

_TOO_LONG = "Maximum allowed size exceeded"


def _arange_type(numbers: Sequence[Num]) -> DType | None:
    """The dtype that NumPy gives to a range of such numbers."""
    return from_numpy(np.arange(*(x.dtype.number_class(x.weak)(1) for x in numbers)).dtype)


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
    t = dtype_of(cx, dtype) or _arange_type([x for x in numbers if isinstance(x, Num)])
    if t is None:
        raise cx.unsupported("np.arange of numbers of these types")
    if any(not x.weak and x.dtype in (i8, i16, u8, u16, f16, f32) for x in (a, b, d)):
        return _arange_of_narrow(cx, a, b, d, t)
    if all(x.dtype.is_int or x.dtype is b1 for x in (a, b, d)) and t.kind in "iu":
        lo, hi, by = (cx.cast(x.expr, i64) for x in (a, b, d))
        if a.weak and b.weak and d.weak:
            cx.check(symbolic.ne(by, const(0)), "ZeroDivisionError", "division by zero")
        else:
            fine = symbolic.disj(symbolic.ne(by, const(0)), symbolic.ne(lo, hi))
            cx.check(fine, "ValueError", "arange: cannot compute length")
            cx.check(symbolic.ne(by, const(0)), "ValueError", _TOO_LONG)
        n = cx.let(cx.range_length(lo, hi, by), "n")
        if given(dtype) and any(x.dtype is u64 for x in (a, b, d)):
            raise cx.unsupported("np.arange of uint64 with a dtype")
        for k, x in enumerate((lo, symbolic.add(lo, by)) if t is not i64 else ()):  # the first two NumPy converts
            no_such = symbolic.le(n, const(k))
            fits = symbolic.conj(symbolic.le(const(t.lowest), x), symbolic.le(x, const(min(t.highest, i64.highest))))
            text = f"Python integer {{0}} out of bounds for {t.numpy.name}"
            cx.check(symbolic.disj(no_such, fits), "OverflowError", text, [x])
        return materialize(
            cx, Lazy(t, (n,), lambda ix: cx.cast(symbolic.add(lo, symbolic.mul(by, ix[0])), t), (0,)), "arange"
        )
    if not t.is_float or any(x.dtype.is_complex for x in (a, b, d)):
        raise cx.unsupported(f"np.arange with dtype {t.numpy.name} of such numbers")
    lo, hi, by = (cx.let(cx.cast(x.expr, f64)) for x in (a, b, d))
    if a.weak and b.weak and d.weak:
        cx.check(Op("ne", (by, Const(0.0, f64)), b1), "ZeroDivisionError", "float division by zero")
    delta = cx.let(Op("sub", (hi, lo), f64), "delta")
    n = _steps(cx, Op("div", (delta, by), f64), Op("ne", (delta, Const(0.0, f64)), b1))
    return _from_two(cx, n, cx.cast(lo, t), cx.cast(Op("add", (lo, by), f64), t))


def _arange_of_narrow(cx: Lowering, a: Num, b: Num, d: Num, t: DType) -> Value:
    """NumPy's scalars are subtracted, divided and added in their own types, in which integers wrap."""
    if any(x.dtype is b1 or x.dtype.is_complex for x in (a, b, d)) or t.kind not in "iuf" or t not in (i64, f64):
        raise cx.unsupported("np.arange of such NumPy scalars")

    def scalar(ufunc: np.ufunc, x: Num, y: Num) -> Num:
        if x.weak and y.weak:
            x, y = (Num(cx.cast(v.expr, f64), False) for v in (x, y))
        result = apply_ufunc(cx, ufunc, [x, y])
        assert isinstance(result, Num)
        return result

    delta = scalar(np.subtract, b, a)
    quotient = scalar(np.true_divide, delta, d)
    n = _steps(cx, cx.cast(quotient.expr, f64), Op("ne", (cx.cast(delta.expr, f64), Const(0.0, f64)), b1))
    return _from_two(cx, n, cx.cast(a.expr, t), cx.cast(scalar(np.add, a, d).expr, t))


def _steps(cx: Lowering, quotient: Expr, some: Expr) -> Expr:
    """The length of a range of floats. some: its ends differ, so that the first lies in it, however large the step is."""
    quotient = cx.let(quotient, "quotient")
    steps = cx.let(Op("ceil", (quotient,), f64), "steps")
    cx.check(Op("eq", (steps, steps), b1), "ValueError", "arange: cannot compute length")
    cx.check(Op("lt", (Op("abs", (steps,), f64), Const(2.0**63, f64)), b1), "ValueError", _TOO_LONG)
    n = cx.let(cx.cast(steps, i64), "n")
    tiny = symbolic.conj(
        some, Op("eq", (quotient, Const(0.0, f64)), b1), Op("lnot", (Op("signbit", (quotient,), b1),), b1)
    )
    n = cx.let(Op("select", (tiny, const(1), Op("max", (n, const(0)), i64)), i64), "n")
    cx.facts = cx.facts.with_size(n)
    return n


def _from_two(cx: Lowering, n: Expr, first: Expr, second: Expr) -> Value:
    """The range that begins with these two numbers."""
    t = first.dtype
    first, second = cx.let(first, "first"), cx.let(second, "second")
    delta = cx.let(Op("sub", (second, first), t), "delta")

    def element(ix: tuple[Expr, ...]) -> Expr:
        later = Op("add", (first, Op("mul", (cx.cast(ix[0], t), delta), t)), t)
        early = Op("select", (symbolic.eq(ix[0], const(0)), first, second), t)
        return Op("select", (symbolic.le(ix[0], const(1)), early, later), t)

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
    if given(num) and not (isinstance(num, Num) and num.dtype.is_int):
        raise cx.unsupported("np.linspace with a number of values that is not an integer")
    n = num.expr if isinstance(num, Num) else const(50)
    n = cx.cast(n, i64)
    cx.check(symbolic.ge(n, const(0)), "ValueError", "Number of samples, {0}, must be non-negative.", [n])
    n = cx.let(n, "n")
    end = not given(endpoint) or bool(static_of(cx, endpoint))
    div = symbolic.sub(n, const(1)) if end else n
    real = promotion.result_type([(a.dtype, a.weak), (b.dtype, b.weak), (f64, True)])
    lo, hi = cx.let(cx.cast(a.expr, real), "start"), cx.let(cx.cast(b.expr, real), "stop")
    delta = cx.let(Op("sub", (hi, lo), real), "delta")
    many = symbolic.gt(div, const(0))
    step = cx.let(
        Op("select", (many, Op("div", (delta, cx.cast(div, real)), real), Const(float("nan"), real)), real), "step"
    )
    t = dtype_of(cx, dtype, real)
    assert t is not None
    zero_step = Op("eq", (step, Const(0.0, real)), b1)
    floored = t.is_int

    def element(ix: tuple[Expr, ...]) -> Expr:
        k = cx.cast(ix[0], real)
        plain = Op("mul", (k, step), real)
        tiny = Op("mul", (Op("div", (k, cx.cast(div, real)), real), delta), real)
        value: Expr = Op("select", (zero_step, tiny, plain), real)
        value = Op("add", (Op("select", (many, value, Op("mul", (k, delta), real)), real), lo), real)
        if end:
            last = symbolic.conj(symbolic.eq(ix[0], symbolic.sub(n, const(1))), symbolic.gt(n, const(1)))
            value = Op("select", (last, hi, value), real)
        if floored:
            value = Op("floor", (value,), real)
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
    shift = integer_of(cx, k) if k is not None else const(0)
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
    if x.ndim == 0:
        cx.raise_("TypeError", "tri() missing 1 required positional argument: 'N'")
        return m
    shift = integer_of(cx, k) if k is not None else const(0)
    element, t, n = x.element, x.dtype, x.ndim
    zero = cx.cast(const(0), t)

    def at(ix: tuple[Expr, ...]) -> Expr:
        inside = (
            symbolic.le(ix[-1], symbolic.add(ix[-2], shift))
            if lower
            else symbolic.ge(ix[-1], symbolic.add(ix[-2], shift))
        )
        return Op("select", (inside, element(ix[-n:]), zero), t)

    plane = x.shape[-2:] if n > 1 else (*x.shape, *x.shape)
    mask = Lazy(b1, plane, at, (0, 1))  # NumPy chooses the elements by a mask in C order
    return Lazy(t, (*x.shape[:-2], *plane), at, k_order(cx, [mask, x], max(n, 2)))


@implements(np.tril)
def tril(cx: Lowering, m: Value, k: Value | None = None) -> Value:
    """np.tril"""
    return triangle(cx, m, k, True)


@implements(np.triu)
def triu(cx: Lowering, m: Value, k: Value | None = None) -> Value:
    """np.triu"""
    return triangle(cx, m, k, False)
