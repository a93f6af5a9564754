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
from soljit.ir.symbolic import add, floordiv, ge, range_length, select
from soljit.ir.walk import outermost_maps, rewrite, walk

LEAST = 4096  # iterations of the largest map from which on several blocks pay
PER_BLOCK = 512  # then iterations for which there is a block more


def in_cluster(program: Program, loop: Loop | While, least: int = LEAST) -> tuple[Loop | While, Expr] | None:
    """A loop of block maps for a cluster, and how many blocks it should have, over what is known in front of it; None if one block should run it.

    least: iterations of the largest map from which on several blocks pay; 0: always, a block for each iteration, if the device has so many
    """
    maps = list(outermost_maps(loop))
    combining = {id(m) for m in maps if block_folds(program, m)}
    if any(id(m) in combining and _writes_more(program, m) for m in maps):
        return None
    shared = [m for m in maps if id(m) not in combining]
    dims = max((_dims(m) for m in shared), default=0)
    large = {id(m) for m in shared if _dims(m) == dims and not _is_short(m, least)}
    most = most_iterations(loop, lambda m: id(m) in large)
    if not large or (isinstance(most, Const) and float(most.value.real) < least):
        return None

    def fn(n: Node) -> Node | None:
        if isinstance(n, Map) and id(n) in large:
            return replace(n, schedule=tuple("cluster" if word == "block" else word for word in n.schedule))
        return None

    blocks = floordiv(add(most, const(PER_BLOCK - 1)), const(PER_BLOCK)) if least else most
    return rewrite(loop, fn, top_down=True), select(ge(most, const(least)), blocks, const(1))


def _dims(m: Map) -> int:
    return m.schedule.count("block")


def _is_short(m: Map, least: int) -> bool:
    """Tell whether it is known to have too few iterations for several blocks."""
    lengths = [range_length(s) for s, word in zip(m.spans, m.schedule) if word == "block"]
    count = 1.0
    for n in lengths:
        count *= float(n.value.real) if isinstance(n, Const) else float("inf")
    return count < least


def _writes_more(program: Program, m: Map) -> bool:
    """Tell whether a map writes more than what it combines."""
    own = {name for n in walk(m) if isinstance(n, Map) for name in n.private}
    targets = {f.target.data for f in block_folds(program, m) or ()}
    return bool({a.data for a in effects(m).writes} - own - targets)
