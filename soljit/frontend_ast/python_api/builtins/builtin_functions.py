"""Python's builtin functions."""

from __future__ import annotations

import ast

import numpy as np

from soljit.frontend_ast.arrays.ufunc_kernels import op, scalar_op
from soljit.frontend_ast.calls import calls
from soljit.frontend_ast.iteration.folds import visit_items
from soljit.frontend_ast.joins import unions
from soljit.frontend_ast.joins.tagged_numbers import one_sign
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.numbers.int_arithmetic import int_checked
from soljit.frontend_ast.numbers.operators import binary, to_bool, unary
from soljit.frontend_ast.objects.contents import FLOAT, INT
from soljit.frontend_ast.objects.iterators import refuse_iterators
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.python_api.library.math_functions import to_int
from soljit.frontend_ast.values import numpy_versions
from soljit.frontend_ast.values.constants import constant, member_number
from soljit.frontend_ast.values.descriptions import describe, py_type
from soljit.frontend_ast.values.python_operators import message_of
from soljit.frontend_ast.values.values import (
    Arr,
    Dict,
    Flat,
    Generated,
    Lazy,
    Num,
    Object,
    RangeVal,
    Static,
    Tup,
    Union,
    Value,
)
from soljit.frontend_ast.views.numpy_arguments import given
from soljit.frontend_ast.views.object_items import as_index
from soljit.frontend_ast.views.subscripts import index_of
from soljit.ir import symbolic
from soljit.ir.core.expr import FALSE, Const, Expr, Op, const
from soljit.ir.core.types import b1, c128, f64, i64
from soljit.support.limits import TOO_LARGE


def int_index(cx: Lowering, v: Value) -> Expr:
    """An integer argument."""
    if isinstance(v, Union):
        v = unions.split(cx, [v], lambda vs: Num(int_index(cx, vs[0]), True), "index")
    v = index_of(cx, v)
    if isinstance(v, Object):
        v = as_index(cx, v)
    v = member_number(v)
    if isinstance(v, (Arr, Lazy)) and v.ndim == 0:
        v = Num(v.element(()), False)
    if isinstance(v, Num) and (v.dtype.is_int or (v.dtype is b1 and (v.weak or numpy_versions.BOOLS_ARE_INDICES))):
        return cx.let(cx.cast(v.expr, i64))
    if isinstance(v, Static) and type(v.obj) is int:
        raise cx.unsupported("an integer argument beyond 64 bits")
    name = "numpy.bool" if isinstance(v, Num) and v.dtype is b1 else py_type(v)
    cx.raise_("TypeError", f"'{name}' object cannot be interpreted as an integer")
    return const(0)


@implements(range)
def range_(cx: Lowering, a: Value, b: Value | None = None, c: Value | None = None) -> Value:
    """range"""
    start = const(0) if b is None else int_index(cx, a)
    stop = int_index(cx, a if b is None else b)
    step = const(1) if c is None else int_index(cx, c)
    if c is not None:
        cx.check(symbolic.ne(step, const(0)), "ValueError", "range() arg 3 must not be zero")
        if not isinstance(step, Const):
            known = cx.static_int(step)
            step = const(known) if known is not None else step
    return RangeVal(start, stop, step)


@implements(len)
def len_(cx: Lowering, v: Value) -> Value:
    """len"""
    match v:
        case Arr() | Lazy():
            if v.ndim == 0:
                cx.raise_("TypeError", "len() of unsized object")
                return Num(const(0), True)
            return Num(v.shape[0], True)
        case Tup() | Dict() if isinstance(v, Tup) or v.cls is None:
            return Num(const(len(v.items)), True)
        case Flat():
            return Num(cx.size_of(v.array.shape), True)
        case RangeVal():
            int_checked(cx, "sub", v.stop, v.start)  # whose own range decides whether there is a length
            return Num(cx.range_length(v.start, v.stop, v.step), True)
        case Static() if hasattr(v.obj, "__len__"):
            return Num(const(len(v.obj)), True)
        case Generated() if v.is_list:
            count = cx.scalar(i64, "count")
            cx.write(count, const(0))
            visit_items(cx, v, v.source, lambda _: cx.write(count, symbolic.add(cx.read(count), const(1))))
            return Num(cx.let(cx.read(count), "n"), True)
    refuse_iterators(cx, v)
    cx.raise_("TypeError", f"object of type '{py_type(v)}' has no len()")
    return Num(const(0), True)


