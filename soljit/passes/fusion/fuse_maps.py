"""Make one map of two that run over the same space.

    for i in map(range(n)): t[i] = a[i] + 1.0              for i in map(range(n)):
    x = 0.0                                        →           t[i] = a[i] + 1.0
    for j in map(range(n)): b[j] = t[j] * 2.0                  b[i] = t[i] * 2.0

Maps whose outer loops agree and whose inner loops differ share the outer ones when data flows between them:

    for i in map(range(n)): m[i] = -inf                    for i in map(range(n)):
    for i, j in map(range(n), range(k)):           →           m[i] = -inf
        m[i] max= a[i, j]                                      for j in map(range(k)): m[i] max= a[i, j]

Proof: whenever an access of the first map and one of the second, one of them a write, can touch the same memory, they
do so only in the same iteration of the shared loops (or both only add to it in the same way). What stands between the
maps goes in front of both or behind both; nothing that others see moves across what can raise.

Canonicalize must come earlier (equal spans are equal trees); contract_temporaries afterwards makes it pay.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import field, replace

from soljit.analysis.flow.apart import NONE, Pairs, apart
from soljit.analysis.loops.iteration_spaces import aligned, common_depth, reordered
from soljit.analysis.memory.accesses import Access, Aliases, Effects, aliases, effects
from soljit.analysis.memory.affine import mentions
from soljit.analysis.memory.overlap import disjoint, enclosed, meet_only_in_same_iteration
from soljit.base.place import Loc
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Array
from soljit.ir.core.expr import Range, symbols
from soljit.ir.core.nodes import Branch, Loop, Map, Node, Program, Region, Tasklet, While
from soljit.ir.symbolic import Facts
from soljit.ir.walk import descriptor_exprs, same, walk
from soljit.ir.walk.spaces import base_of
from soljit.passes.manager import Context
from soljit.schedule.policy import Choice

_MOST_LEAVES = 64  # statements in one map
_MOST_ARRAYS = 24  # arrays that one map walks over
_FARTHEST = 40  # nodes looked back over
Loops = tuple[tuple[str, Range], ...]


def fuse_maps(program: Program, cx: Context) -> Program:
    """Fuse maps in every region of the program."""
    body = Fuser(program, cx, partly=True).region(program.body, ())
    return program if body is program.body else replace(program, body=body)


def fuse_equal_maps(program: Program, cx: Context) -> Program:
    """Fuse maps whose spaces are equal, not only in their outer loops.

    This comes before inline_producers, which deals with elements that are read at another index without a buffer.
    """
    body = Fuser(program, cx, partly=False).region(program.body, ())
    return program if body is program.body else replace(program, body=body)


@dataclass
class Fuser:
    program: Program
    cx: Context
    partly: bool
    alias: Aliases = field(init=False)
    base: Facts = field(init=False)
    _summaries: dict[Node, _Summary] = field(default_factory=dict)
    _apart: dict[Node, Pairs] | None = None

    def __post_init__(self) -> None:
        self.alias = aliases(self.program)
        self.base = self.cx.facts(self.program)

    # --- regions ------------------------------------------------------------------------------------------------------

    def region(self, region: Region, around: Loops) -> Region:
        """Fuse in this list of nodes, then below it."""
        out: list[Node] = []
        for node in region.nodes:
            self.place(out, node, around)
        done = [self.below(n, around) for n in out]
        return region if same(done, region.nodes) else replace(region, nodes=tuple(done))

    def below(self, node: Node, around: Loops) -> Node:
        """Fuse in the regions of one node."""
        match node:
            case Loop():
                body = self.region(node.body, (*around, (node.var, node.span)))
                return node if body is node.body else replace(node, body=body)
            case Map():
                body = self.region(node.body, (*around, *zip(node.vars, node.spans)))
                return node if body is node.body else replace(node, body=body)
            case While():
                body = self.region(node.body, around)
                return node if body is node.body else replace(node, body=body)
            case Branch():
                then, orelse = self.region(node.then, around), self.region(node.orelse, around)
                return node if then is node.then and orelse is node.orelse else replace(node, then=then, orelse=orelse)
            case _:
                return node

    def place(self, out: list[Node], node: Node, around: Loops) -> None:
        """Append `node`, or fuse it with the nearest earlier map that allows it (and the result likewise)."""
        if isinstance(node, Map) and not node.schedule:
            for k in range(len(out) - 1, max(-1, len(out) - 1 - _FARTHEST), -1):
                first = out[k]
                if not isinstance(first, Map) or first.schedule or not self._considered(first, node):
                    continue
                moved = self._clear_way(first, out[k + 1 :], node)
                if moved is None:
                    self.cx.policy.refuse("fuse", (first, node), "what stands between the two loops has to stay there")
                    continue
                pairs = functools.partial(self._pairs, first, out[k + 1 :], node)
                fused = self._fused(first, node, around, pairs)
                if fused is None:
                    continue
                self.pairs_at[fused] = pairs()
                before, after = moved
                del out[k:]
                out += before
                self.place(out, fused, around)
                out += after
                return
        out.append(node)

    def _fused(self, first: Map, second: Map, around: Loops, pairs: Callable[[], Pairs]) -> Map | None:
        """The two as one, the loops of the second one in another order if need be."""
        fused = self._try(first, second, second, around, pairs)
        if fused is not None:
            return fused
        other = reordered(first, second)
        if other is not None and common_depth(first, other) == len(first.vars):
            return self._try(first, second, other, around, pairs)
        return None

    def _try(self, first: Map, second: Map, other: Map, around: Loops, pairs: Callable[[], Pairs]) -> Map | None:
        """The fused map, if that is wanted and right; `other`: the second one with its loops in the order to try."""
        depth = common_depth(first, other)
        if not (self.partly or depth == len(first.vars) == len(other.vars)):
            return None
        way = Choice(options={"loops": depth} if 0 < depth < len(first.vars) else {})
        choice = self.cx.policy.decide(
            "fuse",
            (first, second),
            lambda: way if self._worthwhile(first, other) else None,
            lambda c: (
                self.why_not_fuse(first, other, depth, around, pairs)
                if not depth or c.options.get("loops", len(first.vars)) == depth
                else said("other loops", depth=depth, count=len(first.vars))
            ),
            lambda: [way],
        )
        if isinstance(choice, Said):
            self.cx.note(_last(second), "not fused", first=_last(first), why=choice)
        return fused(first, other, depth) if isinstance(choice, Choice) else None

    # --- is it worth it -----------------------------------------------------------------------------------------------

    def _considered(self, a: Map, b: Map) -> bool:
        """Tell whether it is looked at whether the two can be one."""
        if self.cx.policy.replays and not self.cx.policy.offers:
            return self.cx.policy.asks_for("fuse", (a, b)) is not None
        return self.shares(a, b)

    def shares(self, a: Map, b: Map) -> bool:
        """Tell whether there is an array that both touch."""
        return not self.summary(a).arrays.isdisjoint(self.summary(b).arrays)

    def _worthwhile(self, a: Map, b: Map) -> bool:
        """Tell whether the maps share data, and (if only the outer loops agree) data flows from one to the other."""
        depth = common_depth(a, b)
        if not depth:
            return False
        x, y = self.summary(a), self.summary(b)
        shared = x.arrays & y.arrays
        if depth == len(a.vars) == len(b.vars):
            worth = bool(shared)
        else:
            worth = bool(shared & x.writes and shared & x.writes & (y.reads | y.writes))
        if worth and (x.leaves + y.leaves > _MOST_LEAVES or len(x.arrays | y.arrays) > _MOST_ARRAYS):
            self.cx.note(_last(b), "not fused", first=_last(a), why=said("too long"))
            return False
        return worth

    def summary(self, node: Node) -> _Summary:
        """Names and homes that `node` touches."""
        known = self._summaries.get(node)
        if known is None:
            known = self._summaries[node] = _Summary.of(node, self.program, self.alias)
        return known

    # --- is it legal --------------------------------------------------------------------------------------------------

    def _clear_way(self, a: Map, between: list[Node], b: Map) -> tuple[list[Node], list[Node]] | None:
        """What stands between goes before `a` or behind `b`: these two lists, or None if something must stay."""
        before: list[Node] = []
        after: list[Node] = []
        for n in between:
            if self.may_swap(a, n) and all(self.may_swap(m, n) for m in after):
                before.append(n)
            elif self.may_swap(n, b):
                after.append(n)
            else:
                return None
        return before, after

    def may_swap(self, first: Node, second: Node) -> bool:
        """Tell whether it makes no difference (to anybody) in which order these two run."""
        x, y = self.summary(first), self.summary(second)
        if x.control:
            return False  # what stands behind a check may rely on it
        if y.control and (y.jumps or not x.local_writes):
            return False
        if not (x.write_homes.isdisjoint(y.homes) and y.write_homes.isdisjoint(x.homes)):
            return False
        return x.effects.defines.isdisjoint(y.effects.uses)

    @property
    def pairs_at(self) -> dict[Node, Pairs]:
        """For nodes outside of maps the containers that are apart in front of them."""
        if self._apart is None:
            self._apart = apart(self.program, self.base)
        return self._apart

    def _pairs(self, a: Map, between: list[Node], b: Map) -> Pairs:
        """The containers that are apart from `a` to `b`."""
        found = self.pairs_at.get(a, NONE) & self.pairs_at.get(b, NONE)
        bound = {name for n in between for name in effects(n).binds} if found else set()
        return frozenset(p for p in found if p.isdisjoint(bound))

    def why_not_fuse(
        self, a: Map, b: Map, depth: int, around: Loops, pairs: Callable[[], Pairs] = frozenset
    ) -> Said | None:
        """Why the outermost `depth` loops of the two cannot be one; None if they can. pairs: of what is apart there (`analysis/flow/apart.py`)"""
        if not depth:
            return said("other ranges")
        if any(self._cuts_sum(m, depth) for m in (a, b)):
            return said("order of a sum")
        if self._has_arrays_as_long_as(b, {v for u, v in zip(a.vars[:depth], b.vars) if u != v}):
            return said("own lengths")
        b = aligned(a, b, depth)
        return self._why_not(a.vars[:depth], a.spans[:depth], _inner(a, depth), _inner(b, depth), around, pairs)

    def _has_arrays_as_long_as(self, m: Map, names: set[str]) -> bool:
        """Tell whether the declaration of an array that the map makes for itself uses one of these loop variables, which fusion would rename."""
        own = {*effects(m.body).allocs, *m.private} if names else ()
        return any(symbols(e) & names for name in own for e in descriptor_exprs(self.program.data[name]))

    def _cuts_sum(self, m: Map, depth: int) -> bool:
        """Tell whether several of the map's loops, some of the first `depth` and some further ones, add floats to one element."""
        for acc in self.summary(m).effects.writes if depth < len(m.vars) else ():
            if acc.wcr == "add" and self.program.data[acc.data].dtype.kind in "fc":
                summed = [not any(mentions(s, v) for s in acc.subset) for v in m.vars]
                if any(summed[:depth]) and any(summed[depth:]):
                    return True
        return False

    def _why_not(
        self,
        names: tuple[str, ...],
        spans: tuple[Range, ...],
        first: Region,
        second: Region,
        around: Loops,
        pairs: Callable[[], Pairs],
    ) -> Said | None:
        """Why the bodies cannot share the loops over `names`; None if they can."""
        x, y = effects(first), effects(second)
        if x.binds or y.binds or x.leaves or y.leaves or x.python or y.python:
            return said("leaves")
        unstable = x.defines | y.defines
        own = x.allocs | x.private | y.allocs | y.private
        loops = tuple(zip(names, spans))
        facts: Facts | None = None
        data = self.program.data
        by_home: dict[str, list[Access]] = {}
        for acc in unique(y):
            for home in self.alias.homes(acc.data):
                by_home.setdefault(home, []).append(acc)
        for p in unique(x):
            if p.data in own:
                continue
            for q in {q for home in self.alias.homes(p.data) for q in by_home.get(home, ())}:
                if not (p.write or q.write) or (p.wcr is not None and p.wcr == q.wcr):
                    continue
                if p.data != q.data and frozenset((base_of(data, p.data), base_of(data, q.data))) in pairs():
                    continue
                if p.data != q.data:
                    return said("overlap", name=p.data, other=q.data)
                if meet_only_in_same_iteration(p, q, names, unstable):
                    continue
                if facts is None:
                    facts = self._facts(around)
                if not disjoint(enclosed(p, loops), enclosed(q, loops), facts, unstable):
                    return said("elements of others", name=p.data)
        return None

    def _facts(self, around: Loops) -> Facts:
        facts = self.base
        for var, span in around:
            facts = facts.with_loop(var, span)
        return facts


