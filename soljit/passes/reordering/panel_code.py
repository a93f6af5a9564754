"""The text of a loop in panels (`delay_loops.py`, which shows it): `PanelCode(…).nodes()`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from soljit.analysis.memory.accesses import effects
from soljit.analysis.memory.affine import names_in, step
from soljit.analysis.reordering.panel_parts import Part, Sweep
from soljit.base.place import Loc
from soljit.base.records import dataclass
from soljit.ir.core.expr import ONE, ZERO, Expr, Load, Memlet, Range, Sym, const, loads
from soljit.ir.core.nodes import Branch, Let, Loop, Map, Node, Region, Tasklet
from soljit.ir.symbolic import add, conj, eq, floordiv, le, lt, maximum, minimum, mul, select, simplify, sub
from soljit.ir.walk import anew, rename_data, substitute, walk
from soljit.passes.reordering.panel_rows import Key, PanelArrays, RowSteps, RowTexts, length, ndim, value_of
from soljit.passes.reordering.time_blocks import Writer


@dataclass
class PanelCode:
    """Writes one loop. least: rows from which steps are delayed"""

    arrays: PanelArrays
    least: int

    @property
    def loc(self) -> Loc:
        return self.arrays.loop.loc

    @property
    def behind(self) -> Expr:
        """The first step behind the panel."""
        return add(self.arrays.block, const(self.arrays.count))

    def nodes(self) -> list[Node]:
        """The panels, and the steps that are left as they were."""
        loop, write = self.arrays.loop, Writer(self.arrays.fresh, self.loc)
        rest = write.let("rest", self._rest(write))
        inner = Writer(self.arrays.fresh, self.loc)
        low, high = (inner.let(n, simplify(x)) for n, x in zip(("low", "high"), self._rows_at(self.arrays.block)))
        inner.nodes += [self._in_order(), self._delayed(low, high)]
        span = Range(loop.span.start, rest, const(self.arrays.count))
        panels = Loop(self.arrays.block.name, span, self._region(inner.nodes), loc=self.loc)
        some = Branch(lt(loop.span.start, rest), self._region([*self.arrays.front, panels]), loc=self.loc)
        return [*write.nodes, some, replace(loop, span=Range(rest, loop.span.stop, ONE))]

    def _rest(self, write: Writer) -> Expr:
        """The first step that is in no panel."""
        span, data = self.arrays.loop.span, self.arrays.data
        low, high = self._rows_at(span.start)
        if self.arrays.loop.var in names_in(self._rows_at(Sym(self.arrays.loop.var))[1]):
            high = self._rows_at(span.stop)[1]
        lengths = dict.fromkeys(length(data[n], n, d) for n, d in self.arrays.found.rows.items())
        stop = reduce(minimum, lengths, span.stop)
        steps = sub(stop, span.start)
        more = sub(sub(high, low), const(self.least - 1))
        if self.arrays.loop.var in names_in(self._rows_at(Sym(self.arrays.loop.var))[0]):
            steps = minimum(steps, more)  # there are fewer rows from step to step
        enough = conj(le(ONE, more), le(ZERO, span.start))
        panels = floordiv(maximum(ZERO, select(enough, steps, ZERO)), const(self.arrays.count))
        return add(span.start, mul(write.let("panels", panels), const(self.arrays.count)))

    def _rows_at(self, k: Expr) -> tuple[Expr, Expr]:
        """The rows of all parts in step k: the first one, and behind the last one."""
        bounds = [self._outside(p.span, p.row, p.var, k) for p in self.arrays.found.parts]
        low = reduce(minimum, dict.fromkeys(b.start for b in bounds))
        return maximum(ZERO, low), reduce(maximum, dict.fromkeys(b.stop for b in bounds))

    def _region(self, nodes: list[Node]) -> Region:
        return Region(tuple(nodes), loc=self.loc)

    def rows_of(self, p: Part) -> Range:
        """Which rows the part has, outside of the panel."""
        return self._outside(p.span, p.row, p.var, self.arrays.block)

    def _outside(self, span: Range, at: Expr, var: str, k: Expr) -> Range:
        bounds = (substitute(at, {var: x}) for x in (span.start, span.stop))
        start, stop = (simplify(substitute(x, {self.arrays.loop.var: k})) for x in bounds)
        return Range(start, stop, ONE)

    # --- (a) rows of the panel ----------------------------------------------------------------------------------------

    def _in_order(self) -> Loop:
        nodes: list[Node] = []
        at = sub(Sym(self.arrays.loop.var), self.arrays.block)
        for k, x in enumerate(self.arrays.found.steps):
            if not isinstance(x, Part):
                nodes.append(x)
                if isinstance(x, Let) and self._is_asked(x.name):
                    there = Memlet(self.arrays.number(x.name, x.value.dtype), (at,))
                    nodes.append(Tasklet(there, Sym(x.name, x.value.dtype), loc=x.loc))
                continue
            pivots = self._pivots(k, x)
            nodes += [self._copied(name, kept, at) for name, kept in pivots.items()]
            off = sub(x.row, Sym(x.var))
            for n, var in zip(x.nodes, x.walkers):
                nodes.append(_between(n, var, sub(self.arrays.block, off), sub(self.behind, off)))
            if x.in_order:
                late = add(at, const(self.arrays.count))
                nodes += [self._copied(name, kept, late) for name, kept in pivots.items()]
        made = effects(self.arrays.loop.body)
        own = {n: self.arrays.fresh(n) for n in sorted(made.allocs | made.private)}  # the loop has them once more
        self.arrays.data |= {new: self.arrays.data[n] for n, new in own.items()}
        body = anew(rename_data(self._region(nodes), own))
        return Loop(self.arrays.loop.var, Range(self.arrays.block, self.behind, ONE), body, loc=self.loc)

    def _is_asked(self, name: str) -> bool:
        return any(name in names_in(value_of(x)) for p in self.arrays.found.parts for x in p.items)

    def _pivots(self, k: int, p: Part) -> dict[str, str]:
        """Arrays of which the part reads row k, or that are given → the array for it."""
        found: dict[str, str] = {}
        for load in (y for x in p.items for y in loads(value_of(x))):
            name = load.memlet.data
            if self.arrays.is_pivot(load.memlet) and name not in found:
                found[name] = self.arrays.pivot(k, p, name)
        return found

    def _copied(self, name: str, kept: str, at: Expr) -> Node:
        others, dims = self.arrays.others(name), range(ndim(self.arrays.data[name]))
        x = [Sym(self.arrays.fresh("x")) for _ in others]
        where = dict(zip(others, x))
        source = Memlet(name, tuple(where.get(d, Sym(self.arrays.loop.var)) for d in dims))
        copy = Tasklet(Memlet(kept, (at, *x)), Load(source, self.arrays.data[name].dtype), loc=self.loc)
        if not others:
            return copy
        lengths = [length(self.arrays.data[name], name, d) for d in others]
        spans = tuple(Range(ZERO, n, ONE) for n in lengths)
        return Map(tuple(v.name for v in x), spans, self._region([copy]), loc=self.loc)

    # --- (b) and (c): all other rows ----------------------------------------------------------------------------------

    def _delayed(self, low: Expr, high: Expr) -> Loop:
        """First the rows in front of the panel, then those behind it."""
        side = Sym(self.arrays.fresh("side"))
        write = Writer(self.arrays.fresh, self.loc)
        before = eq(side, ZERO)
        start = write.let("start", select(before, low, maximum(low, self.behind)))
        end = write.let("end", select(before, minimum(high, self.arrays.block), high))
        rows = Range(start, end, ONE)
        late = mul(side, const(self.arrays.count))
        columns = [n for n in self.arrays.found.rows if ndim(self.arrays.data[n]) == 2]
        write.nodes += [self._column_of(n, rows, there=True) for n in columns]
        k = Sym(self.arrays.fresh(self.arrays.loop.var))
        steps: list[Node] = []
        for n, p in enumerate(self.arrays.found.steps):
            if isinstance(p, Part):
                steps += RowSteps(self.arrays, n, p, self._meet(rows, self.rows_of(p)), k, late).nodes()
        write.nodes.append(Loop(k.name, Range(self.arrays.block, self.behind, ONE), self._region(steps), loc=self.loc))
        write.nodes += [self._column_of(n, rows, there=False) for n in columns if not self.is_whole(n)]
        for n, p in enumerate(self.arrays.found.steps):
            if isinstance(p, Part):
                write.nodes += self._swept(n, p, self._meet(rows, self.rows_of(p)), late)
        return Loop(side.name, Range(ZERO, const(2), ONE), self._region(write.nodes), loc=self.loc)

    def _meet(self, a: Range, b: Range) -> Range:
        return Range(maximum(a.start, b.start), minimum(a.stop, b.stop), ONE)

    def _column_of(self, name: str, rows: Range, there: bool) -> Node:
        """Bring the panel's columns of these rows into their array, or back."""
        kept, dtype, dim = self.arrays.columns_of(name), self.arrays.data[name].dtype, self.arrays.found.rows[name]
        r, c = Sym(self.arrays.fresh("r")), Sym(self.arrays.fresh("c"))
        own = self.arrays.element(name, r, add(self.arrays.block, c))
        aside = Memlet(kept, (c, r))
        source, target = (own, aside) if there else (aside, own)
        width = minimum(const(self.arrays.count), sub(self.arrays.lengths[name, 1 - dim], self.arrays.block))
        copy = Tasklet(target, Load(source, dtype), loc=self.loc)
        rows = self._meet(rows, Range(ZERO, self.arrays.lengths[name, dim], ONE))
        return Map(
            (c.name, r.name), (Range(ZERO, width, ONE), rows), self._region([copy]), ("seq", "seq"), loc=self.loc
        )

    def is_whole(self, name: str) -> bool:
        """Tell whether the array's sweep may take the panel's columns along."""
        swept = [s for p in self.arrays.found.parts for s in p.sweeps if s.out.data == name]
        single = [x for p in self.arrays.found.parts for x in p.items if isinstance(x, Tasklet) and x.out.data == name]
        if len(swept) != 1 or single or swept[0].in_order:
            return False
        bounds = (substitute(swept[0].column, {swept[0].var: x}) for x in (swept[0].span.start, swept[0].span.stop))
        return all(self.arrays.loop.var not in names_in(simplify(x)) for x in bounds)

    def _swept(self, n: int, p: Part, rows: Range, late: Expr) -> Iterator[Node]:
        for s in p.sweeps:
            columns = self._outside(s.span, s.column, s.var, self.arrays.block)
            if self.is_whole(s.out.data):
                yield self._sweep(n, p, s, rows, columns, late, ZERO)
                continue
            side = Sym(self.arrays.fresh("side"))
            before = eq(side, ZERO)
            start = select(before, columns.start, maximum(columns.start, self.behind))
            stop = select(before, minimum(columns.stop, self.arrays.block), columns.stop)
            newer = mul(side, const(self.arrays.count)) if s.in_order else ZERO
            sweep = self._sweep(n, p, s, rows, Range(start, stop, ONE), late, newer)
            yield Loop(side.name, Range(ZERO, const(2), ONE), self._region([sweep]), loc=self.loc)

    def _sweep(self, n: int, p: Part, s: Sweep, rows: Range, columns: Range, late: Expr, newer: Expr) -> Map:
        """All steps of each element."""
        r, c = Sym(self.arrays.fresh("r")), Sym(self.arrays.fresh("c"))
        own = self.arrays.element(s.out.data, r, c)
        dtype = self.arrays.data[s.out.data].dtype
        texts = RowTexts(self.arrays, n, p, late)
        lets: list[Let] = []
        value: Expr = Load(own, dtype)
        for k in range(self.arrays.count):
            v = Sym(self.arrays.fresh("v"), dtype)
            lets.append(Let(v.name, value, loc=s.loc))
            names: dict[Key, Expr] = {}
            for key, of in texts.needs(s).items():
                q = Sym(self.arrays.fresh("q"), of)
                there = Memlet(texts.put_aside(key, s, of), (add(newer, const(k)), r))
                lets.append(Let(q.name, Load(there, of), loc=s.loc))
                names[key] = q
            step_k = add(self.arrays.block, const(k))
            value = texts.swept(s, step_k, const(k), r, c, v, names)
        body = Region((*lets, Tasklet(own, value, loc=s.loc)), loc=s.loc)
        d = self.arrays.data[s.out.data]
        across = abs(step({s.out.data: d}, own, r.name)) < abs(step({s.out.data: d}, own, c.name))
        names_, spans = ((c.name, r.name), (columns, rows)) if across else ((r.name, c.name), (rows, columns))
        return Map(names_, spans, body, loc=s.loc)


def _between(n: Map | Loop, var: str, first: Expr, last: Expr) -> Map | Loop:
    """The loop over some of its rows, too few for threads."""
    if isinstance(n, Loop):
        return replace(n, span=Range(maximum(n.span.start, first), minimum(n.span.stop, last), ONE))
    spans = [
        Range(maximum(s.start, first), minimum(s.stop, last), ONE) if v == var else s for v, s in zip(n.vars, n.spans)
    ]
    if len(n.vars) == 2:
        inner = Map(n.vars[1:], tuple(spans[1:]), n.body, private=n.private, loc=n.loc)
        return Map(n.vars[:1], tuple(spans[:1]), Region((inner,), loc=n.loc), ("seq",), loc=n.loc)
    return replace(n, spans=tuple(spans), schedule=("seq",) if any(isinstance(x, Map) for x in walk(n.body)) else ())
