"""Loops over unboxed lists: positions in the place of iterators. Helpers of `unbox_lists`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce

from soljit.analysis.loops.list_uses import MAKING, RESIZING
from soljit.analysis.loops.list_walks import Lane, Walk
from soljit.ir.core.data import Ref, Scalar
from soljit.ir.core.expr import ONE, ZERO, Expr, Memlet, Range, Sym, const
from soljit.ir.core.nodes import Branch, Break, Loop, Node, Region, Tasklet, While
from soljit.ir.core.types import i64
from soljit.ir.symbolic import add, disj, ge, lt, maximum, minimum, sub
from soljit.ir.walk import walk, with_loc
from soljit.passes.lists.list_memory import ListMemory, Storage
from soljit.passes.lists.list_pools import value


class ListLoops:
    """at: the positions of iterators over lists whose lengths change on the way; seen, ends: the lists in pools that iterators run over, and where they begin backwards"""

    def __init__(self, memory: ListMemory, walks: Mapping[str, Walk]) -> None:
        self.memory, self.lists = memory, memory.lists
        self.makers = {id(n): w for w in walks.values() for n in w.makers}
        self.loops = {id(w.loop): w for w in walks.values()}
        self.at: dict[str, str] = {}
        self.seen: dict[tuple[str, int], str] = {}
        self.ends: dict[tuple[str, int], str] = {}

    def node(self, n: Node) -> tuple[Node, ...] | None:
        """What stands for a call that makes an iterator, or for a loop; None: it is neither."""
        if isinstance(n, While) and id(n) in self.loops:
            return tuple(self.loop(n, self.loops[id(n)]))
        w = self.makers.get(id(n))
        return None if w is None else with_loc(self.begun(n, w), n.loc)

    def begun(self, n: Node, w: Walk) -> list[Node]:
        """What a call does that makes an iterator, or what that is made of: the lists that it takes are those that it runs through."""
        m, out = self.memory, list[Node]()
        for k, x in enumerate(w.lanes):
            if x.maker is not n or not x.over:
                continue
            s = m.storage[x.over]
            if s.pool is not None:
                seen = self.seen[w.name, k] = m.pools.root(s.pool, f"{x.over}_seen")
                out.append(Tasklet(Memlet(seen), m.number(x.over, out)))
            if x.back:
                last = self.ends[w.name, k] = m.new(f"{x.over}_last", Scalar(i64))
                out.append(Tasklet(Memlet(last), sub(m.at(x.over, out).size, ONE)))
        if n is w.makers[0] and not self._inside(w).isdisjoint(RESIZING):
            at = self.at[w.name] = m.new(f"{w.name}_at", Scalar(i64))
            out.append(Tasklet(Memlet(at), ZERO))
        return out

    def _inside(self, w: Walk) -> set[str]:
        """What the loop does with its lists, or with others of their pools."""
        nodes, pools = {id(x) for x in walk(w.loop.body)}, {self.lists[name].pool for name in w.lists} - {""}
        same = [one for one in self.lists.values() if one.pool in pools or one.name in w.lists]
        return {u.kind for one in same for u in one.uses if id(u.node) in nodes}

    def loop(self, n: While, w: Walk) -> list[Node]:
        """A loop over positions; where lists change on the way, each step looks at their lengths."""
        m, rest, head = self.memory, n.body.nodes[4:], list[Node]()
        before: list[Node] = []
        found = {k: self._walked(w, k, before) for k, x in enumerate(w.lanes) if x.over}
        if w.name in self.at:
            head = before
            at = m.let("at", value(self.at[w.name]), head)
            places = {k: self._position(w, k, at, head) for k in found}
            ended = [ge(places[k], s.size) for k, s in found.items()]
            ended += [lt(places[k], ZERO) for k in found if w.lanes[k].back]
            head.append(Branch(disj(*ended), Region((Break(),)), Region()))
            for k, x in enumerate(w.lanes):
                head += self._lane(x, found.get(k), places.get(k, at))
            head.append(Tasklet(Memlet(self.at[w.name]), add(at, ONE)))
            return [replace(n, body=replace(n.body, nodes=(*with_loc(head, n.loc), *rest)))]
        sizes = [s.size if s.pool is None else m.let("length", s.size, before) for s in found.values()]
        size = reduce(minimum, sizes)
        if len(sizes) > 1:
            size = m.let("length", size, before)
        at = Sym(m.fresh("k"), i64)
        for k, x in enumerate(w.lanes):
            place = self._position(w, k, at, before) if x.over else at
            head += self._lane(x, found.get(k), place)
        body = replace(n.body, nodes=(*with_loc(head, n.loc), *rest))
        return [*with_loc(before, n.loc), Loop(at.name, Range(ZERO, size, ONE), body, loc=n.loc)]

    def _position(self, w: Walk, k: int, at: Expr, before: list[Node]) -> Expr:
        """Where the item of a step is in its list."""
        if not w.lanes[k].back:
            return at
        return sub(self.memory.let("last", value(self.ends[w.name, k]), before), at)

    def _lane(self, x: Lane, s: Storage | None, place: Expr) -> list[Node]:
        """Give a loop what it gets in each step."""
        if s is not None:
            return self.memory.read(x.over, x.outs, s, place)
        return [Tasklet(Memlet(o), add(place, const(x.start))) for o in x.outs if o]

    def _walked(self, w: Walk, k: int, out: list[Node]) -> Storage:
        """Where the list of an iterator lies."""
        name = w.lanes[k].over
        m, s = self.memory, self.memory.storage[name]
        if s.pool is not None:
            return m.numbered(s.pool, m.safe_let("walked", maximum(value(self.seen[w.name, k]), ZERO), out))
        if not s.fixed and w.name not in self.at and self._inside(w) & (MAKING | {"bind"}):
            columns = tuple(
                m.new(f"{name}_seen", Ref(t, 1)) for t in self.lists[name].dtypes
            )  # the variable may change
            out += m.bind(columns, s.columns, s.size)
            return replace(s, columns=columns)
        return s
