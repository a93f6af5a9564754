"""Split a map so that a loop in it can change places with the map's own loop.

    for j in map(range(m)), private(s):                 for j in map(range(m)): s[j] = 0.0
        s = 0.0                                         for k, j in map(range(n), range(m)): s[j] += A[k] * B[k, j]
        for k in map(range(n)):                  →      for j in map(range(m)): C[j] = s[j]
            s += A[k] * B[k, j]
        C[j] = s

Done where the inner loop jumps through memory and the map's loop would walk it. Scalars and symbols that pass from one
part to the next become arrays with an element for each iteration.

Needs no proof: iterations of a map do not touch what others write, so all may do their first part before any does the
next; what each has for itself is kept apart. fuse_maps must come earlier (it would undo this), interchange_maps next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from soljit.analysis.cost.work import known
from soljit.analysis.memory.accesses import effects
from soljit.analysis.memory.affine import mentions
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, Scalar
from soljit.ir.core.expr import ONE, Expr, Load, Memlet, Range, Sym
from soljit.ir.core.nodes import Alloc, Branch, Let, Map, Node, Program, Region, Tasklet
from soljit.ir.symbolic import linear, range_length, sub
from soljit.ir.walk import FreshNames, data_used, map_exprs, map_memlets, rewrite, symbols_used
from soljit.passes.loops.interchange_maps import jumps, prices
from soljit.passes.manager import Context
from soljit.schedule.policy import YES, Choice

_SHORT = 16  # loops with fewer iterations stay where they are
_GAIN = 0.8  # the other loop must cost less than this part


def split_maps(program: Program, cx: Context) -> Program:
    """Split every map where that pays."""
    splitter = _Splitter(program, cx, dict(program.data), FreshNames(program))
    body = rewrite(program.body, lambda n: splitter.split(n) if isinstance(n, Map) and not n.schedule else None)
    return program if body is program.body else replace(program, body=body, data=splitter.data)


@dataclass
class _Splitter:
    program: Program
    cx: Context
    data: dict[str, Data]
    _fresh: FreshNames

    def split(self, m: Map) -> tuple[Node, ...] | None:
        """The parts of `m`, or None if it stays whole."""
        policy = self.cx.policy
        inner_maps = [n for n in m.body.nodes if isinstance(n, Map) and not n.schedule]

        def these(maps: list[Map]) -> Choice:
            return Choice(tuple(policy.address(n) for n in maps))

        def named(choice: Choice) -> list[Map]:
            return [n for n in inner_maps if not choice.rest or policy.address(n) in choice.rest]

        def by_default() -> Choice | None:
            if len(m.body.nodes) < 2 or not _is_counted(m.spans[-1]):
                return None
            hot = [n for n in inner_maps if self._better_exchanged(m, n)]
            return these(hot) if hot else None

        choice = policy.decide(
            "split",
            (m,),
            by_default,
            lambda c: self.why_not_split(m, named(c)),
            lambda: [YES, *(these([n]) for n in inner_maps if len(inner_maps) > 1)] if inner_maps else (),
            lambda c: these(named(c)),
        )
        if not isinstance(choice, Choice):
            return None
        parts = parts_of(m.body, named(choice))
        inner = self._apart(m, parts)
        self.cx.note(m.loc, "split", name=m.vars[-1])
        if len(m.vars) == 1:
            return tuple(inner)
        return (replace(m, vars=m.vars[:-1], spans=m.spans[:-1], private=(), body=Region(tuple(inner), loc=m.loc)),)

    def why_not_split(self, m: Map, hot: list[Map]) -> str | None:
        """Why these inner maps cannot stand apart from what is around them; None if they can."""
        if len(m.body.nodes) < 2 or not hot:
            return "there are not several parts, one of them an inner map that is named"
        if not _is_counted(m.spans[-1]):
            return "the range of its innermost loop is read from memory, or its step is not 1"
        if not all(isinstance(n, (Let, Tasklet, Map, Branch)) for n in m.body.nodes):
            return "there are loops in order, or calls, in it"
        e = effects(m.body)
        if e.allocs or e.binds or e.leaves or e.python:
            return "it makes memory, binds arrays or may leave early"
        parts = [Region(tuple(p)) for p in parts_of(m.body, hot)]
        rows = [p for p in m.private if not isinstance(self.data[p], Scalar)]
        if any(sum(1 for r in parts if p in data_used(r)) > 1 for p in rows):
            return "a small array passes from one part to the next"
        return None

    def _better_exchanged(self, m: Map, q: Map) -> bool:
        """Tell whether the loop of `m` would be a better innermost loop of `q` than q's own."""
        var = m.vars[-1]
        if q.schedule or any(isinstance(n, Map) for n in q.body.nodes):
            return False
        if any(mentions(s, var) for s in q.spans) or _short(m.spans[-1]):
            return False
        if any(_short(s) for s in q.spans) or not jumps(q, self.data):
            return False
        cost = prices(replace(q, vars=(var, *q.vars), spans=(m.spans[-1], *q.spans)), self.data)
        return cost[var] < _GAIN * min(cost[v] for v in q.vars)

    def _apart(self, m: Map, parts: list[list[Node]]) -> list[Node]:
        """One map for each part."""
        var, span = m.vars[-1], m.spans[-1]
        index = sub(Sym(var), span.start)
        regions = [Region(tuple(p), loc=m.body.loc) for p in parts]
        out: list[Node] = []
        scalars = {p: self._fresh(p) for p in m.private if sum(1 for r in regions if p in data_used(r)) > 1}
        lets = {n.name: n for r in regions for n in r.nodes if isinstance(n, Let) and crosses(n, r, regions)}
        arrays = {name: self._fresh(name) for name in lets}
        for new, dtype in [(scalars[p], self.data[p].dtype) for p in scalars] + [
            (arrays[name], n.value.dtype) for name, n in lets.items()
        ]:
            self.data[new] = Array(dtype, (range_length(span),))
            out.append(Alloc(new, loc=m.loc))
        for region in regions:
            body = with_arrays(region, scalars, lets, arrays, index)
            private = tuple(p for p in m.private if p not in scalars and p in data_used(body))
            only = body.nodes[0]
            if len(body.nodes) == 1 and isinstance(only, Map):
                kept = (*private, *only.private)
                out.append(replace(only, vars=(var, *only.vars), spans=(span, *only.spans), private=kept))
            else:
                out.append(Map((var,), (span,), body, private=private, loc=m.loc))
        return out


