"""Where containers are touched: every access with the chain of nodes around it.

One walk gives, for each container name, its `Place`s in program order. Passes that move or shrink memory ask this once
instead of searching the program for each container.
"""

from __future__ import annotations

from collections import defaultdict
from weakref import WeakKeyDictionary

from soljit.analysis.memory.accesses import effects
from soljit.base.records import dataclass
from soljit.ir.core.data import Ref, View
from soljit.ir.core.expr import Expr, Extent, Load, Memlet, Stride
from soljit.ir.core.nodes import (
    Alloc,
    Bind,
    Branch,
    Call,
    Callback,
    Copy,
    LibraryNode,
    Loop,
    Map,
    Node,
    Program,
    Region,
    Return,
    Tasklet,
    While,
)
from soljit.ir.walk import reached, value_exprs, values


@dataclass(frozen=True, slots=True)
class Place:
    """One access.

    kind:   "load", "store" (a Tasklet's out), "alloc", or "other" (operands of calls, libraries, copies, bindings,
            results, lengths and strides)
    above:  Regions, loops, maps and branches around `node`, outermost first
    """

    kind: str
    node: Node
    memlet: Memlet
    above: tuple[Node, ...]


_PLACES: WeakKeyDictionary[Region, dict[str, list[Place]]] = WeakKeyDictionary()


def places(program: Program) -> dict[str, list[Place]]:
    """The places of every container that the body of `program` names."""
    known = _PLACES.get(program.body)
    if known is None:
        found: dict[str, list[Place]] = defaultdict(list)
        _find(program.body, (), found)
        known = _PLACES[program.body] = found
    return known


def _find(node: Node, above: tuple[Node, ...], out: dict[str, list[Place]]) -> None:
    for v in values(node):
        for e in value_exprs(v):
            _loads(e, node, above, out)
    inside = (*above, node)
    match node:
        case Region():
            for n in node.nodes:
                _find(n, inside, out)
        case Loop() | Map() | While():
            _find(node.body, inside, out)
        case Branch():
            _find(node.then, inside, out)
            _find(node.orelse, inside, out)
        case Tasklet():
            out[node.out.data].append(Place("store", node, node.out, above))
        case Alloc():
            out[node.data].append(Place("alloc", node, Memlet(node.data), above))
        case _:
            for m in _operands(node):
                out[m.data].append(Place("other", node, m, above))


def _loads(e: Expr, node: Node, above: tuple[Node, ...], out: dict[str, list[Place]]) -> None:
    if isinstance(e, Load):
        out[e.memlet.data].append(Place("load", node, e.memlet, above))
    elif isinstance(e, (Extent, Stride)):
        out[e.data].append(Place("other", node, Memlet(e.data), above))
    for c in e.children:
        _loads(c, node, above, out)


def _operands(node: Node) -> list[Memlet]:
    match node:
        case Copy():
            return [node.src, node.dst]
        case LibraryNode():
            return [m for m in (*node.ins, *node.outs) if isinstance(m, Memlet)]
        case Call() | Callback():
            return [m for m in node.ins if isinstance(m, Memlet)] + [
                Memlet(o) for o in (*reached(node), *node.outs) if o
            ]
        case Bind():
            return [node.source, Memlet(node.ref)]
        case Return():
            return [m for m in node.values if isinstance(m, Memlet)]
        case _:
            return []


def common_chain(found: list[Place]) -> tuple[Node, ...]:
    """The nodes that are around all of these places, outermost first."""
    first = found[0].above
    n = len(first)
    for p in found[1:]:
        n = min(n, len(p.above))
        while n and p.above[n - 1] is not first[n - 1]:
            n -= 1
    return first[:n]


def exposed(program: Program) -> set[str]:
    """Containers whose memory other names stand for: what Views view and Refs are or may be bound to."""
    out = {source for _, source in effects(program.body).bindings}
    for d in program.data.values():
        if isinstance(d, View):
            out.add(d.of)
        elif isinstance(d, Ref):
            out.update(d.alias)
    return out
