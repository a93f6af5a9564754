"""Memory that is made anew in each iteration of a loop, with a length that hangs on the iteration: as memory made once, as long as the longest.

    for k in range(1, n):                   alloc(t)          (t: n - 1)
        alloc(t)        (t: k)       →      for k in range(1, n):
        …                                       …

For `persist_loops`; what has one length throughout the loop leaves it by `hoist_invariants`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from soljit.analysis.cost import known
from soljit.analysis.places import exposed, places
from soljit.ir.data import Array, Data
from soljit.ir.effects import memlets_read, memlets_written
from soljit.ir.expr import (
    ONE,
    ZERO,
    Expr,
    Extent,
    Memlet,
    Op,
    Range,
    Stride,
    Sym,
    const,
    is_const,
    subexpressions,
    symbols,
)
from soljit.ir.names import FreshNames, substitute
from soljit.ir.nodes import Alloc, Branch, Let, Loop, Map, Node, Program, Region, Tasklet, While
from soljit.ir.symbolic import add, floordiv, linear, maximum, minimum, sub
from soljit.ir.tree import exprs, map_exprs, rewrite, walk
from soljit.passes.fold_expressions import zero_of


def largest_memory(program: Program, loop: Loop | While) -> dict[str, Array] | str:
    """The arrays that are made in a loop as they have to be in front of it; or why that cannot be."""
    out: dict[str, Array] = {}
    for alloc, around in _allocs(loop, ()):
        d = program.data[alloc.data]
        if not isinstance(d, Array) or not _is_own(program, loop, alloc.data):
            return f"the memory of {alloc.data} lives on"
        shape = [_most(n, around) for n in d.shape]
        lengths = [maximum(ZERO, n) for n in shape if n is not None]
        if len(lengths) < len(shape) or alloc.data in out or d.strides is not None:
            return f"the length of {alloc.data} is not known in front of it"
        out[alloc.data] = replace(d, shape=tuple(lengths))
    return out


def in_memory(loop: Loop | While, data: Mapping[str, Data], names: Collection[str], fresh: FreshNames) -> Loop | While:
    """The loop without the allocations of `names`: with their lengths spelled out, and zeros written."""

    def length(e: Expr) -> Expr | None:
        d = data.get(e.data) if isinstance(e, Extent) and e.data in names else None
        return d.shape[e.dim] if isinstance(e, Extent) and isinstance(d, Array) else None

    def node(n: Node) -> Node | tuple[Node, ...] | None:
        if isinstance(n, Alloc) and n.data in names:
            return zeros(n, data[n.data], fresh) if n.zero else ()
        return None

    return rewrite(map_exprs(loop, length), node)


def zeros(n: Alloc, d: Data, fresh: FreshNames) -> Node:
    """Zeros for what `n` makes, explicitly."""
    assert isinstance(d, Array)
    names = tuple(fresh("z") for _ in d.shape)
    store = Tasklet(Memlet(n.data, tuple(Sym(v) for v in names)), zero_of(d.dtype), loc=n.loc)
    spans = tuple(Range(ZERO, k, ONE) for k in d.shape)
    return Map(names, spans, Region((store,), loc=n.loc), loc=n.loc) if names else store


def _allocs(node: Node, around: tuple[Loop | Let, ...]) -> Iterator[tuple[Alloc, tuple[Loop | Let, ...]]]:
    """Allocations, each with what gives values to the symbols that it may name, outermost first."""
    match node:
        case Alloc():
            yield node, around
        case Region():
            for n in node.nodes:
                yield from _allocs(n, around)
                if isinstance(n, Let):
                    around = (*around, n)
        case Loop():
            yield from _allocs(node.body, (*around, node))
        case While():
            yield from _allocs(node.body, around)
        case Branch():
            yield from _allocs(node.then, around)
            yield from _allocs(node.orelse, around)
        case _:
            pass


def _is_own(program: Program, loop: Node, name: str) -> bool:
    """Do only plain accesses in the loop touch the array, which nobody may hold on to?"""
    if name in exposed(program):
        return False
    inside = {id(n) for n in walk(loop)}
    if any(id(p.node) not in inside for p in places(program).get(name, [])):
        return False
    if any(isinstance(x, Stride) and x.data == name for e in exprs(loop) for x in subexpressions(e)):
        return False
    used = [x for n in walk(loop) if not isinstance(n, Alloc) for x in (*memlets_read(n), *memlets_written(n))]
    d = program.data[name]
    return all(x.subset or not (isinstance(d, Array) and d.shape) for x in used if x.data == name)


def _most(e: Expr, around: tuple[Loop | Let, ...]) -> Expr | None:
    """The largest value of a length, over what is known in front of the outermost loop."""
    for n in reversed(around):
        if isinstance(n, Let):
            if n.name in symbols(e):
                e = substitute(e, {n.name: n.value})
            continue
        if n.var not in symbols(e):
            continue
        step = n.span.step
        if not linear(step).is_const or is_const(step, 0):
            return None
        up = linear(step).const > 0
        ends = (n.span.start, sub(n.span.stop, ONE)) if up else (add(n.span.stop, ONE), n.span.start)
        found = _largest(e, n.var, *ends)
        if found is None:
            return None
        e = found
    return e if known(e) else None


def _largest(e: Expr, var: str, low: Expr, high: Expr) -> Expr | None:
    """The largest value of `e` while `var` goes from `low` to `high`; None if that is not plain to see."""
    if var not in symbols(e):
        return e
    match e:
        case Op("min" | "max" as name, (a, b)):
            x, y = _largest(a, var, low, high), _largest(b, var, low, high)
            return None if x is None or y is None else (minimum if name == "min" else maximum)(x, y)
        case Op("floordiv", (a, b)) if linear(b).is_const and linear(b).const > 0:
            x = _largest(a, var, low, high)
            return None if x is None else floordiv(x, const(linear(b).const))
    sum_ = linear(e)
    factor = dict(sum_.terms).get(Sym(var), 0)
    rest = replace(sum_, terms=tuple(t for t in sum_.terms if t[0] != Sym(var))).expr
    if var in symbols(rest) or not factor:
        return None
    return substitute(e, {var: high if factor > 0 else low})
