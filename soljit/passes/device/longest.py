"""Memory that is made anew in each iteration of a loop, with a length that hangs on the iteration: as memory made once, as long as the longest.

    for k in range(1, n):                   alloc(t)          (t: n - 1)
        alloc(t)        (t: k)       →      for k in range(1, n):
        …                                       …

For `persist_loops`; what has one length throughout the loop leaves it by `hoist_invariants`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from soljit.analysis.cost.work import known
from soljit.analysis.loops.extremes import Names, largest, surroundings
from soljit.analysis.memory.accesses import below
from soljit.analysis.memory.occurrences import exposed, places
from soljit.analysis.memory.zeros import zeros
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Array, Data
from soljit.ir.core.expr import (
    ZERO,
    Expr,
    Extent,
    Load,
    Range,
    Stride,
    subexpressions,
    symbols,
)
from soljit.ir.core.nodes import Alloc, Loop, Map, Node, Program, While
from soljit.ir.symbolic import maximum
from soljit.ir.walk import FreshNames, exprs, map_exprs, memlets_read, memlets_written, rewrite, walk


def largest_memory(program: Program, loop: Loop | While) -> dict[str, Array] | Said:
    """The arrays that are made in a loop as they have to be in front of it; or why that cannot be."""
    out: dict[str, Array] = {}
    for alloc, above in below(loop):
        if not isinstance(alloc, Alloc) or any(isinstance(n, Map) for n in above):
            continue
        d = program.data[alloc.data]
        if not isinstance(d, Array) or not _is_own(program, loop, alloc.data):
            return said("lives on", name=alloc.data)
        names = surroundings(loop, alloc)
        shape = [None if _hangs_on_data(n, names) else largest(n, names) for n in d.shape]
        lengths = [maximum(ZERO, n) for n in shape if n is not None and known(n)]
        if len(lengths) < len(shape) or alloc.data in out or d.strides is not None:
            return said("length unknown", name=alloc.data)
        out[alloc.data] = replace(d, shape=tuple(lengths))
    return out


def in_memory(loop: Loop | While, data: Mapping[str, Data], names: Collection[str], fresh: FreshNames) -> Loop | While:
    """The loop without the allocations of `names`: with their lengths spelled out, and zeros written."""

    def length(e: Expr) -> Expr | None:
        d = data.get(e.data) if isinstance(e, Extent) and e.data in names else None
        return d.shape[e.dim] if isinstance(e, Extent) and isinstance(d, Array) else None

    def node(n: Node) -> Node | tuple[Node, ...] | None:
        if isinstance(n, Alloc) and n.data in names:
            d = data[n.data]
            return zeros(n, d, fresh) if n.zero and isinstance(d, Array) else ()
        return None

    return rewrite(map_exprs(loop, length), node)


def _is_own(program: Program, loop: Node, name: str) -> bool:
    """Tell whether only plain accesses in the loop touch the array, which nobody may hold on to."""
    if name in exposed(program):
        return False
    inside = {id(n) for n in walk(loop)}
    if any(id(p.node) not in inside for p in places(program).get(name, [])):
        return False
    if any(isinstance(x, Stride) and x.data == name for e in exprs(loop) for x in subexpressions(e)):
        return False
    used = [x for n in walk(loop) if not isinstance(n, Alloc) for x in (*memlets_read(n), *memlets_written(n))]
    d = program.data[name]
    return all(x.subset or not (isinstance(d, Array) and d.shape) for x in used if x.data == name)


def _hangs_on_data(e: Expr, names: Names) -> bool:
    """Tell whether an element is loaded for this length, or for what it names."""
    pending, seen = [e], set[str]()
    while pending:
        x = pending.pop()
        if any(isinstance(y, Load) for y in subexpressions(x)):
            return True
        for name in symbols(x) & names.keys() - seen:
            seen.add(name)
            behind = names[name]
            pending += behind.children if isinstance(behind, Range) else (behind,)
    return False
