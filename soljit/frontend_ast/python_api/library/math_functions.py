"""The functions of the `math` module on Python numbers: domain and range errors raise as in Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from soljit.frontend_ast.arrays.ufunc_kernels import op, scalar_op
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.numbers.always_raises import raised
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.python_operators import message_of
from soljit.frontend_ast.values.values import Arr, Lazy, Num, Value
from soljit.ir import symbolic
from soljit.ir.core.expr import Const, Expr, Op
from soljit.ir.core.types import b1, f64, i64
from soljit.support.limits import TOO_LARGE

_DOMAIN: dict[str, Callable[[Expr], Expr]] = {
    "sqrt": lambda x: Op("lt", (x, Const(0.0, f64)), b1),
    "log": lambda x: Op("le", (x, Const(0.0, f64)), b1),
    "log2": lambda x: Op("le", (x, Const(0.0, f64)), b1),
    "log10": lambda x: Op("le", (x, Const(0.0, f64)), b1),
    "log1p": lambda x: Op("le", (x, Const(-1.0, f64)), b1),
    "arcsin": lambda x: Op("gt", (op("abs", x), Const(1.0, f64)), b1),
    "arccos": lambda x: Op("gt", (op("abs", x), Const(1.0, f64)), b1),
    "arccosh": lambda x: Op("lt", (x, Const(1.0, f64)), b1),
    "arctanh": lambda x: Op("ge", (op("abs", x), Const(1.0, f64)), b1),
    "sin": lambda x: op("isinf", x),
    "cos": lambda x: op("isinf", x),
    "tan": lambda x: op("isinf", x),
}
_OVERFLOWS = {"exp", "exp2", "expm1", "sinh", "cosh"}


def real(cx: Lowering, v: Value) -> Expr:
    """A float64 from a real number, as `float()` gives."""
    if isinstance(v, (Arr, Lazy)) and v.ndim == 0:
        v = Num(v.element(()), False)
    if not isinstance(v, Num):
        raise cx.unsupported(f"a math function of {describe(v)}", "use the function of the same name in NumPy")
    if v.dtype.is_complex and v.weak:
        cx.raise_("TypeError", "must be real number, not complex")
        return Const(0.0, f64)
    return cx.cast(v.expr, f64)


def domain_message(function: object, name: str, x: float = -5.0) -> str:
    """This Python's text of the domain error."""
    try:
        function(float("inf") if name in ("sin", "cos", "tan") else x)  # type: ignore[operator]
    except ValueError as e:
        return str(e)
    return "math domain error"


def _unary(name: str, function: object) -> None:
    text = domain_message(function, name, 5.0 if name in ("arcsin", "arccos", "arctanh") else -5.0)
    text = text if "5" not in text else "math domain error"

    @implements(function)
    def handler(cx: Lowering, x: Value) -> Value:
        e = cx.let(real(cx, x), "x")
        if isinstance(e, Const):
            try:
                return constant(function(e.value))  # type: ignore[operator]
            except (ValueError, OverflowError):
                pass
        bad = _DOMAIN.get(name)
        if bad is not None:
            cx.check(symbolic.negate(bad(e)), "ValueError", text)
        value = scalar_op(name, e)
        if name in _OVERFLOWS:
            value = cx.let(value, name)
            fine = Op("lor", (Op("lnot", (op("isinf", value),), b1), op("isinf", e)), b1)
            cx.check(fine, "OverflowError", "math range error")
        return Num(value, True)


for _math, _ir in {
    "sqrt": "sqrt", "exp": "exp", "expm1": "expm1", "log2": "log2", "log10": "log10", "log1p": "log1p", "sin": "sin", "cos": "cos",
    "tan": "tan", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "fabs": "abs", "cbrt": "cbrt", "exp2": "exp2",
}.items():  # fmt: skip
    if hasattr(math, _math):
        _unary(_ir, getattr(math, _math))


@implements(math.log)
def log(cx: Lowering, x: Value, base: Value | None = None) -> Value:
    """math.log(x[, base])"""
    e = cx.let(real(cx, x), "x")
    of_base = None if base is None else cx.let(real(cx, base), "base")
    value = cx.let(_log(cx, e), "log")
    if of_base is None:
        return Num(value, True)
    b = cx.let(_log(cx, of_base), "log")
    cx.check(Op("ne", (b, Const(0.0, f64)), b1), "ZeroDivisionError", message_of(lambda: math.log(2.0, 1.0)))
    return Num(op("div", value, b), True)


