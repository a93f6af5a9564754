"""Items of unboxed lists by keys: the smallest, the largest, all in order. The keys are an unboxed list, too. Helpers of `unbox_lists`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from soljit.analysis.loops.list_uses import SMALLEST, NumberList, Piece
from soljit.ir.core.data import Ref, Scalar
from soljit.ir.core.expr import ONE, ZERO, Expr, Load, Memlet, Op, Range, Sym
from soljit.ir.core.nodes import Branch, Callback, Let, Loop, Node, Raise, Region, Tasklet
from soljit.ir.core.types import b1, i64
from soljit.ir.symbolic import add, lt
from soljit.passes.lists.list_memory import ListMemory, Part, Storage
from soljit.support.list_pools import ORDER


def _empty(function: Callable[..., Any]) -> str:
    """What Python says if there is nothing to choose from."""
    try:
        return str(function([]))
    except ValueError as e:
        return str(e)


_EMPTY = {True: _empty(min), False: _empty(max)}


class KeyedLists(ListMemory):
    """Memory of lists, some of which are in the order of keys."""

    def best(self, n: Callback, items: str, keys: str) -> list[Node]:
        """The first item with the smallest or largest key."""
        out: list[Node] = []
        least = n.target == SMALLEST
        size = self.let("length", self.at(items, out).size, out)
        out.append(Branch(lt(size, ONE), Region((Raise("builtins.ValueError", _EMPTY[least]),)), Region()))
        k, found, inside = Sym(self.fresh("k"), i64), Memlet(self.new("best", Scalar(i64))), list[Node]()
        s = self._keys(keys, size, out)
        now = self.let("at", Load(found, i64), inside)
        (a,), (b,) = (self.loads(keys, s, at, out) for at in (k, now))
        inside.append(Branch(Op("lt" if least else "gt", (a, b), b1), Region((Tasklet(found, k),)), Region()))
        out += [Tasklet(found, ZERO), Loop(k.name, Range(ONE, size, ONE), Region(tuple(inside)))]
        chosen = self.let("at", Load(found, i64), out)
        return out + self.read(items, n.outs, self.at(items, out), chosen)

    def _keys(self, keys: str, size: Expr, out: list[Node]) -> Storage:
        """Where the keys lie; there are enough unless asking for them has changed the list."""
        s = self.at(keys, out)
        wrong = Raise("builtins.IndexError", "list index out of range")
        out.append(Branch(lt(s.size, size), Region((wrong,)), Region()))
        return s

    def part(self, one: NumberList, p: Piece, out: list[Node]) -> Part:
        if not p.keys:
            return super().part(one, p, out)
        size = self.let("part", self.at(p.name, out).size, out)
        s = self._keys(p.keys, size, out)
        order, first = self.new("order", Ref(i64, 1)), self.first(s, out)
        ins = (Memlet(s.columns[0], (Range(first, add(first, size), ONE),)),)
        out.append(Callback(ORDER, (order,), ins, ({"$": 0}, p.falling), result={"array": ["i64", 1]}))
        return Part(size, name=p.name, order=order)

    def filled(self, one: NumberList, names: Sequence[str], at: Expr, p: Part) -> list[Node]:
        if not p.order:
            return super().filled(one, names, at, p)
        out: list[Node] = []
        k, j = Sym(self.fresh("k"), i64), Sym(self.fresh("place"), i64)
        loads = self.loads(p.name, self.at(p.name, out), j, out)
        stores = (Tasklet(Memlet(c, (add(at, k),)), e) for c, e in zip(names, loads))
        step = Region((Let(j.name, Load(Memlet(p.order, (k,)), i64)), *stores))
        return [*out, Loop(k.name, Range(ZERO, p.size, ONE), step)]
