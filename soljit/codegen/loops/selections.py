"""Loops over a mask: 64 elements of the mask at a time.

    for (i…) if (mask[i]) { … }

with a mask of contiguous bools, which the body leaves alone, turns 64 of them into a word and goes from bit to bit, with one branch that
cannot be foreseen for each word, or from run to run where few bits are missing: long runs of selected elements are copied as fast as
without a mask.
"""

from __future__ import annotations

from collections.abc import Callable

from soljit.analysis.memory.accesses import aliases, names_written
from soljit.analysis.memory.affine import step
from soljit.codegen.loops.nests import steady
from soljit.codegen.memory.containers import memory_of
from soljit.codegen.spelling.expressions import index
from soljit.codegen.writing.context import Context
from soljit.ir.core.expr import Expr, Load, Memlet, Range, is_const, subexpressions
from soljit.ir.core.nodes import Branch, Loop, Region, Tasklet
from soljit.ir.core.types import b1

_MANY = 54  # bits of a word in which runs are long
_MOST = 3  # statements of a body that is spelled twice


def is_selection(cx: Context, n: Loop) -> bool:
    """Tell whether this is a loop over a mask with a body small enough."""
    return _mask(cx, n) is not None


def _mask(cx: Context, n: Loop) -> Memlet | None:
    body = n.body.nodes
    if len(body) != 1 or not isinstance(body[0], Branch) or body[0].orelse.nodes or not is_const(n.span.step, 1):
        return None
    branch = body[0]
    if not isinstance(branch.cond, Load) or branch.cond.dtype is not b1:
        return None
    mask = branch.cond.memlet
    inside = branch.then.nodes
    if len(inside) > _MOST or not all(isinstance(x, Tasklet) for x in inside):
        return None
    if any(isinstance(s, Range) for s in mask.subset) or step(cx.program.data, mask, n.var) != 1:
        return None
    loads = (x for s in mask.subset if isinstance(s, Expr) for x in subexpressions(s) if isinstance(x, Load))
    read = [mask.data, *(x.memlet.data for x in loads)]
    if aliases(cx.program).any_alias(names_written(branch.then), read):
        return None
    return mask


def emit_selection(cx: Context, n: Loop, region: Callable[[Context, Region], None]) -> None:
    """The loop in pieces of 64."""
    mask = _mask(cx, n)
    branch = n.body.nodes[0]
    assert mask is not None and isinstance(branch, Branch)
    out = cx.out
    var = cx.names.symbol(n.var)
    start, stop = index(cx, n.span.start), steady(cx, n.var, "stop", n.span.stop)
    end = cx.names.fresh(f"{n.var}_end")
    with out.block(f"for (int64_t {var} = {start}, {end}; {var} < {stop}; {var} = {end})"):
        out.line(f"{end} = {var} + 64 < {stop} ? {var} + 64 : {stop};")
        word = cx.names.fresh("word")
        out.line(f"const uint64_t {word} = sol_mask(&{memory_of(cx).element(mask)}, {end} - {var});")
        first, left = cx.names.fresh(f"{n.var}_first"), cx.names.fresh("left")
        out.line(f"const int64_t {first} = {var};")
        with out.block(f"if (__builtin_popcountll({word}) >= {_MANY})"):
            until = cx.names.fresh("until")
            with out.block(f"for (uint64_t {left} = {word}; {left}; {left} &= sol_bits_from({var} - {first}))"):
                out.line(f"{var} = {first} + __builtin_ctzll({left});")
                out.line(f"const int64_t {until} = {var} + sol_run({left});")
                with out.block(f"for (; {var} < {until}; ++{var})"):
                    region(cx, branch.then)
        with out.block("else"), out.block(f"for (uint64_t {left} = {word}; {left}; {left} &= {left} - 1)"):
            out.line(f"{var} = {first} + __builtin_ctzll({left});")
            region(cx, branch.then)
