"""Loops over a mask: 64 elements of the mask at a time.

    for (i…) if (mask[i]) { … }

with a mask of contiguous bools, which the body leaves alone, turns 64 of them into a word and goes from bit to bit, with one branch that
cannot be foreseen for each word, or from run to run where few bits are missing: long runs of selected elements are copied as fast as
without a mask.
"""

from __future__ import annotations

from collections.abc import Callable

from soljit.codegen.loops import looks
from soljit.codegen.loops.nests import steady
from soljit.codegen.memory.containers import memory_of
from soljit.codegen.spelling.expressions import index
from soljit.codegen.writing.context import Context
from soljit.ir.core.expr import Load
from soljit.ir.core.nodes import Branch, Loop, Region

_MANY = 54  # bits of a word in which runs are long


def emit_selection(cx: Context, n: Loop, look: str, region: Callable[[Context, Region], None]) -> None:
    """The loop in pieces of 64, each of which begins with this line."""
    branch = n.body.nodes[0]
    assert isinstance(branch, Branch) and isinstance(branch.cond, Load)
    mask = branch.cond.memlet
    out = cx.out
    var = cx.names.symbol(n.var)
    start, stop = index(cx, n.span.start), steady(cx, n.var, "stop", n.span.stop)
    end = cx.names.fresh(f"{n.var}_end")
    with out.block(f"for (int64_t {var} = {start}, {end}; {var} < {stop}; {var} = {end})"):
        if look:
            out.line(look)
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
                    looks.arm(cx, branch.then)
                    region(cx, branch.then)
        with out.block("else"), out.block(f"for (uint64_t {left} = {word}; {left}; {left} &= {left} - 1)"):
            out.line(f"{var} = {first} + __builtin_ctzll({left});")
            looks.arm(cx, branch.then)
            region(cx, branch.then)
