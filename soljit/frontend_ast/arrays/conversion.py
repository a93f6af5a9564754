"""How numbers enter arrays: what does not fit raises as in NumPy."""

from __future__ import annotations

from soljit.frontend_ast.arrays.elementwise import check_weak_int
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.promotion import out_of_bounds_message
from soljit.frontend_ast.values.values import Array, Num
from soljit.ir import symbolic
from soljit.ir.core.expr import Const, Expr, Op, const
from soljit.ir.core.types import DType, b1, c64, f32, f64, i64, u64

_CLASS_ARGUMENTS = {
    "iu": "int() argument must be a string, a bytes-like object or a real number, not 'complex'",
    "f": "float() argument must be a string or a real number, not 'complex'",
}


Failure = tuple[str, str] | None  # an exception and its text


def as_element(cx: Lowering, x: Num, dtype: DType, failure: Failure = None) -> Expr:
    """The number as NumPy puts it into an array of this type: what does not fit raises, but NumPy scalars wrap in unsigned types.

    failure: what is raised for whatever does not fit, where NumPy does not tell why
    """
    e = x.expr
    if not x.weak and dtype.kind == "u":
        return cx.cast(e, dtype)
    if e.dtype is dtype or dtype is b1 or dtype.is_complex or e.dtype is b1:
        return cx.cast(e, dtype)
    if e.dtype.is_complex:
        if x.weak:
            text = next(text for kinds, text in _CLASS_ARGUMENTS.items() if dtype.kind in kinds)
            cx.raise_(*(failure or ("TypeError", text)))
        if not dtype.is_int:
            return cx.cast(e, dtype)
        e = Op("real", (e,), f32 if e.dtype is c64 else f64)
    if not dtype.is_int or (dtype.kind == "u" and not x.weak):  # what is not Python's is converted by a plain cast
        return cx.cast(e, dtype)
    if e.dtype.is_float:
        return _truncated(cx, cx.cast(e, f64), dtype, failure)
    if e.dtype is u64:
        e = cx.let(e)
        small = Op("le", (e, Const(i64.highest, u64)), b1)
        cx.check(small, *(failure or ("OverflowError", "Python int too large to convert to C long")))
        e = cx.let(cx.cast(e, i64))
    check_weak_int(cx, cx.cast(e, i64), dtype, failure)
    return cx.cast(e, dtype)


def only_element(cx: Lowering, v: Array, dtype: DType, failure: tuple[str, str]) -> Num | None:
    """The element of an array of one, made a Python number and then one of type `dtype`, in which integers wrap."""
    cx.check(symbolic.eq(cx.size_of(v.shape), const(1)), *failure)
    x = Num(v.element((const(0),) * v.ndim), True)
    if x.dtype.is_complex and not dtype.is_complex:
        cx.raise_(*failure)
        return None
    if not dtype.is_int or (dtype is u64 and x.dtype.is_int):
        return Num(cx.cast(x.expr, dtype), False)
    if dtype is u64:
        raise cx.unsupported(
            f"an array of {x.dtype.numpy} in the place of one element of type uint64", "use its element"
        )
    return Num(cx.cast(as_element(cx, x, i64, failure), dtype), False)


def _truncated(cx: Lowering, e: Expr, dtype: DType, failure: Failure) -> Expr:
    """`int(x)` of a float as an element of an integer array."""
    e = cx.let(e, "x")
    infinite = Op("eq", (Op("abs", (e,), f64), Const(float("inf"), f64)), b1)
    cx.check(Op("eq", (e, e), b1), *(failure or ("ValueError", "cannot convert float NaN to integer")))
    cx.check(symbolic.negate(infinite), *(failure or ("OverflowError", "cannot convert float infinity to integer")))
    limit = 2.0**64 if dtype is u64 else 2.0**63
    fits = Op("land", (Op("lt", (e, Const(limit, f64)), b1), Op("ge", (e, Const(-(2.0**63), f64)), b1)), b1)
    cx.check(fits, *(failure or ("OverflowError", "Python int too large to convert to C long")))
    if dtype is u64:
        whole = cx.let(cx.cast(Op("min", (e, Const(0.0, f64)), f64), i64))
        not_negative = symbolic.ge(whole, const(0))
        cx.check(not_negative, *(failure or ("OverflowError", out_of_bounds_message(dtype))), [whole])
        return cx.cast(e, u64)
    whole = cx.let(cx.cast(e, i64))
    check_weak_int(cx, whole, dtype, failure)
    return cx.cast(whole, dtype)
