"""Walk a map in tiles where its accesses disagree about the loop that should be innermost.

    for i in map(range(0, n, 128)):                          # tiles: 128 rows, one cache line of columns
        for j in map(range(0, m - m % 8, 8)):
for i, j in map(range(n), range(m)):                 for i, j in map(range(i, min(i + 128, n)), range(j, j + 8)):
    b[i, j] = a[j, i]                         →          b[i, j] = a[j, i]
                                             for i, j in map(range(n), range(m - m % 8, m)):
                                                 b[i, j] = a[j, i]

An array that is walked across its rows brings a whole cache line for each element; the line's other elements are those
of the next iterations of an outer loop. In a tile they are used before the line is lost. The inner loop of a tile has a
fixed length, so that it is unrolled; what is left of the columns is a map of its own.

Needs no proof for independent iterations. Of sums into an element the order must stay: a sum that neither of the two
loops tells apart keeps its map whole. interchange_maps must come earlier: it has chosen the loop that is innermost.
Sizes of tiles: measured for transposes of 100 to 4096 rows (bench/results).
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.cost.work import known
from soljit.analysis.loops.reductions import tied
from soljit.analysis.memory.accesses import Access, effects
from soljit.analysis.memory.affine import mentions, names_in, step
from soljit.base.records import dataclass
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import ONE, ZERO, Memlet, Range, Sym, const
from soljit.ir.core.nodes import Let, Map, Node, Program, Region, Tasklet
from soljit.ir.symbolic import Facts, add, floordiv, linear, minimum, mul, sub
from soljit.ir.walk import FreshNames, rewrite
from soljit.passes.manager import Context
from soljit.schedule.address import labels, positions
from soljit.schedule.policy import Choice

_ROWS = 128  # rows of a tile
_COLUMNS = 8  # and its columns, where nothing else is wanted
_LINE = 64  # bytes of a cache line
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

    def tiled(self, m: Map) -> tuple[Node, ...] | None:
        """The tiles of `m` and what is left, or None if it stays whole."""
        choice = self.cx.policy.decide(
            "tile",
            (m,),
            lambda: self._wanted(m),
            lambda c: self.why_not_tile(m, positions(m, c.options)),
            lambda: [Choice(options={row: _ROWS, labels(m)[-1]: _COLUMNS}) for row in labels(m)[:-1]],
        )
        if not isinstance(choice, Choice):
            return None
        sizes = choice.options
        at = positions(m, sizes)
        row = min(at)
        rows, width = (int(sizes[labels(m)[k]]) for k in sorted(at))
        self.cx.note(m.loc, "tiled", row=m.vars[row], column=m.vars[-1], rows=rows, width=width)
        return self._cut(m, row, rows, width)

    def _wanted(self, m: Map) -> Choice | None:
        """The tiles that bring cache lines back into use, or None."""
        if not all(isinstance(n, (Tasklet, Let)) for n in m.body.nodes):
            return None
        accesses = self._accesses(m)
        row = self._across(m, accesses)
        if row is None or not self._sums_stay(m, row):
            return None
        width = _LINE // max(self.program.data[a.data].dtype.size for a in accesses)
        return Choice(options={labels(m)[row]: _ROWS, labels(m)[-1]: max(width, 2)})

    def why_not_tile(self, m: Map, at: tuple[int, ...]) -> str | None:
        """Why these loops of the map cannot be cut into pieces; None if they can."""
        last = len(m.vars) - 1
        if len(m.vars) < 2:
            return "it has one loop only, and two are cut"
        if len(at) != 2 or last not in at or min(at) < 0:
            return f"two loops are cut, the innermost one and another: {labels(m)[-1]}=8 and one of {', '.join(labels(m)[:-1])}"
        if not all(isinstance(n, (Tasklet, Let)) for n in m.body.nodes):
            return "there are other loops or branches in it"
        uncut = next((k for k in at if not self._cuttable(m, k)), None)
        if uncut is not None:
            return f"the range of {labels(m)[uncut]} depends on other loops or on memory, other ranges depend on it, or its step is not 1"
        if not self._sums_stay(m, min(at)):
            return "elements that are added to would get their parts in another order"
        return None

    def _accesses(self, m: Map) -> list[Access]:
        found = dict.fromkeys(effects(m.body).accesses)
        return [a for a in found if not isinstance(self.program.data.get(a.data), Scalar)]

    def _across(self, m: Map, accesses: list[Access]) -> int | None:
        """The outer loop along whose iterations neighbours lie of what the innermost loop walks across."""
        if not self._cuttable(m, len(m.vars) - 1) or self._is_short(m, len(m.vars) - 1):
            return None
        far = [a for a in accesses if self._step(a, m.vars[-1]) > _FAR]
        rows = {k for a in far for k in range(len(m.vars) - 1) if self._step(a, m.vars[k]) == 1}
        return (
            rows.pop()
            if len(rows) == 1 and all(self._cuttable(m, k) and not self._is_short(m, k) for k in rows)
            else None
        )

    def _is_short(self, m: Map, k: int) -> bool:
        length = linear(sub(m.spans[k].stop, m.spans[k].start))
        return length.is_const and length.const < _SHORT

    def _cuttable(self, m: Map, k: int) -> bool:
        """Tell whether loop `k` goes in steps of one over a range that no loop decides, and decides none of other loops."""
        span, var = m.spans[k], m.vars[k]
        if span.step != ONE or not all(map(known, span.children)):
            return False
        if any(not names_in(x).isdisjoint(m.vars) for x in span.children):
            return False
        return not any(mentions(s, var) for s in m.spans)

    def _sums_stay(self, m: Map, row: int) -> bool:
        """Tell whether every element that is added to still gets its parts in the same order."""
        outs = [n.out for n in m.body.nodes if isinstance(n, Tasklet) and n.out.wcr and n.out.data not in m.private]
        pair = (m.vars[row], m.vars[-1])
        own = [sum(any(tied(s, v, m.vars) for s in out.subset) for v in pair) for out in outs]
        return all(n == 2 or (n == 1 and len(m.vars) == 2) for n in own)

    def _cut(self, m: Map, row: int, height: int, width: int) -> tuple[Node, ...]:
        rows, columns = m.spans[row], m.spans[-1]
        first = self._fresh(f"{m.vars[row]}_tile")
        left = self._fresh(f"{m.vars[-1]}_tile")
        length = self.facts.maximum(ZERO, sub(columns.stop, columns.start))
        whole = add(columns.start, mul(floordiv(length, const(width)), const(width)))
        tile_rows = Range(Sym(first), minimum(add(Sym(first), const(height)), rows.stop), ONE)
        tile_columns = Range(Sym(left), add(Sym(left), const(width)), ONE)
        others = [k for k in range(len(m.vars) - 1) if k != row]
        tile = replace(m, vars=(m.vars[row], m.vars[-1]), spans=(tile_rows, tile_columns))
        tiles = Map(
            (first, *(m.vars[k] for k in others), left),
            (
                Range(rows.start, rows.stop, const(height)),
                *(m.spans[k] for k in others),
                Range(columns.start, whole, const(width)),
            ),
            Region((tile,), loc=m.body.loc),
            loc=m.loc,
        )
        rest = replace(m, spans=(*m.spans[:-1], Range(whole, columns.stop, ONE)))
        return (tiles, rest)

    def _step(self, a: Access, var: str) -> int:
        return abs(step(self.program.data, Memlet(a.data, a.subset), var))
