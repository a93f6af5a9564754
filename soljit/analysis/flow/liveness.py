"""Which scalars are read later: what decides whether an iteration of a loop may have a scalar of its own.

`exposed(node)`: scalars that `node` may read before it has written them itself.
`assigned(node)`: scalars that are written whenever `node` runs to its end.
`live_after(program)`: for each Loop, Map and While, the scalars whose values may still be read after it.

Where control may leave early, more is taken to be live and less to be assigned.
"""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

from soljit.analysis.memory.accesses import effects
from soljit.base.records import dataclass
from soljit.ir.core.data import Data, Scalar
from soljit.ir.core.nodes import Branch, Loop, Map, Node, Program, Raise, Region, Return, While
from soljit.ir.symbolic import linear
from soljit.ir.walk import memlets_read, memlets_written

Names = frozenset[str]
_NONE: Names = frozenset()


@dataclass(frozen=True, slots=True)
class Flow:
    """What a node does to scalars. (Arrays are listed, too, as if one write wrote all of them: do not ask for them.)"""

    exposed: Names
    assigned: Names


_FLOW: WeakKeyDictionary[Node, Flow] = WeakKeyDictionary()


def exposed(node: Node) -> Names:
    """Containers that `node` may read before it writes them."""
    return flow(node).exposed


def assigned(node: Node) -> Names:
    """Containers that are written whenever `node` runs to its end."""
    return flow(node).assigned


def flow(node: Node) -> Flow:
    """Both answers, remembered for as long as the node lives."""
    known = _FLOW.get(node)
    if known is None:
        known = _FLOW[node] = _flow(node)
    return known


def _flow(node: Node) -> Flow:
    own = frozenset(m.data for m in memlets_read(node))
    match node:
        case Region():
            return _sequence(node)
        case Loop() | While():
            body = flow(node.body)
            always = body.assigned if isinstance(node, Loop) and _runs(node) else _NONE
            return Flow(own | body.exposed, always)
        case Map():
            body = flow(node.body)
            return Flow(own | (body.exposed - frozenset(node.private)), _NONE)
        case Branch():
            then, orelse = flow(node.then), flow(node.orelse)
            return Flow(own | then.exposed | orelse.exposed, _both(node, then, orelse))
        case _:
            return Flow(own, frozenset(m.data for m in memlets_written(node)))


def _sequence(region: Region) -> Flow:
    seen: Names = _NONE
    reads: Names = _NONE
    at_end: Names | None = None
    for n in region.nodes:
        f = flow(n)
        reads |= f.exposed - seen
        seen |= f.assigned
        if at_end is None and "break" in effects(n).leaves:
            at_end = seen
    return Flow(reads, seen if at_end is None else at_end)


def _both(node: Branch, then: Flow, orelse: Flow) -> Names:
    """What both arms assign; an arm that never reaches its end assigns everything."""
    if _ends(node.then):
        return orelse.assigned
    if _ends(node.orelse):
        return then.assigned
    return then.assigned & orelse.assigned


def _ends(region: Region) -> bool:
    return bool(region.nodes) and isinstance(region.nodes[-1], (Raise, Return))


def _runs(loop: Loop) -> bool:
    gap = linear(loop.span.stop) - linear(loop.span.start)
    by = linear(loop.span.step)
    return gap.is_const and by.is_const and gap.const * by.const > 0


# --- what is read later -----------------------------------------------------------------------------------------------

_LIVE: WeakKeyDictionary[Program, Mapping[Node, Names]] = WeakKeyDictionary()


def live_after(program: Program) -> Mapping[Node, Names]:
    """For each Loop, Map and While in the body: scalars that may be read after it."""
    known = _LIVE.get(program)
    if known is None:
        found: dict[Node, Names] = {}
        _region(program.body, _NONE, _NONE, found, program.data)
        known = _LIVE[program] = found
    return known


def _region(region: Region, live: Names, around: Names, found: dict[Node, Names], data: Mapping[str, Data]) -> Names:
    """Scalars live in front of `region`; `around`: what is live where a break or continue may lead."""
    for n in reversed(region.nodes):
        live = _node(n, live, around, found, data)
    return live


def _node(n: Node, live: Names, around: Names, found: dict[Node, Names], data: Mapping[str, Data]) -> Names:
    f = flow(n)
    if "break" in effects(n).leaves:
        live |= around
    match n:
        case Loop() | While() | Map():
            found[n] = live
            again = live if isinstance(n, Map) else live | _scalars(f.exposed, data)
            _region(n.body, again, again, found, data)
        case Branch():
            _region(n.then, live, around, found, data)
            _region(n.orelse, live, around, found, data)
        case _:
            pass
    return (live - f.assigned) | _scalars(f.exposed, data)


def _scalars(names: Names, data: Mapping[str, Data]) -> Names:
    return frozenset(n for n in names if isinstance(data.get(n), Scalar))
