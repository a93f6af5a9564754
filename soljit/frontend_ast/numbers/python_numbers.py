"""Arithmetic of Python numbers, exactly as Python's: ints of 64 bits that raise on overflow, floats, complex."""

from __future__ import annotations

import ast
from typing import Any

from soljit.base.errors import UnsupportedError
from soljit.base.knowledge.bounded import is_bounded
from soljit.frontend_ast.arrays.powers import power_fits
from soljit.frontend_ast.arrays.ufunc_kernels import op, scalar_op
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.numbers import python_complex
from soljit.frontend_ast.numbers.int_arithmetic import int_checked
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.descriptions import py_type
from soljit.frontend_ast.values.python_operators import COMPARE_INT, COMPARE_IR, PYTHON, SYMBOL, message_of
from soljit.frontend_ast.values.values import Num, Union, Value
from soljit.frontend_ast.values.variables import Kind
from soljit.ir import symbolic
from soljit.ir.core.expr import FALSE, Const, Expr, Op, const
from soljit.ir.core.types import DType, b1, c128, f64, i64
from soljit.support.limits import TOO_LARGE

# --- Python numbers ---------------------------------------------------------------------------------------------------


def _order(t: DType) -> int:
    return {b1: 0, i64: 1, f64: 2, c128: 3}[t]


def python_binary(cx: Lowering, kind: type[ast.AST], left: Num, right: Num) -> Value:
    a, b = left.expr, right.expr
    if isinstance(a, Const) and isinstance(b, Const):
        if not is_bounded(f"operator.{PYTHON[kind].__name__}", (a.value, b.value)):
            raise cx.unsupported("an integer with so many digits", "compute it outside")
        try:
            return constant(PYTHON[kind](a.value, b.value))
        except (UnsupportedError, RecursionError):
            raise
        except Exception as e:
            cx.raise_(type(e).__name__, str(e))
            return left
    if kind in COMPARE_IR:
        return _compare(cx, kind, left, right)
    t = max(a.dtype, b.dtype, key=_order)
    if kind in (ast.BitAnd, ast.BitOr, ast.BitXor) and t in (b1, i64):
        return _bits(cx, kind, a, b)
    if t is b1:
        t = i64
    if kind is ast.Div and t is i64:
        return Num(_int_quotient(cx, cx.cast(a, t), cx.cast(b, t)), True)
    if t is i64:
        return (
            Num(_int_binary(cx, kind, cx.cast(a, t), cx.cast(b, t)), True)
            if kind is not ast.Pow
            else _int_power(cx, a, b)
        )
    if kind in _OF_INTS or (t is c128 and kind in (ast.FloorDiv, ast.Mod)):
        cx.raise_(
            "TypeError", f"unsupported operand type(s) for {SYMBOL[kind]}: '{py_type(left)}' and '{py_type(right)}'"
        )
        return left
    return Num(_float_binary(cx, kind, cx.cast(a, t), cx.cast(b, t), t), True)


_OF_INTS = (ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor)


def _compare(cx: Lowering, kind: type[ast.AST], left: Num, right: Num) -> Value:
    a, b = left.expr, right.expr
    name = COMPARE_IR[kind]
    t = max(a.dtype, b.dtype, key=_order)
    if t is i64 or t is b1:
        return Num(COMPARE_INT[name](cx.cast(a, i64), cx.cast(b, i64)), True)
    if t is c128 and name not in ("eq", "ne"):
        text = f"'{SYMBOL[kind]}' not supported between instances of '{py_type(left)}' and '{py_type(right)}'"
        cx.raise_("TypeError", text)
        return Num(FALSE, True)
    if t is f64 and i64 in (a.dtype, b.dtype):
        if b.dtype is i64:
            a, b, name = b, a, _MIRRORED[name]
        if not _is_exact_float(cx, a):
            return Num(_compare_exactly(cx, name, cx.let(a, "n"), cx.let(b, "x")), True)
    return Num(Op(name, (cx.cast(a, t), cx.cast(b, t)), b1), True)


_MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_EXACT = 1 << 53  # ints up to here are floats without rounding


def _is_exact_float(cx: Lowering, n: Expr) -> bool:
    """Tell whether the conversion of this int to a float never rounds. Made a guard for arguments."""
    if isinstance(n, Const):
        return -_EXACT <= n.value.real <= _EXACT
    return cx.decide(symbolic.conj(symbolic.ge(n, const(-_EXACT)), symbolic.le(n, const(_EXACT)))) is True


