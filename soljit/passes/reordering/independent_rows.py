"""Several iterations of a map side by side, in each of which a loop in order waits for its chain of operations.

    for i in map(range(n)):                              for block in map(range((n + 3) // 4)):
        for j in range(1, m):                     →          i = 4 * block
            a[i, j] = b[i, j] + c * a[i, j - 1]              for j in range(1, m):
                                                                 a[i, j] = …; a[i + 1, j] = …; a[i + 2, j] = …; a[i + 3, j] = …

Proof: iterations of a map need nothing of each other, so what they do may be mixed in any way in which each keeps its own order (`jam_bodies.py`). What an iteration has for itself (private
containers, memory, numbers) exists once for each of them. Where they combine values into common elements the order would be another one, so that is left alone. The last block may be
smaller: its iterations run one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from soljit.analysis.cost.latency import latency, operations_done
from soljit.analysis.loops.legality import inner_privates
from soljit.analysis.memory.accesses import effects
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Data
from soljit.ir.core.expr import ONE, ZERO, Load, Range, Sym, const, subexpressions, symbols
from soljit.ir.core.nodes import Alloc, Branch, Copy, Let, Loop, Map, Region, Tasklet
from soljit.ir.symbolic import add, floordiv, le, mul, sub
from soljit.ir.walk import FreshNames, anew, rename_data, substitute_in, walk
from soljit.ir.walk.names import symbols_defined
from soljit.ir.walk.spaces import is_kernel
from soljit.passes.reordering.jam_bodies import Jam

ROWS = 4
LONG = 40  # operations of one iteration of the chain, of which several would not fit the registers


def why_not_beside(m: Map) -> Said | None:
    """Why the map's iterations cannot run side by side; None if they can."""
    if m.parts or m.blocks is not None or is_kernel(m) or m.spans[-1].step != ONE:
        return said("no rows beside")
    if not any(isinstance(n, Loop) for n in m.body.nodes):
        return said("no rows beside")
    own = _own(m)
    for n in walk(m.body):
        if not isinstance(n, Region | Let | Tasklet | Copy | Alloc | Loop | Map | Branch):
            return said("no plain rows")
        if isinstance(n, Tasklet) and (n.out.wcr or not n.out.subset) and n.out.data not in own:
            return said("combined", name=n.out.data)
    return None


def waits(m: Map, per_cycle: float) -> bool:
    """Tell whether loops in it wait for chains of operations, in the same iterations for all of the map's. per_cycle: operations that a processor does"""
    loops = [n for n in m.body.nodes if isinstance(n, Loop)]
    return any(_waits(n, per_cycle) for n in loops) and all(_is_same_for_all(n, m) for n in loops)


def _waits(loop: Loop, per_cycle: float) -> bool:
    if any(isinstance(n, Loop | Map | Branch) for n in walk(loop.body)) or loop.span.step not in (ONE, const(-1)):
        return False
    cost = operations_done(loop.body)
    return cost <= LONG and cost <= per_cycle * latency(loop.body, loop.var, 1 if loop.span.step == ONE else -1)


def _is_same_for_all(loop: Loop, m: Map) -> bool:
    made = {*m.vars, *symbols_defined(m.body)}
    return not any(made & symbols(e) or any(isinstance(x, Load) for x in subexpressions(e)) for e in loop.span.children)


def _own(m: Map) -> set[str]:
    """What each iteration has for itself."""
    return {*m.private, *effects(m.body).allocs, *inner_privates(m.body)}


def beside(m: Map, rows: int, data: Mapping[str, Data], fresh: FreshNames) -> tuple[Map, dict[str, Data]]:
    """The map with so many iterations of its last loop side by side, and what they need."""
    own, span, var, loc = sorted(_own(m)), m.spans[-1], m.vars[-1], m.body.loc
    names = [{n: fresh(n) if k else n for n in own} for k in range(rows)]
    made = {new: data[old] for these in names[1:] for old, new in these.items()}
    block = Sym(fresh("block"))
    first = Sym(fresh("first"))
    copies = []
    for k, these in enumerate(names):
        body = fresh.other_symbols(m.body)
        copies.append(substitute_in(rename_data(body, these), {var: add(first, const(k))}).nodes)
    jam = Jam({**data, **made}, fresh)
    together = Region(tuple(jam.nodes(copies)), loc=loc)
    alone = Region((anew(Loop(var, Range(first, span.stop, ONE), m.body, loc=m.loc)),), loc=loc)
    body = Region(
        (
            Let(first.name, add(span.start, mul(const(rows), block)), loc=loc),
            Branch(le(add(first, const(rows)), span.stop), together, alone, loc=loc),
        ),
        loc=loc,
    )
    count = floordiv(add(sub(span.stop, span.start), const(rows - 1)), const(rows))
    private = (*m.private, *(these[n] for these in names[1:] for n in m.private))
    spans = (*m.spans[:-1], Range(ZERO, count, ONE))
    return replace(m, vars=(*m.vars[:-1], block.name), spans=spans, body=body, private=private), {**made, **jam.made}
