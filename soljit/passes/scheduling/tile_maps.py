"""Walk a map in tiles: some of its loops run in pieces, and the pieces of all of them together.

    for i in map(range(0, n, 128)):                          # tiles: 128 rows, one cache line of columns
        for j in map(range(0, m - m % 8, 8)):
for i, j in map(range(n), range(m)):                 for i, j in map(range(i, min(i + 128, n)), range(j, j + 8)):
    b[i, j] = a[j, i]                         →          b[i, j] = a[j, i]
                                             for i, j in map(range(n), range(m - m % 8, m)):
                                                 b[i, j] = a[j, i]

An array that is walked across its rows brings a whole cache line for each element; the line's other elements are those
of the next iterations of an outer loop. In a tile they are used before the line is lost: this is done where accesses disagree about
the loop that should be innermost. A schedule may cut any loops. Those of the others that stand in front of the last one cut run around the tiles, those behind
it inside. The innermost loop, if it is cut and nothing but statements is in it, has a fixed length in a tile, so that it is unrolled; what is left of it is a map of its own.

Needs no proof for independent iterations. Of sums into an element the order must stay: of the loops that give parts to one element, none that is
cut has another one behind it that is cut or runs around the tiles. interchange_maps must come earlier: it has chosen the loop that is innermost.
Sizes of tiles: measured for transposes of 100 to 4096 rows (bench/results).
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.cost.work import known
from soljit.analysis.loops.reductions import tied
from soljit.analysis.memory.accesses import Access, effects
from soljit.analysis.memory.affine import mentions, step
from soljit.base.records import dataclass
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import ONE, ZERO, Memlet, Range, Sym, const
from soljit.ir.core.nodes import Let, Map, Node, Program, Region, Tasklet
from soljit.ir.symbolic import Facts, add, floordiv, linear, minimum, mul, sub
from soljit.ir.walk import FreshNames, rewrite, walk
from soljit.passes.manager import Context
from soljit.schedule.address import labels, positions
from soljit.schedule.policy import Choice

_COLUMNS = 8  # and its columns, where nothing else is wanted
_SHORT = 16  # loops with fewer iterations than this are not cut
_FAR = 8  # elements; nearer neighbours share their cache lines


def tile_maps(program: Program, cx: Context) -> Program:
    """Tile every map in which that brings cache lines back into use."""
    tiler = _Tiler(program, cx, cx.facts(program), FreshNames(program))
    body = rewrite(program.body, lambda n: tiler.tiled(n) if isinstance(n, Map) and not n.schedule else None)
    return program if body is program.body else replace(program, body=body)


@dataclass
class _Tiler:
    program: Program
    cx: Context
    facts: Facts
    _fresh: FreshNames

    @property
    def _rows(self) -> int:
        """Rows of a tile: their lines fill a quarter of the first cache."""
        return max(_COLUMNS, self.cx.machine.l1 // (4 * self.cx.machine.line))

    def tiled(self, m: Map) -> tuple[Node, ...] | None:
        """The tiles of `m` and what is left, or None if it stays whole."""
        choice = self.cx.policy.decide(
            "tile",
            (m,),
            lambda: self._wanted(m),
            lambda c: self.why_not_tile(m, positions(m, c.options)),
            lambda: (
                [Choice(options={row: self._rows, labels(m)[-1]: _COLUMNS}) for row in labels(m)[:-1]]
                or [Choice(options={labels(m)[0]: self._rows})]
            ),
        )
        if not isinstance(choice, Choice):
            return None
        sizes = {k: int(choice.options[labels(m)[k]]) for k in sorted(positions(m, choice.options))}
        pieces = ", ".join(f"{m.vars[k]} in pieces of {n}" for k, n in sizes.items())
        self.cx.note(m.loc, "tiled", pieces=pieces)
        return self._cut(m, sizes)

    def _wanted(self, m: Map) -> Choice | None:
        """The tiles that bring cache lines back into use, or None."""
        if not _is_plain(m):
            return None
        accesses = self._accesses(m)
        row = self._across(m, accesses)
        if row is None or not self._sums_stay(m, (row, len(m.vars) - 1)):
            return None
        width = self.cx.machine.line // max(self.program.data[a.data].dtype.size for a in accesses)
        return Choice(options={labels(m)[row]: self._rows, labels(m)[-1]: max(width, 2)})

    def why_not_tile(self, m: Map, at: tuple[int, ...]) -> str | None:
        """Why these loops of the map cannot be cut into pieces; None if they can."""
        if not at or min(at) < 0:
            return f"its loops are {', '.join(labels(m))}: at least one of them is cut, as in {labels(m)[-1]}=8"
        uncut = next((k for k in at if not self._cuttable(m, k, at)), None)
        if uncut is not None:
            return f"the range of {labels(m)[uncut]} depends on loops that are cut, or on memory, a range around the tiles depends on it, or its step is not 1"
        if not self._sums_stay(m, at):
            return "elements that are added to would get their parts in another order"
        return None

    def _accesses(self, m: Map) -> list[Access]:
        found = dict.fromkeys(effects(m.body).accesses)
        return [a for a in found if not isinstance(self.program.data.get(a.data), Scalar)]

    def _across(self, m: Map, accesses: list[Access]) -> int | None:
        """The outer loop along whose iterations neighbours lie of what the innermost loop walks across."""
        last = len(m.vars) - 1
        if self._is_short(m, last):
            return None
        far = [a for a in accesses if self._step(a, m.vars[last]) > _FAR]
        rows = {k for a in far for k in range(last) if self._step(a, m.vars[k]) == 1}
        row = rows.pop() if len(rows) == 1 else None
        if row is None or self._is_short(m, row) or not all(self._cuttable(m, k, (row, last)) for k in (row, last)):
            return None
        return row

    def _is_short(self, m: Map, k: int) -> bool:
        length = linear(sub(m.spans[k].stop, m.spans[k].start))
        return length.is_const and length.const < _SHORT

    def _cuttable(self, m: Map, k: int, at: tuple[int, ...]) -> bool:
        """Tell whether loop `k` of those at `at` goes in steps of one over a range that the loops around the tiles decide, and decides none of these."""
        span, around = m.spans[k], m.spans[: max(at) + 1]
        if span.step != ONE or not all(map(known, span.children)) or any(mentions(s, m.vars[k]) for s in around):
            return False
        return not any(mentions(span, m.vars[q]) for q in at)

    def _sums_stay(self, m: Map, at: tuple[int, ...]) -> bool:
        """Tell whether every element that is added to still gets its parts in the same order."""
        around = range(max(at) + 1)
        private = {p for x in walk(m) if isinstance(x, Map) for p in x.private}
        for n in walk(m.body):
            if isinstance(n, Tasklet) and n.out.wcr and n.out.data not in private:
                shared = [k for k in around if not any(tied(s, m.vars[k], m.vars) for s in n.out.subset)]
                if any(k in at for k in shared[:-1]):
                    return False
        return True

    def _cut(self, m: Map, sizes: dict[int, int]) -> tuple[Node, ...]:
        """sizes: of the loops that are cut, in their order."""
        end, last = max(sizes) + 1, len(m.vars) - 1
        fixed = last in sizes and _is_plain(m)
        names = {k: self._fresh(f"{m.vars[k]}_tile") for k in sizes}
        around, inside = list(m.spans[:end]), list(m.spans)
        rest: tuple[Node, ...] = ()
        for k, size in sizes.items():
            span, first = m.spans[k], Sym(names[k])
            stop = add(first, const(size))
            if fixed and k == last:
                length = self.facts.maximum(ZERO, sub(span.stop, span.start))
                whole = add(span.start, mul(floordiv(length, const(size)), const(size)))
                rest = (replace(m, spans=(*m.spans[:-1], Range(whole, span.stop, ONE))),)
                span = replace(span, stop=whole)
            else:
                stop = minimum(stop, span.stop)
            around[k], inside[k] = replace(span, step=const(size)), Range(first, stop, ONE)
        kept = [k for k in range(len(m.vars)) if k in sizes or k >= end]
        tile = replace(m, vars=tuple(m.vars[k] for k in kept), spans=tuple(inside[k] for k in kept))
        over = tuple(names.get(k, m.vars[k]) for k in range(end))
        return Map(over, tuple(around), Region((tile,), loc=m.body.loc), loc=m.loc), *rest

    def _step(self, a: Access, var: str) -> int:
        return abs(step(self.program.data, Memlet(a.data, a.subset), var))


def _is_plain(m: Map) -> bool:
    return all(isinstance(n, (Tasklet, Let)) for n in m.body.nodes)