def _compare_exactly(cx: Lowering, name: str, n: Expr, x: Expr) -> Expr:
    """An int with a float, neither of them rounded: the nearest float of the int settles it, unless it is the float itself."""
    near = cx.cast(n, f64)
    far = Op(name if name in ("eq", "ne") else {"le": "lt", "ge": "gt"}.get(name, name), (near, x), b1)
    limit = Const(2.0**63, f64)  # as a float the largest int rounds up to it
    whole = cx.cast(Op("select", (Op("lt", (x, limit), b1), x, Const(0.0, f64)), f64), i64)
    above = name in ("lt", "le", "ne")  # the answer for x == 2**63, which is more than any int
    inside = Op("select", (Op("lt", (x, limit), b1), Op(name, (n, whole), b1), Const(above, b1)), b1)
    return Op("select", (Op("eq", (near, x), b1), inside, far), b1)


def _int_quotient(cx: Lowering, a: Expr, b: Expr) -> Expr:
    """`a / b` of ints: the float nearest to the exact quotient."""
    cx.check(symbolic.ne(b, const(0)), "ZeroDivisionError", message_of(lambda: 1 / 0))
    if _is_exact_float(cx, a) and _is_exact_float(cx, b):
        return op("div", cx.cast(a, f64), cx.cast(b, f64))
    return Op("int_div", (a, b), f64)


def _bits(cx: Lowering, kind: type[ast.AST], a: Expr, b: Expr) -> Num:
    names = {ast.BitAnd: ("band", "land"), ast.BitOr: ("bor", "lor"), ast.BitXor: ("bxor", "ne")}[kind]  # type: ignore[index]
    if a.dtype is b1 and b.dtype is b1:
        return Num(Op(names[1], (a, b), b1), True)
    return Num(Op(names[0], (cx.cast(a, i64), cx.cast(b, i64)), i64), True)


def _int_binary(cx: Lowering, kind: type[ast.AST], a: Expr, b: Expr) -> Expr:
    if kind is ast.Add:
        return int_checked(cx, "add", a, b)
    if kind is ast.Sub:
        return int_checked(cx, "sub", a, b)
    if kind is ast.Mult:
        return int_checked(cx, "mul", a, b)
    if kind in (ast.FloorDiv, ast.Mod):
        text = message_of(lambda: 1 // 0) if kind is ast.FloorDiv else message_of(lambda: 1 % 0)
        cx.check(symbolic.ne(b, const(0)), "ZeroDivisionError", text)
        if kind is ast.Mod:
            return symbolic.mod(a, b)
        lo, _ = cx.facts.bounds(a)
        if (lo is None or lo == -(1 << 63)) and not cx.prove(symbolic.gt(b, const(0))):
            least = symbolic.conj(symbolic.eq(a, const(-(1 << 63))), symbolic.eq(b, const(-1)))
            cx.check(symbolic.negate(least), "OverflowError", TOO_LARGE)
        return symbolic.floordiv(a, b)
    cx.check(symbolic.ge(b, const(0)), "ValueError", "negative shift count")
    if cx.current.done:
        return a
    if kind is ast.RShift:
        return Op("shr", (a, b), i64)
    a, b = cx.let(a, "a"), cx.let(b, "b")
    lo, hi = cx.facts.bounds(a)
    _, top = cx.facts.bounds(b)
    shifted = Op("shl", (a, b), i64)
    if lo is not None and hi is not None and top is not None and top < 63 and max(-lo, hi) << top < 1 << 62:
        return shifted
    back = Op("eq", (Op("shr", (shifted, b), i64), a), b1)
    fits = Op("land", (Op("lt", (b, const(64)), b1), back), b1)
    cx.check(Op("lor", (Op("eq", (a, const(0)), b1), fits), b1), "OverflowError", TOO_LARGE)
    return shifted


def _int_power(cx: Lowering, a: Expr, b: Expr) -> Value:
    """Ints to the power of ints: an int, or a float if the exponent is negative."""
    a, b = cx.let(cx.cast(a, i64), "a"), cx.let(cx.cast(b, i64), "b")
    below = symbolic.lt(b, const(0))
    negative = cx.decide(below)
    as_float = Num(scalar_op("pow", cx.cast(a, f64), cx.cast(b, f64)), True)
    if negative is not False:
        fine = (
            symbolic.ne(a, const(0)) if negative else Op("lor", (symbolic.ne(a, const(0)), symbolic.negate(below)), b1)
        )
        cx.check(fine, "ZeroDivisionError", message_of(lambda: 0**-1))
    if negative:
        return as_float
    if isinstance(b, Const) and 0 <= b.value.real <= 4:
        result: Expr = const(1)
        for _ in range(int(b.value.real)):
            result = int_checked(cx, "mul", result, a)
        return Num(result, True)
    (lo, hi), (_, top) = cx.facts.bounds(a), cx.facts.bounds(b)
    if lo is None or hi is None or top is None or top > 64 or max(abs(lo), abs(hi), 1) ** top >= 1 << 63:
        fits = power_fits(cx, a, b)
        cx.check(Op("lor", (below, fits), b1) if negative is None else fits, "OverflowError", TOO_LARGE)
    as_int = Num(cx.let(Op("pow", (a, b), i64), "power"), True)
    if negative is False:
        return as_int
    kinds = (Kind("scalar", i64, True), Kind("scalar", f64, True))
    return Union(Op("select", (below, const(1), const(0)), i64), kinds, (as_int, as_float), None, True)


def _float_binary(cx: Lowering, kind: type[ast.AST], a: Expr, b: Expr, t: DType) -> Expr:
    zero = cx.cast(Const(0, i64), t)
    if kind in (ast.Div, ast.FloorDiv, ast.Mod) and not (isinstance(b, Const) and b.value != 0):
        one: Any = 1j if t is c128 else 1.0
        text = message_of(lambda: PYTHON[kind](one, 0 * one))
        b = cx.let(b, "divisor")
        cx.check(Op("ne", (b, zero), b1), "ZeroDivisionError", text)
    if kind is ast.Pow:
        return _float_power(cx, a, b, t)
    if kind is ast.Div and t is c128:
        return python_complex.quotient(cx, a, b)
    return scalar_op(_FLOAT_OPS[kind], a, b)


_FLOAT_OPS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
}


