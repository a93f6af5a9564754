"""Shrink a temporary to what one iteration needs of it: a row, a column, a register.

    t: f64[n]; alloc(t)                                   t: f64
    for i in map(range(n)):                        →      for i in map(range(n)), private(t):
        t[i] = a[i] + 1.0                                     t = a[i] + 1.0
        b[i] = t[i] * 2.0                                     b[i] = t * 2.0

A region R holds all accesses of t. The dimensions in which all of them use one and the same subscript, which does not
change inside R, are dropped. That is right if no value passes from one run of R to another:

* every run of R writes what it reads before it reads it, or
* t is allocated just outside the maps around R, and the dropped subscripts tell their iterations apart.

What remains is a Scalar, or a smaller Array that is allocated in R, and private to the innermost map around R.
fuse_maps must come earlier, so that producers and consumers share a region; promote_scalars makes symbols of the
registers afterwards.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace

from soljit.analysis.memory.coverage import covers
from soljit.analysis.memory.occurrences import Place, common_chain, exposed, places
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, Scalar
from soljit.ir.core.expr import Const, Expr, Extent, Load, Memlet, Range, Stride, Sym, subexpressions, zero_of
from soljit.ir.core.expr import symbols as symbols_of_expr
from soljit.ir.core.nodes import Alloc, Loop, Map, Node, Program, Region, Tasklet, While
from soljit.ir.symbolic import linear
from soljit.ir.walk import map_memlets, rewrite, symbols_defined
from soljit.passes.manager import Context
from soljit.schedule.policy import YES, Choice, Policy
from soljit.schedule.recipe import Operand

_REGISTERS = 64  # elements of a constant shape that stay on the stack


@dataclass(frozen=True, slots=True)
class _Plan:
    """Drop `dims` of the container, private to a run of `region`; `zero`: it starts with zeros."""

    alloc: Alloc
    region: Region
    inside: Map | None
    dims: tuple[int, ...]
    new: Data
    zero: bool
    loop: Loop | Map | None  # the innermost one around the region

    @property
    def is_register(self) -> bool:
        """Tell whether it is kept on the stack."""
        return isinstance(self.new, Scalar) or (isinstance(self.new, Array) and self.new.storage == "register")


def contract_temporaries(program: Program, cx: Context, *, registers_only: bool = False) -> Program:
    """Shrink all temporaries that can be shrunk. registers_only: to what a thread of a device has, no rows of unknown length"""
    found = places(program)
    shared = exposed(program)
    plans: dict[str, _Plan] = {}
    defined: dict[int, set[str]] = {}
    policy = cx.policy
    for name, d in program.data.items():
        if not (isinstance(d, Array) and d.transient and d.storage == "host" and name in found and name not in shared):
            continue

        def planned(within: tuple[Operand, ...], name: str = name, d: Array = d) -> _Plan | str:
            plan = _plan(name, d, found[name], defined, policy, within)
            if isinstance(plan, _Plan) and registers_only and not plan.is_register:
                return "it would be more than a few numbers, which is all that a thread of a device has for itself"
            return plan

        plan = _decided(name, functools.cache(planned), policy)
        if plan is not None:
            plans[name] = plan
    return _apply(program, plans) if plans else program


def _decided(name: str, planned: Callable[[tuple[Operand, ...]], _Plan | str], policy: Policy) -> _Plan | None:
    """The plan for the container, if it is wanted and right. planned: by the loop that a step names"""

    def why_not(choice: Choice) -> str | None:
        return plan if isinstance(plan := planned(choice.rest), str) else None

    def written(choice: Choice) -> Choice:
        return _within(planned(choice.rest), policy)

    choice = policy.decide("contract", (name,), lambda: YES, why_not, lambda: [written(YES)], written)
    plan = planned(choice.rest) if isinstance(choice, Choice) else None
    return plan if isinstance(plan, _Plan) else None


def _within(plan: _Plan | str, policy: Policy) -> Choice:
    """The loop whose iterations get a container of their own, as a step names it."""
    return Choice((policy.address(plan.loop),)) if isinstance(plan, _Plan) and plan.loop is not None else YES


# --- deciding ---------------------------------------------------------------------------------------------------------


def _plan(
    name: str,
    d: Array,
    found: list[Place],
    defined: dict[int, set[str]],
    policy: Policy,
    within: tuple[Operand, ...],
) -> _Plan | str:
    """How to shrink the container, or why it stays. within: the loop whose iterations get it; (): the innermost one that is right."""
    allocs = [p for p in found if p.kind == "alloc"]
    uses = [p for p in found if p.kind != "alloc"]
    if len(allocs) != 1 or not uses or any(p.kind == "other" for p in uses):
        return "it is used as a whole array"
    if any(isinstance(s, Range) for p in uses for s in p.memlet.subset):
        return "it is used as a whole array"
    alloc = allocs[0]
    assert isinstance(alloc.node, Alloc)
    chain = common_chain(uses)
    start = len(alloc.above)  # alloc.above[-1] is the region that holds the Alloc
    if chain[:start] != alloc.above:
        return "it is used outside of the block that makes it"
    reason = "no loop holds all of its uses" if start == len(chain) else "it is not used in that loop alone"
    for k in range(len(chain) - 1, start - 1, -1):
        region = chain[k]
        if not isinstance(region, Region):
            continue
        dims = _fixed_dims(d, uses, region, defined)
        loop = next((n for n in reversed(chain[:k]) if isinstance(n, Loop | Map)), None)
        if within and (loop is None or policy.address(loop) != within[0]):
            continue
        if not dims:
            reason = "one iteration uses several of its elements"
            continue
        between = chain[start:k]
        covered = covers(region, name, tuple(i for i in range(len(d.shape)) if i not in dims), d.shape)
        if not covered and not _told_apart(between, [uses[0].memlet.subset[i] for i in dims]):
            reason = "an iteration reads elements that another one may have written"
            continue
        rest = [i for i in range(len(d.shape)) if i not in dims]
        if len(rest) > 1 and d.strides is not None:
            reason = "its elements do not lie in the order of its dimensions"
            continue
        zero = alloc.node.zero and not covered
        new = _smaller(d, rest, zero)
        inside = next((m for m in reversed(between) if isinstance(m, Map)), None)
        return _Plan(alloc.node, region, inside, tuple(dims), new, zero, loop)
    return reason


def _fixed_dims(d: Array, uses: list[Place], region: Region, defined: dict[int, set[str]]) -> list[int]:
    """Dimensions with one subscript in all accesses, which keeps its value during a run of `region`."""
    out = []
    for k in range(len(d.shape)):
        first = uses[0].memlet.subset[k]
        if not isinstance(first, Expr) or any(p.memlet.subset[k] != first for p in uses[1:]):
            continue
        if any(isinstance(x, (Load, Extent, Stride)) for x in subexpressions(first)):
            continue
        if id(region) not in defined:
            defined[id(region)] = symbols_defined(region)
        if defined[id(region)].isdisjoint(symbols_of_expr(first)):
            out.append(k)
    return out


def _told_apart(between: tuple[Node, ...], subscripts: list[Expr | Range]) -> bool:
    """Tell whether there are only maps (no loops) between, and equal subscripts mean equal iterations of all of them."""
    if any(isinstance(n, (Loop, While)) for n in between):
        return False
    open_vars = {v for n in between if isinstance(n, Map) for v in n.vars}
    rows = [linear(s) for s in subscripts if isinstance(s, Expr)]
    progress = True
    while progress and open_vars:
        progress = False
        for row in rows:
            moving = {n for a, _ in row.terms for n in symbols_of_expr(a)} & open_vars
            if len(moving) == 1 and any(isinstance(a, Sym) and a.name in moving for a, _ in row.terms):
                (v,) = moving
                if sum(v in symbols_of_expr(a) for a, _ in row.terms) == 1:
                    open_vars.discard(v)
                    progress = True
    return not open_vars


def _smaller(d: Array, rest: list[int], zero: bool) -> Data:
    if not rest:
        return Scalar(d.dtype)
    shape = tuple(d.shape[i] for i in rest)
    size = 1
    for n in shape:
        size = size * int(n.value.real) if isinstance(n, Const) and size >= 0 else -1
    storage = "register" if 0 <= size <= _REGISTERS and not zero else d.storage
    return replace(d, shape=shape, strides=None, storage=storage)


# --- doing ------------------------------------------------------------------------------------------------------------


def _apply(program: Program, plans: dict[str, _Plan]) -> Program:
    """Carry out all plans in one rebuild."""
    starts: dict[int, list[Node]] = {}
    private: dict[int, list[str]] = {}
    for name, plan in plans.items():
        if isinstance(plan.new, Array) and plan.new.storage != "register":
            starts.setdefault(id(plan.region), []).append(Alloc(name, plan.zero, loc=plan.region.loc))
        elif plan.zero and isinstance(plan.new, Scalar):
            zero = Tasklet(Memlet(name), zero_of(plan.new.dtype), loc=plan.region.loc)
            starts.setdefault(id(plan.region), []).append(zero)
        if plan.inside is not None:
            private.setdefault(id(plan.inside), []).append(name)

    removed = {id(plan.alloc) for plan in plans.values()}

    def place(node: Node) -> Node | tuple[Node, ...] | None:
        if id(node) in removed:
            return ()
        if isinstance(node, Map) and id(node) in private:
            return replace(node, private=(*node.private, *private[id(node)]))
        if isinstance(node, Region) and id(node) in starts:
            return replace(node, nodes=(*starts[id(node)], *node.nodes))
        return None

    def drop(m: Memlet) -> Memlet:
        plan = plans.get(m.data)
        if plan is None or not m.subset:
            return m
        return replace(m, subset=tuple(s for k, s in enumerate(m.subset) if k not in plan.dims))

    body = map_memlets(rewrite(program.body, place, top_down=True), drop)
    data = {k: plans[k].new if k in plans else d for k, d in program.data.items()}
    return replace(program, body=body, data=data)
