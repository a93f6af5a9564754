"""Let loops over triangles be grids of threads: rectangles, with a condition.

    for i in map(range(n)):                       for i, j in map(range(n), range(n)):
        for j in map(range(n - i)): …      →          if j < n - i: …

A grid of threads has the same length in each of its rows. Without this a thread walks a whole row by itself, and neighbouring threads touch elements of
different rows. Threads outside the triangle have nothing to do: at most about as many as those inside it, since one end of the inner loop
moves by one with each iteration of the outer one, and no row is known to be shorter than empty.

Needs no proof: an iteration runs under the condition that its loop had. It must come behind the passes that give rows to blocks and loops to clusters, and
before place_on_device, which chooses the loops that become threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from soljit.analysis.device.offload import order_of, why_not_on_device
from soljit.analysis.memory.affine import mentions
from soljit.ir.core.expr import ONE, Expr, Range, Sym
from soljit.ir.core.nodes import Branch, Map, Program, Region
from soljit.ir.symbolic import Facts, le, linear, lt, sub
from soljit.ir.walk import outermost_maps, rewrite, substitute
from soljit.ir.walk.spaces import has_blocks
from soljit.passes.manager import Context


def widen_triangles(program: Program, cx: Context) -> Program:
    """Give loops of kernels whose length moves with another loop of theirs the length of the longest row."""
    facts = cx.facts(program)
    wide = {id(m): new for m in outermost_maps(program.body) if (new := _widened(program, m, facts)) is not None}
    if not wide:
        return program
    return replace(program, body=rewrite(program.body, lambda n: wide.get(id(n)), top_down=True))


def _widened(program: Program, m: Map, facts: Facts) -> Map | None:
    """The map with one of its loops as long as in its longest row, if that makes it a loop over threads."""
    if m.schedule or m.threads or has_blocks(m) or why_not_on_device(program, m) is not None:
        return None
    for k in order_of(program, m).rest:
        for row, condition in _rectangles(m, k, facts):
            inside = Branch(condition, m.body, loc=m.loc)
            new = replace(m, spans=(*m.spans[:k], row, *m.spans[k + 1 :]), body=Region((inside,), loc=m.loc))
            if k in order_of(program, new).grid and why_not_on_device(program, new) is None:
                return new
    return None


def _rectangles(m: Map, k: int, facts: Facts) -> Iterator[tuple[Range, Expr]]:
    """The range of the longest row of loop k, and which of its iterations are in another row."""
    span, own = m.spans[k], Sym(m.vars[k])
    around = [j for j, v in enumerate(m.vars) if mentions(span, v)]
    if span.step != ONE or len(around) != 1:
        return
    (j,) = around
    outer = m.spans[j]
    if outer.step != ONE or any(mentions(outer, v) for v in m.vars):
        return
    first, last = outer.start, sub(outer.stop, ONE)
    moves = {end: _move(getattr(span, end), m.vars[j]) for end in ("start", "stop")}
    within = facts.with_loop(m.vars[j], outer)
    if not within.holds(le(span.start, span.stop)):
        return
    if moves["start"] == 0 and moves["stop"] in (1, -1):
        longest = last if moves["stop"] == 1 else first
        yield Range(span.start, linear(substitute(span.stop, {m.vars[j]: longest})).expr, ONE), lt(own, span.stop)
    elif moves["stop"] == 0 and moves["start"] in (1, -1):
        longest = first if moves["start"] == 1 else last
        yield Range(linear(substitute(span.start, {m.vars[j]: longest})).expr, span.stop, ONE), le(span.start, own)


def _move(end: Expr, var: str) -> int | None:
    """By how much this end of a range moves with the variable; None if that is not the same everywhere."""
    by = 0
    for atom, c in linear(end).terms:
        if isinstance(atom, Sym) and atom.name == var:
            by = c
        elif mentions(atom, var):
            return None
    return by
