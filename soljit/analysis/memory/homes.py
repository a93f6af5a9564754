"""Which mutable scalars, array variables and arrays on the stack belong to an iteration of a map: the innermost one that holds all their uses.

A map's iterations are independent, so what only one map's body uses belongs to the iteration; all others belong to the function. What is private to a map, and
used elsewhere, too, belongs to both.
"""

from __future__ import annotations

from collections.abc import Mapping

from soljit.analysis.memory.accesses import effects
from soljit.ir.core.data import Array, Data, Ref, Scalar
from soljit.ir.core.expr import Extent, Stride, subexpressions
from soljit.ir.core.nodes import Alloc, Map, Node, Program
from soljit.ir.walk import (
    children_nodes,
    data_used,
    memlets_read,
    memlets_written,
    outermost_maps,
    value_exprs,
    values,
    walk,
)

Homes = Mapping[int, tuple[str, ...]]  # id of a map's body, 0 for the function → containers


def homes_of(program: Program) -> dict[int, tuple[str, ...]]:
    """For each map (by the id of its body) and the function (0), which containers belong to it."""
    home: dict[str, Map | None] = {}
    allocated = {n.data for n in walk(program.body) if isinstance(n, Alloc)}
    wanted = {n for n, d in program.data.items() if _declared(d, n in allocated)}
    used = data_used(program.body) & wanted
    _settle(program.body, None, used, home)
    own: dict[str, list[Map]] = {}
    for m in walk(program.body):
        if isinstance(m, Map):
            for name in set(m.private) - allocated:
                own.setdefault(name, []).append(m)
    out: dict[int, list[str]] = {}
    for name in program.data:
        maps = own.get(name, [])
        beside = [home[name]] if name in home and not any(_is_below(home[name], m) for m in maps) else []
        for owner in (*beside, *maps):
            out.setdefault(0 if owner is None else id(owner.body), []).append(name)
    return {k: tuple(v) for k, v in out.items()}


def _is_below(home: Map | None, m: Map) -> bool:
    """Tell whether a map is another one, or in it."""
    return home is not None and any(n is home for n in walk(m))


def _declared(d: Data, allocated: bool) -> bool:
    return isinstance(d, (Scalar, Ref)) or (isinstance(d, Array) and d.storage == "register" and not allocated)


def _settle(node: Node, owner: Map | None, names: set[str], home: dict[str, Map | None]) -> None:
    """All of `names` are used below `node` and nowhere else."""
    if not names:
        return
    maps = [m for n in children_nodes(node) for m in outermost_maps(n)]
    outside = _used_outside(node, maps)
    inside: dict[int, set[str]] = {}
    for m in maps:
        inside[id(m)] = data_used(m.body) & names
    for name in sorted(names):
        holders = [m for m in maps if name in inside[id(m)]]
        if len(holders) == 1 and name not in outside:
            continue
        home[name] = owner
    for m in maps:
        _settle(m.body, m, {n for n in inside[id(m)] if n not in home}, home)


def _used_outside(node: Node, maps: list[Map]) -> set[str]:
    """Containers used below `node` other than in the bodies of `maps`."""
    inside = {id(n) for m in maps for n in walk(m.body)}
    out: set[str] = set()
    for n in walk(node):
        if id(n) not in inside:
            out |= _own(n)
    return out


def _own(n: Node) -> set[str]:
    """What `n` itself uses, without the nodes below it."""
    if not children_nodes(n):
        return data_used(n)
    lengths = {
        x.data for v in values(n) for e in value_exprs(v) for x in subexpressions(e) if isinstance(x, (Extent, Stride))
    }
    return lengths | {m.data for m in (*memlets_read(n), *memlets_written(n))}


def of_iteration(homes: Homes, m: Map) -> set[str]:
    """Containers that every iteration of `m` has for itself."""
    return {*m.private, *homes.get(id(m.body), ())}


def borrowers(program: Program, homes: Homes) -> frozenset[str]:
    """Array variables of iterations that stand for memory of others only: it lives longer than they do, so that they need no share in it.

    Threads must not count shares: they would do so at the same time.
    """
    sources: dict[str, set[str]] = {}
    for ref, source in effects(program.body).bindings:
        sources.setdefault(ref, set()).add(source)
    own: dict[str, frozenset[str]] = {}  # variable → what is made in an iteration that it belongs to
    for m in walk(program.body) if sources else ():
        refs = [x for x in homes.get(id(m.body), ()) if x in sources] if isinstance(m, Map) else []
        if refs:
            e = effects(m)
            inside = {x for n in walk(m) if isinstance(n, Map) for x in homes.get(id(n.body), ())}
            own |= dict.fromkeys(refs, e.allocs | e.private | inside)
    while True:
        owners = {x for x, inside in own.items() if any(s in inside and s not in own for s in sources[x])}
        if not owners:
            return frozenset(own)
        own = {x: inside for x, inside in own.items() if x not in owners}
