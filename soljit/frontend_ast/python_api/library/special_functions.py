"""The rest of the `math` module on Python numbers: erf and gamma, parts of floats, combinations of ints. Errors are Python's.

What a handler does not compile (iterables, objects) is called by Python. So is, on a Python that computes it in another way or puts the argument into the text
of the error, the function as a whole.
"""

from __future__ import annotations

import ast
import math
import platform
import sys
from collections.abc import Callable
from typing import Any

from soljit.frontend_ast.arrays.ufunc_kernels import op
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.numbers import operators
from soljit.frontend_ast.python_api.library.math_functions import real
from soljit.frontend_ast.values.python_operators import message_of
from soljit.frontend_ast.values.values import Num, Tup, Value
from soljit.ir import symbolic
from soljit.ir.core.expr import Const, Expr, Op, const
from soljit.ir.core.types import b1, f64, i64
from soljit.support.limits import TOO_LARGE

_OF_CPYTHON = platform.python_implementation() == "CPython" and sys.version_info < (3, 14)
_BITS_OF_X86 = platform.machine() in (
    "x86_64",
    "AMD64",
)  # elsewhere compilers fuse products and sums of CPython's own code
_DOMAIN, _RANGE = "math domain error", "math range error"


def _says(function: Callable[[], Any], text: str) -> bool:
    """Tell whether this Python raises with a text that does not depend on the argument."""
    return message_of(function) == text


def _is(name: str, a: Expr, b: Expr) -> Expr:
    return Op(name, (a, b), b1)


def _zero() -> Expr:
    return Const(0.0, f64)


def _whole(cx: Lowering, v: Value, name: str) -> Expr:
    """An int as i64."""
    if not isinstance(v, Num) or not (v.dtype.is_int or v.dtype is b1) or v.dtype.name == "u64":
        raise cx.unsupported(f"math.{name} in this form")
    return cx.let(cx.cast(v.expr, i64), "n")


def _erf(name: str) -> None:
    @implements(getattr(math, name))
    def handler(cx: Lowering, x: Value) -> Value:
        return Num(op(name, real(cx, x)), True)


_erf("erf")
_erf("erfc")


def _gamma(name: str) -> None:
    @implements(getattr(math, name))
    def handler(cx: Lowering, x: Value) -> Value:
        e = cx.let(real(cx, x), "x")
        found = cx.let(op(name, e), name)
        undefined = Op("land", (op("isnan", found), Op("lnot", (op("isnan", e),), b1)), b1)
        cx.check(symbolic.negate(undefined), "ValueError", _DOMAIN)
        too_large = Op("land", (op("isinf", found), op("isfinite", e)), b1)
        cx.check(symbolic.negate(too_large), "OverflowError", _RANGE)
        return Num(found, True)


if _OF_CPYTHON and _BITS_OF_X86 and _says(lambda: math.gamma(-1.0), _DOMAIN):
    _gamma("gamma")
    _gamma("lgamma")


if _says(lambda: math.remainder(1.0, 0.0), _DOMAIN):

    @implements(math.remainder)
    def remainder(cx: Lowering, x: Value, y: Value) -> Value:
        """math.remainder"""
        a, b = cx.let(real(cx, x), "x"), cx.let(real(cx, y), "y")
        found = cx.let(op("remainder", a, b), "rest")
        numbers = [Op("lnot", (op("isnan", v),), b1) for v in (a, b)]
        cx.check(symbolic.negate(symbolic.conj(op("isnan", found), *numbers)), "ValueError", _DOMAIN)
        return Num(found, True)


@implements(math.isclose)
def isclose(cx: Lowering, a: Value, b: Value, *, rel_tol: Value | None = None, abs_tol: Value | None = None) -> Value:
    """math.isclose"""
    x, y = cx.let(real(cx, a), "a"), cx.let(real(cx, b), "b")
    relative = Const(1e-9, f64) if rel_tol is None else cx.let(real(cx, rel_tol), "rel_tol")
    absolute = _zero() if abs_tol is None else cx.let(real(cx, abs_tol), "abs_tol")
    negative = Op("lor", (_is("lt", relative, _zero()), _is("lt", absolute, _zero())), b1)
    cx.check(symbolic.negate(negative), "ValueError", "tolerances must be non-negative")
    gap = cx.let(op("abs", op("sub", y, x)), "gap")
    near = [_is("le", gap, op("abs", op("mul", relative, v))) for v in (y, x)] + [_is("le", gap, absolute)]
    finite = Op("lnot", (Op("lor", (op("isinf", x), op("isinf", y)), b1),), b1)
    inside = Op("land", (finite, symbolic.disj(*near)), b1)
    return Num(Op("lor", (_is("eq", x, y), inside), b1), True)


