"""NumPy scalars made of other values, and how numbers enter arrays: what does not fit raises as in NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any  # Python constants of any type

import numpy as np

from soljit.base.pure import Impure, attempt
from soljit.frontend_ast import numpy_versions
from soljit.frontend_ast.constants import number
from soljit.frontend_ast.elementwise import cast_elements, check_weak_int, materialize
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api.table import as_operand
from soljit.frontend_ast.promotion import out_of_bounds_message
from soljit.frontend_ast.values import Array, Num, Static, Value
from soljit.ir import symbolic
from soljit.ir.expr import Const, Expr, Op, const
from soljit.ir.types import DType, b1, c64, f32, f64, from_numpy, i64, u64


def scalar_of(cx: Lowering, cls: type, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """`np.float64(x)` and so on: a NumPy scalar, or an array converted."""
    dtype = from_numpy(cls)
    if dtype is None or dtype.numpy.type is not cls:
        made: Value | None = cx.objects.call_function(cx, cls, list(args), dict(kwargs))
        if made is None:
            raise cx.unsupported(f"np.{cls.__name__}")
        return made
    constants = [_python_constant(a) for a in (*args, *kwargs.values())]
    if None not in constants:
        return _made_now(cx, cls, [c for c in constants if c is not None], len(args), list(kwargs))
    if kwargs or len(args) > 1:
        raise cx.unsupported(f"np.{cls.__name__} of several values that are not known at compile time")
    x = as_operand(cx, args[0])
    if isinstance(x, Num):
        return Num(as_element(cx, x, dtype) if x.weak else cx.cast(x.expr, dtype), False)
    single = x.ndim == 0 or (cls is np.float64 and numpy_versions.LINES_ARE_NUMBERS and not x.dtype.is_complex)
    if single and cx.decide(symbolic.eq(cx.size_of(x.shape), const(1))):
        return Num(cx.cast(x.element((const(0),) * x.ndim), dtype), False)
    return materialize(cx, cast_elements(x, dtype))


def _python_constant(v: Value) -> tuple[Any] | None:
    """The Python object that a value is for certain."""
    if isinstance(v, Static) and (v.obj is None or isinstance(v.obj, (str, int))):
        return (v.obj,)
    return (v.expr.value,) if isinstance(v, Num) and v.weak and isinstance(v.expr, Const) else None


def _made_now(cx: Lowering, cls: Any, values: list[tuple[Any]], positional: int, names: list[str]) -> Value:
    given = [v for (v,) in values]
    try:
        made = number(attempt(cls, given[:positional], dict(zip(names, given[positional:]))))
    except Impure:
        raise cx.unsupported(f"making an object of class {cls.__name__}") from None
    except RecursionError:
        raise
    except Exception as e:
        cx.raise_like(e)
        return Num(cx.cast(const(0), f64), False)
    assert made is not None
    return made


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