def _log(cx: Lowering, e: Expr) -> Expr:
    """The logarithm of a float that has to be positive."""
    text = domain_message(math.log, "log")
    positive = Op("lnot", (Op("le", (e, Const(0.0, f64)), b1),), b1)
    cx.check(positive, "ValueError", text if "5" not in text else "math domain error")
    return scalar_op("log", e)


def _rounding(name: str, rounded: Callable[[Any], Any]) -> None:
    @implements(rounded)
    def handler(cx: Lowering, x: Value) -> Value:
        if raised(cx, rounded, [x]):
            return x
        if isinstance(x, Num) and (x.dtype.is_int or x.dtype is b1):
            return Num(cx.cast(x.expr, i64), True)
        return to_int(cx, real(cx, x) if name == "trunc" else op(name, real(cx, x)))


def to_int(cx: Lowering, e: Expr) -> Num:
    """A float as a Python int, without its fraction; NaN, infinity and what leaves 64 bits raise."""
    e = cx.let(e, "x")
    if isinstance(e, Const):
        _check_fits(cx, e)
        return Num(cx.let(cx.cast(e, i64), "n"), True)
    n = cx.let(Op("whole", (e,), i64), "n")
    with cx.block() as doubtful:
        _check_fits(cx, e)
    cx.branch(Op("eq", (n, Const(i64.lowest, i64)), b1), doubtful)
    return Num(n, True)


def _check_fits(cx: Lowering, e: Expr) -> None:
    cx.check(Op("lnot", (op("isnan", e),), b1), "ValueError", "cannot convert float NaN to integer")
    cx.check(Op("lnot", (op("isinf", e),), b1), "OverflowError", "cannot convert float infinity to integer")
    inside = [Op("lt", (e, Const(2.0**63, f64)), b1), Op("ge", (e, Const(-(2.0**63), f64)), b1)]
    cx.check(symbolic.conj(*inside), "OverflowError", TOO_LARGE)


_rounding("floor", math.floor)
_rounding("ceil", math.ceil)
_rounding("trunc", math.trunc)


def _binary(name: str, function: object) -> None:
    @implements(function)
    def handler(cx: Lowering, x: Value, y: Value) -> Value:
        return Num(scalar_op(name, real(cx, x), real(cx, y)), True)


for _math, _ir in {"atan2": "arctan2", "copysign": "copysign"}.items():
    _binary(_ir, getattr(math, _math))


@implements(math.fmod)
def fmod(cx: Lowering, x: Value, y: Value) -> Value:
    """math.fmod"""
    a, b = cx.let(real(cx, x), "x"), cx.let(real(cx, y), "y")
    bad = Op(
        "lor",
        (
            Op("land", (Op("eq", (b, Const(0.0, f64)), b1), Op("lnot", (op("isnan", a),), b1)), b1),
            Op("land", (op("isinf", a), Op("lnot", (op("isnan", b),), b1)), b1),
        ),
        b1,
    )
    cx.check(symbolic.negate(bad), "ValueError", "math domain error")
    return Num(op("fmod", a, b), True)


@implements(math.pow)
def power(cx: Lowering, x: Value, y: Value) -> Value:
    """math.pow"""
    a, b = cx.let(real(cx, x), "x"), cx.let(real(cx, y), "y")
    value = cx.let(scalar_op("pow", a, b), "power")
    finite = Op("land", (op("isfinite", a), op("isfinite", b)), b1)
    pole = Op("land", (Op("eq", (a, Const(0.0, f64)), b1), Op("lt", (b, Const(0.0, f64)), b1)), b1)
    bad = Op("land", (finite, Op("lor", (op("isnan", value), pole), b1)), b1)
    cx.check(symbolic.negate(bad), "ValueError", "math domain error")
    cx.check(symbolic.negate(Op("land", (finite, op("isinf", value)), b1)), "OverflowError", "math range error")
    return Num(value, True)


for _name in ("isnan", "isinf", "isfinite"):

    def _predicate(name: str) -> None:
        @implements(getattr(math, name))
        def handler(cx: Lowering, x: Value) -> Value:
            return Num(op(name, real(cx, x)), True)

    _predicate(_name)


@implements(math.degrees)
def degrees(cx: Lowering, x: Value) -> Value:
    """math.degrees"""
    return Num(op("mul", real(cx, x), Const(180.0 / math.pi, f64)), True)


@implements(math.radians)
def radians(cx: Lowering, x: Value) -> Value:
    """math.radians"""
    return Num(op("mul", real(cx, x), Const(math.pi / 180.0, f64)), True)
