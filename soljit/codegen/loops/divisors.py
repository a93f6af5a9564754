"""Divisors of whole loops: a 64-bit integer by which every turn divides is turned into a factor in front of the loop (`sol_divisor`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from soljit.analysis.memory.accesses import names_written
from soljit.codegen.loops.nests import codes
from soljit.codegen.spelling.expressions import value
from soljit.codegen.writing.context import Context
from soljit.ir.core.expr import Const, Expr, Load, Op, Sym, subexpressions
from soljit.ir.core.nodes import Loop, Map
from soljit.ir.core.types import i64
from soljit.ir.walk import symbols_defined


@contextmanager
def steady_divisors(cx: Context, m: Map | Loop) -> Iterator[None]:
    """Declare the divisors of a map or a loop that its turns do not change."""
    variables = m.vars if isinstance(m, Map) else (m.var,)
    before, moving = cx.divisors, {*variables, *symbols_defined(m.body), *names_written(m.body)}
    found = dict(before)
    for x in (x for e in codes(m.body) for x in subexpressions(e)):
        if isinstance(x, Op) and x.name in ("floordiv", "mod") and x.dtype == i64:
            d = x.args[1]
            if d not in found and not isinstance(d, Const) and _is_steady(d, moving):
                found[d] = cx.names.fresh("divisor")
                cx.out.line(f"const sol_divisor {found[d]}({value(cx, d)});")
    cx.divisors = found
    yield
    cx.divisors = before


def _is_steady(e: Expr, moving: set[str]) -> bool:
    """Tell whether it is made of numbers and scalars alone that stay as they are."""
    for x in subexpressions(e):
        if isinstance(x, Sym) and x.name in moving:
            return False
        if isinstance(x, Load) and (x.memlet.subset or x.memlet.data in moving):
            return False
    return True
