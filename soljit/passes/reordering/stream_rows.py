"""Run statements over whole arrays a few rows at a time, all of them, so that temporaries between them stay in the nearest caches.

    alloc(t)                                        for w in range(0, n + 2, 6):                                          alloc(t) of 8 rows
    for i, j in map(range(n), …): t[i, j] = …           for i, j in map(range(w, min(n, w + 6)), …): t[i & 7, j] = …
    for i, j in map(range(n - 2), …):              →    for i, j in map(range(max(0, w - 2), min(n - 2, w + 4)), …):
        b[i, j] = t[i, j] + t[i + 2, j]                     b[i, j] = t[i & 7, j] + t[i + 2 & 7, j]

Why that keeps each element's operations and their order, how far each statement stays behind, and how many rows are kept, is `analysis/reordering/row_streams.py`. On threads each takes a piece
of the rows, with a buffer of its own, and computes the rows that it needs from the piece before itself. Temporaries that fit the second cache are stored whole, in one block of all rows.

Needs maps without schedules, and must come before `privatize_sums` and `schedule_maps`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import reduce
from typing import TypeVar

from soljit.analysis.cost.work import known, work
from soljit.analysis.memory.accesses import Aliases, aliases, effects, touched
from soljit.analysis.memory.affine import names_in
from soljit.analysis.memory.occurrences import Place, exposed, places
from soljit.analysis.reordering.row_streams import RowStream, row_stream
from soljit.analysis.reordering.sweeps import Sweep
from soljit.base.machine import MachineModel
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Array, Data
from soljit.ir.core.expr import FALSE, ONE, TRUE, ZERO, Expr, Memlet, Op, Range, Sym, const, loads
from soljit.ir.core.nodes import Alloc, Let, Loop, Map, Node, Program, Region
from soljit.ir.core.types import b1, i64
from soljit.ir.symbolic import add, floordiv, le, maximum, minimum, mul, prod, select, sub, total
from soljit.ir.walk import FreshNames, map_memlets, on_regions, same
from soljit.passes.manager import Context
from soljit.passes.reordering.time_blocks import Writer, limited
from soljit.passes.scheduling.strips import count_of_threads
from soljit.schedule.policy import YES, Choice
from soljit.schedule.recipe import Option

T = TypeVar("T")
_MOST = 16  # statements
_DOUBLED = 6  # times that the fewest rows are doubled, at most
_PIECE = 4  # times the rows that are computed twice: so many rows has a piece at least


def stream_rows(program: Program, cx: Context) -> Program:
    """Stream the rows of all sequences of statements in which that is right and saves a temporary."""
    streamer = _Streamer(program, cx, FreshNames(program), dict(program.data), aliases(program))
    body = streamer.region(program.body, False)
    return program if body is program.body else replace(program, body=body, data=streamer.data)


@dataclass
class _Streamer:
    program: Program
    cx: Context
    _fresh: FreshNames
    data: dict[str, Data]
    alias: Aliases

    def region(self, region: Region, in_map: bool) -> Region:
        """The region with its sequences of maps as streams."""
        nodes = list(region.nodes)
        at = 0
        while at < len(nodes):
            n = nodes[at]
            found = self._chosen(nodes, at, region, in_map) if isinstance(n, Map) and not n.schedule else None
            if found is not None:
                count, stream, options = found
                nodes, at = self._replaced(nodes, at, count, stream, options, in_map)
                continue
            if isinstance(n, Map):
                body = self.region(n.body, True)
                nodes[at] = n if body is n.body else replace(n, body=body)
            else:
                nodes[at] = on_regions(n, lambda r: self.region(r, in_map))
            at += 1
        return region if same(nodes, region.nodes) else replace(region, nodes=tuple(nodes))

    # --- which ones ---------------------------------------------------------------------------------------------------

    def _chosen(
        self, nodes: Sequence[Node], at: int, region: Region, in_map: bool
    ) -> tuple[int, RowStream, Mapping[str, Option]] | None:
        """The sequence that begins at this map: of so many nodes, the longest one unless a recipe says otherwise."""
        policy = self.cx.policy
        found = list(self._sequences(nodes, at, region))
        alone = in_map or self.cx.threads < 2  # else threads could share each of the maps
        by_default = next(
            (end for end, s in reversed(found) if isinstance(s, RowStream) and (alone or _shared_work(s) is not None)),
            None,
        )
        for end, stream in reversed(found):
            reason = stream if isinstance(stream, Said) else None
            wanted = YES if end == by_default else None
            choice = policy.decide("stream", (nodes[at], nodes[end - 1]), _always(wanted), _always(reason))
            if isinstance(choice, Choice) and isinstance(stream, RowStream):
                return end - at, stream, choice.options
        return None

    def _sequences(self, nodes: Sequence[Node], at: int, region: Region) -> Iterator[tuple[int, RowStream | Said]]:
        """All sequences of two maps or more that begin here: where each ends, and what it is. The last one may be none."""
        maps: list[Map] = []
        for end in range(at + 1, len(nodes) + 1):
            n = nodes[end - 1]
            if isinstance(n, Map):
                maps.append(n)
            elif not isinstance(n, Alloc) and not (isinstance(n, Let) and self._goes_in_front(n, maps)):
                return
            if not isinstance(n, Map) or len(maps) < 2:
                continue
            if n.schedule or len(maps) > _MOST:
                return
            found = row_stream(maps, self.program.data, self.alias.may_alias, self._local(nodes, at, end, region))
            if isinstance(found, RowStream) and not any(x in found.buffers for x in found.sweeps[-1].reads):
                found = said("nothing kept")  # the last one could as well run behind
            yield end, found
            if isinstance(found, Said) and found.id != "nothing kept":
                return

    def _goes_in_front(self, n: Let, maps: Sequence[Map]) -> bool:
        """Tell whether the definition could as well stand in front of these maps."""
        read = {x.memlet.data for x in loads(n.value)}
        return not any(self.alias.any_alias(read, (a.data for a in effects(m).writes)) for m in maps)

    def _local(self, nodes: Sequence[Node], at: int, end: int, region: Region) -> frozenset[str]:
        """Arrays that are made in this region and that only these nodes use, element by element."""
        outside = [n for k, n in enumerate(nodes) if not at <= k < end and not isinstance(n, Alloc)]
        used = {x for n in outside for x in touched(n)} | exposed(self.program)
        found = places(self.program)
        made = {n.data for n in nodes[:end] if isinstance(n, Alloc) and not n.zero} - used
        return frozenset(x for x in made if _is_one(found[x], region))

    # --- what becomes of them -----------------------------------------------------------------------------------------

    def _replaced(
        self,
        nodes: list[Node],
        at: int,
        count: int,
        stream: RowStream,
        options: Mapping[str, Option],
        in_map: bool,
    ) -> tuple[list[Node], int]:
        """The nodes with the stream instead of these, and where those behind it begin."""
        kept = stream.buffers.keys()
        self.cx.note(stream.sweeps[0].map.loc, "streamed", names=tuple(sorted(kept)))
        between = [n for n in nodes[at : at + count] if not isinstance(n, Map)]
        before = [n for n in (*nodes[:at], *between) if not (isinstance(n, Alloc) and n.data in kept)]
        threads = 1 if in_map else self.cx.threads
        made = _Stream(stream, self.data, self._fresh, threads, self.cx.machine, options).nodes()
        return [*before, *made, *nodes[at + count :]], len(before) + len(made)


def _is_one(found: Sequence[Place], region: Region) -> bool:
    """Tell whether an array is made once in the program, and used in this region only, element by element."""
    kinds = [p.kind for p in found]
    return kinds.count("alloc") == 1 and "other" not in kinds and all(region in p.above for p in found)


def _always(answer: T) -> Callable[..., T]:
    return lambda *_: answer


@dataclass
class _Stream:
    """The blocks of rows, in each the sweeps. `data` gets the buffers."""

    stream: RowStream
    data: dict[str, Data]
    fresh: FreshNames
    threads: int
    machine: MachineModel
    options: Mapping[str, Option]
    _masks: dict[str, Expr] = field(default_factory=dict)

    def nodes(self) -> list[Node]:
        """All of it."""
        s, loc = self.stream, self.stream.sweeps[0].map.loc
        write = Writer(self.fresh, loc)
        window = max(s.buffers.values())
        rows = self._sizes(write, window)
        begins = [add(mul(const(x.rate), x.rows.start), const(shift)) for x, shift in zip(s.sweeps, s.shifts)]
        ends = [add(mul(const(x.rate), x.rows.stop), const(shift - x.rate + 1)) for x, shift in zip(s.sweeps, s.shifts)]
        first = write.let("first_row", reduce(minimum, dict.fromkeys(begins)))
        last = write.let("last_row", reduce(maximum, dict.fromkeys(ends)))
        pieces, when = self._pieces(write, sub(last, first))
        if pieces == ONE:
            return [*write.nodes, *self._piece(Range(first, last, rows), first, last)]
        piece = Sym(self.fresh("piece"))
        inner = Writer(self.fresh, loc)
        bounds = [add(first, floordiv(mul(sub(last, first), q), pieces)) for q in (piece, add(piece, ONE))]
        left, right = inner.let("left", bounds[0]), inner.let("right", bounds[1])
        begin = inner.let("begin", maximum(first, sub(left, const(max(s.leads)))))
        body = Region((*inner.nodes, *self._piece(Range(begin, right, rows), left, right)), loc=loc)
        span, names = Range(ZERO, pieces, ONE), tuple(s.buffers)
        return [*write.nodes, Map((piece.name,), (span,), body, ("threads",), when, names, loc=loc)]

    # --- sizes --------------------------------------------------------------------------------------------------------

    def _sizes(self, write: Writer, window: int) -> Expr:
        """The positions of a block; buffers have a power of two of rows, or as many as the temporary had, if all of it is in one block."""
        fewest = _power(max(window + 1, *self.stream.rates.values()))
        if "rows" in self.options:
            kept: Expr = const(max(fewest, _power(window + int(self.options["rows"]))))
            self._make_buffers(kept, FALSE)
            return sub(kept, const(window))
        rates = self.stream.rates
        rows = write.let(
            "rows", reduce(maximum, dict.fromkeys(mul(const(n), self._rows_of(x)) for x, n in rates.items()))
        )
        row = write.let("row_bytes", total(floordiv(self._row_bytes(x), const(n)) for x, n in rates.items()))
        small = write.let("small", le(mul(row, rows), const(self.machine.l2 // 4)))
        kept = const(fewest)
        for k in range(1, _DOUBLED + 1):
            more = const(fewest << k)
            kept = select(le(mul(row, more), const(self.machine.l2 // 8)), more, kept)
        kept = write.let("kept_rows", kept)
        self._make_buffers(kept, small)
        every = add(rows, const(window + max(self.stream.shifts)))
        return write.let("block_rows", select(small, every, sub(kept, const(window))))

    def _rows_of(self, name: str) -> Expr:
        d = self.data[name]
        assert isinstance(d, Array)
        return d.shape[self.stream.rows[name]]

    def _row_bytes(self, name: str) -> Expr:
        d, dim = self.data[name], self.stream.rows[name]
        assert isinstance(d, Array)
        return mul(const(d.dtype.size), prod(n for k, n in enumerate(d.shape) if k != dim))

    def _pieces(self, write: Writer, count: Expr) -> tuple[Expr, Expr | None]:
        """How many pieces threads get, and when it is worth it that they share them."""
        cost = _shared_work(self.stream)
        if self.threads < 2 or cost is None:
            return ONE, None
        paid: Expr = TRUE if self.options else Op("le", (const(self.machine.parallel), cost), b1)
        least = 1 + max(self.stream.leads) * (1 if self.options else _PIECE)
        many = maximum(ONE, minimum(count_of_threads(self.threads), floordiv(count, const(least))))
        return write.let("pieces", select(paid, many, ONE)), None if paid == TRUE else paid

    # --- rows ---------------------------------------------------------------------------------------------------------

    def _make_buffers(self, kept: Expr, whole: Expr) -> None:
        """Rows for so many positions, a power of two; all rows where `whole` holds."""
        for name in self.stream.buffers:
            d, dim = self.data[name], self.stream.rows[name]
            assert isinstance(d, Array)
            own = floordiv(kept, const(_power(self.stream.rates[name] + 1) // 2))
            rows = select(whole, d.shape[dim], own)
            self._masks[name] = select(whole, const(-1), sub(own, ONE))
            self.data[name] = replace(d, shape=(*d.shape[:dim], rows, *d.shape[dim + 1 :]))

    def _piece(self, span: Range, left: Expr, right: Expr) -> list[Node]:
        """The blocks between two positions."""
        s, loc = self.stream, self.stream.sweeps[0].map.loc
        w, write = Sym(self.fresh("w")), Writer(self.fresh, loc)
        for sweep, shift, lead in zip(s.sweeps, s.shifts, s.leads):
            low = maximum(_row(sweep, w, shift), _row(sweep, left, shift + lead))
            high = minimum(_row(sweep, add(w, span.step), shift), _row(sweep, right, shift))
            low, high = maximum(sweep.rows.start, low), minimum(sweep.rows.stop, high)
            rows = Range(write.let("first", low), write.let("last", high), ONE)
            write.nodes.append(self._buffered(sweep, rows))
        blocks = Loop(w.name, span, Region(tuple(write.nodes), loc=loc), loc=loc)
        return [*(Alloc(name, loc=loc) for name in s.buffers), blocks]

    def _buffered(self, sweep: Sweep, rows: Range) -> Map:
        """The sweep's map over some of its rows, which finds rows of buffers where they are kept."""

        def turned(m: Memlet) -> Memlet:
            if m.data not in self.stream.buffers or not m.subset:
                return m
            dim = self.stream.rows[m.data]
            row = m.subset[dim]
            assert isinstance(row, Expr)
            return replace(
                m, subset=(*m.subset[:dim], Op("band", (row, self._masks[m.data]), i64), *m.subset[dim + 1 :])
            )

        return map_memlets(limited(sweep, rows, self.fresh), turned)


def _row(sweep: Sweep, position: Expr, shift: int) -> Expr:
    """The first row of the sweep that does not stand in front of the position."""
    return floordiv(add(position, const(sweep.rate - 1 - shift)), const(sweep.rate))


def _shared_work(stream: RowStream) -> Expr | None:
    """The work of the largest of the maps, if threads can share the rows of all."""
    maps = [x.map for x in stream.sweeps]
    cost = reduce(maximum, map(work, maps))
    defined = {x for m in maps for x in effects(m).defines}
    return cost if stream.alone is None and known(cost) and names_in(cost).isdisjoint(defined) else None


def _power(least: int) -> int:
    """The smallest power of two that is not less."""
    return 1 << (least - 1).bit_length()
