"""Let each thread add to an array of its own where iterations add to the same elements.

    for i in map(range(n)):                     if worthwhile:
        s = 0.0                                     for t in map(range(2)):
        for j in map(range(m)):                         for j in map(range(m)): part[t, j] = -0.0
            s += A[i, j] * x[j]            →            for i in map(piece t of range(n)):
        for j in map(range(m)):                             … part[t, j] += A[i, j] * s
            y[j] += A[i, j] * s                     for j in map(range(m)), t in map(range(2)): y[j] += part[t, j]
                                                else: as before

Only sums, only where no loop of the map could be given to threads otherwise, and only if there is much more work than
there are elements to add up in the end, which is known at run time. The parts are combined in the order of the threads,
so the result is the same each time. They start with -0.0, to which anything may be added without a trace.

Needs no proof: that iterations may run in any order is what the map says. schedule_maps must come later.
"""

from __future__ import annotations

import functools
from dataclasses import replace

from soljit.analysis.cost.work import known, times, work
from soljit.analysis.loops.reductions import colliding_sums
from soljit.analysis.memory.accesses import aliases, effects
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data
from soljit.ir.core.expr import ONE, TRUE, ZERO, Const, Expr, Load, Memlet, Op, Range, Sym, const, zero_of
from soljit.ir.core.nodes import Alloc, Branch, Let, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.core.types import DType, b1
from soljit.ir.symbolic import conj, linear
from soljit.ir.walk import FreshNames, map_memlets, rename_data, same, walk
from soljit.passes.manager import Context
from soljit.passes.scheduling.schedule_maps import worthwhile
from soljit.passes.scheduling.strips import count_of_threads, piece
from soljit.schedule.policy import YES, Choice

_MORE_WORK = 16  # operations for each element that has to be added up


def privatize_sums(program: Program, cx: Context) -> Program:
    """Give threads their own sums in every map outside of inner loops that needs it."""
    if cx.threads < 2:
        return program
    p = _Privatizer(program, cx, dict(program.data), FreshNames(program))
    body = p.region(program.body, 2)
    return program if body is program.body else replace(program, body=body, data=p.data)


@dataclass
class _Privatizer:
    program: Program
    cx: Context
    data: dict[str, Data]
    _fresh: FreshNames

    def region(self, region: Region, depth: int) -> Region:
        """Look at the maps of a region and, down to some depth, of the loops in it."""
        out: list[Node] = []
        for n in region.nodes:
            if isinstance(n, Map):
                out += self.map(n) or (n,)
            elif isinstance(n, Loop) and depth:
                body = self.region(n.body, depth - 1)
                out.append(n if body is n.body else replace(n, body=body))
            else:
                out.append(n)
        return region if same(out, region.nodes) else replace(region, nodes=tuple(out))

    def map(self, m: Map) -> tuple[Node, ...] | None:
        """The number of threads and the map with a choice, or None if it is better left alone."""
        shared = sorted(colliding_sums(m, m.vars[:1], self.data))
        if not shared or m.schedule:
            return None
        sums = functools.cache(lambda: self._sums(m, shared))
        reason = "another loop of it can be given to threads, or its sums are of an unknown size"
        if not isinstance(
            self.cx.policy.decide("privatize", (m,), lambda: YES, lambda _: None if sums() else reason), Choice
        ):
            return None
        assert (known := sums()) is not None
        found, count, cond = known
        self.cx.note(m.loc, "own sums", names=tuple(shared))
        then = self._parallel(m, dict(zip(shared, found)), count)
        choice = Branch(cond, Region(then, loc=m.loc), Region((m,), loc=m.loc), loc=m.loc)
        return Let(count.name, count_of_threads(self.cx.threads), loc=m.loc), choice

    def _sums(self, m: Map, shared: list[str]) -> tuple[list[Array], Sym, Expr] | None:
        """The arrays that are added to, the number of threads, and when they pay; nothing if threads cannot have sums of their own."""
        if any(not colliding_sums(m, (v,), self.data) for v in m.vars[1:]):
            return None
        if not linear(m.spans[0].step).is_const or effects(m.body).allocs:
            return None
        found = [d for name in shared if (d := self._summed(m, name)) is not None]
        count = Sym(self._fresh("threads"))
        cond = self._condition(m, found, count)
        return (found, count, cond) if len(found) == len(shared) and cond is not None else None

    def _summed(self, m: Map, name: str) -> Array | None:
        """The array, if everything that happens to it in the map is that floats or integers are added."""
        d = self.data.get(name)
        alias = aliases(self.program)
        if not isinstance(d, Array) or d.dtype.kind not in "iuf" or not all(map(known, d.shape)):
            return None
        for a in effects(m.body).accesses:
            if a.data == name:
                if a.wcr != "add":
                    return None
            elif a.data in self.program.data and alias.may_alias(a.data, name):
                return None
        return d

    def _condition(self, m: Map, found: list[Array], count: Sym) -> Expr | None:
        paid = worthwhile(m, self.cx.machine)
        if paid is None:
            return None
        least, total = times(const(_MORE_WORK), count), work(m)
        enough = [Op("le", (times(*d.shape, least), total), b1) for d in found]
        return conj(Op("lt", (ONE, count), b1), paid, *enough)

    def _parallel(self, m: Map, shared: dict[str, Array], threads: Sym) -> tuple[Node, ...]:
        t = self._fresh("thread")
        parts: dict[str, str] = {}
        before: list[Node] = []
        first: list[Node] = []
        after: list[Node] = []
        for name, d in shared.items():
            part = parts[name] = self._fresh(f"{name}_parts")
            self.data[part] = Array(d.dtype, (threads, *d.shape))
            before.append(Alloc(part, loc=m.loc))
            index = tuple(Sym(self._fresh("p")) for _ in d.shape)
            names, spans = tuple(x.name for x in index), tuple(Range(ZERO, n, ONE) for n in d.shape)
            own = Memlet(part, (Sym(t), *index))
            start = Tasklet(own, _nothing(d.dtype), loc=m.loc)
            first.append(Map(names, spans, Region((start,), loc=m.loc), loc=m.loc) if names else start)
            add = Tasklet(Memlet(name, index, wcr="add"), Load(own, d.dtype), loc=m.loc)
            after.append(Map((t, *names), (Range(ZERO, threads, ONE), *spans), Region((add,), loc=m.loc), loc=m.loc))

        def memlet(x: Memlet) -> Memlet:
            return replace(x, data=parts[x.data], subset=(Sym(t), *x.subset)) if x.data in parts else x

        spans = (piece(m.spans[0], Sym(t), threads), *m.spans[1:])
        strip = self._renamed(map_memlets(replace(m, spans=spans), memlet))
        body = Region((*first, strip), loc=m.loc)
        paid = worthwhile(m, self.cx.machine)  # threads are watched; where they do not pay, parts come in order
        when = None if paid == TRUE else paid
        over = Map((t,), (Range(ZERO, threads, ONE),), body, ("threads",), when, loc=m.loc)
        return (*before, over, *after)

    def _renamed(self, m: Map) -> Map:
        """The map with names of its own for what maps in it have for themselves."""
        names = {p: self._fresh(p) for n in walk(m) if isinstance(n, Map) for p in n.private}
        self.data |= {new: self.data[old] for old, new in names.items()}
        return rename_data(m, names)


def _nothing(t: DType) -> Const:
    """What can be added without a trace."""
    return Const(-0.0, t) if t.is_float else zero_of(t)
