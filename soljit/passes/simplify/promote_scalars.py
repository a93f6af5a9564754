"""Make symbols of mutable scalars whose values are known from the text.

    t: f64                                       Let t   = a[i] + 1.0
    t = a[i] + 1.0                       →       Let t_1 = t * 2.0
    t = t * 2.0                                  b[i] = t_1
    b[i] = t

Proof: all writes are plain stores that stand directly in one region, the first before anything reads, and all reads are
in that region or below it. Then each read sees the latest store above it, and nothing passes from one run of the
region to the next. Reads in a loop below the region's level see the store in front of the loop, because the loop
contains none.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.memory.occurrences import Place, common_chain, places
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import Expr, Load, Sym
from soljit.ir.core.nodes import Branch, Let, Loop, Map, Node, Program, Region, Tasklet, While
from soljit.ir.walk import fresh_name, map_values, names_taken, rewrite_value, same
from soljit.passes.manager import Context


def promote_scalars(program: Program, cx: Context) -> Program:
    """Replace scalars by Let symbols wherever that is possible."""
    found = places(program)
    by_region: dict[int, list[str]] = {}
    names = []
    for name, d in program.data.items():
        if isinstance(d, Scalar) and name in found:
            region = _home_region(found[name])
            if region is not None:
                by_region.setdefault(id(region), []).append(name)
                names.append(name)
    if not names:
        return program
    taken = names_taken(program) - set(names)

    chosen = set(names)

    body = _renew(program.body, by_region, {}, chosen, taken)
    data = {k: d for k, d in program.data.items() if k not in chosen}
    return replace(program, body=body, data=data)


def _home_region(found: list[Place]) -> Region | None:
    """The region in which all stores stand directly, in front of all loads; None if there is none."""
    if any(p.kind == "other" for p in found):
        return None
    stores = [p for p in found if p.kind == "store"]
    if not stores or any(not isinstance(p.node, Tasklet) or p.node.out.wcr for p in stores):
        return None
    region = stores[0].above[-1]
    if not isinstance(region, Region) or any(p.above[-1] is not region for p in stores):
        return None
    depth = len(stores[0].above)
    if common_chain(found)[:depth] != stores[0].above:
        return None
    first = found[0]  # loads of a node come before its store: a store that reads itself is not first
    return region if first.kind == "store" else None


def _renew(
    region: Region, by_region: dict[int, list[str]], values: dict[str, Expr], chosen: set[str], taken: set[str]
) -> Region:
    """The region with every load of a promoted scalar replaced by `values`, which the stores on the way renew."""
    values = dict(values)
    own = set(by_region.get(id(region), ()))

    def load(e: Expr) -> Expr | None:
        return values.get(e.memlet.data) if isinstance(e, Load) else None

    out: list[Node] = []
    for node in region.nodes:
        new = map_values(node, lambda v: rewrite_value(v, load)) if values else node
        match new:
            case Tasklet() if new.out.data in own:
                name = fresh_name(new.out.data, taken)
                taken.add(name)
                values[new.out.data] = Sym(name, new.code.dtype)
                new = Let(name, new.code, loc=new.loc)
            case Loop() | While() | Map():
                body = _renew(new.body, by_region, values, chosen, taken)
                new = new if body is new.body else replace(new, body=body)
            case Branch():
                then = _renew(new.then, by_region, values, chosen, taken)
                orelse = _renew(new.orelse, by_region, values, chosen, taken)
                new = new if then is new.then and orelse is new.orelse else replace(new, then=then, orelse=orelse)
            case _:
                pass
        if isinstance(new, Map) and not chosen.isdisjoint(new.private):
            new = replace(new, private=tuple(p for p in new.private if p not in chosen))
        out.append(new)
    return region if same(out, region.nodes) else replace(region, nodes=tuple(out))