@implements(abs)
def abs_(cx: Lowering, v: Value) -> Value:
    """abs"""
    if isinstance(v, Union):
        same = one_sign(cx, ast.UAdd, v, lambda x: abs_(cx, x))
        return unions.split(cx, [v], lambda vs: calls.call_object(cx, abs, vs)) if same is None else same
    if isinstance(v, Num) and v.weak:
        e = v.expr
        if isinstance(e, Const):
            return constant(abs(e.value))
        if e.dtype is i64:
            if cx.prove(symbolic.ge(e, const(0))):
                return v
            negated = unary(cx, ast.USub, v)
            assert isinstance(negated, Num)
            return Num(Op("select", (symbolic.lt(e, const(0)), negated.expr, e), i64), True)
        return Num(cx.cast(e, i64) if e.dtype is b1 else scalar_op("abs", e), True)
    if isinstance(v, Num) and v.dtype.is_complex:
        return Num(scalar_op("abs", v.expr), False)
    return _ufunc(cx, np.absolute, v)


def _ufunc(cx: Lowering, f: np.ufunc, *args: Value) -> Value:
    return calls.call_object(cx, f, list(args), {})


def _parsed(cx: Lowering, cls: type, text: str) -> Value:
    """A number from a text that is known."""
    try:
        return constant(cls(text))
    except ValueError as e:
        cx.raise_like(e)
        return constant(cls())


@implements(int)
def int_(cx: Lowering, v: Value | None = None) -> Value:
    """int"""
    if v is None:
        return Num(const(0), True)
    if isinstance(v, Static) and isinstance(v.obj, str):
        return _parsed(cx, int, v.obj)
    v = _scalar(cx, v)
    if v.dtype.is_float:
        return to_int(cx, cx.cast(v.expr, f64))
    if v.dtype.is_complex and not v.weak:  # of NumPy's the real part counts
        return to_int(cx, cx.cast(op("real", v.expr), f64))
    if v.dtype.is_complex:
        cx.raise_("TypeError", "int() argument must be a string, a bytes-like object or a real number, not 'complex'")
        return Num(const(0), True)
    if v.dtype.name == "u64":
        e = cx.let(v.expr)
        cx.check(Op("le", (e, Const(i64.highest, e.dtype)), b1), "OverflowError", TOO_LARGE)
        return Num(cx.cast(e, i64), True)
    return Num(cx.cast(v.expr, i64), True)


def _scalar(cx: Lowering, v: Value) -> Num:
    """A number, or the only element of an array: of one with axes just where this NumPy allows it."""
    if isinstance(v, Num):
        return v
    if isinstance(v, (Arr, Lazy)):
        fine = symbolic.eq(cx.size_of(v.shape), const(1)) if v.ndim == 0 or numpy_versions.LINES_ARE_NUMBERS else FALSE
        cx.check(fine, "TypeError", numpy_versions.NO_NUMBER)
        return Num(v.element(tuple(const(0) for _ in v.shape)), False)
    raise cx.unsupported(f"a number from {describe(v)}")


@implements(float)
def float_(cx: Lowering, v: Value | None = None) -> Value:
    """float"""
    if v is None:
        return Num(Const(0.0, f64), True)
    if isinstance(v, Static) and isinstance(v.obj, str):
        return _parsed(cx, float, v.obj)
    x = _scalar(cx, v)
    if x.dtype.is_complex and x.weak:
        cx.raise_("TypeError", "float() argument must be a string or a real number, not 'complex'")
    return Num(cx.cast(x.expr, f64), True)


@implements(complex)
def complex_(cx: Lowering, re: Value | None = None, im: Value | None = None) -> Value:
    """complex"""
    a = Num(Const(0.0, f64), True) if re is None else _scalar(cx, re)
    if im is None:
        return Num(cx.cast(a.expr, c128), True)
    b = _scalar(cx, im)
    if a.dtype.is_complex or b.dtype.is_complex:
        return binary(
            cx,
            ast.Add,
            Num(cx.cast(a.expr, c128), True),
            binary(cx, ast.Mult, Num(cx.cast(b.expr, c128), True), constant(1j)),
        )
    return Num(op("complex", cx.cast(a.expr, f64), cx.cast(b.expr, f64)), True)


