"""Subscripts that may count from the end of their axis: checked and put right behind one test, which subscripts from the start pass.

Programs say it in two steps: a branch that raises IndexError outside of -n … n - 1, then `select(k < 0, k + n, k)`. Both are cheap, but the loads that
hang on the select wait for it, and for the numbers that it selects by; a branch that is always taken the same way costs no time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from soljit.codegen.spelling.expressions import value
from soljit.codegen.writing.context import Context
from soljit.codegen.writing.text import PRIMARY
from soljit.ir.core.data import Array
from soljit.ir.core.expr import Const, Expr, Op, Sym, const, subexpressions
from soljit.ir.core.nodes import Branch, Raise
from soljit.ir.core.types import i64
from soljit.ir.symbolic import add, conj, ge, lt, neg, negate

_OF_AN_AXIS = re.compile(r"index \{0\} is out of bounds for axis \d+ with size \{1\}")


@contextmanager
def positions_of_region(cx: Context) -> Iterator[None]:
    """What is put right in a region is known to the end of it."""
    before = cx.positions
    yield
    cx.positions = before


def emit_position(cx: Context, n: Branch, fail: Callable[[], None]) -> bool:
    """The check `n` of a subscript, with what `fail` writes if it fails, and a variable for the position; False if `n` is no such check."""
    match n.then.nodes, n.orelse.nodes:
        case (Raise(exception="builtins.IndexError", message=str(text), operands=(k, size)),), ():
            pass
        case _:
            return False
    if not _OF_AN_AXIS.fullmatch(text) or not _is_steady(k) or not _is_length(cx, size):
        return False
    if n.cond != negate(conj(ge(k, neg(size)), lt(k, size))):
        return False
    at = cx.names.fresh(f"{k.name if isinstance(k, Sym) else 'k'}_at")
    cx.out.line(f"int64_t {at} = {value(cx, k)};")
    with cx.out.block(f"if (SOL_UNLIKELY((uint64_t){at} >= (uint64_t){value(cx, size).at(PRIMARY)}))"):
        with cx.out.block(f"if ({value(cx, n.cond)})"):
            fail()
        cx.out.line(f"{at} += {value(cx, size)};")
    cx.positions = {**cx.positions, Op("select", (lt(k, const(0)), add(k, size), k), i64): at}
    return True


def _is_steady(e: Expr) -> bool:
    return all(isinstance(x, (Sym, Const, Op)) for x in subexpressions(e))


def _is_length(cx: Context, e: Expr) -> bool:
    """Tell whether it is the size of an axis, which is never negative."""
    return _is_steady(e) and any(isinstance(d, Array) and e in d.shape for d in cx.program.data.values())
