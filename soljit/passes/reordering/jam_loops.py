"""Let several rows go through an inner loop together: sums that wait for each other in one row do not in several.

    for i in range(n):                               for i in range(n):
        for j in range(i):                               if i % 4 == 0:
            s = 0.0                                          for j in range(i):
            for k in map(range(j)):                              s0 = 0.0; s1 = 0.0; s2 = 0.0; s3 = 0.0
                s += a[i, k] * a[j, k]         →                 for k in map(range(j)):
            a[i, j] = (a[i, j] - s) / a[j, j]                        s0 += a[i, k] * a[j, k]; s1 += a[i + 1, k] * a[j, k]; …
        E(i)                                                     a[i, j] = (a[i, j] - s0) / a[j, j]; …
                                                         for j in range(i - i % 4, i): as it was
                                                         E(i)

What the loop must be, and why no operation changes, is `analysis/reordering/jams.py`. What is the same for all rows (`a[j, k]`) is loaded once. The last rows, which fill no block, run as they did.

Of a sum of numbers, the part up to the first row of a panel is taken for all of its rows, a block after the other, which threads may share; each row adds the rest:

    for i in range(n):                               for i in range(n):
        s = 0.0                                          if i % 64 == 0:
        for k in map(range(i)):                              for block in map(range(0, 64, 4)):
            s += a[i, k] * x[k]                →                 for k in map(range(i)): s0 += a[i + block, k] * x[k]; s1 += a[i + block + 1, k] * x[k]; …
        E(i)                                                     rows[block] = s0; rows[block + 1] = s1; …
                                                         s = rows[i % 64]; for k in map(range(i - i % 64, i)): s += a[i, k] * x[k]
                                                         E(i)

Needs maps without schedules, and must come before `schedule_maps`; `delay_loops` comes first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from soljit.analysis.memory.accesses import aliases, effects
from soljit.analysis.reordering.jams import Jam, jam
from soljit.base.records import dataclass
from soljit.base.sentences import Said
from soljit.ir.core.data import Array, Data, Scalar
from soljit.ir.core.expr import ONE, ZERO, Expr, Load, Memlet, Op, Range, Sym, const, zero_of
from soljit.ir.core.nodes import Alloc, Branch, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.core.types import i64
from soljit.ir.symbolic import add, conj, eq, le, lt, maximum, minimum, mod, select, simplify, sub
from soljit.ir.walk import (
    FreshNames,
    rename_data,
    rename_symbols,
    replace_loops,
    substitute,
    substitute_in,
    symbols_defined,
    walk,
)
from soljit.passes.manager import Context
from soljit.passes.reordering.time_blocks import Writer
from soljit.schedule.policy import YES, Choice

ROWS = 4  # together
PANEL = 16  # times as many rows whose sums are taken before the first of them needs its own
LONG = 400  # terms of a sum that is worth a second sum for its rest


def jam_loops(program: Program, cx: Context) -> Program:
    """Let rows go together in every loop in which that is right and sums are in the way."""
    j = _Jammer(program, cx, FreshNames(program), dict(program.data))
    body = replace_loops(program.body, j.jammed)
    return program if body is program.body else replace(program, body=body, data=j.data)


@dataclass
class _Jammer:
    program: Program
    cx: Context
    _fresh: FreshNames
    data: dict[str, Data]

    def jammed(self, loop: Loop) -> list[Node] | None:
        """The loop in blocks, or None if it stays as it is."""
        if not any(isinstance(n, Loop | Map) for n in loop.body.nodes):
            self.cx.policy.refuse("jam", (loop,), "there is no loop in it")
            return None
        found = jam(loop, self.program, aliases(self.program))
        reason = found if isinstance(found, Said) else None
        choice = self.cx.policy.decide(
            "jam", (loop,), lambda: YES if isinstance(found, Jam) and self._sums(found) else None, lambda _: reason
        )
        if isinstance(found, Said) or not isinstance(choice, Choice):
            return None
        self.cx.note(found.inner.loc, "rows together", loop=loop.var)
        count = int(choice.options.get("rows", ROWS))
        if not found.total:
            return self._blocks(loop, found, count)
        panel = count * int(choice.options.get("blocks", PANEL))
        if choice.options:
            return self._panels(loop, found, count, panel, loop.span.start)
        write, i = Writer(self._fresh, loop.loc), Sym(loop.var)
        long = add(add(found.span.start, const(LONG)), sub(i, found.span.stop))  # the row whose sum is long enough
        begin = write.let("long", minimum(loop.span.stop, maximum(loop.span.start, simplify(long))))
        return [*write.nodes, *self._panels(loop, found, count, panel, begin)]

    def _blocks(self, loop: Loop, found: Jam, count: int) -> list[Node]:
        """The loop in blocks of rows, which go through a loop in order together."""
        assert isinstance(found.inner, Loop)
        write, i = Writer(self._fresh, loop.loc), Sym(loop.var)
        at = write.let("at", _rest(sub(i, loop.span.start), count))
        first = substitute(found.span.stop, {loop.var: sub(i, at)})
        whole = le(add(sub(i, at), const(count)), loop.span.stop)
        middle = write.let("middle", select(whole, maximum(found.span.start, first), found.span.start))
        together = self._together_in_order(loop, found.inner, count, middle)
        rest = replace(found.inner, span=Range(middle, found.span.stop, ONE))
        nodes = [*write.nodes, self._first(loop, at, [together]), *found.front, rest]
        return [replace(loop, body=replace(loop.body, nodes=(*nodes, *found.behind)))]

    def _panels(self, loop: Loop, found: Jam, count: int, panel: int, begin: Expr) -> list[Node]:
        """The loop in panels of rows, from row `begin` on: their sums are put aside, a block of rows at a time, and each row adds the rest to its own."""
        assert isinstance(found.inner, Map)
        assert found.total is not None
        write, i, loc = Writer(self._fresh, loop.loc), Sym(loop.var), loop.loc
        past = sub(i, begin)
        at = write.let("at", _rest(past, panel))
        first = substitute(found.span.stop, {loop.var: sub(i, at)})
        whole = le(add(sub(i, _rest(at, count)), const(count)), loop.span.stop)
        if begin != loop.span.start:
            whole = conj(le(begin, sub(i, at)), whole)
        middle = write.let("middle", select(whole, maximum(found.span.start, first), found.span.start))
        dtype, kept = self.data[found.total].dtype, self._fresh(f"{found.total}_rows")
        self.data[kept] = Array(dtype, (const(panel),))
        sums = self._sums_of_panel(loop, found, count, panel, middle, kept)
        parts = (Load(Memlet(found.total), dtype), Load(Memlet(kept, (at,)), dtype))
        add_up = Tasklet(Memlet(found.total), Op("add", parts, dtype), loc=loc)
        more = Branch(lt(found.span.start, middle), Region((add_up,), loc=loc), loc=loc)
        rest = replace(found.inner, spans=(Range(middle, found.span.stop, ONE),), schedule=("lanes",))
        body = (*write.nodes, self._first(loop, at, [sums]), *found.front, more, rest, *found.behind)
        return [Alloc(kept, loc=loc), replace(loop, body=replace(loop.body, nodes=body))]

    def _sums_of_panel(self, loop: Loop, found: Jam, count: int, panel: int, middle: Expr, kept: str) -> Map:
        """The sums of all whole blocks of rows of a panel, at its first row."""
        assert isinstance(found.inner, Map)
        assert found.total is not None
        loc, dtype, block = loop.loc, self.data[found.total].dtype, self._fresh("block")
        inner = replace(found.inner, spans=(Range(found.span.start, middle, ONE),))
        start = Tasklet(Memlet(found.total), zero_of(dtype), loc=loc)
        numbers = [add(Sym(block), const(r)) for r in range(count)]
        rows = [self._row(Region((start, inner), loc=loc), loop.var, r) for r in numbers]
        nodes = [x for of in zip(*(body.nodes for body, _ in rows)) for x in self._together(of)]
        for r, (_, names) in zip(numbers, rows):
            nodes.append(Tasklet(Memlet(kept, (r,)), Load(Memlet(names[found.total]), dtype), loc=loc))
        stop = minimum(const(panel), sub(sub(loop.span.stop, Sym(loop.var)), const(count - 1)))
        return Map((block,), (Range(ZERO, simplify(stop), const(count)),), Region(tuple(nodes), loc=loc), loc=loc)

    def _first(self, loop: Loop, at: Expr, nodes: list[Node]) -> Branch:
        """What is done in the first row of a block."""
        return Branch(eq(at, ZERO), Region(tuple(nodes), loc=loop.loc), loc=loop.loc)

    def _sums(self, found: Jam) -> bool:
        """Tell whether the inner loop waits for sums: its only maps add up numbers."""
        maps = [n for n in walk(found.inner) if isinstance(n, Map)]
        writes = [a for m in maps for a in effects(m).writes]
        return bool(writes) and all(a.wcr == "add" and isinstance(self.data.get(a.data), Scalar) for a in writes)

    def _together_in_order(self, loop: Loop, inner: Loop, count: int, middle: Expr) -> Loop:
        rows = [self._row(inner.body, loop.var, const(r))[0] for r in range(count)]
        nodes = tuple(x for of in zip(*(r.nodes for r in rows)) for x in self._together(of))
        return replace(inner, span=Range(inner.span.start, middle, ONE), body=Region(nodes, loc=loop.loc))

    def _row(self, body: Region, var: str, number: Expr) -> tuple[Region, Mapping[str, str]]:
        """The inner loop's body for this row of a block, with names of its own, and what scalars are called. Maps keep their variables."""
        scalars = {a.data for a in effects(body).writes if isinstance(self.data.get(a.data), Scalar)}
        containers = {n: self._fresh(n) for n in sorted(scalars)}
        self.data |= {new: self.data[n] for n, new in containers.items()}
        kept = {v for n in walk(body) if isinstance(n, Map) for v in n.vars}
        names = {n: self._fresh(n) for n in sorted(symbols_defined(body) - kept)}
        body = rename_data(rename_symbols(body, names), containers)
        return substitute_in(body, {var: add(Sym(var), number)}), containers

    def _together(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """One node of each row: maps over equal ranges become one."""
        first = nodes[0]
        if not isinstance(first, Map) or any(not isinstance(n, Map) or n.spans != first.spans for n in nodes):
            return nodes
        body = tuple(x for n in nodes if isinstance(n, Map) for x in n.body.nodes)
        return (replace(first, body=replace(first.body, nodes=body)),)


def _rest(e: Expr, count: int) -> Expr:
    """What is left of it in blocks of so many."""
    return Op("band", (e, const(count - 1)), i64) if count & (count - 1) == 0 else mod(e, const(count))
