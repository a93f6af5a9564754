"""Make one map of perfectly nested ones.

    for i in map(range(n)):                    for i, j in map(range(n), range(i)):
        for j in map(range(i)):        →           A[i, j] = 0.0
            A[i, j] = 0.0

The outer body must hold nothing but the inner map. Needs no proof: both say that their iterations are independent.
parallelize_loops must come earlier; interchange_maps orders the loops afterwards.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.ir.core.nodes import Map, Node, Program
from soljit.ir.walk import rewrite
from soljit.passes.manager import Context
from soljit.schedule.policy import YES


def collapse_maps(program: Program, cx: Context) -> Program:
    """Merge every map with the one that is all of its body."""
    return rewrite(program, lambda n: _collapsed(n, cx))


def _collapsed(n: Node, cx: Context) -> Node | None:
    """The two maps as one, or None."""
    if not isinstance(n, Map) or len(n.body.nodes) != 1 or n.schedule:
        return None
    inner = n.body.nodes[0]
    if not isinstance(inner, Map) or inner.schedule:
        return None
    if cx.policy.decide("collapse", (n,), lambda: YES, lambda _: None) is None:
        return None
    private = (*n.private, *(p for p in inner.private if p not in n.private))
    return replace(inner, vars=n.vars + inner.vars, spans=n.spans + inner.spans, private=private, loc=n.loc)
