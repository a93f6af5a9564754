"""math.hypot and math.dist, which Python rounds almost always correctly: squares and their sum are kept in two floats."""

from __future__ import annotations

import math
from collections.abc import Sequence

from soljit.frontend_ast.arrays.ufunc_kernels import op
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.python_api.library.math_functions import real
from soljit.frontend_ast.values.values import Num, Tup, Value
from soljit.ir.core.expr import Const, Expr, Op
from soljit.ir.core.types import b1, f64

_HALVES = Const(2.0**27 + 1, f64)  # a product with it cuts 53 bits into 26 and 27
_MANY = 8  # coordinates; more are left to Python


@implements(math.hypot)
def hypot(cx: Lowering, *coordinates: Value) -> Value:
    """math.hypot of some numbers."""
    return Num(_norm(cx, [real(cx, x) for x in coordinates]), True)


@implements(math.dist)
def dist(cx: Lowering, p: Value, q: Value) -> Value:
    """math.dist of two points of a known number of coordinates."""
    if not (isinstance(p, Tup) and isinstance(q, Tup)):
        raise cx.unsupported("math.dist of points that are no tuples or lists")
    if len(p.items) != len(q.items):
        cx.raise_("ValueError", "both points must have the same number of dimensions")
        return Num(Const(0.0, f64), True)
    pairs = [(real(cx, a), real(cx, b)) for a, b in zip(p.items, q.items)]
    return Num(_norm(cx, [op("sub", a, b) for a, b in pairs]), True)


def _norm(cx: Lowering, xs: Sequence[Expr]) -> Expr:
    if len(xs) > _MANY:
        raise cx.unsupported("a distance in more than eight dimensions", "use np.linalg.norm")
    zero, one = Const(0.0, f64), Const(1.0, f64)
    sizes = [cx.let(op("abs", x), "x") for x in xs]
    if len(sizes) < 2:
        return sizes[0] if sizes else zero
    largest = sizes[0]
    for x in sizes[1:]:
        largest = cx.let(op("select", op("gt", x, largest), x, largest), "largest")
    exponent = cx.let(op("frexp_e", largest), "exponent")
    total: Expr = one
    rest: Expr = zero
    lost: Expr = zero
    for x in sizes:
        x = cx.let(op("ldexp", x, op("neg", exponent)), "x")
        total, rest, lost = _add_product(cx, x, x, total, rest, lost)
    root = cx.let(op("sqrt", op("add", op("sub", total, one), op("add", rest, lost))), "root")
    total, rest, lost = _add_product(cx, op("neg", root), root, total, rest, lost)
    left = op("add", op("sub", total, one), op("add", rest, lost))
    root = op("add", root, op("div", left, op("mul", Const(2.0, f64), root)))
    found = cx.let(op("ldexp", root, exponent), "norm")
    found = op("select", Op("eq", (largest, zero), b1), zero, found)
    infinite, nan = op("isinf", sizes[0]), op("isnan", sizes[0])
    for x in sizes[1:]:
        infinite, nan = Op("lor", (infinite, op("isinf", x)), b1), Op("lor", (nan, op("isnan", x)), b1)
    found = op("select", nan, Const(math.nan, f64), found)
    return cx.let(op("select", infinite, Const(math.inf, f64), found), "norm")


def _add_product(cx: Lowering, a: Expr, b: Expr, total: Expr, rest: Expr, lost: Expr) -> tuple[Expr, Expr, Expr]:
    """total + a * b, with what the product and the sum round off."""
    a, b = cx.let(a, "a"), cx.let(b, "b")
    (ah, al), (bh, bl) = _split(cx, a), _split(cx, b)
    product = cx.let(op("mul", a, b), "product")
    crossed = op("add", op("mul", ah, bl), op("mul", al, bh))
    low = op("add", op("add", op("sub", op("mul", ah, bh), product), crossed), op("mul", al, bl))
    summed = cx.let(op("add", total, product), "total")
    off = op("add", op("sub", total, summed), product)
    return summed, cx.let(op("add", rest, low), "rest"), cx.let(op("add", lost, off), "lost")


def _split(cx: Lowering, x: Expr) -> tuple[Expr, Expr]:
    wide = cx.let(op("mul", x, _HALVES), "wide")
    high = cx.let(op("sub", wide, op("sub", wide, x)), "high")
    return high, cx.let(op("sub", x, high), "low")
