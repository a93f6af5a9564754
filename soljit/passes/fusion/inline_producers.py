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
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, prod

from soljit.analysis.memory.accesses import Access, aliases, effects, names_written, touched
from soljit.analysis.memory.occurrences import exposed
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Array
from soljit.ir.core.expr import ZERO, Cast, Const, Expr, Extent, Load, Op, Range, Stride, Sym, is_const, subexpressions
from soljit.ir.core.nodes import Alloc, Branch, Let, Loop, Map, Node, Program, Region, Tasklet, While
from soljit.ir.symbolic import Facts, conj, equal, le, linear, lt, range_length, sub
from soljit.ir.walk import FreshNames, map_values, on_regions, rewrite_value, same, stored_at, substitute, values
from soljit.passes.fusion.users import Users
from soljit.passes.manager import Context
from soljit.schedule.policy import YES

_REPEATED_WORK = 24  # additions that a trip through memory is worth
_LONGEST = 600  # operations in one body after inlining
_TABLE = 4096  # elements of an array that stays in the nearest cache
_COST = {"div": 6, "sqrt": 8, "floordiv": 10, "mod": 10, "fmod": 20, "pow": 60, "select": 1}
_DEAR = 40  # every other operation that is not in `_CHEAP`
_CHEAP = frozenset(
    {"add", "sub", "mul", "neg", "abs", "min", "max", "fmin", "fmax", "eq", "ne", "lt", "le", "gt", "ge", "land", "lor"}
    | {"lnot", "band", "bor", "bxor", "invert", "shl", "shr", "real", "imag", "conj", "complex", "copysign", "isnan"}
    | {"isinf", "isfinite", "signbit", "floor", "ceil", "trunc", "rint", "scalar_mul"}
)


@dataclass(frozen=True, slots=True)
class _Producer:
    """`name[inverse]` is computed by `lets` and then `code`; `inverse` tells each variable by the subscripts."""

    name: str
    node: Map
    lets: tuple[Let, ...]
    code: Expr
    variables: tuple[tuple[str, int, Expr], ...]  # variable, dimension of `name`, what to subtract from the subscript

    @property
    def values(self) -> tuple[Expr, ...]:
        """All that is computed for one element."""
        return (*(n.value for n in self.lets), self.code)

    @property
    def is_copy(self) -> bool:
        return not self.lets and isinstance(self.code, (Load, Const, Sym))


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
        if policy.offers:
            policy.offer("inline", (name,), lambda _: why_not(), [YES])
        if policy.chosen("inline", (name,), lambda: YES) is None:
            return {}
        reason = why_not()
        if reason is None and not policy.replays:
            reason = self._why_store(producer, nodes, readers)
        if reason is not None:
            self.cx.note(producer.node.loc, "stored", name=name, why=reason)
            policy.refuse("inline", (name,), reason)
            return {}
        policy.take("inline", (name,))
        return {k: _Rewriter(self, producer, d, facts).node(nodes[k]) for k in readers}

    # --- what computes it ---------------------------------------------------------------------------------------------

    def _producer(self, name: str, d: Array, node: Node) -> _Producer | None:
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

    def _slice(self, name: str, node: Map, store: Tasklet, variables: list[tuple[str, int, Expr]]) -> _Producer | None:
        """The Lets that `store` needs; what it loads must not be stored by the same map."""
        before = list(node.body.nodes[: node.body.nodes.index(store)])
        needed = {x.name for x in subexpressions(store.code) if isinstance(x, Sym)}
        lets: list[Let] = []
        for n in reversed(before):
            if isinstance(n, Let) and n.name in needed:
                lets.append(n)
                needed |= {x.name for x in subexpressions(n.value) if isinstance(x, Sym)}
        lets.reverse()
        return _Producer(name, node, tuple(lets), store.code, tuple(variables))

    # --- is it right, and does it pay ---------------------------------------------------------------------------------

    def why_not_inline(self, p: _Producer, nodes: list[Node], start: int, readers: list[int]) -> Said | None:
        """Why the readers cannot compute `p` themselves; None if they can."""
        parts = [x for e in p.values for x in subexpressions(e)]
        sources = {x.memlet.data for x in parts if isinstance(x, Load)}
        asked = {x.data for x in parts if isinstance(x, (Extent, Stride))}
        for n in nodes[start : readers[-1] + 1]:
            if self.alias.any_alias(sources, names_written(n)) or not asked.isdisjoint(effects(n).binds):
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

    def _why_store(self, p: _Producer, nodes: list[Node], readers: list[int]) -> Said | None:
        """Why it does not pay that the readers compute `p` themselves; None if it does."""
        for k in readers:
            for a in effects(nodes[k]).accesses:
                if a.data != p.name:
                    continue
                if not p.is_copy and not _depends_on_all_loops(a):
                    return said("read again")
                if not p.is_copy and _is_gathered(a) and self._elements(p) < min(_TABLE, _iterations(a)):
                    return said("small table")
        work = sum(cost(e) for e in p.values)
        if work * (sum(len(_subsets(nodes[k], p.name)) for k in readers) - 1) > _REPEATED_WORK:
            return said("dear again")
        if self._longest(p, nodes, readers) > _LONGEST:
            return said("too long")
        return None

    def _longest(self, p: _Producer, nodes: list[Node], readers: list[int]) -> int:
        """How many operations the longest of the readers would have."""
        size = sum(operations(e) for e in p.values)
        return max(size * len(_subsets(nodes[k], p.name)) + _size(nodes[k]) for k in readers)

    def _elements(self, p: _Producer) -> float:
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


