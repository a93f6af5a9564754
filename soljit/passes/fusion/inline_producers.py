"""Compute an element where it is needed instead of storing it first.

    for i in map(range(n)): lap[i] = u[i] + u[i + 2] - 2.0 * u[i + 1]
    for i in map(range(n - 1)): f[i] = lap[i + 1] - lap[i]
→
    for i in map(range(n - 1)):
        Let p   = u[i + 1] + u[i + 3] - 2.0 * u[i + 2]
        Let p_1 = u[i] + u[i + 2] - 2.0 * u[i + 1]
        f[i] = p - p_1

and a copy that is only read while its source stays as it was is read at the source instead.

Proof: the producer is the only store into the temporary and fills all of it; nothing between it and the end of its last
reader writes what the producer reads; every reader takes single elements. Each element that a map reads becomes a
symbol of its iteration, so that equal ones are computed once; behind a condition (`select`, `land`, `lor`) the
expression stays in place, unless the element is certainly inside the array.

It pays if the work that is repeated costs less than the trip through memory; a reader must not run over loops that the
element does not depend on. fuse_maps, contract_temporaries and promote_scalars must come earlier: what is read at
the same index only needs no repetition. eliminate_dead_code removes the producers.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from dataclasses import replace
from math import inf, prod

from soljit.analysis.flow.apart import NONE, Pairs, apart
from soljit.analysis.memory.accesses import Access, aliases, effects, names_written
from soljit.analysis.memory.occurrences import exposed
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Array
from soljit.ir.core.expr import ZERO, Cast, Const, Expr, Extent, Load, Op, Range, Stride, Sym, is_const, subexpressions
from soljit.ir.core.nodes import Alloc, Branch, Let, Loop, Map, Node, Program, Region, Tasklet, While
from soljit.ir.symbolic import Facts, equal, linear, range_length, sub
from soljit.ir.walk import FreshNames, on_regions, same, values
from soljit.ir.walk.spaces import base_of
from soljit.passes.fusion.inlined_readers import Producer, Reader
from soljit.passes.fusion.users import Users
from soljit.passes.manager import Context
from soljit.schedule.policy import YES, Choice

_LONGEST = 600  # operations in one body after inlining
_COST = {"div": 6, "sqrt": 8, "floordiv": 10, "mod": 10, "fmod": 20, "pow": 60, "select": 1}
_DEAR = 40  # every other operation that is not in `_CHEAP`
_CHEAP = frozenset(
    {"add", "sub", "mul", "neg", "abs", "min", "max", "fmin", "fmax", "eq", "ne", "lt", "le", "gt", "ge", "land", "lor"}
    | {"lnot", "band", "bor", "bxor", "invert", "shl", "shr", "real", "imag", "conj", "complex", "copysign", "isnan"}
    | {"isinf", "isfinite", "signbit", "floor", "ceil", "trunc", "rint", "scalar_mul"}
)


def inline_producers(program: Program, cx: Context) -> Program:
    """Inline what is cheap to repeat, in every region."""
    work = _Inliner(program, cx)
    body = work.region(program.body, cx.facts(program))
    return program if body is program.body else replace(program, body=body)


class _Inliner:
    """Walks the regions; each inlined temporary changes the list of nodes in which it lives."""

    def __init__(self, program: Program, cx: Context) -> None:
        self.program, self.cx = program, cx
        self.alias = aliases(program)
        self.exposed = exposed(program)
        self.fresh = FreshNames(program)

    @functools.cached_property
    def pairs_at(self) -> dict[Node, Pairs]:
        """For nodes outside of maps the containers that are apart in front of them."""
        return apart(self.program, self.cx.facts(self.program))

    # --- regions ------------------------------------------------------------------------------------------------------

    def region(self, region: Region, facts: Facts) -> Region:
        """Inline between the nodes of this list, then below it."""
        users = Users(region.nodes)
        for alloc in [n for n in region.nodes if isinstance(n, Alloc)]:
            users = users.replaced(self._inline(alloc, users.nodes, users.of(alloc.data), facts))
        done = [on_regions(n, lambda r: self.region(r, facts)) for n in users.nodes]
        return region if same(done, region.nodes) else replace(region, nodes=tuple(done))

    def _inline(self, alloc: Alloc, nodes: list[Node], users: Sequence[int], facts: Facts) -> dict[int, Node]:
        """By place the nodes in which all reads of `alloc.data` are replaced by its computation, if that is right and pays. users: what touches it"""
        name = alloc.data
        d = self.program.data[name]
        if not isinstance(d, Array) or name in self.exposed or d.storage != "host":
            return {}
        touching = [k for k in users if nodes[k] is not alloc]
        if len(touching) < 2:
            return {}
        producer = self._producer(name, d, nodes[touching[0]])
        if producer is None:
            return {}
        policy, readers = self.cx.policy, touching[1:]
        why_not = functools.cache(lambda: self.why_not_inline(producer, nodes, touching[0], readers))
        choice = policy.decide(
            "inline",
            (name,),
            lambda: YES,
            lambda _: why_not() or (None if policy.replays else self._why_store(producer, nodes, readers)),
        )
        if not isinstance(choice, Choice):
            if choice is not None:
                self.cx.note(producer.node.loc, "stored", name=name, why=choice)
            return {}
        done = {k: Reader(self.fresh, producer, d, facts).node(nodes[k]) for k in readers}
        for k, new in done.items():
            known = self.pairs_at.get(nodes[k], NONE)
            self.pairs_at.update(dict.fromkeys(new.nodes if isinstance(new, Region) else (new,), known))
        return done

    # --- what computes it ---------------------------------------------------------------------------------------------

    def _producer(self, name: str, d: Array, node: Node) -> Producer | None:
        """The map that fills all of `name`, one element an iteration, and nothing else of it."""
        if not isinstance(node, Map) or effects(node).leaves:
            return None
        stores = [n for n in node.body.nodes if isinstance(n, Tasklet) and n.out.data == name]
        touching = [a for a in effects(node).accesses if a.data == name]
        if len(stores) != 1 or len(touching) != 1 or stores[0].out.wcr is not None:
            return None
        store = stores[0]
        found: list[tuple[str, int, Expr]] = []
        for k, s in enumerate(store.out.subset):
            known = [v for v in node.vars if isinstance(s, Expr) and Sym(v) in subexpressions(s)]
            if len(known) != 1 or any(known[0] == v for v, _, _ in found) or not isinstance(s, Expr):
                return None
            shift = sub(s, Sym(known[0]))
            if any(isinstance(x, (Sym, Load)) and x == Sym(known[0]) for x in subexpressions(shift)):
                return None
            span = node.spans[node.vars.index(known[0])]
            first, last = linear(span.start) + linear(shift), linear(span.stop) + linear(shift)
            if not is_const(span.step, 1) or first.expr != ZERO or not equal(last.expr, d.shape[k]):
                return None
            found.append((known[0], k, shift))
        if len(found) != len(node.vars):
            return None
        return self._slice(name, node, store, found)

    def _slice(self, name: str, node: Map, store: Tasklet, variables: list[tuple[str, int, Expr]]) -> Producer | None:
        """The Lets that `store` needs; what it loads must not be stored by the same map."""
        before = list(node.body.nodes[: node.body.nodes.index(store)])
        needed = {x.name for x in subexpressions(store.code) if isinstance(x, Sym)}
        lets: list[Let] = []
        for n in reversed(before):
            if isinstance(n, Let) and n.name in needed:
                lets.append(n)
                needed |= {x.name for x in subexpressions(n.value) if isinstance(x, Sym)}
        lets.reverse()
        return Producer(name, node, tuple(lets), store.code, tuple(variables))

    # --- is it right, and does it pay ---------------------------------------------------------------------------------

    def why_not_inline(self, p: Producer, nodes: list[Node], start: int, readers: list[int]) -> Said | None:
        """Why the readers cannot compute `p` themselves; None if they can."""
        parts = [x for e in p.values for x in subexpressions(e)]
        sources = {x.memlet.data for x in parts if isinstance(x, Load)}
        asked = {x.data for x in parts if isinstance(x, (Extent, Stride))}
        for n in nodes[start : readers[-1] + 1]:
            if self._changes(n, sources) or not asked.isdisjoint(effects(n).binds):
                return said("sources change")
        for k in readers:
            for a in effects(nodes[k]).accesses:
                if a.data == p.name and (a.write or not a.subset or any(isinstance(s, Range) for s in a.subset)):
                    return said("used whole")
            if p.name in effects(nodes[k]).asks or _in_while(nodes[k], p.name):
                return said("used whole")
        if self._longest(p, nodes, readers) > 10 * _LONGEST:
            return said("too long")
        return None

    def _changes(self, node: Node, sources: Collection[str]) -> bool:
        """Tell whether the node may change an element of these containers, or what they stand for."""
        if isinstance(node, Alloc):
            return any(base_of(self.program.data, x) == node.data for x in sources)
        written = names_written(node)
        if not self.alias.any_alias(sources, written):
            return False
        binds = effects(node).binds
        pairs = {p for p in self.pairs_at.get(node, NONE) if p.isdisjoint(binds)}
        return any(self.alias.may_alias(x, y) and frozenset((x, y)) not in pairs for x in sources for y in written)

    def _why_store(self, p: Producer, nodes: list[Node], readers: list[int]) -> Said | None:
        """Why it does not pay that the readers compute `p` themselves; None if it does."""
        for k in readers:
            for a in effects(nodes[k]).accesses:
                if a.data != p.name:
                    continue
                if not p.is_copy and not _depends_on_all_loops(a):
                    return said("read again")
                few = min(self.cx.machine.l1 // 8, _iterations(a))
                if not p.is_copy and _is_gathered(a) and self._elements(p) < few:
                    return said("small table")
        work = sum(cost(e) for e in p.values)
        if work * (sum(len(_subsets(nodes[k], p.name)) for k in readers) - 1) > self.cx.machine.trip:
            return said("dear again")
        if self._longest(p, nodes, readers) > _LONGEST:
            return said("too long")
        return None

    def _longest(self, p: Producer, nodes: list[Node], readers: list[int]) -> int:
        """How many operations the longest of the readers would have."""
        size = sum(operations(e) for e in p.values)
        return max(size * len(_subsets(nodes[k], p.name)) + _size(nodes[k]) for k in readers)

    def _elements(self, p: Producer) -> float:
        """How many elements the producer computes; infinitely many if that is not known."""
        d = self.program.data[p.name]
        assert isinstance(d, Array)
        return prod(_number(n) for n in d.shape)


def _subsets(node: Node, name: str) -> set[tuple[Expr | Range, ...]]:
    """The different elements of the array that `node` reads."""
    return {a.subset for a in effects(node).accesses if a.data == name}


def _depends_on_all_loops(a: Access) -> bool:
    names = {x.name for s in a.subset if isinstance(s, Expr) for x in subexpressions(s) if isinstance(x, Sym)}
    return all(v in names for v, _ in a.loops)


def _is_gathered(a: Access) -> bool:
    """Tell whether the place of the element is read from an array."""
    return any(isinstance(x, Load) for s in a.subset if isinstance(s, Expr) for x in subexpressions(s))


def _iterations(a: Access) -> float:
    """How often the access happens; infinitely often if that is not known."""
    return prod(_number(range_length(span)) for _, span in a.loops)


def _number(e: Expr) -> float:
    return float(e.value) if isinstance(e, Const) and not isinstance(e.value, complex) else inf


def _in_while(node: Node, name: str) -> bool:
    if isinstance(node, While):
        return any(a.data == name for a in effects(node).accesses)
    match node:
        case Loop() | Map():
            return any(_in_while(n, name) for n in node.body.nodes)
        case Branch():
            return any(_in_while(n, name) for n in (*node.then.nodes, *node.orelse.nodes))
        case _:
            return False


def cost(e: Expr) -> int:
    """Work of an expression in additions."""
    own = 0
    if isinstance(e, Op):
        own = 1 if e.name in _CHEAP else _COST.get(e.name, _DEAR)
    elif isinstance(e, Load):
        return 0  # subscripts are free, and what neighbours load is in the first-level cache
    return own + sum(cost(c) for c in e.children)


def operations(e: Expr) -> int:
    """Number of operations, conversions and loads."""
    own = 1 if isinstance(e, (Op, Cast, Load)) else 0
    return own + (0 if isinstance(e, Load) else sum(operations(c) for c in e.children))


def _size(node: Node) -> int:
    own = sum(operations(v) for v in values(node) if isinstance(v, Expr))
    match node:
        case Loop() | Map() | While():
            return own + sum(_size(n) for n in node.body.nodes)
        case Branch():
            return own + sum(_size(n) for n in (*node.then.nodes, *node.orelse.nodes))
        case _:
            return own
