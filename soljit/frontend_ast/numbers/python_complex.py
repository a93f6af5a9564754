"""Quotients and powers of Python's complex numbers, step by step as Python computes them (NumPy rounds at other places)."""

from __future__ import annotations

from soljit.frontend_ast.arrays.ufunc_kernels import op, scalar_op
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.ir.core import nodes
from soljit.ir.core.expr import Const, Expr, Op
from soljit.ir.core.types import PYTHON_NAMES, DType, b1, c128, f64

SMALL = 100  # whole exponents up to here are products


def called_back(cx: Lowering, function: str, args: list[Expr], dtype: DType) -> Expr:
    """What a function of Python gives for Python numbers. Unlike those of `call_by_name` all are operands, constants, too."""
    name = cx.scalar(dtype, function.rpartition(".")[2])
    ins = tuple(cx.let(a, "x") for a in args)
    given = tuple({"$": k, "weak": True} for k in range(len(ins)))
    cx.emit(nodes.Callback(function, (name,), ins, given, result=PYTHON_NAMES[dtype]))
    return cx.let(cx.read(name), name)


def quotient(cx: Lowering, a: Expr, b: Expr) -> Expr:
    """a / b; b is not zero."""
    a, b = cx.let(a, "a"), cx.let(b, "b")
    ar, ai, br, bi = op("real", a), op("imag", a), op("real", b), op("imag", b)
    wide = cx.let(Op("ge", (op("abs", br), op("abs", bi)), b1), "wide")

    def pick(x: Expr, y: Expr) -> Expr:
        return Op("select", (wide, x, y), f64)

    large, small = pick(br, bi), pick(bi, br)
    ratio = cx.let(op("div", small, large), "ratio")
    below = cx.let(op("add", large, op("mul", small, ratio)), "below")
    re = op("add", pick(ar, ai), op("mul", pick(ai, ar), ratio))
    im = pick(op("sub", ai, op("mul", ar, ratio)), op("sub", op("mul", ai, ratio), ar))
    return cx.let(op("complex", op("div", re, below), op("div", im, below)), "quotient")


def power(cx: Lowering, a: Expr, b: Expr) -> Expr:
    """a ** b"""
    if not (isinstance(b, Const) and b.value.imag == 0 and b.value.real == int(b.value.real) and _fits(b)):
        return called_back(cx, "operator.pow", [a, b], c128)
    a, n = cx.let(a, "base"), int(b.value.real)
    value: Expr = Const(1 + 0j, c128)
    square, left = a, abs(n)
    while left:
        if left & 1:
            value = cx.let(scalar_op("mul", value, square), "power")
        left >>= 1
        if left:
            square = cx.let(scalar_op("mul", square, square), "square")
    if n <= 0:
        zero = Op("eq", (value, Const(0j, c128)), b1)
        cx.check(Op("lnot", (zero,), b1), "ZeroDivisionError", _zero_message())
        value = quotient(cx, Const(1 + 0j, c128), value)
    large = Op("lor", (op("isinf", op("real", value)), op("isinf", op("imag", value))), b1)
    cx.check(Op("lnot", (large,), b1), "OverflowError", "complex exponentiation")
    return value


def _fits(b: Const) -> bool:
    return abs(b.value.real) <= SMALL


def _zero_message() -> str:
    try:
        return str(0j**-1)
    except ZeroDivisionError as e:
        return str(e)
