"""Make maps of loops whose iterations are independent.

    for i in range(n):                                    for i in map(range(n)), private(s):
        s = 0.0                                               s = 0.0
        for k in range(m): s = s + A[i, k]         →          for k in map(range(m)): s += A[i, k]
        b[i] = s                                              b[i] = s

Inner loops come first, since what an inner map has for itself no longer ties the iterations of the outer one together.
Accumulations (`reductions`) are written as such where that makes the loop independent, and only there: in a loop that
stays in order, a chain of additions is what the user wrote. The proof is in `analysis/loops/legality.py`.

promote_scalars and contract_temporaries should come earlier: they take away most of what would tie iterations together.
"""

from __future__ import annotations

import functools
from dataclasses import field, replace

from soljit.analysis.flow.liveness import live_after
from soljit.analysis.flow.program_point import Situation
from soljit.analysis.loops.legality import Parallelism
from soljit.analysis.loops.reductions import with_accumulations
from soljit.base.records import dataclass
from soljit.ir.core.expr import Range, const
from soljit.ir.core.nodes import Branch, Let, Loop, Map, Node, Program, Region, While
from soljit.ir.symbolic import add, linear
from soljit.ir.walk import rewrite, same
from soljit.passes.manager import Context
from soljit.schedule.policy import YES, Choice


def parallelize_loops(program: Program, cx: Context) -> Program:
    """Replace every Loop whose iterations are independent by a Map."""
    body = _Parallelizer(program, cx).region(program.body, Situation(cx.facts(program)))
    return program if body is program.body else replace(program, body=body)


def parallelized_with(program: Program, loop: Loop, trial: Loop, cx: Context) -> Program:
    """The program with `trial` in the place of `loop`, and its independent loops as Maps: tells whether `trial` is one. Nothing is noted."""
    body = rewrite(program.body, lambda n: trial if n is loop else None, top_down=True)
    return parallelize_loops(replace(program, body=body), Context(tail=cx.tail))


@dataclass
class _Parallelizer:
    program: Program
    cx: Context
    legal: Parallelism = field(init=False)

    def __post_init__(self) -> None:
        self.legal = Parallelism(self.program)
        self.live = live_after(self.program)

    def region(self, region: Region, here: Situation) -> Region:
        """Replace in these nodes and below them."""
        out: list[Node] = []
        for n in region.nodes:
            out.append(self.node(n, here))
            if isinstance(n, Let):
                here = here.after(n)
        return region if same(out, region.nodes) else replace(region, nodes=tuple(out))

    def node(self, n: Node, here: Situation) -> Node:
        match n:
            case Loop():
                body = self.region(n.body, here.in_loop(n.var, n.span))
                return self.loop(n, n if body is n.body else replace(n, body=body), here)
            case Map():
                inside = here
                for v, s in zip(n.vars, n.spans):
                    inside = inside.in_loop(v, s)
                body = self.region(n.body, inside)
                return n if body is n.body else replace(n, body=body)
            case While():
                body = self.region(n.body, here)
                return n if body is n.body else replace(n, body=body)
            case Branch():
                then, orelse = self.region(n.then, here.where(n.cond)), self.region(n.orelse, here)
                return n if then is n.then and orelse is n.orelse else replace(n, then=then, orelse=orelse)
            case _:
                return n

    def loop(self, old: Loop, n: Loop, here: Situation) -> Loop | Map:
        """`n` (its inner loops done; `old` before that) as a Map, if its iterations are independent."""
        if not n.body.nodes:
            return n
        body = with_accumulations(n.body, n.var)
        verdict = functools.cache(lambda: self.legal.verdict(old, body, here, self.live[old]))
        choice = self.cx.policy.decide("map", (n,), lambda: YES, lambda _: verdict().reason)
        if not isinstance(choice, Choice):
            if choice is not None:
                self.cx.note(n.loc, "order", why=choice)
            return n
        self.cx.note(n.loc, "independent")
        return Map((n.var,), (_upwards(n.span),), body, private=verdict().private, loc=n.loc)


def _upwards(span: Range) -> Range:
    """The same values, the smallest first, where that is plain to see."""
    if linear(span.step) == linear(const(-1)):
        return Range(add(span.stop, const(1)), add(span.start, const(1)), const(1))
    return span
