"""Sums, differences and products of Python ints in 64 bits: checked where their ranges do not prove that they fit."""

from __future__ import annotations

import operator
from pathlib import Path

from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.ir import symbolic
from soljit.ir.core.expr import Const, Expr, Op, Sym, is_const
from soljit.ir.core.types import b1, i64
from soljit.support.limits import TOO_LARGE

FORMULAS = str(Path(__file__).resolve().parents[1] / "numpy_api" / "prelude")


def int_checked(cx: Lowering, name: str, a: Expr, b: Expr) -> Expr:
    """a + b, a - b or a * b of Python ints: raises OverflowError where the result leaves 64 bits."""
    build = {"add": symbolic.add, "sub": symbolic.sub, "mul": symbolic.mul}[name]
    if cx.frames and cx.frames[-1].file.startswith(FORMULAS):  # NumPy's own functions: lengths and places, which fit
        return build(a, b)
    if not _fits(cx, name, a, b):
        for e in (a, b):
            cx.moderate(e)
    if name == "mul" and a == b and len(symbolic.linear(a).terms) > 1 and _fits(cx, name, a, b):
        return _square(cx, a)
    if _fits(cx, name, a, b):
        return build(a, b)
    lo, hi = _interval(cx, name, a, b)
    if lo is not None and hi is not None and i64.lowest <= lo and hi <= i64.highest:
        return cx.named(Op(name, (cx.named(a), cx.named(b)), i64), lo, hi)
    a, b = cx.let(a, "a"), cx.let(b, "b")
    with cx.block() as failed:
        cx.raise_("OverflowError", TOO_LARGE)
    cx.branch(Op(f"{name}_overflows", (a, b), b1), failed)
    return Op(name, (a, b), i64)


def _fits(cx: Lowering, name: str, a: Expr, b: Expr) -> bool:
    """Tell whether the result is far enough from the ends of 64 bits that its terms may be added up in any order."""
    if name == "add" and any(is_const(one, 1) and _below_an_end(cx, i) for i, one in ((a, b), (b, a))):
        return True
    lo, hi = _interval(cx, name, a, b)
    return lo is not None and hi is not None and lo >= -(1 << 62) and hi < 1 << 62


def _interval(cx: Lowering, name: str, a: Expr, b: Expr) -> tuple[int | None, int | None]:
    """The numbers that the exact result lies between, if they are known."""
    (la, ha), (lb, hb) = cx.facts.bounds(a), cx.facts.bounds(b)
    if la is None or ha is None or lb is None or hb is None:
        return None, None
    f = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}[name]
    corners = [f(x, y) for x in (la, ha) for y in (lb, hb)]
    return min(corners), max(corners)


def _square(cx: Lowering, a: Expr) -> Expr:
    """`a * a` of a sum: multiplied out, it would not show that it is not negative, nor how large it may be."""
    lo, hi = cx.facts.bounds(a)
    assert lo is not None and hi is not None
    a = cx.named(a, lo, hi)
    return cx.named(Op("mul", (a, a), i64), 0, max(lo * lo, hi * hi))


def _below_an_end(cx: Lowering, e: Expr) -> bool:
    """Tell whether this is the variable of an enclosing loop that counts upwards, and so less than the loop's end."""
    span = cx.spans.get(e.name) if isinstance(e, Sym) else None
    return span is not None and isinstance(span.step, Const) and span.step.value.real > 0