# --- rewriting a reader -----------------------------------------------------------------------------------------------


def _is_fixed(e: Load) -> bool:
    """Tell whether the subscripts keep their values while the region runs."""
    return not any(isinstance(x, (Load, Extent, Stride)) for c in e.children for x in subexpressions(c))


class _Rewriter:
    """Replaces the loads of one temporary in one reader."""

    def __init__(self, owner: _Inliner, producer: _Producer, d: Array, facts: Facts) -> None:
        self.owner, self.producer, self.d, self.base = owner, producer, d, facts
        self.loops: list[tuple[str, Range]] = []
        self._facts: tuple[int, Facts] | None = None

    def node(self, node: Node) -> Node:
        """The reader with the computation inside. (It stands in a list where a Let can stand in front of it.)"""
        known: dict[tuple[Expr | Range, ...], Expr] = {}
        new = self._inside(node, known)
        before: list[Node] = []
        new = self._values(new, known, before)
        return Region((*before, new), loc=new.loc) if before else new

    def _region(self, region: Region, known: Mapping[tuple[Expr | Range, ...], Expr]) -> Region:
        """`known`: elements that symbols of enclosing regions hold already."""
        mine = dict(known)
        out: list[Node] = []
        for node in region.nodes:
            if self.producer.name not in touched(node):
                out.append(node)
                continue
            before: list[Node] = []
            node = self._values(node, mine, before)
            out += before
            out.append(self._inside(node, mine))
        return region if same(out, region.nodes) else replace(region, nodes=tuple(out))

    def _inside(self, node: Node, known: Mapping[tuple[Expr | Range, ...], Expr]) -> Node:
        match node:
            case Loop() | Map():
                mine = [(node.var, node.span)] if isinstance(node, Loop) else list(zip(node.vars, node.spans))
                self.loops += mine
                body = self._region(node.body, known)
                del self.loops[len(self.loops) - len(mine) :]
                return node if body is node.body else replace(node, body=body)
            case Branch():
                then, orelse = self._region(node.then, known), self._region(node.orelse, known)
                return node if then is node.then and orelse is node.orelse else replace(node, then=then, orelse=orelse)
            case _:
                return node

    def _values(self, node: Node, known: dict[tuple[Expr | Range, ...], Expr], before: list[Node]) -> Node:
        """The node's own expressions; Lets for the elements go to `before`."""
        for v in values(node):
            for e in (v,) if isinstance(v, Expr) else v.children:
                self._strict(e, known, before, node)

        def load(e: Expr) -> Expr | None:
            if not isinstance(e, Load) or e.memlet.data != self.producer.name:
                return None
            got = known.get(e.memlet.subset)
            return self._expression(e) if got is None else got

        return map_values(node, lambda v: rewrite_value(v, load))

    def _strict(
        self, e: Expr, known: dict[tuple[Expr | Range, ...], Expr], before: list[Node], node: Node, lazy: bool = False
    ) -> None:
        """Make symbols of the elements that are certainly evaluated, or certainly exist."""
        if isinstance(e, Load) and e.memlet.data == self.producer.name and e.memlet.subset not in known:
            if not self.producer.is_copy and _is_fixed(e) and (not lazy or self._exists(e)):
                known[e.memlet.subset] = self._symbol(e, before, node)
        is_lazy = isinstance(e, Op) and e.name in ("select", "land", "lor")
        for k, c in enumerate(e.children):
            self._strict(c, known, before, node, lazy or (is_lazy and k > 0))

    def _exists(self, e: Load) -> bool:
        """Tell whether the element is inside the array whatever the condition says."""
        if self._facts is None or self._facts[0] != len(self.loops):
            facts = self.base
            for var, span in self.loops:
                facts = facts.with_loop(var, span)
            self._facts = (len(self.loops), facts)
        facts = self._facts[1]
        return all(
            isinstance(s, Expr) and facts.holds(conj(le(ZERO, s), lt(s, n)))
            for s, n in zip(e.memlet.subset, self.d.shape)
        )

    def _bindings(self, e: Load) -> dict[str, Expr]:
        """The producer's variables in terms of the subscripts read."""
        out: dict[str, Expr] = {}
        for var, dim, shift in self.producer.variables:
            s = e.memlet.subset[dim]
            assert isinstance(s, Expr)
            out[var] = sub(s, shift)
        return out

    def _symbol(self, e: Load, before: list[Node], node: Node) -> Expr:
        names = self._bindings(e)
        for let in self.producer.lets:
            value = substitute(let.value, names)
            name = self.owner.fresh(let.name)
            names[let.name] = Sym(name, value.dtype)
            before.append(Let(name, value, loc=let.loc))
        name = self.owner.fresh(self.producer.name + "_at")
        value = substitute(self.producer.code, names)
        before.append(Let(name, value, loc=stored_at(self.producer.node, self.producer.name)))
        return Sym(name, value.dtype)

    def _expression(self, e: Load) -> Expr:
        names = self._bindings(e)
        for let in self.producer.lets:
            names[let.name] = substitute(let.value, names)
        return substitute(self.producer.code, names)
