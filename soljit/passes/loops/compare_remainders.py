"""Find a remainder by a comparison where what is divided is less than one divisor too large or too small.

    for i in map(range(0, n)):                         for i in map(range(0, n)):
        b[i] = a[(i + 1) % n] + a[(i - 1) % n]    →        b[i] = a[i + 1 - n if n <= i + 1 else i + 1] + a[i - 1 + n if i - 1 < 0 else i - 1]

Proof: x % n is x + k * n for the one k that brings it into 0 <= … < n. Periodic subscripts look like those of `np.roll` then: peel_ends frees the middle of
the loop from them, skew_loops sees which rows are neighbours.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from soljit.analysis.flow.program_point import Situation
from soljit.analysis.memory.affine import names_in
from soljit.ir.core.expr import ZERO, Expr, Op, subexpressions
from soljit.ir.core.nodes import Let, Loop, Map, Node, Program, Region
from soljit.ir.core.types import i64
from soljit.ir.symbolic import add, conj, is_index, le, lt, select, sub
from soljit.ir.walk import exprs, map_values, on_regions, rewrite_value, same
from soljit.passes.manager import Context


def compare_remainders(program: Program, cx: Context) -> Program:
    """Replace such remainders in loops."""
    if not any(isinstance(x, Op) and x.name == "mod" for e in exprs(program.body) for x in subexpressions(e)):
        return program
    body = _in_region(program.body, Situation(cx.facts(program)))
    return program if body is program.body else replace(program, body=body)


def _in_region(region: Region, here: Situation) -> Region:
    nodes: list[Node] = []
    for n in region.nodes:
        compared, inside = partial(_compared, here), here
        new = map_values(n, partial(rewrite_value, fn=compared))
        match n:
            case Loop():
                inside = here.in_loop(n.var, n.span)
            case Map():
                for v, span in zip(n.vars, n.spans):
                    inside = inside.in_loop(v, span)
            case Let():
                here = here.after(n)
        if isinstance(new, Map):
            body = _in_region(new.body, inside)
            nodes.append(new if body is new.body else replace(new, body=body))
        else:
            nodes.append(on_regions(new, partial(_in_region, here=inside)))
    return region if same(nodes, region.nodes) else replace(region, nodes=tuple(nodes))


def _compared(here: Situation, e: Expr) -> Expr | None:
    if not isinstance(e, Op) or e.name != "mod" or e.dtype is not i64 or not here.loops:
        return None
    x, n = e.args
    if not is_index(x) or not is_index(n) or not {v for v, _ in here.loops} & names_in(x):
        return None
    facts = here.facts
    if facts.holds(conj(le(ZERO, x), lt(x, add(n, n)))):
        return select(le(n, x), sub(x, n), x)
    if facts.holds(conj(le(ZERO, add(x, n)), lt(x, n))):
        return select(lt(x, ZERO), add(x, n), x)
    return None
