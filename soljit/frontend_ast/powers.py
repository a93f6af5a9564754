"""What the exponent of NumPy's powers decides: which function computes them, and whether they raise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from soljit.frontend_ast import promotion
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.refs import walked_axes
from soljit.frontend_ast.values import Arr, Array, Lazy, Num, Value
from soljit.ir import symbolic
from soljit.ir.expr import FALSE, Const, Expr, Op, const, is_const
from soljit.ir.types import b1, f32, f64, i64


def fast_power(cx: Lowering, base: Arr | Lazy, exponent: Value) -> np.ufunc | None:
    """The function that NumPy's `**` of an array calls instead of power for some Python exponents."""
    if not (isinstance(exponent, Num) and exponent.weak):
        return None
    value = exponent.expr.value if isinstance(exponent.expr, Const) else None
    if value is None and base.dtype.kind in "bc":  # of other types power itself sees to it
        for simple in (2, -1) if exponent.dtype is i64 else (0.5,) if exponent.dtype is f64 else ():
            is_simple = cx.decide(Op("eq", (exponent.expr, Const(simple, exponent.dtype)), b1))
            if is_simple is None and base.dtype is b1 and simple == 2:
                cx.unroll_for(exponent.expr)
                raise cx.unsupported(
                    "a power of bools whose exponent is not known", "convert the bools first: a.astype(int)"
                )
            if is_simple:
                value = simple
                break
    name = None if value is None or isinstance(value, complex) else promotion.power_shortcut(base.dtype, value)
    return None if name is None else getattr(np, name)


ONE = object()  # stands for an array of exponents that NumPy takes for one number


def is_one_for_all(cx: Lowering, exponent: Num | Array, shape: Sequence[Expr]) -> bool:
    """Does an array of exponents repeat one number for all elements of a longer result?"""
    if isinstance(exponent, Num) or exponent.dtype not in (f32, f64):
        return False
    walked = walked_axes(cx, exponent)
    first = len(shape) - exponent.ndim
    same = []  # lengths of axes that both have
    for k, n in enumerate(shape):
        if k >= first and k - first in walked and not is_const(exponent.shape[k - first], 1):
            answer = cx.same_size(exponent.shape[k - first], n)
            if answer is None:
                return False
            same += [n] if answer else []
    if len(same) == len(shape):
        return False
    return all(cx.decide(symbolic.eq(n, const(1))) for n in (*same,)) and not cx.decide(
        symbolic.eq(cx.size_of(shape), const(1))
    )


def check_exponents(cx: Lowering, base: Num | Array, exponent: Num | Arr, out: Value | None) -> Num | Arr:
    """Integers raised to negative integers raise (of no elements nothing does). Gives the exponent to go on with."""
    if exponent.dtype.kind == "u" or exponent.dtype is b1:
        return exponent
    zero = Const(0, exponent.dtype)
    if isinstance(exponent, Num):
        exponent = Num(cx.let(exponent.expr, "exponent"), exponent.weak)
        negative: Expr = Op("lt", (exponent.expr, zero), b1)
        if exponent.dtype is i64:
            negative = symbolic.lt(exponent.expr, const(0))
    else:
        name = cx.scalar(b1, "negative")
        cx.write(name, FALSE)
        with cx.map(exponent.shape, exponent.rank) as index:
            cx.write(name, Op("lt", (exponent.element(index), zero), b1), "lor")
        negative = cx.let(cx.read(name), "negative")
    if not isinstance(base, Num):
        negative = symbolic.conj(negative, symbolic.ne(cx.size_of(base.shape), const(0)))
    if negative == FALSE:
        return exponent
    with cx.block() as failed:
        if isinstance(out, Arr) and out.writable:  # NumPy writes up to there
            cx.call_back(cx, np.power, [base, exponent], {"out": out})
        cx.raise_("ValueError", "Integers to negative integer powers are not allowed.")
    cx.branch(negative, failed)
    return exponent
