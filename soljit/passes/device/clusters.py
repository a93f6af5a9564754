"""Spread the larger maps of a loop that one block runs over several blocks, which wait for each other.

Values that a map combines are combined by each of the blocks, in the order that a single block has: so a map that combines values must write nothing
else. On an H100 a barrier of 16 blocks takes about half a microsecond, eight iterations of a simple map in one thread likewise: so maps of a few thousand
iterations are better off with one block. Maps with fewer loops than the largest ones, over the edges of a grid say, are left to the first block, whose threads need no other blocks to be done
before the next map of this kind.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.cost.worth import most_iterations
from soljit.analysis.loops.sums import block_folds
from soljit.analysis.memory.accesses import effects
from soljit.ir.core.expr import Const, Expr, const
from soljit.ir.core.nodes import Loop, Map, Node, Program, While
from soljit.ir.symbolic import add, floordiv, ge, prod, range_length, select
from soljit.ir.walk import outermost_maps, rewrite, walk

LEAST = 4096  # iterations of the largest map from which on several blocks pay
BLOCKS = 8  # so many there are then, and more for more iterations


def in_cluster(program: Program, loop: Loop | While, least: int = LEAST) -> tuple[Loop | While, Expr] | None:
    """A loop of block maps for a cluster, and how many blocks it should have, over what is known in front of it; None if one block should run it.

    least: iterations of the largest map from which on several blocks pay
    """
    combined = {m: {f.target.data for f in block_folds(program, m) or ()} for m in outermost_maps(loop)}
    if any(targets and _written(m) - targets for m, targets in combined.items()):
        return None
    shared = [m for m, targets in combined.items() if not targets]
    dims = max((m.schedule.count("block") for m in shared), default=0)
    large = {m for m in shared if m.schedule.count("block") == dims and not _is_below(_iterations(m), least)}
    most = most_iterations(loop, large.__contains__)
    if not large or _is_below(most, least):
        return None

    def fn(n: Node) -> Node | None:
        if isinstance(n, Map) and n in large:
            return replace(n, schedule=tuple("cluster" if word == "block" else word for word in n.schedule))
        return None

    each = max(1, least // BLOCKS)
    blocks = floordiv(add(most, const(each - 1)), const(each))
    return rewrite(loop, fn, top_down=True), select(ge(most, const(least)), blocks, const(1))


def _iterations(m: Map) -> Expr:
    """How many iterations the threads of a block share."""
    return prod(range_length(s) for s, word in zip(m.spans, m.schedule) if word == "block")


def _is_below(count: Expr, least: int) -> bool:
    return isinstance(count, Const) and float(count.value.real) < least


def _written(m: Map) -> set[str]:
    """What a map writes that is not its own."""
    own = {name for n in walk(m) if isinstance(n, Map) for name in n.private}
    return {a.data for a in effects(m).writes} - own
