"""What threads need to run a map: loops that can be cut, a part of their own of what all of them combine values into, and when to watch whether they pay.

    with map(i=range(0, n)), schedule("threads"), when(500000 <= n):
        s += x[i]
                    →   … schedule("threads"), when(500000 <= n), watched(), parts(s.wcr("add")):

`schedule_maps` gives loops to threads; here the roles of those that cannot have them are taken back: of maps whose iterations call Python, raise, or
bind what others see, and of maps that combine values into a number that something else in the map touches. A map of moderate size watches whether
threads pay at present, unless the number of threads shows in the result: in sums and products of floats.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.loops.map_reductions import Reduction, reductions, written_in_place
from soljit.analysis.memory.escaping import escaping
from soljit.analysis.memory.homes import Homes, borrowers, homes_of
from soljit.base.records import dataclass
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import Op, symbols
from soljit.ir.core.nodes import Alloc, Bind, Call, Callback, Map, Node, Program, Raise, Region, Return
from soljit.ir.walk import on_regions, same, walk


def with_parts(program: Program) -> Program:
    """The program whose maps on threads say what each thread has for itself."""
    if not any(isinstance(n, Map) and "threads" in n.schedule for n in walk(program.body)):
        return program
    homes = homes_of(program)
    planner = _Planner(program, homes, escaping(program, program.functions), borrowers(program, homes))
    body = planner.region(program.body, False)
    return program if body is program.body else replace(program, body=body)


@dataclass(frozen=True)
class _Planner:
    program: Program
    homes: Homes
    escaping: frozenset[str]
    borrowers: frozenset[str]

    def region(self, region: Region, in_threads: bool) -> Region:
        nodes = tuple(self.node(n, in_threads) for n in region.nodes)
        return region if same(nodes, region.nodes) else replace(region, nodes=nodes)

    def node(self, n: Node, in_threads: bool) -> Node:
        if not isinstance(n, Map):
            return on_regions(n, lambda r: self.region(r, in_threads))
        planned = self.planned(n, in_threads) if "threads" in n.schedule else n
        body = self.region(n.body, in_threads or "threads" in planned.schedule)
        return planned if body is n.body else replace(planned, body=body)

    def planned(self, m: Map, in_threads: bool) -> Map:
        """The map with what its threads need, or without threads."""
        parts = None if in_threads else self.parts(m)
        if parts is None:
            return _on_threads(m, 0)
        threads = m.schedule.count("threads")
        if any(symbols(e) & {*m.vars[:threads]} for s in m.spans[:threads] for e in s.children):
            threads = 1
        if parts and threads == len(m.vars):
            threads = 1
        watched = isinstance(m.when, Op) and m.when.name == "le" and all(map(_is_exact, parts))
        return replace(_on_threads(m, threads), parts=tuple(r.target for r in parts), watched=watched)

    def parts(self, m: Map) -> list[Reduction] | None:
        """The reductions of which each thread has a part; None if threads cannot run the map."""
        for n in walk(m.body):
            if isinstance(n, (Callback, Call, Return, Raise)) or (isinstance(n, Alloc) and n.data in self.escaping):
                return None
            if isinstance(n, Bind) and n.ref not in self.borrowers:
                return None
        found = {r.target: r for r in reductions(self.program, self.homes, m)}
        parts = []
        for w in dict.fromkeys(written_in_place(self.program, self.homes, m)):
            r = found.get(w)
            if r is not None and r.level == 0:
                parts.append(r)
            elif isinstance(self.program.data[w.data], Scalar):
                return None
        return parts


def _on_threads(m: Map, threads: int) -> Map:
    """The map with so many loops on threads."""
    roles = tuple("seq" if role == "threads" and k >= threads else role for k, role in enumerate(m.schedule))
    return m if roles == m.schedule else replace(m, schedule=roles)


def _is_exact(r: Reduction) -> bool:
    """Tell whether the order of its parts leaves no trace in the result."""
    return r.dtype.kind not in "fc" or r.wcr not in ("add", "mul")
