"""What the exponent of NumPy's powers decides: which function computes them, and whether they raise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from soljit.frontend_ast.arrays.array_variables import walked_axes
from soljit.frontend_ast.arrays.ufunc_kernels import op, scalar_op
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values import numpy_versions, promotion
from soljit.frontend_ast.values.values import Arr, Array, Lazy, Num, Value
from soljit.ir import symbolic
from soljit.ir.core.expr import FALSE, Const, Expr, Op, const, is_const
from soljit.ir.core.types import DType, b1, f32, f64, i64


def fast_power(cx: Lowering, base: Arr | Lazy, exponent: Value) -> np.ufunc | None:
    """The function that NumPy's `**` of an array calls instead of power for some exponents: Python's, of older NumPy its own, too."""
    if isinstance(exponent, (Arr, Lazy)) and exponent.ndim == 0 and numpy_versions.NUMPY_EXPONENTS_ARE_SIMPLE:
        exponent = Num(cx.let(exponent.element(()), "exponent"), False)
    if not isinstance(exponent, Num) or not (exponent.weak or numpy_versions.NUMPY_EXPONENTS_ARE_SIMPLE):
        return None
    number = exponent.dtype.number_class(exponent.weak)
    value = exponent.expr.value if isinstance(exponent.expr, Const) else None
    if isinstance(value, complex) or exponent.dtype.is_complex or exponent.dtype is b1:
        return None
    if value is not None:
        name = promotion.power_shortcut(base.dtype, number(value))
        return None if name is None else getattr(np, name)
    if exponent.weak and base.dtype.kind == "f" and promotion.POWER_SHORTCUTS.keys() <= numpy_versions.SIMPLE_POWERS:
        return None  # power itself sees to it
    for simple in promotion.POWER_SHORTCUTS:
        if exponent.dtype.is_int and not (simple == int(simple) and exponent.dtype.lowest <= simple):
            continue  # no number of this type
        plain = int(simple) if exponent.dtype.is_int else float(simple)
        name = promotion.power_shortcut(base.dtype, number(plain))
        if name is None:
            continue
        is_simple = cx.decide(Op("eq", (exponent.expr, Const(plain, exponent.dtype)), b1))
        if is_simple is None and promotion.resolve(np.power, [(base.dtype, False), (exponent.dtype, exponent.weak)])[
            -1
        ] is not _type_of(name, base.dtype):
            cx.unroll_for(exponent.expr)
            raise cx.unsupported(
                f"a power of {base.dtype.numpy} whose exponent is not known",
                "convert the array to the type of the result first",
            )
        if is_simple:
            return getattr(np, name)  # type: ignore[no-any-return]
    return None


def _type_of(name: str, base: DType) -> DType:
    return promotion.resolve(getattr(np, name), [(base, False)])[-1]


ONE = object()  # stands for an array of exponents that NumPy takes for one number


def is_one_for_all(cx: Lowering, exponent: Num | Array, shape: Sequence[Expr]) -> bool:
    """Tell whether an array of exponents repeats one number for all elements of a longer result."""
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


def check_exponents(cx: Lowering, base: Num | Array, exponent: Num | Array, out: Value | None) -> Num | Array:
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
            cx.above.call_back(cx, np.power, [base, exponent], {"out": out})
        cx.raise_("ValueError", "Integers to negative integer powers are not allowed.")
    cx.branch(negative, failed)
    return exponent


def power_fits(cx: Lowering, a: Expr, b: Expr) -> Expr:
    """Tell whether a**b is an int of 64 bits. No square or higher power lies so close to 2**63 that its float would be on the other side."""
    size = cx.let(scalar_op("pow", op("abs", cx.cast(a, f64)), cx.cast(b, f64)), "size")
    limit = Const(2.0**63, f64)
    odd = Op("eq", (Op("band", (b, const(1)), i64), const(1)), b1)
    least = Op("land", (Op("eq", (size, limit), b1), Op("land", (Op("lt", (a, const(0)), b1), odd), b1)), b1)
    fits = Op("lor", (Op("lt", (size, limit), b1), Op("eq", (b, const(1)), b1)), b1)
    return Op("lor", (fits, least), b1)
