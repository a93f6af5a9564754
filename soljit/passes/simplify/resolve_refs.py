"""Name the array itself where an array variable stands for one array only.

    r: f64[:, :].ref("A", x)
    bind(r, x[1:n, 0:m])                           →       …
    for i, j in map(…): r[i, j] = 0.0                      for i, j in map(…): x[i + 1, j] = 0.0

Proof: r has one Bind, and everything that uses r stands behind it, in its region or below. The symbols in what is bound
cannot change, and x is allocated before the Bind, in a region around it. So r means the same elements of x wherever
it is used; where x is a variable itself, if it is not bound again before the last use of r. Refs that calls get or fill stay, because a callee may hold on to what it gets.

With arrays in place of variables, layouts are known, and it shows who overlaps whom. Canonicalize should come earlier.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from soljit.analysis.memory.accesses import effects
from soljit.analysis.memory.occurrences import Place, common_chain, places
from soljit.ir.core.data import Array, Data, Ref, View
from soljit.ir.core.expr import ONE, ZERO, Expr, Extent, Load, Memlet, Op, Range, Stride, is_const, subexpressions
from soljit.ir.core.nodes import Bind, Call, Callback, Node, Program, Region
from soljit.ir.core.types import i64, obj
from soljit.ir.symbolic import add, linear, mul, range_length, simplify
from soljit.ir.walk import map_exprs, map_memlets, rewrite
from soljit.passes.manager import Context


def resolve_refs(program: Program, cx: Context) -> Program:
    """Replace Refs; those that are bound to other Refs in a further round."""
    while True:
        found = places(program)
        refs = [name for name, d in program.data.items() if isinstance(d, Ref) and name in found]
        sources = {name: m for name in refs if (m := _source(name, program.data, found[name])) is not None}
        if not sources:
            return program
        program = _replaced(program, {name: m for name, m in sources.items() if m.data not in sources})


def _source(name: str, data: Mapping[str, Data], found: list[Place]) -> Memlet | None:
    """What the Ref stands for wherever it is used, or None."""
    first = found[0].node
    binds = [p.node for p in found if isinstance(p.node, Bind) and p.node.ref == name]
    if len(binds) != 1 or not isinstance(first, Bind) or binds[0] is not first:
        return None
    if any(isinstance(p.node, (Call, Callback)) for p in found) or any(
        isinstance(d, View) and d.of == name for d in data.values()
    ):
        return None
    source, ref = first.source, data[name]
    around = found[0].above
    if not isinstance(ref, Ref) or common_chain(found)[: len(around)] != around:
        return None
    behind = data.get(source.data)
    if not isinstance(behind, (Array, View)) and not (
        isinstance(behind, Ref) and behind.dtype is not obj and _stays(source.data, first, found)
    ):
        return None
    if any(len(p.memlet.subset) != ref.ndim for p in found if _is_use(p, name)):
        return None
    if any(isinstance(x, (Load, Extent, Stride)) for e in source.children for x in subexpressions(e)):
        return None
    for k, dim in enumerate(source.dims):
        if dim >= 0 and not _is_regular(source.subset[dim]):
            return None
        if dim < 0 and not all(_is_first(p.memlet.subset[k]) for p in found if _is_use(p, name)):
            return None
    return source


def _stays(variable: str, bind: Bind, found: list[Place]) -> bool:
    """Tell whether an array variable stands for the same from the Bind to the last of these places."""
    region, depth = found[0].above[-1], len(found[0].above)
    assert isinstance(region, Region)
    users = {id(p.node if len(p.above) == depth else p.above[depth]) for p in found}
    after = region.nodes[region.nodes.index(bind) + 1 :]
    last = max((k for k, n in enumerate(after) if id(n) in users), default=-1)
    return all(variable not in effects(n).binds for n in after[: last + 1])


def _is_use(p: Place, name: str) -> bool:
    """Tell whether this place accesses elements (and does not only bind the Ref or ask for a length)."""
    return not (isinstance(p.node, Bind) and p.node.ref == name) and not (p.kind == "other" and not p.memlet.subset)


def _is_regular(s: Expr | Range) -> bool:
    return isinstance(s, Range) and linear(s.step).is_const and linear(s.step).const != 0


def _is_first(s: Expr | Range) -> bool:
    return is_const(s.start, 0) if isinstance(s, Range) else is_const(s, 0)


def _replaced(program: Program, sources: Mapping[str, Memlet]) -> Program:
    """The program in which these Refs are spelled out."""

    def memlet(m: Memlet) -> Memlet:
        element = bool(m.subset) or (m.data in sources and program.data[m.data].ndim == 0)  # type: ignore[union-attr]
        return composed(sources[m.data], m) if m.data in sources and element else m

    def length(e: Expr) -> Expr | None:
        if not isinstance(e, (Extent, Stride)) or e.data not in sources:
            return None
        source = sources[e.data]
        dim = source.dims[e.dim]
        if dim < 0:
            return ONE if isinstance(e, Extent) else ZERO
        walked = source.subset[dim]
        assert isinstance(walked, Range)
        if isinstance(e, Extent):
            return simplify(range_length(walked))
        return Op("mul", (Stride(source.data, dim), walked.step), i64)

    def drop(node: Node) -> tuple[Node, ...] | None:
        return () if isinstance(node, Bind) and node.ref in sources else None

    program = map_exprs(map_memlets(rewrite(program, drop), memlet), length)
    data = {k: _without(d, sources) for k, d in program.data.items() if k not in sources}
    return replace(program, data=data)


def _without(d: Data, sources: Mapping[str, Memlet]) -> Data:
    """A Ref that may be bound to a resolved one may be bound to what that stood for."""
    if isinstance(d, Ref) and any(a in sources for a in d.alias):
        names = [sources[a].data if a in sources else a for a in d.alias]
        return replace(d, alias=tuple(dict.fromkeys(names)))
    return d


def composed(source: Memlet, m: Memlet) -> Memlet:
    """The elements of `source.data` that `m`, a memlet of what `source` walks, stands for."""
    subset = list(source.subset)
    for k, s in enumerate(m.subset):
        dim = source.dims[k]
        if dim < 0:
            continue
        walked = source.subset[dim]
        assert isinstance(walked, Range)
        if isinstance(s, Range):
            start, stop = _at(walked, s.start), _at(walked, s.stop)
            subset[dim] = Range(start, stop, mul(walked.step, s.step))
        else:
            subset[dim] = _at(walked, s)
    out = replace(m, data=source.data, subset=tuple(subset), axes=None)
    axes = tuple(source.dims[d] if d >= 0 else -1 for d in m.dims)
    return out if axes == out.dims else replace(out, axes=axes)


def _at(walked: Range, index: Expr) -> Expr:
    return add(walked.start, mul(walked.step, index))
