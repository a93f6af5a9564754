"""Tiles of iterations that follow each other in waves, for threads (theorem 2 of `analysis/reordering/wavefronts.py`).

for d in range(tiles along a row + lag * (rows of tiles - 1)):
    for b in map(range(first, last)), schedule("threads"): tile (b, d - lag * b)
"""

from __future__ import annotations

from collections.abc import Callable

from soljit.analysis.cost.work import known, work
from soljit.analysis.memory.accesses import effects
from soljit.analysis.memory.affine import names_in
from soljit.analysis.reordering.wavefronts import Wavefront
from soljit.base.machine import MachineModel
from soljit.base.records import dataclass
from soljit.ir.core.expr import ONE, ZERO, Expr, Op, Range, Sym, const
from soljit.ir.core.nodes import Loop, Map, Node, Region
from soljit.ir.core.types import b1
from soljit.ir.symbolic import add, conj, floordiv, le, maximum, minimum, mul, select, sub
from soljit.ir.walk import FreshNames
from soljit.passes.reordering.time_blocks import REGION, Writer
from soljit.passes.scheduling.strips import count_of_threads

LAG = const(
    2
)  # tiles that a row of them is behind the one before: a tile has `skew` waves for each iteration, at least
TILES = 2  # at the same time, for each thread
MOST = 64  # rows of tiles
FEW = 8  # waves that are not worth while


@dataclass(frozen=True)
class Tile:
    """Iterations of the outer loop, and waves, counted as the inner loop's variable of the first of these iterations; None: all of them.

    step: from one group of iterations to the next; if that is not `rows` of the step, they run one after the other
    """

    rows: Range
    step: Expr
    waves: Range | None


def tiled(
    loop: Loop,
    found: Wavefront,
    rows: int,
    block: Callable[[Tile], list[Node]],
    threads: int,
    machine: MachineModel,
    fresh: FreshNames,
    forced: bool,
) -> list[Node]:
    """The nest in tiles, each of which is `block`. forced: threads share it wherever there are tiles enough."""
    cost = work(loop)
    if threads < 2 or not found.level or not known(cost) or not names_in(cost).isdisjoint(effects(loop).defines):
        return block(Tile(loop.span, const(rows), None))
    write, s = Writer(fresh, loop.loc), const(found.skew)
    least = max(1, REGION * machine.parallel // 4)  # operations of a tile
    span = found.inner.span
    count = write.let("count", maximum(ONE, sub(loop.span.stop, loop.span.start)))
    length = write.let("length", maximum(ONE, sub(span.stop, span.start)))
    step: Expr = const(rows)
    total: Expr = ONE
    most: Expr = const(MOST)
    team = count_of_threads(threads)
    if not forced:
        step = write.let("step", select(le(const(found.skew * (rows - 1) + FEW), length), step, count))
        total = write.let("work", maximum(ONE, cost))
        team = select(le(const(4 * TILES * least), total), team, ONE)
    team = write.let("team", team)
    if not forced:
        most = minimum(most, floordiv(total, mul(const(2 * TILES * least), team)))
    columns = mul(const(2 * TILES), team)  # tiles along a row; as lag is 2, so many for each thread at a time
    enough = write.let("enough", Op("lt", (ONE, team), b1))
    each = _up(_up(count, maximum(ONE, most)), const(rows))
    tile_rows = write.let("tile_rows", select(enough, mul(const(rows), each), ONE))
    fewest = const(2) if forced else mul(const(TILES), team)  # rows of tiles
    several = write.let("several", conj(enough, le(mul(fewest, tile_rows), count)))
    by = write.let("rows_each", select(several, tile_rows, add(count, const(rows))))
    waves = write.let("waves", add(length, mul(s, by)))
    width = write.let("width", select(several, maximum(_up(waves, columns), mul(s, by)), waves))
    bands = write.let("bands", select(several, _up(count, by), ONE))
    across = write.let("across", select(several, _up(waves, width), ONE))
    tile_work = write.let("tile_work", select(several, floordiv(total, mul(bands, across)), ZERO))
    fronts = Range(ZERO, write.let("fronts", select(several, add(across, mul(LAG, sub(bands, ONE))), ONE)), ONE)
    d, b = Sym(fresh("front")), Sym(fresh("band"))
    inside = Writer(fresh, loop.loc)
    start = inside.let("band_start", add(loop.span.start, mul(by, b)))
    stop = inside.let("band_stop", minimum(add(start, by), loop.span.stop))
    first = inside.let("first_wave", add(span.start, mul(width, sub(d, mul(LAG, b)))))
    tile = Tile(Range(start, stop, ONE), step, Range(first, add(first, width), ONE))
    body = Region((*inside.nodes, *block(tile)), loc=loop.loc)
    edge = Writer(fresh, loop.loc)
    low = edge.let("first_band", select(several, maximum(ZERO, floordiv(add(sub(d, across), LAG), LAG)), ZERO))
    high = edge.let("last_band", select(several, add(ONE, minimum(sub(bands, ONE), floordiv(d, LAG))), ONE))
    done = edge.let("front_work", select(several, mul(tile_work, sub(high, low)), ZERO))
    paid = Op("lt", (ONE, sub(high, low)), b1) if forced else Op("le", (const(REGION * machine.parallel), done), b1)
    shared_map = Map((b.name,), (Range(low, high, ONE),), body, ("threads",), paid, loc=loop.loc)
    front = Loop(d.name, fronts, Region((*edge.nodes, shared_map), loc=loop.loc), loc=loop.loc)
    return [*write.nodes, front]


def _up(a: Expr, b: Expr) -> Expr:
    """The quotient, rounded up."""
    return floordiv(add(a, sub(b, ONE)), b)
