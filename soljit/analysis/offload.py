"""May a map run on the device, and which of its loops become threads?

`why_not_on_device(program, m)` tells in the user's words what keeps a map on the host; `order_of(program, m)` gives the loops in
the order of a kernel: those whose iterations write apart from each other first, up to three of them for the grid, then the loops
that a thread runs by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from soljit.analysis.accesses import effects
from soljit.analysis.reductions import colliding_sums
from soljit.ir import device_ops
from soljit.ir.data import Array, Data, Ref, Scalar
from soljit.ir.effects import memlets_written
from soljit.ir.expr import Expr, Op, Sym, subexpressions
from soljit.ir.nodes import Branch, Let, Loop, Map, Node, Program, Region, Tasklet, While
from soljit.ir.spaces import base_of
from soljit.ir.tree import exprs, walk
from soljit.ir.types import obj

MOST_GRID = 3  # dimensions of a grid


@dataclass(frozen=True, slots=True)
class Order:
    """The loops of a kernel by number: `grid` become threads, outermost first; `rest` run in each thread."""

    grid: tuple[int, ...]
    rest: tuple[int, ...]


def order_of(program: Program, m: Map) -> Order:
    """Which loops of a map become threads; none if its iterations all add to the same elements."""
    free = [k for k in range(len(m.vars)) if not _depends(m, k)]
    grid = [k for k in free if not colliding_sums(m, (m.vars[k],), program.data)]
    while grid and colliding_sums(m, [m.vars[k] for k in grid], program.data):
        grid.pop(0)
    grid = grid[-MOST_GRID:]  # the last ones walk memory one by one
    return Order(tuple(grid), tuple(k for k in range(len(m.vars)) if k not in grid))


def _depends(m: Map, k: int) -> bool:
    """Does the span of this loop use a variable of the same map?"""
    used = {x.name for e in m.spans[k].children for x in subexpressions(e) if isinstance(x, Sym)}
    return not used.isdisjoint(m.vars)


def why_not_on_device(program: Program, m: Map) -> str | None:
    """What keeps the map on the host, as a part of a sentence; None if nothing does."""
    data = program.data
    local = {name for n in walk(m) if isinstance(n, Map) for name in n.private}
    for n in walk(m):
        if not isinstance(n, (Map, Region, Let, Tasklet, Branch, Loop, While)):
            return f"{_deed(n)} in it is done by the host"
        if isinstance(n, Map) and n.schedule:
            return "it has been scheduled for the host"
        for e in (x for v in _own_exprs(n) for x in subexpressions(v)):
            if why := _why_not_operation(e):
                return why
        for w in memlets_written(n):
            d = data.get(w.data)
            if isinstance(d, Scalar) and w.data not in local:
                return f"all iterations give one number, {w.data}"
            if w.wcr in ("add", "mul") and (d is None or not (d.dtype.is_int or d.dtype.kind == "b")):
                return "sums of floating-point numbers are made by the host"
    for name in local:
        d = data.get(name)
        if isinstance(d, Array) and d.storage != "register":
            return f"every iteration has an array of its own, {name}"
    touched = effects(m)
    for name in sorted({a.data for a in touched.accesses} | touched.asks):
        if name not in local and (why := _why_not_container(program, name)):
            return why
    if not order_of(program, m).grid:
        return "all iterations add to the same elements"
    return None


def _own_exprs(n: Node) -> Iterator[Expr]:
    yield from exprs(n) if not isinstance(n, (Map, Region, Branch, Loop, While)) else _head(n)


def _head(n: Node) -> Iterator[Expr]:
    match n:
        case Map():
            yield from (x for s in n.spans for x in s.children)
        case Loop():
            yield from n.span.children
        case While() | Branch():
            yield n.cond
        case _:
            pass


def _deed(n: Node) -> str:
    words = {"LibraryNode": "a library call", "Callback": "a call of Python", "Alloc": "making memory"}
    return words.get(type(n).__name__, "a call")


def _why_not_operation(e: Expr) -> str | None:
    return device_ops.why_not(e.name, e.args[-1].dtype) if isinstance(e, Op) else None


def _why_not_container(program: Program, name: str) -> str | None:
    """What keeps the memory of this container on the host."""
    base = base_of(program.data, name)
    d: Data | None = program.data.get(base)
    if isinstance(d, Ref) or d is None or d.dtype is obj:
        return f"{name} may stand for other memory later"
    if isinstance(d, Array) and d.alias is not None and _group_is_shared(program, base, d.alias):
        return f"{base} and another argument share memory"
    return None


def _group_is_shared(program: Program, name: str, group: str) -> bool:
    return any(isinstance(d, Array) and d.alias == group and k != name for k, d in program.data.items())
