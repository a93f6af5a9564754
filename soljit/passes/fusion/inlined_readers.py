"""Readers of a temporary that compute its elements themselves: what `inline_producers` writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from soljit.analysis.memory.accesses import touched
from soljit.base.records import dataclass
from soljit.ir.core.data import Array
from soljit.ir.core.expr import ZERO, Const, Expr, Extent, Load, Op, Range, Stride, Sym, subexpressions
from soljit.ir.core.nodes import Branch, Let, Loop, Map, Node, Region
from soljit.ir.symbolic import Facts, conj, le, lt, sub
from soljit.ir.walk import FreshNames, map_values, rewrite_value, same, stored_at, substitute, values


@dataclass(frozen=True, slots=True)
class Producer:
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


def _is_fixed(e: Load) -> bool:
    """Tell whether the subscripts keep their values while the region runs."""
    return not any(isinstance(x, (Load, Extent, Stride)) for c in e.children for x in subexpressions(c))


class Reader:
    """Replaces the loads of one temporary in one reader."""

    def __init__(self, fresh: FreshNames, producer: Producer, d: Array, facts: Facts) -> None:
        self.fresh, self.producer, self.d, self.base = fresh, producer, d, facts
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
            name = self.fresh(let.name)
            names[let.name] = Sym(name, value.dtype)
            before.append(Let(name, value, loc=let.loc))
        name = self.fresh(self.producer.name + "_at")
        value = substitute(self.producer.code, names)
        before.append(Let(name, value, loc=stored_at(self.producer.node, self.producer.name)))
        return Sym(name, value.dtype)

    def _expression(self, e: Load) -> Expr:
        names = self._bindings(e)
        for let in self.producer.lets:
            names[let.name] = substitute(let.value, names)
        return substitute(self.producer.code, names)