def _last(m: Map) -> Loc:
    """The place of the last statement in the map."""
    return next((n.loc for n in reversed([*walk(m.body)]) if isinstance(n, Tasklet)), m.loc)


def unique(e: Effects) -> dict[Access, None]:
    """The accesses, textual repetitions once; a combining write also reads, which the write stands for."""
    return dict.fromkeys(e.accesses)


def fused(a: Map, b: Map, depth: int) -> Map:
    """The two as one: `why_not_fuse` has no objection."""
    b = aligned(a, b, depth)
    private = (*a.private, *(p for p in b.private if p not in a.private))
    body = Region((*_inner(a, depth).nodes, *_inner(b, depth).nodes), loc=a.body.loc)
    inner_private = _inner_private(a, depth) | _inner_private(b, depth)
    private = tuple(p for p in private if p not in inner_private)
    return Map(a.vars[:depth], a.spans[:depth], body, private=private, loc=a.loc)


def _inner(m: Map, depth: int) -> Region:
    """The body for one iteration of the first `depth` loops."""
    if depth == len(m.vars):
        return m.body
    inner = Map(m.vars[depth:], m.spans[depth:], m.body, private=m.private, loc=m.loc)
    return Region((inner,), loc=m.body.loc)


def _inner_private(m: Map, depth: int) -> set[str]:
    return set() if depth == len(m.vars) else set(m.private)


