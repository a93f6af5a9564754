"""Compute equal arrays and equal reductions once.

    for i in map(range(n)): m[i] = x[i] > 0.0             for i in map(range(n)): m[i] = x[i] > 0.0
    s = 0.0; for i in map(range(n)): s += x[i]            s = 0.0; for i in map(range(n)): s += x[i]
    for j in map(range(n)): m2[j] = x[j] > 0.0     →      use(m, m, s, s)
    s2 = 0.0; for j in map(range(n)): s2 += x[j]
    use(m, m2, s, s2)

Proof: two maps with one statement each, the same spaces, subscripts and values up to names; nothing that they read is
written between them; what they write is written by nobody else (a reduction's scalar: but for one and the same start
value in the same region), is read only element by element, and lies in temporaries of equal type and shape.

Users write `a[a > 0] = f(a[a > 0])` and `x.sum() / x.sum()`. Canonicalize must come earlier; share_values then unites
the symbols that are read from shared scalars.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from soljit.analysis.flow.available import Available
from soljit.analysis.memory.accesses import aliases, effects, names_read, names_written
from soljit.analysis.memory.occurrences import Place, exposed, places
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Scalar
from soljit.ir.core.expr import Const, Expr, Memlet, Range, Sym
from soljit.ir.core.nodes import Alloc, Map, Node, Program, Region, Tasklet
from soljit.ir.walk import data_used, on_regions, rename_data, same, substitute
from soljit.passes.manager import Context


def share_maps(program: Program, cx: Context) -> Program:
    """Drop maps that compute what an earlier one did."""
    work = _Sharing(program, cx)
    body = work.region(program.body)
    if body is program.body:
        return program
    data = {k: d for k, d in program.data.items() if k not in work.names}
    return replace(program, body=body, data=data)


@dataclass(frozen=True, slots=True)
class _Known:
    """A map that stands earlier in the region: what it writes and what that depends on."""

    data: str
    start: Const | None
    zero: bool
    reads: frozenset[str]


class _Sharing:
    """`names`: containers that went → those that stand for them."""

    def __init__(self, program: Program, cx: Context) -> None:
        self.program, self.cx = program, cx
        self.alias = aliases(program)
        self.places = places(program)
        self.held = exposed(program)
        self.names: dict[str, str] = {}

    def region(self, region: Region) -> Region:
        """Share among the nodes of this list, then below it."""
        known = Available[object, _Known]()
        starts: dict[str, Tasklet] = {}
        zeros: dict[str, Alloc] = {}
        dropped: set[int] = set()
        out: list[Node] = []
        for node in region.nodes:
            original = node
            if self.names and not self.names.keys().isdisjoint(data_used(node)):
                node = rename_data(node, self.names)
            match original:
                case Alloc():
                    zeros[original.data] = original
                case Tasklet() if isinstance(original.code, Const) and original.out.wcr is None:
                    starts[original.out.data] = original
                case Map():
                    assert isinstance(node, Map)
                    old = self._shared(node, known, starts, zeros)
                    if old is not None:
                        dropped |= old
                        continue
                case _:
                    node = on_regions(node, self.region)
            known.forget(self.alias.homes_of(names_written(node)))
            if isinstance(node, Map):
                self._remember(node, known, starts, zeros)
            out.append(node)
        kept = [n for n in out if id(n) not in dropped]
        return region if same(kept, region.nodes) else replace(region, nodes=tuple(kept))

    def _shared(
        self, m: Map, known: Available[object, _Known], starts: Mapping[str, Tasklet], zeros: Mapping[str, Alloc]
    ) -> set[int] | None:
        """If an earlier map did the same: the nodes (by id) that go together with this one."""
        found = _key(m)
        first = known.get(found[0]) if found is not None else None
        if found is None or first is None:
            return None
        name = found[1]
        mine = self._known(m, name, starts, zeros)
        if mine is None or mine.start != first.start or mine.zero != first.zero:
            return None
        if self.program.data[name] != self.program.data[first.data]:
            return None
        self.names[name] = first.data
        self.cx.note(m.loc, "same as before")
        return {id(x) for x in (starts.get(name), zeros.get(name)) if x is not None}

    def _remember(
        self, m: Map, known: Available[object, _Known], starts: Mapping[str, Tasklet], zeros: Mapping[str, Alloc]
    ) -> None:
        found = _key(m)
        if found is None or known.get(found[0]) is not None:
            return
        entry = self._known(m, found[1], starts, zeros)
        if entry is not None:
            known.add(found[0], entry, self.alias.homes_of(entry.reads))

    def _known(self, m: Map, name: str, starts: Mapping[str, Tasklet], zeros: Mapping[str, Alloc]) -> _Known | None:
        """The map as something to share, if all that happens to `name` is in this list of nodes."""
        d, found = self.program.data.get(name), self.places.get(name, [])
        if name in self.held or any(p.kind == "other" for p in found):
            return None
        stores = [p for p in found if p.kind == "store"]
        reads = names_read(m) - {name}
        if isinstance(d, Scalar):
            start = starts.get(name)
            if start is None or len(stores) != 2 or not any(p.node is start for p in stores):
                return None
            if any(p.kind == "load" for p in found[: found.index(stores[1])]):
                return None
            code = start.code
            return _Known(name, code if isinstance(code, Const) else None, False, reads) if _wcr(m) else None
        if not isinstance(d, Array) or not d.transient or len(stores) != 1 or _wcr(m):
            return None
        alloc = zeros.get(name)
        return _Known(name, None, alloc.zero, reads) if alloc is not None and _allocs(found) == 1 else None


def _allocs(found: list[Place]) -> int:
    return sum(p.kind == "alloc" for p in found)


def _wcr(m: Map) -> str | None:
    (store,) = m.body.nodes
    assert isinstance(store, Tasklet)
    return store.out.wcr


def _key(m: Map) -> tuple[object, str] | None:
    """What the map does, without names: equal keys mean equal work. And the container that it writes."""
    if m.schedule or m.private or len(m.body.nodes) != 1 or not isinstance(m.body.nodes[0], Tasklet):
        return None
    store = m.body.nodes[0]
    if store.out.data in {a.data for a in effects(m).accesses if not a.write}:
        return None
    names: dict[str, Expr] = {v: Sym(f"%{k}") for k, v in enumerate(m.vars)}
    spans: tuple[Range, ...] = tuple(substitute(s, names) for s in m.spans)
    out: Memlet = substitute(store.out, names)
    return (spans, out.subset, out.wcr, substitute(store.code, names)), store.out.data
