"""Statements on the same rows as one map over the rows, for `give_rows_to_blocks`.

    for i in map(range(n)): m[i] = max of x[i, :]                for i in map(range(n)):
    for i, j in map(range(n), range(k)):                             m[i] = max of x[i, :]
        e[i, j] = exp(x[i, j] - m[i])                     →          for j in map(range(k)): e[i, j] = exp(x[i, j] - m[i])
    for i in map(range(n)): s[i] = sum of e[i, :]                    s[i] = sum of e[i, :]

A block of threads finds in its cache what it has just read or written, and one kernel is begun instead of several. Maps that have no array in common
stay apart.

Proof: that of `fuse_maps`. Whatever two of the maps touch, one of them to write it, they touch in the same iteration over the rows. Memory that is
allocated between them is allocated in front.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from soljit.analysis.loops.iteration_spaces import common_depth
from soljit.base.records import dataclass
from soljit.ir.core.nodes import Alloc, Map, Node
from soljit.ir.walk.spaces import has_blocks
from soljit.ir.walk.tree import walk
from soljit.passes.fusion.fuse_maps import Fuser, fused

MOST = 64  # nodes in one map
MOST_JOINED = 64  # neighbours that are looked at


@dataclass(frozen=True)
class Joined:
    """Neighbours in a region: so many `nodes`, of which these are `allocs` and `maps`, and the `whole` over so many loops that stands for the maps."""

    nodes: int
    depth: int
    allocs: tuple[Alloc, ...]
    maps: tuple[Map, ...]
    whole: Map


def joined(nodes: Sequence[Node], fuser: Fuser, rows: Callable[[Map], Map | None]) -> Joined | None:
    """The first of these nodes with as many of those behind it as can share its rows; None if there are none, or no map among them walks rows.

    rows: the map over rows that another map is, if it is one
    """
    found: list[Map] = []
    waiting: list[Alloc] = []
    best: Joined | None = None
    allocs: tuple[Alloc, ...] = ()
    whole, some, depth = None, False, _depth(nodes, rows)
    if not depth:
        return None
    for k, n in enumerate(nodes):
        if isinstance(n, Alloc):
            waiting.append(n)
            continue
        if not isinstance(n, Map) or not _is_free(n) or len(n.vars) < depth:
            break
        walked = rows(n)
        if walked is not None and len(walked.vars) != depth:
            break
        if whole is None:
            whole = n
        elif (
            common_depth(whole, n) < depth
            or not fuser.shares(whole, n)
            or fuser.why_not_fuse(whole, n, depth, ()) is not None
        ):
            break
        else:
            whole = fused(whole, n, depth)
            if sum(1 for _ in walk(whole)) > MOST:
                break
        found.append(n)
        some = some or walked is not None
        allocs, waiting = (*allocs, *waiting), []
        if len(found) > 1 and some:
            best = Joined(k + 1, depth, allocs, tuple(found), whole)
    return best


def _depth(nodes: Sequence[Node], rows: Callable[[Map], Map | None]) -> int:
    """How many loops over rows the first map has that walks rows."""
    for n in nodes:
        if isinstance(n, Map) and _is_free(n):
            if (found := rows(n)) is not None:
                return len(found.vars)
        elif not isinstance(n, Alloc):
            break
    return 0


def _is_free(n: Node) -> bool:
    return isinstance(n, Map) and not n.schedule and not has_blocks(n)