@implements(math.frexp)
def frexp(cx: Lowering, x: Value) -> Value:
    """math.frexp"""
    e = cx.let(real(cx, x), "x")
    return Tup([Num(op("frexp_m", e), True), Num(cx.cast(op("frexp_e", e), i64), True)])


@implements(math.modf)
def modf(cx: Lowering, x: Value) -> Value:
    """math.modf"""
    e = cx.let(real(cx, x), "x")
    whole = cx.let(op("trunc", e), "whole")
    rest = Op("select", (op("isinf", e), _zero(), op("sub", e, whole)), f64)
    return Tup([Num(op("copysign", rest, e), True), Num(whole, True)])


@implements(math.ldexp)
def ldexp(cx: Lowering, x: Value, i: Value) -> Value:
    """math.ldexp"""
    e, n = cx.let(real(cx, x), "x"), _whole(cx, i, "ldexp")
    near = symbolic.minimum(symbolic.maximum(n, const(-10000)), const(10000))
    found = cx.let(op("ldexp", e, cx.cast(near, f64)), "scaled")
    too_large = Op("land", (op("isinf", found), op("isfinite", e)), b1)
    cx.check(symbolic.negate(too_large), "OverflowError", _RANGE)
    return Num(found, True)


@implements(math.nextafter)
def nextafter(cx: Lowering, x: Value, y: Value) -> Value:
    """math.nextafter by one step"""
    return Num(op("nextafter", real(cx, x), real(cx, y)), True)


@implements(math.ulp)
def ulp(cx: Lowering, x: Value) -> Value:
    """math.ulp"""
    e = cx.let(op("abs", real(cx, x)), "x")
    above, below = (cx.let(op("nextafter", e, Const(to, f64)), "next") for to in (math.inf, -math.inf))
    last = Op("select", (op("isinf", above), op("sub", e, below), op("sub", above, e)), f64)
    return Num(Op("select", (op("isfinite", e), last, e), f64), True)


# --- ints ---------------------------------------------------------------------------------------------------------------


def _fits(cx: Lowering, found: Expr) -> Num:
    found = cx.let(found, "n")
    cx.check(symbolic.ge(found, const(0)), "OverflowError", TOO_LARGE)
    return Num(found, True)


@implements(math.isqrt)
def isqrt(cx: Lowering, n: Value) -> Value:
    """math.isqrt"""
    e = _whole(cx, n, "isqrt")
    cx.check(symbolic.ge(e, const(0)), "ValueError", message_of(lambda: math.isqrt(-1)))
    return Num(cx.let(op("isqrt", e), "root"), True)


@implements(math.factorial)
def factorial(cx: Lowering, x: Value) -> Value:
    """math.factorial"""
    e = _whole(cx, x, "factorial")
    cx.check(symbolic.ge(e, const(0)), "ValueError", message_of(lambda: math.factorial(-1)))
    return _fits(cx, op("factorial", e))


def _choices(name: str) -> None:
    function = getattr(math, name)

    @implements(function)
    def handler(cx: Lowering, n: Value, k: Value) -> Value:
        a, b = _whole(cx, n, name), _whole(cx, k, name)
        cx.check(symbolic.ge(a, const(0)), "ValueError", message_of(lambda: function(-1, 1)))
        cx.check(symbolic.ge(b, const(0)), "ValueError", message_of(lambda: function(1, -1)))
        return _fits(cx, op(name, a, b))


_choices("comb")
_choices("perm")


@implements(math.gcd)
def gcd(cx: Lowering, *integers: Value) -> Value:
    """math.gcd"""
    found: Expr = const(0)
    for v in integers:
        found = op("gcd", found, _whole(cx, v, "gcd"))
    return _fits(cx, found)  # of -2**63 alone it does not


@implements(math.lcm)
def lcm(cx: Lowering, *integers: Value) -> Value:
    """math.lcm"""
    found: Expr = const(1)
    for v in integers:
        e = _whole(cx, v, "lcm")
        cx.check(symbolic.ne(e, const(i64.lowest)), "OverflowError", TOO_LARGE)
        e = cx.let(op("abs", e), "n")
        divisor = cx.let(op("gcd", found, e), "gcd")
        part = cx.let(op("floordiv", found, divisor), "part")
        cx.check(Op("lnot", (Op("mul_overflows", (part, e), b1),), b1), "OverflowError", TOO_LARGE)
        found = cx.let(op("mul", part, e), "lcm")
    return Num(found, True)


@implements(math.prod)
def prod(cx: Lowering, iterable: Value, /, *, start: Value | None = None) -> Value:
    """math.prod of a known number of factors"""
    found: Value = Num(const(1), True) if start is None else start
    if not isinstance(iterable, Tup) or not all(isinstance(v, Num) and v.weak for v in (*iterable.items, found)):
        raise cx.unsupported("math.prod in this form")
    for v in iterable.items:
        found = operators.binary(cx, ast.Mult, found, v)
    return found
