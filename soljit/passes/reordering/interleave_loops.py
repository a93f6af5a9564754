"""Run several iterations of an outer loop at the same time, each some iterations of the inner loop behind the one before.

    for i in range(1, n):                              for i in range(1, n, 4):
        for j in range(1, m): d[i, j] = f(d[i, j - 1], …)    →      (the first few columns of rows i … i + 3, row by row)
                                                           for j in range(7, m):
                                                               d[i, j] = f(d[i, j - 1], …)
                                                               d[i + 1, j - 2] = f(d[i + 1, j - 3], …)
                                                               d[i + 2, j - 4] = …
                                                               d[i + 3, j - 6] = …
                                                           (the last few columns of rows i + 1 … i + 3, row by row)

A recurrence along a row lasts as long as its chain of operations; the processor does something for several rows in that time. The same holds of whole rows in time: there the
body of the inner loop is a row with a loop of its own, and step t + k is at row i - skew * k; the loops of these rows become one (`jam_bodies.py`).

Why each element keeps its operations and their order is `analysis/reordering/wavefronts.py`. In the words of its first theorem, O are `rows` iterations of the outer loop; waves up
to `low`, in which not all of them take part, are one piece and have the order of the source; those up to `high` are another one, wave by wave; the rest are the last piece. If
there are fewer iterations than `rows`, all waves are in the first piece. For threads the iterations are tiles of its second theorem (`wave_tiles.py`).

It comes behind `schedule_maps`: how maps run is decided once, and work around the loops is counted as it was. Loops in which threads share a map stay as they are.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial, reduce

from soljit.analysis.cost.latency import latency, operations_done
from soljit.analysis.loops.legality import inner_privates
from soljit.analysis.memory.accesses import effects
from soljit.analysis.reordering.wavefronts import Wavefront, nest, wavefront
from soljit.base.machine import MachineModel
from soljit.base.sentences import Said
from soljit.ir.core.data import Array, Data
from soljit.ir.core.expr import ONE, ZERO, Expr, Op, Range, Sym, const, subexpressions, symbols
from soljit.ir.core.nodes import Alloc, Branch, Let, Loop, Map, Node, Program, Region, While
from soljit.ir.core.types import b1
from soljit.ir.symbolic import add, conj, eq, is_index, le, maximum, minimum, mul, select, sub
from soljit.ir.walk import (
    FreshNames,
    computed,
    map_memlets,
    on_regions,
    rename_data,
    rewrite,
    substitute,
    substitute_in,
    walk,
)
from soljit.ir.walk.tree import N
from soljit.passes.manager import Context
from soljit.passes.reordering.flatten_branches import Flat, waits_for_guesses
from soljit.passes.reordering.independent_rows import LONG, ROWS, beside, waits, why_not_beside
from soljit.passes.reordering.jam_bodies import Jam
from soljit.passes.reordering.time_blocks import Writer
from soljit.passes.reordering.wave_tiles import Tile, tiled
from soljit.schedule.policy import YES, Choice

MANY_ROWS = 8  # of a chain of a few additions and products
SHORT = 12
_CHOICES = {"select", "min", "max"}
FAR = const(1 << 40)  # beyond all waves


def interleave_loops(program: Program, cx: Context) -> Program:
    """Interleave the iterations of every loop in which that is right and pays."""
    worker = _Interleaver(program, cx, FreshNames(program))
    body = worker.region(program.body, cx.threads)
    if body is program.body:
        return program
    gone = worker.moved
    body = rewrite(body, lambda n: () if isinstance(n, Alloc) and n.data in gone and n not in worker.allocs else None)
    return replace(program, body=body, data={**program.data, **worker.made})


class _Interleaver:
    def __init__(self, program: Program, cx: Context, fresh: FreshNames) -> None:
        self.program, self.cx, self.fresh = program, cx, fresh
        self.made: dict[str, Data] = {}
        self.moved: set[str] = set()  # arrays whose memory is made elsewhere now
        self.allocs: set[Alloc] = set()

    def region(self, region: Region, threads: int) -> Region:
        """The region with its nests interleaved, the inner ones first."""
        out: list[Node] = []
        changed = False
        for n in region.nodes:
            if isinstance(n, Map):
                body = self.region(n.body, 1)
                new: Node = n if body is n.body else replace(n, body=body)
                new = self.beside(n) if new is n else new
            else:
                new = on_regions(n, partial(self.region, threads=threads))
            found = self.interleaved(n, threads) if isinstance(n, Loop) and new is n else None
            out += [new] if found is None else found
            changed |= found is not None or new is not n
        return replace(region, nodes=tuple(out)) if changed else region

    def beside(self, m: Map) -> Map:
        """The map with several of its iterations side by side, if that is wanted and right."""
        if not any(isinstance(n, Loop) for n in m.body.nodes):
            return m
        reason = why_not_beside(m)
        choice = self.cx.policy.decide(
            "interleave", (m,), lambda: YES if waits(m, self.cx.machine.per_cycle) else None, lambda _: reason
        )
        if not isinstance(choice, Choice):
            return m
        rows = max(2, int(choice.options.get("rows", ROWS)))
        self.cx.note(m.loc, "beside", count=rows)
        new, made = beside(m, rows, {**self.program.data, **self.made}, self.fresh)
        self.made |= made
        return new

    def interleaved(self, loop: Loop, threads: int) -> list[Node] | None:
        """The nest with several of its iterations at the same time; None if it stays as it is."""
        policy = self.cx.policy
        if nest(loop) is None:
            policy.refuse(
                "interleave", (loop,), "its body is not one loop, with nothing but definitions in front of it"
            )
            return None
        found = wavefront(self.program, loop, self.cx.facts(self.program))
        reason = found if isinstance(found, Said) else None
        flat = Flat(self.program.data, self.cx.facts(self.program).with_loop(loop.var, loop.span), self.fresh)
        if isinstance(found, Wavefront):
            found = replace(found, inner=_flattened(found, flat))
        choice = policy.decide("interleave", (loop,), lambda: _wanted(loop, found, self.cx.machine), lambda _: reason)
        if isinstance(found, Said) or not isinstance(choice, Choice):
            return None
        rows = max(2, int(choice.options.get("rows", _rows(found))))
        self.cx.note(loop.loc, "interleaved", count=rows, skew=found.skew, inner=found.inner.var)
        one = _Rows(self.program, loop, found, rows, self.fresh)
        one.before += flat.filled
        nodes = tiled(loop, found, rows, one.block, threads, self.cx.machine, self.fresh, bool(choice.options))
        self.made |= {**one.made, **flat.made}
        self.moved |= {*found.arrays}
        self.allocs |= {*one.allocs}
        return nodes


def _flattened(found: Wavefront, flat: Flat) -> Loop:
    """The inner loop without branches in what is a chain: its body, or the loops in that."""
    inner = found.inner
    for x in found.lets:
        if is_index(x.value):
            flat.facts = flat.facts.define(Sym(x.name), x.value)
    flat.facts = flat.facts.with_loop(inner.var, inner.span)
    if not any(isinstance(n, Loop | Map) for n in walk(inner.body)):
        return replace(inner, body=flat.body(inner.body))
    nodes: list[Node] = []
    for n in inner.body.nodes:
        if isinstance(n, Loop) and not any(isinstance(x, Loop | Map) for x in walk(n.body)):
            around, flat.facts = flat.facts, flat.facts.with_loop(n.var, n.span)
            n = replace(n, body=flat.body(n.body))
            flat.facts = around
        nodes.append(n)
    return replace(inner, body=replace(inner.body, nodes=tuple(nodes)))


def _wanted(loop: Loop, found: Wavefront | Said, machine: MachineModel) -> Choice | None:
    """Where iterations wait for each other longer than their operations take, and are short: a few operations, or rows with one loop of that kind."""
    if isinstance(found, Said):
        return None
    chain = _chain(loop, found)
    if chain is None:
        return None
    cost = operations_done(chain.body)
    waits = cost <= LONG and cost <= machine.per_cycle * latency(chain.body, chain.var)
    return YES if waits and not waits_for_guesses(chain.body) else None


def _chain(loop: Loop, found: Wavefront) -> Loop | None:
    """The innermost loop in order: the inner loop, or the one loop in it, beside maps."""
    inside = [n for n in walk(found.inner.body) if isinstance(n, Loop | Map | While)]
    chains = [n for n in found.inner.body.nodes if isinstance(n, Loop)]
    if not inside:
        return found.inner
    if len(chains) != 1 or any(isinstance(n, Loop | Map | While) for n in walk(chains[0].body)):
        return None
    moving = {loop.var, found.inner.var}
    return None if any(moving & symbols(e) for e in chains[0].span.children) else chains[0]


def _rows(found: Wavefront) -> int:
    """More of what is shorter: the registers hold so many."""
    body = found.inner.body
    few = operations_done(body) <= SHORT
    inside = any(isinstance(n, Branch | Loop | Map) for n in walk(body))
    chosen = any(isinstance(x, Op) and x.name in _CHOICES for e in computed(body) for x in subexpressions(e))
    return MANY_ROWS if few and not inside and not chosen else ROWS


class _Rows:
    """Some iterations of the outer loop, in one tile."""

    def __init__(self, program: Program, loop: Loop, found: Wavefront, rows: int, fresh: FreshNames) -> None:
        self.program, self.loop, self.found, self.rows, self.fresh = program, loop, found, rows, fresh
        self.made: dict[str, Data] = {}
        self.allocs: list[Alloc] = []
        self.before: list[Node] = []
        own = {*found.scalars, *inner_privates(found.inner.body)}
        self.names = [{n: fresh(n) if k else n for n in sorted(own)} for k in range(rows)]
        for names in self.names[1:]:
            self.made |= {new: program.data[old] for old, new in names.items()}
        for name in found.arrays:
            d = program.data[name]
            assert isinstance(d, Array)
            self.made[name] = replace(d, shape=(const(rows), *d.shape))

    def block(self, tile: Tile) -> list[Node]:
        """The iterations of a tile."""
        loc = self.loop.loc
        self.allocs += [Alloc(n, loc=loc) for n in self.found.arrays]
        first = Sym(self.fresh(self.loop.var))
        body = Region(tuple(self._rows(first, tile)), loc=self.loop.body.loc)
        return [
            *self.before,
            *self.allocs,
            Loop(first.name, Range(tile.rows.start, tile.rows.stop, tile.step), body, loc=loc),
        ]

    def _span(self, first: Expr, k: int) -> Range:
        """The iterations of the inner loop in the k-th of the iterations on the way."""
        return substitute(self.found.inner.span, {self.loop.var: add(first, const(k))})

    def _rows(self, first: Sym, tile: Tile) -> list[Node]:
        """Iterations first, …, first + rows - 1. Waves are counted as the inner loop's variable of the first of them."""
        write, loc, s = Writer(self.fresh, self.loop.loc), self.loop.loc, self.found.skew
        spans = [self._span(first, k) for k in range(self.rows)]
        late = [const(s * k) for k in range(self.rows)]
        back = mul(const(s), sub(first, tile.rows.start))
        begin = None if tile.waves is None else write.let("begin", sub(tile.waves.start, back))
        end = None if tile.waves is None else write.let("end", sub(tile.waves.stop, back))
        low = reduce(maximum, dict.fromkeys(add(x.start, y) for x, y in zip(spans, late)))
        high = reduce(minimum, dict.fromkeys(add(x.stop, y) for x, y in zip(spans, late)))
        low = low if begin is None else maximum(low, begin)
        high = high if end is None else minimum(high, end)
        whole = write.let(
            "whole", conj(le(add(first, const(self.rows)), tile.rows.stop), eq(tile.step, const(self.rows)))
        )
        low = write.let("low", select(whole, low, FAR))
        high = write.let("high", maximum(low, high))
        piece = Sym(self.fresh("piece"))
        middle = Branch(
            eq(piece, ONE),
            self._together(first, low, high),
            self._alone(first, piece, low, high, begin, end, tile),
            loc=loc,
        )
        pieces = Loop(piece.name, Range(ZERO, select(whole, const(3), ONE), ONE), Region((middle,), loc=loc), loc=loc)
        return [*write.nodes, pieces]

    def _alone(
        self, first: Expr, piece: Expr, low: Expr, high: Expr, begin: Expr | None, end: Expr | None, tile: Tile
    ) -> Region:
        """The waves up to `low`, or those from `high` on, one iteration of the outer loop after the other."""
        o = self.loop.var
        write, loc = Writer(self.fresh, self.loop.loc), self.loop.loc
        late = write.let("late", mul(const(self.found.skew), sub(Sym(o), first)))
        span = self.found.inner.span
        start = span.start if begin is None else maximum(span.start, sub(begin, late))
        stop = span.stop if end is None else minimum(span.stop, sub(end, late))
        early = eq(piece, ZERO)
        start = write.let("start", select(early, start, maximum(start, sub(high, late))))
        stop = write.let("stop", select(early, minimum(stop, sub(low, late)), stop))
        inner = replace(self._with_own(self.found.inner, ZERO), span=Range(start, stop, ONE))
        body = Region((*self.found.lets, *write.nodes, inner), loc=self.loop.body.loc)
        rows = Range(first, minimum(add(first, tile.step), tile.rows.stop), ONE)
        return Region((replace(self.loop, span=rows, body=body),), loc=loc)

    def _together(self, first: Expr, low: Expr, high: Expr) -> Region:
        """The waves in which all take part."""
        loc, inner = self.loop.loc, self.found.inner
        wave = Sym(self.fresh(inner.var))
        waves = Loop(wave.name, Range(low, high, ONE), inner.body, loc=inner.loc)
        jam = Jam({**self.program.data, **self.made}, self.fresh)
        copies = [self._copy(first, wave, k) for k in range(self.rows)]
        before = [n for c in copies for n in c[: len(self.found.lets)]]
        rest = [c[len(self.found.lets) :] for c in copies]
        if any(map(self._is_same_text, inner.body.nodes)):
            body: list[Node] = []
            for at, n in enumerate(inner.body.nodes):
                one = self._in_turn(n, first, wave) if self._is_same_text(n) else None
                body += jam.nodes([c[at : at + 1] for c in rest]) if one is None else [one]
            nodes: list[Node] = [replace(waves, body=replace(inner.body, nodes=tuple(body)))]
        else:
            nodes = jam.loop(waves, rest)
        self.made |= jam.made
        return Region((Branch(Op("lt", (low, high), b1), Region((*before, *nodes), loc=loc), loc=loc),), loc=loc)

    def _copy(self, first: Expr, wave: Sym, k: int) -> tuple[Node, ...]:
        """What the k-th of the iterations does in a wave, with what it has for itself."""
        whole = Region((*self.found.lets, *self.found.inner.body.nodes))
        whole = self.fresh.other_symbols(whole)
        whole = rename_data(self._with_own(whole, const(k)), self.names[k])
        return substitute_in(whole, self._at(first, wave, const(k))).nodes

    def _at(self, first: Expr, wave: Sym, k: Expr) -> dict[str, Expr]:
        return {self.loop.var: add(first, k), self.found.inner.var: sub(wave, mul(const(self.found.skew), k))}

    def _is_same_text(self, n: Node) -> bool:
        """Tell whether it is a map that only needs to know for which of the iterations it runs."""
        e, body = effects(n), self.found.inner.body
        made = {x.name for x in (*self.found.lets, *body.nodes) if isinstance(x, Let)}
        return isinstance(n, Map) and made.isdisjoint(e.uses) and not any(a.data in self.names[0] for a in e.accesses)

    def _in_turn(self, n: Node, first: Expr, wave: Sym) -> Node:
        """It, for one of the iterations after the other."""
        k = Sym(self.fresh("row"))
        n = self.fresh.other_symbols(n)
        n = substitute_in(self._with_own(n, k), self._at(first, wave, k))
        return Loop(k.name, Range(ZERO, const(self.rows), ONE), Region((n,), loc=n.loc), loc=n.loc)

    def _with_own(self, n: N, k: Expr) -> N:
        """The node, with the k-th of each array of which each iteration has its own."""
        own = self.found.arrays
        return map_memlets(n, lambda m: replace(m, subset=(k, *m.subset)) if m.data in own else m) if own else n