@dataclass(frozen=True)
class _Summary:
    """What a node touches, by name and by home, for quick refusals."""

    effects: Effects
    reads: frozenset[str]
    writes: frozenset[str]
    arrays: frozenset[str]
    homes: frozenset[str]
    write_homes: frozenset[str]
    control: bool
    jumps: bool
    local_writes: bool
    leaves: int

    @staticmethod
    def of(node: Node, program: Program, alias: Aliases) -> _Summary:
        """Sum `node` up."""
        e = effects(node)
        reads = frozenset(a.data for a in e.reads) | e.asks
        writes = frozenset(a.data for a in e.writes) | e.binds | e.allocs | e.private
        # An allocation needs the symbols of the declared shape, a view those of its shape and offset.
        declared = [program.data[n] for n in e.allocs | reads | writes if n in program.data]
        sized = {s for d in declared for x in descriptor_exprs(d) for s in symbols(x)}
        e = replace(e, uses=e.uses | sized)
        homes, write_homes = alias.homes_of(reads | writes), alias.homes_of(writes)
        return _Summary(
            e,
            reads,
            writes,
            frozenset(n for n in reads | writes if isinstance(program.data.get(n), Array)),
            homes,
            write_homes,
            control=bool(e.leaves) or e.python,
            jumps="break" in e.leaves,
            local_writes=all(alias.is_local(n) for n in writes) and not e.binds,
            leaves=sum(1 for n in walk(node) if not isinstance(n, (Region, Map, Loop))),
        )