def _float_power(cx: Lowering, a: Expr, b: Expr, t: DType) -> Expr:
    if t is c128:
        return python_complex.power(cx, a, b)
    if isinstance(b, Const) and b.value == 2.0:
        a = cx.let(a, "x")
        value = cx.let(op("mul", a, a), "square")
        fine = Op("lor", (op("isfinite", value), Op("lnot", (op("isfinite", a),), b1)), b1)
        cx.check(fine, "OverflowError", "(34, 'Numerical result out of range')")
        return value
    zero = Const(0.0, f64)
    a = cx.let(a, "base")  # what is not finite follows the C library
    if not (isinstance(b, Const) and float(b.value.real).is_integer()):
        b = cx.let(b, "exponent")
        whole = Op("eq", (op("floor", b), b), b1)
        bad = symbolic.conj(Op("lt", (a, zero), b1), op("isfinite", a), op("isfinite", b), symbolic.negate(whole))
        real = symbolic.negate(bad)
        if cx.decide(real) is False:
            return python_complex.called_back(cx, "operator.pow", [a, b], c128)
        text = "a negative float to a fractional power is complex in Python; write (x + 0j) ** y"
        cx.check(real, "soljit.base.errors.UnsupportedError", text)
    if not (isinstance(b, Const) and b.value.real >= 0):
        bad = symbolic.conj(Op("eq", (a, zero), b1), Op("lt", (b, zero), b1), op("isfinite", b))
        cx.check(symbolic.negate(bad), "ZeroDivisionError", message_of(lambda: 0.0**-1.0))
    value = cx.let(scalar_op("pow", a, b), "power")
    finite = Op("land", (op("isfinite", a), op("isfinite", b)), b1)
    fine = Op("lor", (op("isfinite", value), Op("lnot", (finite,), b1)), b1)
    cx.check(fine, "OverflowError", "(34, 'Numerical result out of range')")
    return value


def python_unary(cx: Lowering, kind: type[ast.AST], v: Num) -> Value:
    e = v.expr
    if kind is ast.Invert and e.dtype not in (i64, b1):
        cx.raise_("TypeError", f"bad operand type for unary ~: '{py_type(v)}'")
        return v
    if isinstance(e, Const):
        return constant(PYTHON[kind](e.value))
    if e.dtype is b1:
        e = cx.cast(e, i64)
    if kind is ast.UAdd:
        return Num(e, True)
    if kind is ast.Invert:
        return Num(Op("invert", (e,), i64), True)
    if e.dtype is i64:
        return Num(int_checked(cx, "sub", const(0), e), True)
    return Num(op("neg", e), True)
