"""Whether a map may run on the device, and which of its loops become threads.

`why_not_on_device(program, m)` tells in the user's words what keeps a map on the host; `order_of(program, m)` gives the loops in
the order of a kernel: those whose iterations write apart from each other first, up to three of them for the grid, then the loops
that a thread runs by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from soljit.analysis.loops.reductions import colliding_sums
from soljit.analysis.loops.sums import block_folds, folds
from soljit.analysis.memory import array_variables
from soljit.analysis.memory.accesses import effects
from soljit.base.records import dataclass
from soljit.base.sentences import Plain, Said, said
from soljit.ir.core import device_ops
from soljit.ir.core.data import Array, Data, Ref, Scalar
from soljit.ir.core.expr import Expr, Op, is_const, subexpressions
from soljit.ir.core.nodes import Branch, Break, Continue, Let, Loop, Map, Node, Program, Region, Tasklet, While
from soljit.ir.core.types import obj
from soljit.ir.symbolic import range_length
from soljit.ir.walk import children_nodes, memlets_written, symbols_of, value_exprs, values, walk
from soljit.ir.walk.spaces import SPREAD, base_of, is_spread

MOST_GRID = 3  # dimensions of a grid
ATOMIC = ("i32", "u32", "i64", "u64")  # types to which threads may add at the same time


@dataclass(frozen=True, slots=True)
class Order:
    """The loops of a kernel by number: `grid` become threads, outermost first; `rest` run in each thread."""

    grid: tuple[int, ...]
    rest: tuple[int, ...]


def order_of(program: Program, m: Map) -> Order:
    """Which loops of a map become threads; none if its iterations all add to the same elements."""
    grid = _apart(program, m)
    if not grid:
        free = [k for k in range(len(m.vars)) if not _depends(m, k)]
        grid = free if atomic_sums(program, m, free) else []
    grid = grid[-MOST_GRID:]  # the last ones walk memory one by one
    return Order(tuple(grid), tuple(k for k in range(len(m.vars)) if k not in grid))


def in_block(program: Program, m: Map) -> Order:
    """Which loops of a map are spread over the threads of a block: all that can be, if all iterations combine values into the same elements, since
    the threads do that together; otherwise those whose iterations write apart."""
    free = [k for k in range(len(m.vars)) if not _depends(m, k)]
    found = folds(program, m)
    spread = free if found and not any(f.kept for f in found) else _apart(program, m) or free
    return Order(tuple(spread), tuple(k for k in range(len(m.vars)) if k not in spread))


def _apart(program: Program, m: Map) -> list[int]:
    """Loops whose iterations write apart from each other."""
    free = [k for k in range(len(m.vars)) if not _depends(m, k)]
    once = {v for v, s in zip(m.vars, m.spans) if is_const(range_length(s), 1)}
    grid = [k for k in free if m.vars[k] in once or not colliding_sums(m, (m.vars[k],), program.data)]
    while grid and colliding_sums(m, [m.vars[k] for k in grid if m.vars[k] not in once], program.data):
        grid.pop(0)
    return grid


def atomic_sums(program: Program, m: Map, loops: Sequence[int]) -> frozenset[str]:
    """The arrays to which iterations of these loops add at the same places, if all can do so at the same time: integers, whose sums are the same in any order.

    No array if something is combined over the loops that has to be in order.
    """
    loops = [k for k in loops if not is_const(range_length(m.spans[k]), 1)]
    found = colliding_sums(m, [m.vars[k] for k in loops], program.data)
    for n in walk(m.body):
        if isinstance(n, Tasklet) and n.out.data in found and not _is_atomic(program, n):
            return frozenset()
    return found


def _is_atomic(program: Program, n: Tasklet) -> bool:
    return n.out.wcr == "add" and program.data[n.out.data].dtype.name in ATOMIC


def _depends(m: Map, k: int) -> bool:
    """Tell whether the span of this loop uses a variable of the same map."""
    return not symbols_of(m.spans[k]).isdisjoint(m.vars)


def why_not_on_device(program: Program, m: Map) -> Plain | Said | None:
    """What keeps the map on the host, as a part of a sentence; None if nothing does."""
    data = program.data
    local = {name for n in walk(m) if isinstance(n, Map) for name in n.private}
    for n in walk(m):
        if not isinstance(n, (Map, Region, Let, Tasklet, Branch, Loop, While, Break, Continue)):
            return Plain(f"{_deed(n)} in it is done by the host")
        if isinstance(n, Map) and not {*n.schedule} <= {*SPREAD, "seq"}:
            return Plain("it has been scheduled for the host")
        if isinstance(n, Map) and is_spread(n) and block_folds(program, n) is None:
            return Plain("its iterations combine values in several ways")
        for x in (x for v in values(n) for e in value_exprs(v) for x in subexpressions(e)):
            if reason := _why_not_operation(x):
                return Plain(reason)
        for w in memlets_written(n):
            d = data.get(w.data)
            if isinstance(d, Scalar) and w.data not in local:
                return said("one number", name=w.data)
    if _adds_up_plainly(m, ()):
        return Plain("its sum of floating-point numbers cannot be taken apart")
    for name in local:
        d = data.get(name)
        if isinstance(d, Array) and d.storage != "register":
            return said("own arrays", name=name)
    touched = effects(m)
    for name in sorted({a.data for a in touched.accesses}):
        if name not in local and (why := why_not_container(program, name)):
            return why
    if not order_of(program, m).grid:
        return Plain("all iterations add to the same elements")
    return None


def _adds_up_plainly(node: Node, around: tuple[Map, ...]) -> bool:
    """Tell whether there is a sum of floats over iterations of a map, term by term. `split_sums` would have found a better order for it."""
    if isinstance(node, Map):
        around = (*around, node)
    if isinstance(node, Tasklet) and node.out.wcr == "add" and node.code.dtype.kind in "fc":
        moved = symbols_of(node.out)
        for m in reversed(around):
            if node.out.data in m.private:
                return False
            spread = {v for v, word in zip(m.vars, m.schedule) if word in SPREAD}
            if spread and not spread & moved:
                return False  # a fold of the block
            if any(v not in moved and not is_const(range_length(s), 1) for v, s in zip(m.vars, m.spans)):
                return True
        return False
    return any(_adds_up_plainly(n, around) for n in children_nodes(node))


def _deed(n: Node) -> str:
    words = {
        "LibraryNode": "a library call",
        "Callback": "a call of Python",
        "Alloc": "making memory",
        "Raise": "raising an exception",
        "Return": "returning",
        "Bind": "giving an array variable other memory",
        "Copy": "copying",
    }
    return words.get(type(n).__name__, "a call")


def _why_not_operation(e: Expr) -> str | None:
    return device_ops.why_not(e.name, e.args[-1].dtype) if isinstance(e, Op) else None


def why_not_container(program: Program, name: str) -> Said | None:
    """What keeps the memory of this container on the host."""
    base = base_of(program.data, name)
    d: Data | None = program.data.get(base)
    if d is None or d.dtype is obj:
        return said("is an object", name=name)
    if isinstance(d, Ref):
        return array_variables.why_not(program, base)
    if isinstance(d, Array) and d.alias is not None and _group_is_shared(program, base, d.alias):
        return said("shared with another", name=base)
    return None


def _group_is_shared(program: Program, name: str, group: str) -> bool:
    return any(isinstance(d, Array) and d.alias == group and k != name for k, d in program.data.items())
