"""Store local arrays as loops walk them: the axis along which neighbours are computed goes innermost in memory.

    p = np.empty((n, n))                                 p = np.empty((n, n))
    for j in range(1, n):                          →     for j in range(1, n):
        for i in map(range(n)):                              for i in map(range(n)):
            p[i, j] = -c / (a * p[i, j - 1] + b)                 p[j, i] = -c / (a * p[j - 1, i] + b)

Loops over columns that need the column before can only run in vectors across rows, where elements of rows lie apart; this is how alternating directions are often written.

Proof: nobody but the accesses in the program sees the memory, and each of them has its subscripts in the other order; which elements are equal, read and written stays as it is.
Sums may have the order of the memory (`scheduling/order_sums.py`), so what is added up keeps its order.

It is done by default where fewer arrays are walked in jumps then: in each innermost loop, the best of the loops that may be innermost counts, only the deepest nests count, and all arrays
whose accesses there would like another order get it together. fuse_equal_maps must come earlier, so that a loop's body is one map; move_loops_inward asks afterwards what is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import permutations

from soljit.analysis.memory.affine import growth, step
from soljit.analysis.memory.occurrences import Place, exposed, places
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Array, Scalar
from soljit.ir.core.expr import Memlet
from soljit.ir.core.nodes import Let, Loop, Map, Node, Program, Region, Tasklet, While
from soljit.ir.walk import map_memlets, walk
from soljit.passes.manager import Context
from soljit.schedule.policy import Choice

Order = tuple[int, ...]  # axes, outermost first
_MOST_OFFERED = 3  # axes of which all orders are offered
_NEAR = 8  # elements from one iteration to the next that are no jump
Nests = dict[
    Node, tuple[tuple[str, ...], dict[Place, None]]
]  # innermost loop → variables that may be innermost, accesses


def lay_out_arrays(program: Program, cx: Context) -> Program:
    """Give every local array the axis innermost along which loops walk it, where that is right and pays."""
    found = places(program)
    shared = exposed(program)
    arrays = {
        name: d
        for name, d in program.data.items()
        if isinstance(d, Array) and d.transient and d.storage == "host" and d.strides is None and len(d.shape) > 1
        if name in found
    }
    if not arrays:
        return program
    reasons = {name: _why_not(found[name], name in shared) for name in arrays}
    wanted = {} if cx.policy.replays else _wanted(program, found, {n: d for n, d in arrays.items() if not reasons[n]})
    orders: dict[str, Order] = {}
    for name, d in arrays.items():
        order = _decided(name, len(d.shape), wanted.get(name), reasons[name], cx)
        if order is not None:
            orders[name] = order
            made = next((p.node for p in found[name] if p.kind == "alloc"), program)
            cx.note(made.loc, "laid out", name=name, axes=order)
    if not orders:
        return program

    def moved(m: Memlet) -> Memlet:
        return replace(m, subset=tuple(m.subset[k] for k in orders[m.data])) if m.data in orders else m

    new = {n: replace(arrays[n], shape=tuple(arrays[n].shape[k] for k in order)) for n, order in orders.items()}
    return replace(program, body=map_memlets(program.body, moved), data={**program.data, **new})


def _decided(name: str, ndim: int, wanted: Order | None, reason: Said | None, cx: Context) -> Order | None:
    """The order that the policy wants for the axes of this array, if that is right."""
    others = [o for o in permutations(range(ndim)) if o != tuple(range(ndim))] if ndim <= _MOST_OFFERED else []
    texts = {_text(o): o for o in others} | ({_text(wanted): wanted} if wanted else {})

    def why_not(choice: Choice) -> Said | str | None:
        if _order(choice) is None or sorted(_order(choice) or ()) != list(range(ndim)):
            return f"axes= names the axes of the array as they lie in memory, outermost first: {_text(range(ndim))} is the order that it has"
        return reason

    choice = cx.policy.decide(
        "layout",
        (name,),
        lambda: Choice(options={"axes": _text(wanted)}) if wanted else None,
        why_not,
        lambda: [Choice(options={"axes": x}) for x in texts],
    )
    return _order(choice) if isinstance(choice, Choice) else None


def _text(order: Iterable[int]) -> str:
    return ", ".join(map(str, order))


def _order(choice: Choice) -> Order | None:
    """The numbers that a step names; None if they are none."""
    parts = str(choice.options.get("axes", "")).split(",")
    return tuple(map(int, parts)) if all(p.strip().isdecimal() for p in parts) else None


def _why_not(found: list[Place], shared: bool) -> Said | None:
    """Why the array must lie in memory as it does; None if it need not."""
    if shared or any(p.kind == "other" for p in found):
        return said("memory seen")
    if any(isinstance(n, Map) and _adds_up(n) for p in found for n in p.above):
        return said("memory summed")
    return None


def _adds_up(m: Map) -> bool:
    return any(isinstance(n, Tasklet) and n.out.wcr for n in walk(m.body))


def _wanted(program: Program, found: Mapping[str, list[Place]], arrays: Mapping[str, Array]) -> dict[str, Order]:
    """The orders of arrays that would better lie otherwise."""
    nests = _nests(found)
    likes: dict[str, set[int]] = {}
    for node, (_, here) in nests.items():
        if not isinstance(node, Map):
            continue
        for p in here:
            if p.memlet.data in arrays and (moved := growth(p.memlet, node.vars[-1])) != {}:
                likes.setdefault(p.memlet.data, set()).update(moved or {-1: 0})
    out = {n: k for n, axes in likes.items() if len(axes) == 1 for k in axes if 0 <= k < len(arrays[n].shape) - 1}
    if not out:
        return {}
    touched = {n: nest for n, nest in nests.items() if any(p.memlet.data in out for p in nest[1])}
    now, then = (sum(_jumps(program, n, vs, here, to) for n, (vs, here) in touched.items()) for to in ({}, out))
    if then >= now:
        return {}
    axes = {n: range(len(arrays[n].shape)) for n in out}
    return {n: (*(a for a in axes[n] if a != k), k) for n, k in out.items()}


def _nests(found: Mapping[str, list[Place]]) -> Nests:
    """The innermost loops of the deepest nests."""
    every: dict[int, Nests] = {}
    for of in found.values():
        for p in of:
            loops = [n for n in p.above if isinstance(n, Loop | Map | While)]
            if not loops or p.kind == "alloc":
                continue
            inner = loops[-1]
            depth = sum(len(n.vars) if isinstance(n, Map) else 1 for n in loops)
            here = every.setdefault(depth, {}).setdefault(inner, (_innermost(p.above, inner), {}))
            here[1][p] = None
    return every[max(every)] if every else {}


def _innermost(above: tuple[Node, ...], inner: Node) -> tuple[str, ...]:
    """The variables of which one will be innermost: those of the map, or that of a loop of which it is the body."""
    if not isinstance(inner, Map):
        return (inner.var,) if isinstance(inner, Loop) else ()
    at = above.index(inner)
    match above[at - 2 : at]:
        case (Loop() as loop, Region() as body) if all(n is inner or isinstance(n, Let) for n in body.nodes):
            return (*inner.vars, loop.var)
    return inner.vars


def _jumps(
    program: Program, inner: Node, variables: tuple[str, ...], here: Mapping[Place, None], last: Mapping[str, int]
) -> int:
    """How many arrays are walked in jumps in this nest, with the best of these loops innermost; one that runs in order counts as a jump."""

    def jumps(m: Memlet, var: str) -> bool:
        if m.data in last:
            return not (growth(m, var) or {}).keys() <= {last[m.data]}
        return abs(step(program.data, m, var)) > _NEAR

    accesses = [p.memlet for p in here if not isinstance(program.data.get(p.memlet.data), Scalar)]
    own = inner.vars if isinstance(inner, Map) else ()
    return min((len({m.data for m in accesses if jumps(m, v)}) + (v not in own) for v in variables), default=0)
