"""Why loops of a final program are not on threads or have no vector code, where that could have paid: read off the loops themselves."""

from __future__ import annotations

from collections.abc import Iterator

from soljit.analysis.explain.lines import Lines, Spot
from soljit.analysis.explain.program_remarks import Told, home_first
from soljit.analysis.explain.wording import Words
from soljit.analysis.loops.reductions import colliding_sums
from soljit.analysis.memory.accesses import effects
from soljit.analysis.memory.affine import FAR, mentions, step
from soljit.base.sentences import said
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import Memlet
from soljit.ir.core.nodes import Loop, Map, Program, While
from soljit.ir.walk.tree import is_straight, walk

_NEAR = 2  # elements from one iteration to the next that still are neighbours


def untaken(lines: Lines, words: Words, threads: int) -> Iterator[Told]:
    """The reasons, for statements no version of which is on threads or has vector code."""
    maps = [(m, around) for m, around in lines.loops() if isinstance(m, Map)]
    if any("grid" in m.schedule for m, _ in maps):
        return
    on_threads = _with_role(lines, "threads")
    in_lanes = _with_role(lines, "lanes")
    for m, around in maps:
        here = lines.under.get(id(m), {})
        outermost = not any(isinstance(n, Map) for n in around)
        if threads > 1 and outermost and here and on_threads.isdisjoint(here):
            summed = sorted(colliding_sums(m, m.vars[:1], lines.program.data))
            if summed:
                x = said("one thread", loop=m.vars[0], names=tuple(summed))
                yield Told("threads", x.worded(words), tuple(home_first(here.values())), False, x.cure(words))
        direct = lines.direct.get(id(m), {})
        if direct and in_lanes.isdisjoint(direct) and not any(isinstance(n, Map | Loop | While) for n in walk(m.body)):
            far = _far_apart(m, lines.program)
            if far and is_straight(m.body):
                x = said("no lanes", loop=m.vars[-1], names=tuple(far))
                yield Told("vector", x.worded(words), tuple(home_first(direct.values())), False, x.cure(words))


def _with_role(lines: Lines, role: str) -> set[Spot]:
    """The statements in loops with this role."""
    return {
        s for m, _ in lines.loops() if isinstance(m, Map) and role in m.schedule for s in lines.under.get(id(m), {})
    }


def _far_apart(m: Map, program: Program) -> list[str]:
    """The arrays of which neighbouring iterations of the innermost loop touch elements far apart."""
    var, found = m.vars[-1], set()
    for a in effects(m.body).accesses:
        if not isinstance(program.data.get(a.data), Scalar) and any(mentions(s, var) for s in a.subset):
            by = abs(step(program.data, Memlet(a.data, a.subset), var))
            if by > _NEAR or by in (0, FAR):
                found.add(a.data)
    return sorted(found)
