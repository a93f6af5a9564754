"""Let each map combine values over the same of its loops: what is combined over others gets a map of its own.

    for i, j in map(range(n), range(m)):          for i, j in map(range(n), range(m)):
        x = f(a[i, j])                                x = f(a[i, j])
        s[i] += x                          →          s[i] += x
        t += x * x                                for i, j in map(range(n), range(m)):
                                                      x = f(a[i, j])
                                                      t += x * x

Loops of a processor read memory once for both. Threads of a device add up either rows or everything, so such a map would stay on the host. What both need is
computed twice.

Proof: iterations of a map touch no elements that others write, but for what is combined, which nothing else in the map touches. So all may do a part before any
does the next one. A part is the statements that combine over the same loops, with all that they need; what is written otherwise is in the first part, and
statements in front of it that read it there refuse. It must come behind the fusion of maps, and before the passes that give rows to blocks and sums to threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from soljit.analysis.loops.sums import folds
from soljit.analysis.memory.accesses import Effects, effects, may_alias
from soljit.ir.core.data import Data
from soljit.ir.core.nodes import Map, Program, Tasklet
from soljit.ir.walk import FreshNames, outermost_maps, rewrite, walk
from soljit.ir.walk.spaces import base_of, has_blocks
from soljit.passes.device.split_sums import threads_can
from soljit.passes.manager import Context


def split_folds(program: Program, cx: Context) -> Program:
    """Split maps that combine values over different loops."""
    data, fresh = dict(program.data), FreshNames(program)
    parts = {id(m): tuple(found) for m in outermost_maps(program.body) if (found := _parts(program, m, data, fresh))}
    if not parts:
        return program
    body = rewrite(program.body, lambda n: parts.get(id(n)), top_down=True)
    return replace(program, body=body, data=data)


def _parts(program: Program, m: Map, data: dict[str, Data], fresh: FreshNames) -> list[Map]:
    """The maps that a map becomes, each with names of its own; none if it stays whole."""
    found = folds(program, m) if not m.schedule and not has_blocks(m) else None
    if not found or len({f.kept for f in found}) == 1:
        return []
    nodes = m.body.nodes
    seen = [effects(n) for n in nodes]
    own = {*m.private}
    kept_of = {f.target: f.kept for f in found}
    kept: list[tuple[int, ...] | None] = []  # for each node over which loops it combines; None: it does not
    for n in nodes:
        ways = {kept_of[x.out] for x in walk(n) if isinstance(x, Tasklet) and x.out in kept_of}
        if len(ways) > 1:
            return []
        kept.append(next(iter(ways), None))
    targets = {f.target.data for f in found}
    stores = [any(a.data not in own | targets for a in e.writes) for e in seen]
    if any(e.leaves or e.python or e.binds or e.allocs for e in seen) or not _stand_first(
        program, seen, stores, own | targets
    ):
        return []
    groups = list(dict.fromkeys(k for k in kept if k is not None))
    out: list[Map] = []
    for g, over in enumerate(groups):
        wanted = {k for k, x in enumerate(kept) if x == over or (g == 0 and stores[k])}
        whole = _with_needs(wanted, seen, own)
        if any((kept[k] not in (None, over)) or (stores[k] and g > 0) for k in whole):
            return []
        used = {a.data for k in whole for a in seen[k].accesses}
        body = replace(m.body, nodes=tuple(nodes[k] for k in sorted(whole)))
        part = replace(m, body=body, private=tuple(name for name in m.private if name in used))
        out.append(part if g == 0 else fresh.copy(part, data))
    return out if all(threads_can(replace(program, data=data), x) for x in out) else []


def _stand_first(program: Program, seen: Sequence[Effects], stores: Sequence[bool], others: set[str]) -> bool:
    """Tell whether statements read what the map writes only behind the last write, unless they write, too."""
    for k, e in enumerate(seen):
        written = {a.data for a in e.writes if a.data not in others}
        for reads in (x for x, is_store in zip(seen[:k], stores) if not is_store):
            if any(_may_be_one(program, a.data, b) for a in reads.reads for b in written):
                return False
    return True


def _may_be_one(program: Program, a: str, b: str) -> bool:
    return base_of(program.data, a) == base_of(program.data, b) or may_alias(program, a, b)


def _with_needs(wanted: set[int], seen: Sequence[Effects], own: set[str]) -> set[int]:
    """These statements, and all in front of them whose symbols or private values they use."""
    whole = set(wanted)
    symbols: set[str] = set()
    values: set[str] = set()
    for k in range(len(seen) - 1, -1, -1):
        e = seen[k]
        if k in whole or not e.defines.isdisjoint(symbols) or any(a.data in values for a in e.writes):
            whole.add(k)
            symbols |= e.uses
            values |= {a.data for a in e.accesses} & own
    return whole