def parts_of(body: Region, hot: Sequence[Node]) -> list[list[Node]]:
    """The nodes in order: these loops alone, what lies between together."""
    parts: list[list[Node]] = []
    alone = True
    for n in body.nodes:
        mine = any(n is h for h in hot)
        if mine or alone:
            parts.append([])
        parts[-1].append(n)
        alone = mine
    return parts


def _is_counted(span: Range) -> bool:
    """Tell whether it is known, without looking into memory, which values the loop takes, one by one."""
    return span.step == ONE and all(map(known, span.children))


def _short(span: Range) -> bool:
    length = linear(sub(span.stop, span.start))
    return length.is_const and abs(length.const) < _SHORT


def crosses(let: Let, home: Region, regions: list[Region]) -> bool:
    """Tell whether another part uses what this definition of a part says."""
    return any(let.name in symbols_used(r) for r in regions if r is not home)


def with_arrays(
    region: Region, scalars: dict[str, str], lets: dict[str, Let], arrays: dict[str, str], index: Expr
) -> Region:
    """The region with elements of arrays in place of scalars and symbols."""

    def memlet(m: Memlet) -> Memlet:
        return replace(m, data=scalars[m.data], subset=(index,)) if m.data in scalars else m

    def symbol(e: Expr) -> Expr | None:
        if isinstance(e, Sym) and e.name in arrays:
            return Load(Memlet(arrays[e.name], (index,)), e.dtype)
        return None

    def definition(n: Node) -> Node | None:
        if isinstance(n, Let) and n.name in arrays:
            return Tasklet(Memlet(arrays[n.name], (index,)), n.value, loc=n.loc)
        return None

    region = map_exprs(map_memlets(region, memlet), symbol)
    return rewrite(region, definition)