@implements(bool)
def bool_(cx: Lowering, v: Value | None = None) -> Value:
    """bool"""
    return Num(FALSE if v is None else to_bool(cx, v), True)


@implements(divmod)
def divmod_(cx: Lowering, a: Value, b: Value) -> Value:
    """divmod"""
    if not (isinstance(a, Num) and isinstance(b, Num)):
        return calls.call_object(cx, np.divmod, [a, b], {})
    if a.weak and b.weak and not (a.dtype.is_complex or b.dtype.is_complex):
        one: float = 1.0 if a.dtype is f64 or b.dtype is f64 else 1
        divisor = cx.let(b.expr, "divisor")
        text = message_of(lambda: divmod(one, 0 * one))
        cx.check(Op("ne", (divisor, cx.cast(const(0), b.dtype)), b1), "ZeroDivisionError", text)
        b = Num(divisor, True)
    if a.dtype.is_complex or b.dtype.is_complex:
        cx.raise_("TypeError", f"unsupported operand type(s) for divmod(): '{py_type(a)}' and '{py_type(b)}'")
        return a
    return Tup([binary(cx, ast.FloorDiv, a, b), binary(cx, ast.Mod, a, b)])


@implements(pow)
def pow_(cx: Lowering, base: Value, exp: Value, mod: Value | None = None) -> Value:
    """pow of two numbers, or of three ints."""
    if not given(mod):
        return binary(cx, ast.Pow, base, exp)
    assert mod is not None
    if not all(isinstance(v, Num) and v.weak for v in (base, exp, mod)):
        raise cx.unsupported("pow with three arguments that are not Python numbers")
    if any(isinstance(v, Num) and v.dtype in (f64, c128) for v in (base, exp, mod)):
        cx.raise_("TypeError", "pow() 3rd argument not allowed unless all arguments are integers")
        return base
    a, b, n = (cx.let(cx.cast(v.expr, i64), "factor") for v in (base, exp, mod) if isinstance(v, Num))
    cx.check(symbolic.ne(n, const(0)), "ValueError", message_of(lambda: pow(2, 2, 0)))
    if cx.prove(symbolic.ge(b, const(0))):
        return Num(cx.let(Op("powmod", (a, b, n), i64), "power"), True)
    inverse = cx.let(cx.cast(symbolic.lt(b, const(0)), i64), "inverse")  # Python's, where there is one

    def power(which: int) -> Value:
        if which:
            return call_by_name(cx, "builtins.pow", [base, exp, mod], INT)
        return Num(cx.let(Op("powmod", (a, b, n), i64), "power"), True)

    return unions.choose(cx, inverse, 2, power)


@implements(round)
def round_(cx: Lowering, number: Value, ndigits: Value | None = None) -> Value:
    """round: half to even; without digits an int."""
    v = number
    if isinstance(v, (Arr, Lazy)):
        cx.raise_("TypeError", "type numpy.ndarray doesn't define __round__ method")
        return v
    if not isinstance(v, Num):
        return calls.call_object(cx, np.round, [v] + ([ndigits] if ndigits else []), {})
    if v.dtype.is_complex and not v.weak and numpy_versions.COMPLEX_NUMBERS_ROUND:
        return calls.call_object(cx, np.round, [v] + ([ndigits] if ndigits else []), {})
    if v.dtype.is_complex or (v.dtype is b1 and not v.weak):
        cx.raise_("TypeError", f"type {py_type(v)} doesn't define __round__ method")
        return v
    if not given(ndigits):
        if v.dtype.name == "u64":
            return int_(cx, v)
        if v.dtype.is_int or v.dtype is b1:
            return Num(cx.cast(v.expr, i64), True)
        return to_int(cx, op("rint", cx.cast(v.expr, f64)))
    assert ndigits is not None
    if not v.weak:
        return calls.call_object(cx, np.round, [v, ndigits], {})
    if v.dtype is b1:
        v = Num(cx.cast(v.expr, i64), True)
    if v.dtype is i64 and isinstance(ndigits, Num) and cx.decide(symbolic.ge(ndigits.expr, const(0))):
        return v
    return call_by_name(cx, "builtins.round", [v, ndigits], INT if v.dtype is i64 else FLOAT)
