"""Maps of straight code, which are vector loops as a rule: another body for each of them, with the facts that hold in it.

schedule_maps comes later: it cuts them into pieces, of which lengths tell less.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from soljit.ir.core.expr import Sym
from soljit.ir.core.nodes import Let, Loop, Map, Node, Region
from soljit.ir.symbolic import Facts, is_index
from soljit.ir.walk import is_straight, on_regions, same

Change = Callable[[Map, Facts], Region]


def on_straight_maps(region: Region, facts: Facts, change: Change) -> Region:
    """The region with other bodies of such maps. facts: what holds in the region."""
    out: list[Node] = []
    for n in region.nodes:
        if isinstance(n, Let) and is_index(n.value):
            facts = facts.define(Sym(n.name), n.value)
        inside = facts.with_loop(n.var, n.span) if isinstance(n, Loop) else facts
        for var, span in zip(n.vars, n.spans) if isinstance(n, Map) else ():
            inside = inside.with_loop(var, span)
        if isinstance(n, Map):
            straight = not n.schedule and is_straight(n.body)
            body = change(n, inside) if straight else on_straight_maps(n.body, inside, change)
            out.append(n if body is n.body else replace(n, body=body))
        else:
            out.append(on_regions(n, lambda r, known=inside: on_straight_maps(r, known, change)))  # type: ignore[misc]
    return region if same(out, region.nodes) else replace(region, nodes=tuple(out))
