"""An element of an array as a scalar during each iteration of a loop: `held(program, loop, …)`.

    for j in range(a, b):                                    for j in range(a, b):
        t[i, j] = max(t[i, j], t[i, j - 1])                      s = t[i, j]
        for k in map(range(a, j)):                     →         s = max(s, t[i, j - 1])
            t[i, j] = wcr.max(t[i, k] + t[k + 1, j])             for k in map(range(a, j)): s = wcr.max(t[i, k] + t[k + 1, j])
                                                                 t[i, j] = s

Proof. Whatever else of its memory an iteration touches are other elements, as their subscripts tell; the element is touched in any case, so it is there; and the iteration ends at its
end, so nobody sees the array in between.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from soljit.analysis.memory.accesses import Access, aliases, effects
from soljit.analysis.memory.affine import names_in
from soljit.analysis.memory.overlap import disjoint
from soljit.base.sentences import Said, said
from soljit.ir.core.expr import Expr, Extent, Load, Memlet, Stride, subexpressions
from soljit.ir.core.nodes import Loop, Program, Tasklet
from soljit.ir.symbolic import Facts
from soljit.ir.walk import map_memlets


def why_not_hold(program: Program, loop: Loop, element: Memlet, facts: Facts) -> Said | None:
    """Why the element cannot be a scalar during an iteration."""
    e, alias = effects(loop.body), aliases(program)
    if e.python or e.leaves or e.binds or e.allocs:
        return said("leaves")
    if not all(isinstance(s, Expr) and _stays(s, e.defines) for s in element.subset):
        return said("no pull")
    own = Access(element.data, element.subset, True)
    same = [a for a in e.accesses if (a.data, a.subset) == (own.data, own.subset)]
    if not any(a.certain and not a.loops for a in same):
        return said("no pull")
    inside = facts.with_loop(loop.var, loop.span)
    for a in e.accesses:
        if a not in same and alias.may_alias(a.data, own.data):
            if not disjoint(a, own, inside, e.defines - {var for var, _ in a.loops}):
                return said("others' elements", name=a.data)
    return None


def hold(loop: Loop, element: Memlet, scalar: Load) -> Loop:
    """The loop with the scalar for the element."""

    def memlet(m: Memlet) -> Memlet:
        return replace(scalar.memlet, wcr=m.wcr) if (m.data, m.subset) == (element.data, element.subset) else m

    begin = Tasklet(scalar.memlet, Load(element, scalar.dtype), loc=loop.loc)
    end = Tasklet(element, scalar, loc=loop.loc)
    nodes = map_memlets(loop.body, memlet).nodes
    return replace(loop, body=replace(loop.body, nodes=(begin, *nodes, end)))


def _stays(e: Expr, changing: Collection[str]) -> bool:
    moves = any(isinstance(x, Load | Extent | Stride) for x in subexpressions(e))
    return not moves and names_in(e).isdisjoint(changing)
