"""Comparisons: of Python integers with integer arrays, exact, whatever their types; of complex scalars, which NumPy puts in order."""

from __future__ import annotations

import numpy as np

from soljit.frontend_ast.arrays.axis_order import k_order
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values import promotion
from soljit.frontend_ast.values.values import Array, Lazy, Num
from soljit.ir import symbolic
from soljit.ir.core.expr import Cast, Expr, Op, const
from soljit.ir.core.types import DType, b1, c64, c128, f32, f64, i64, u64

COMPARE = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}


def comparison_operands(
    cx: Lowering, args: list[Num | Array], operands: list[tuple[DType, bool]]
) -> tuple[list[Num | Array], list[tuple[DType, bool]]]:
    """A Python int compares exactly with any integer array: compare in int64 when it may not fit the array's type."""
    for k, (a, (_, weak)) in enumerate(zip(args, operands)):
        other = operands[1 - k][0]
        if weak and isinstance(a, Num) and a.dtype is i64 and other.is_int and not operands[1 - k][1]:
            lo, hi = cx.facts.bounds(a.expr)
            if lo is None or hi is None or lo < other.lowest or hi > other.highest:
                if other is u64:
                    return _compare_with_unsigned(cx, args, k, a.expr)
                if other.size < 8 or other is i64:
                    args[k] = Num(a.expr, False)
                    operands = [(i64, False), (i64, False)]
                    args[1 - k] = _as_type(cx, args[1 - k], i64)
    return args, operands


def _compare_with_unsigned(
    cx: Lowering, args: list[Num | Array], k: int, e: Expr
) -> tuple[list[Num | Array], list[tuple[DType, bool]]]:
    """A Python int and uint64: exact in float-free arithmetic once both are split at zero.

    Both sides become their order relative to one another: -1, 0 or 1, compared with 0.
    """
    negative = symbolic.lt(e, const(0))
    weak = Cast(u64, symbolic.maximum(e, const(0)))

    def order(x: Expr) -> Expr:
        above = Op("lor", (negative, Op("gt", (x, weak), b1)), b1)
        equal = Op("land", (symbolic.negate(negative), Op("eq", (x, weak), b1)), b1)
        signs = const(1), const(0), const(-1)
        return Op("select", (above, signs[0], Op("select", (equal, signs[1], signs[2]), i64)), i64)

    other = args[1 - k]
    if isinstance(other, Num):
        args[1 - k] = Num(order(other.expr), False)
    else:
        element = other.element
        args[1 - k] = Lazy(i64, other.shape, lambda ix: order(element(ix)), k_order(cx, [other], other.ndim))
    args[k] = Num(const(0), False)
    return args, [(i64, False), (i64, False)]


def _as_type(cx: Lowering, value: Num | Array, dtype: DType) -> Num | Array:
    if value.dtype is dtype:
        return value
    if isinstance(value, Num):
        return Num(Cast(dtype, value.expr), False)
    element = value.element
    return Lazy(dtype, value.shape, lambda ix: Cast(dtype, element(ix)), k_order(cx, [value], value.ndim))


def complex_scalars_in_order(cx: Lowering, ufunc: np.ufunc, left: Num, right: Num) -> Num | None:
    """`<`, `<=`, `>` or `>=` of two numbers by the rule of NumPy's complex scalars; None where that of its arrays holds.

    Scalars compare the imaginary parts where the real parts are equal, and the real parts else; arrays say False besides
    if a part is NaN. A scalar compares itself with what its own type can hold.
    """
    (t, *_) = promotion.resolve(ufunc, [(v.dtype, v.weak) for v in (left, right)])
    if t not in (c64, c128) or all(v.weak or v.dtype is not t for v in (left, right)):
        return None
    if left.dtype is b1 and not left.weak:
        return None
    name = _IN_ORDER[ufunc.__name__]
    part = f32 if t is c64 else f64
    a, b = (cx.let(cx.cast(v.expr, t)) for v in (left, right))
    (ar, ai), (br, bi) = ((Op("real", (z,), part), Op("imag", (z,), part)) for z in (a, b))
    code = Op("select", (Op("eq", (ar, br), b1), Op(name, (ai, bi), b1), Op(name, (ar, br), b1)), b1)
    return Num(cx.let(code, "before"), False)


_IN_ORDER = {"less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge"}
