"""Sums of what NumPy reads through its iterator's buffer: some thousand elements at a time, whose sums are added one after the other.

That is so for arrays whose elements do not follow each other in equal steps, and for elements of another type. NumPy 2.3 and later
fill the buffer with whole rows (planes, …); earlier ones add all sums in pieces of the buffer's length, whatever they read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from soljit.analysis.loops.map_reductions import Reduction
from soljit.analysis.memory.affine import distances, follow_each_other
from soljit.base.records import dataclass
from soljit.ir.core.data import Data
from soljit.ir.core.expr import Cast, Expr, Load
from soljit.ir.core.nodes import Map, Tasklet


@dataclass(frozen=True)
class Buffered:
    """What NumPy reads through a buffer: elements that are so far apart along the loops, of another type if they are converted."""

    steps: tuple[Expr, ...]
    converted: bool


def buffered(data: Mapping[str, Data], m: Map, r: Reduction) -> Buffered | None:
    """What the sum `r` over all loops of a map reads, if those are elements of an array that may have to go through a buffer."""
    writes = [x for x in m.body.nodes if isinstance(x, Tasklet) and x.out == r.target]
    if r.wcr != "add" or not r.single or len(writes) != 1:
        return None
    code, converted = writes[0].code, False
    if isinstance(code, Cast):
        code, converted = code.arg, True
    if not isinstance(code, Load):
        return None
    steps = distances(data, code.memlet, m.vars, m.spans)
    plain = not converted and (len(m.vars) == 1 or follow_each_other(steps, m.spans))
    return None if steps is None or plain else Buffered(steps, converted)


def buffers(data: Mapping[str, Data], m: Map, sums: Sequence[Reduction]) -> dict[Buffered | None, list[Reduction]]:
    """Sums over all loops of a map by what NumPy reads through a buffer for them; None: nothing, or they cannot be told apart."""
    found: dict[Buffered | None, list[Reduction]] = {}
    for r in sums:
        found.setdefault(buffered(data, m, r), []).append(r)
    alone = all(isinstance(x, Tasklet) and any(x.out == r.target for r in sums) for x in m.body.nodes)
    return found if alone or len(found) == 1 else {None: list(sums)}
