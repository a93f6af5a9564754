"""Let a block of threads run an iteration in which a long row is walked, instead of a single thread.

    for i in map(range(n)), private(acc):          if m >= 64:
        acc = -inf                                     with map(i=range(n)), threads(256), private(acc):
        for j in map(range(m)):            →               acc = -inf
            acc = wcr.max(a[i, j])                         with map(j=range(m)), schedule("block"): acc = wcr.max(a[i, j])
        out[i] = acc                                       out[i] = acc
                                                   else:
                                                       for i in map(range(n)), private(acc): …

Threads that lie together touch elements that lie together then; a thread for each row would read memory at as many places as there are
rows. So it is where the elements of the inner loops are nearer to each other than those of the outer ones. Where all rows are the same elements, as in histograms by
masks, it is done while there are too few rows to keep a device busy. Short rows are left to a thread each:
most of a block would have nothing to do. Neighbouring statements on the same rows, if these are long, and many or not too long, become one such map (`joined_rows.py`).

Sums that a map takes over some of its loops, `s[i] += a[i, j]`, are such rows, too. The threads of a block combine what they have in a fixed order, which hangs on
the length alone. It must come behind persist_loops and write_out_products, whose maps it looks at, and before split_sums, which sees to the rows that threads walk.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import field, replace

from soljit.analysis.cost.work import known, middle_of, trips
from soljit.analysis.device.offload import atomic_sums, order_of, why_not_on_device
from soljit.analysis.loops.sums import folds
from soljit.analysis.memory.accesses import effects
from soljit.analysis.memory.affine import step
from soljit.base.records import dataclass
from soljit.base.sentences import Plain
from soljit.ir.core.data import Array, Data, Scalar
from soljit.ir.core.expr import FALSE, TRUE, Expr, Memlet, const, symbols
from soljit.ir.core.nodes import Branch, Map, Node, Program, Region
from soljit.ir.symbolic import conj, disj, ge, le, maximum, minimum, mul
from soljit.ir.walk.effects import symbols_of
from soljit.ir.walk.names import FreshNames, symbols_defined
from soljit.ir.walk.spaces import has_blocks
from soljit.ir.walk.tree import on_regions, outermost_maps, rewrite, same, walk
from soljit.passes.device.persist_loops import over_block
from soljit.passes.fusion.fuse_maps import Fuser
from soljit.passes.fusion.joined_rows import MOST_JOINED, joined
from soljit.passes.manager import Context

LEAST = 64  # elements of a row for which a block is worth it: a guess
THREADS = 256  # of its block
MANY = 128  # rows from which on blocks that walk several statements each keep a large device busy: from there on it was faster on an H100
SHORT = 2048  # elements of a row up to which a block that walks several statements takes no longer than a kernel for each of them, however few rows there are
BUSY = 1 << 16  # threads that keep a large device busy
MOST = 8  # how much nearer than these elements must lie is no question: the price of a jump


def give_rows_to_blocks(program: Program, cx: Context, *, always: bool = False) -> Program:
    """Give maps with rows in them a second form, in which a block runs an iteration. always: this form alone, whatever the sizes"""
    g = _Giver(program, cx, always, dict(program.data), FreshNames(program))
    body = g.region(program.body)
    return program if body is program.body else replace(program, body=body, data=g.data)


@dataclass
class _Giver:
    program: Program
    cx: Context
    always: bool
    data: dict[str, Data]
    _fresh: FreshNames
    fuser: Fuser = field(init=False)

    def __post_init__(self) -> None:
        self.fuser = Fuser(self.program, self.cx, partly=True)

    def region(self, region: Region) -> Region:
        """Look at the outermost maps."""
        out: list[Node] = []
        k = 0
        while k < len(region.nodes):
            n = region.nodes[k]
            together = self.together(region.nodes[k : k + MOST_JOINED]) if isinstance(n, Map) else None
            if together is not None:
                out += together[1]
                k += together[0]
                continue
            out.append(self.map(n) if isinstance(n, Map) else on_regions(n, self.region))
            k += 1
        return region if same(out, region.nodes) else replace(region, nodes=tuple(out))

    def together(self, nodes: Sequence[Node]) -> tuple[int, list[Node]] | None:
        """How many of these nodes walk the same rows, and what becomes of them: where rows are long, and many or not too long, one map, a block for each row."""
        found = joined(nodes, self.fuser, self._rows)
        if found is None:
            return None
        rows = self._rows(found.whole)
        if rows is None or len(rows.vars) != found.depth or not _lie_together(*self._steps(rows)):
            return None
        many = _many(rows) if not self.always else TRUE
        many = many if many is None else disj(many, _short(rows))
        long = _long(rows) if not self.always else TRUE
        if many is None or long is None or FALSE in (pays := conj(long, many), long):
            return None
        whole = self._in_blocks(rows)
        if whole is None:
            return None
        loc = found.whole.loc
        others = tuple(dict.fromkeys(m.loc for m in found.maps if m.loc.line != loc.line))
        where = (
            ""
            if pays == TRUE
            else " where the rows are long, and many or not too long"
            if long != TRUE
            else " where the rows are many or not too long"
        )
        if others:
            self.cx.note(loc, "rows joined", others=others, where=Plain(where))
        else:
            self.cx.note(loc, "rows by blocks", where=Plain(where))
        apart: list[Node] = [self.map(m) for m in found.maps]
        if pays == TRUE:
            return found.nodes, [*found.allocs, whole]
        return found.nodes, [
            *found.allocs,
            Branch(pays, Region((whole,), loc=loc), Region(tuple(apart), loc=loc), loc=loc),
        ]

    def map(self, m: Map) -> Node:
        """The choice between a block and a thread for each iteration; the map itself if there are no rows, or a block cannot run it."""
        if has_blocks(m):
            return m
        rows = self._rows(m)
        if rows is None:
            return m
        inner, outer = self._steps(rows)
        if not _lie_together(inner, outer):
            return m
        long = TRUE if self.always else _long(rows)
        if long is not None and not outer and not self.always:
            long = conj(long, _few(rows))
        if long is None or long == FALSE:
            return m
        spread = self._in_blocks(rows)
        if spread is None:
            return m
        self.cx.note(m.loc, "rows by blocks", where=Plain("" if long == TRUE else " where the rows are long"))
        if long == TRUE:
            return spread
        return Branch(long, Region((spread,), loc=m.loc), Region((m,), loc=m.loc), loc=m.loc)

    def _in_blocks(self, rows: Map) -> Map | None:
        """The map over rows, a block for each; None if a device cannot run that."""
        data = dict(self.data)
        spread = self._spread(rows)
        if why_not_on_device(replace(self.program, data=self.data), spread) is None:
            return spread
        self.data = data
        return None

    def _rows(self, m: Map) -> Map | None:
        """The map with a row as a map in its body."""
        program = replace(self.program, data=self.data)
        if any(isinstance(self.data[name], Array) for x in walk(m) if isinstance(x, Map) for name in x.private):
            return None
        found = folds(program, m)
        if found:
            kept = found[0].kept
            rest = [k for k in range(len(m.vars)) if k not in kept]
            if not kept or not rest or any(f.kept != kept for f in found):
                return None
            if any(symbols_of(m.spans[k]) & {m.vars[j] for j in rest} for k in kept):
                return None
            row = Map(
                tuple(m.vars[k] for k in rest), tuple(m.spans[k] for k in rest), m.body, private=m.private, loc=m.loc
            )
            names, spans = tuple(m.vars[k] for k in kept), tuple(m.spans[k] for k in kept)
            m = replace(m, vars=names, spans=spans, body=Region((row,), loc=m.loc), private=())
        elif found is None:
            return None
        if not any(True for n in m.body.nodes for _ in outermost_maps(n)):
            return None
        order = order_of(program, m)
        if order.rest or not order.grid or atomic_sums(program, m, order.grid):
            return None
        return replace(m, threads=(THREADS,))

    def _spread(self, m: Map) -> Map:
        """The rows spread over the threads of a block, under names of their own."""
        m = self._fresh.copy(m, self.data)
        rows = {id(row) for row in _maps(m)}

        def fn(n: Node) -> Node | None:
            return over_block(self.program, self.data, self._fresh, n) if isinstance(n, Map) and id(n) in rows else None

        return replace(m, body=rewrite(m.body, fn, top_down=True))

    def _steps(self, m: Map) -> tuple[int, int]:
        """How far apart in memory elements of a row lie that are walked one after the other, and those at the same place of neighbouring rows, all accesses together."""
        inner = outer = 0
        for row in _maps(m):
            for a in effects(row).accesses:
                if isinstance(self.data.get(a.data), Scalar):
                    continue
                place = Memlet(a.data, a.subset)
                along = [v for v, _ in a.loops if v in row.vars][-1:] or [row.vars[-1]]
                inner += min(abs(step(self.data, place, along[0])), MOST)
                outer += min(abs(step(self.data, place, m.vars[-1])), MOST)
        return inner, outer


def _lie_together(inner: int, outer: int) -> bool:
    """Tell from the steps in a row and between rows whether elements of a row are nearer to each other than those of neighbouring rows."""
    return not outer or inner < outer


def _maps(m: Map) -> Iterator[Map]:
    """The outermost maps in the body."""
    for n in m.body.nodes:
        yield from outermost_maps(n)


def _few(m: Map) -> Expr:
    """The condition under which there are too few rows to keep a device busy by a thread each, over what is known in front of the map; FALSE if that is not known."""
    count = _count(m)
    return FALSE if count is None else le(count, const(BUSY))


def _many(m: Map) -> Expr | None:
    """The condition under which there are rows for all parts of a device, over what is known in front of the map; None if that is not known."""
    count = _count(m)
    return None if count is None else ge(count, const(MANY))


def _count(m: Map) -> Expr | None:
    """The number of rows, over what is known in front of the map; None if that is not known."""
    count: Expr = const(1)
    for span in m.spans:
        count = mul(count, trips(span, {}))
    return count if known(count) and not symbols(count) & {*m.vars} else None


def _lengths(m: Map) -> list[Expr] | None:
    """The lengths of the rows in the body, over what is known in front of the map; None if one is not known."""
    middle: dict[str, Expr] = {}
    for v, span in zip(m.vars, m.spans):
        middle[v] = middle_of(span, middle)
    inside = symbols_defined(m.body) | {*m.vars}
    out: list[Expr] = []
    for row in _maps(m):
        length: Expr = const(1)
        for span in row.spans:
            length = mul(length, trips(span, middle))
        if not known(length) or symbols(length) & inside:
            return None
        out.append(length)
    return out or None


def _long(m: Map) -> Expr | None:
    """The condition under which all rows are long; None if that is not known."""
    lengths = _lengths(m)
    return None if lengths is None else ge(functools.reduce(minimum, lengths), const(LEAST))


def _short(m: Map) -> Expr:
    """The condition under which a block is through with its row in little more than the time of a launch; FALSE if that is not known."""
    lengths = _lengths(m)
    return FALSE if lengths is None else le(functools.reduce(maximum, lengths), const(SHORT))
