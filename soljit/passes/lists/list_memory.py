"""Memory of unboxed lists: an array for each column of the items, its size, and how it grows. Helpers of `unbox_lists`.

A list that keeps its length, and is made once in front of all uses, is one array, which the passes behind see through. Another one is a Ref with its
size, and one that grows also knows the room there is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from soljit.analysis.loops.number_lists import MAKING, NumberList, Piece
from soljit.analysis.memory.occurrences import common_chain, places
from soljit.base.records import dataclass
from soljit.ir.callbacks.item_forms import columns_as, of_python
from soljit.ir.core.data import Array, Data, Ref, Scalar
from soljit.ir.core.expr import ONE, ZERO, Const, Expr, Load, Memlet, Range, Sym, const, is_const
from soljit.ir.core.nodes import (
    Alloc,
    Bind,
    Branch,
    Callback,
    Copy,
    Let,
    Loop,
    Map,
    Node,
    Program,
    Raise,
    Region,
    Tasklet,
)
from soljit.ir.core.types import i64, obj
from soljit.ir.symbolic import add, ge, gt, lt, maximum, minimum, mod, mul, range_length, select, sub
from soljit.ir.walk import FreshNames
from soljit.support.numbers import AS_LIST

LEAST_ROOM = 8
MOST_ITEMS = 1 << 40  # more than any memory has room for


@dataclass
class Storage:
    """Where a list lies. columns: its arrays, or Refs; size: its length; room: the Scalar with the length of its arrays, if it grows"""

    columns: tuple[str, ...]
    size: Expr
    room: str = ""
    fixed: bool = False

    @property
    def counter(self) -> Memlet:
        """The Scalar that holds the size."""
        assert isinstance(self.size, Load)
        return self.size.memlet

    def windows(self) -> tuple[Memlet, ...]:
        """All items of each column."""
        return tuple(Memlet(c, (Range(ZERO, self.size, ONE),)) for c in self.columns)


@dataclass(frozen=True)
class Part:
    """Items that go into a list: `items` themselves by their columns, or all of these columns, or what `element` gives for a position."""

    size: Expr
    items: tuple[tuple[Expr, ...], ...] = ()
    columns: tuple[str, ...] = ()
    element: Callable[[Expr], tuple[Expr, ...]] = lambda k: ()


class ListMemory:
    """The containers of a program whose lists are unboxed."""

    def __init__(self, program: Program, lists: Mapping[str, NumberList]) -> None:
        self.program, self.lists = program, lists
        self.data: dict[str, Data] = dict(program.data)
        self.fresh = FreshNames(program)
        self.storage = {name: self._storage(one) for name, one in lists.items()}

    # --- names -----------------------------------------------------------------------------------------------------------

    def new(self, base: str, d: Data) -> str:
        """A new container."""
        name = self.fresh(base)
        self.data[name] = d
        return name

    def let(self, base: str, e: Expr, out: list[Node]) -> Expr:
        """The value as a symbol or constant."""
        if isinstance(e, (Sym, Const)):
            return e
        name = self.fresh(base)
        out.append(Let(name, e))
        return Sym(name, e.dtype)

    def _storage(self, one: NumberList) -> Storage:
        if one.column is not None:
            (whole,) = one.column.subset
            assert isinstance(whole, Range)
            return Storage((one.column.data,), whole.stop, fixed=True)
        if self._is_fixed(one):
            return Storage(tuple(self.fresh(f"{one.name}_items") for _ in one.dtypes), ZERO, fixed=True)
        columns = tuple(self.new(f"{one.name}_items", Ref(t, 1)) for t in one.dtypes)
        size = Load(Memlet(self.new(f"{one.name}_size", Scalar(i64))), i64)
        return Storage(columns, size, self.new(f"{one.name}_room", Scalar(i64)) if one.grows else "")

    def _is_fixed(self, one: NumberList) -> bool:
        makers = [u.node for u in one.uses if u.kind in MAKING]
        if one.grows or len(one.peers) > 1 or len(makers) != 1:
            return False
        found = places(self.program)[one.name]
        first = next(p for p in found if p.node is makers[0])
        return found[0].node is makers[0] and common_chain(found)[: len(first.above)] == first.above

    # --- arrays ----------------------------------------------------------------------------------------------------------

    def arrays(self, one: NumberList, names: Sequence[str], size: Expr, zero: bool = False) -> list[Node]:
        """Make an array for each column."""
        for a, t in zip(names, one.dtypes):
            self.data[a] = Array(t, (size,))
        return [Alloc(a, zero=zero) for a in names]

    def bind(self, columns: Sequence[str], source: Sequence[str], size: Expr) -> list[Node]:
        """Let Refs stand for the first elements of arrays or of other Refs."""
        out: list[Node] = []
        for ref, array in zip(columns, source):
            d = self.data[ref]
            assert isinstance(d, Ref)
            self.data[ref] = replace(d, alias=tuple(dict.fromkeys((*d.alias, array))))
            out.append(Bind(ref, Memlet(array, (Range(ZERO, size, ONE),))))
        return out

    def boxed(self, name: str) -> tuple[Node, str]:
        """A Python list of the items, and the Ref that holds it."""
        held, ins = self.new(name, Ref(obj, 0)), self.storage[name].windows()
        args = (of_python(self.lists[name].form), *({"$": k} for k in range(len(ins))))
        return Callback(AS_LIST, (held,), ins, args, result={"object": "builtins.list"}), held

    # --- pieces ----------------------------------------------------------------------------------------------------------

    def made(self, name: str, pieces: Sequence[Piece], count: Expr | None = None) -> list[Node]:
        """A new list of these pieces; of one piece, `count` times."""
        one, s, out = self.lists[name], self.storage[name], list[Node]()
        if count is not None:
            count = self._times(count, out)
        parts = [self.part(one, p, out) for p in pieces]
        whole = reduce(add, [p.size for p in parts])
        size = self.let(f"{name}_n", whole if count is None else mul(count, whole), out)
        room = size if not s.room else self.let(f"{name}_start_n", maximum(size, const(LEAST_ROOM)), out)
        names = s.columns if s.fixed else tuple(self.fresh(f"{name}_start") for _ in s.columns)
        only = self._constant(one, pieces[0]) if count is not None else None
        zero = only is not None and all(is_const(e, 0) for e in only)
        out += self.arrays(one, names, room, zero)
        if s.fixed:
            s.size = size
        else:
            out += [*self.bind(s.columns, names, room), Tasklet(s.counter, size)]
            out += [Tasklet(Memlet(s.room), room)] if s.room else []
        if zero:
            return out
        if count is not None:
            return out + self._repeated(names, parts[0], size, only)
        at: Expr = ZERO
        for p in parts:
            out += self.filled(names, at, p)
            at = add(at, p.size)
        return out

    def _times(self, count: Expr, out: list[Node]) -> Expr:
        times = maximum(count, ZERO)
        if not isinstance(times, Const):
            times = self.let("times", times, out)
            too_many = gt(times, const(MOST_ITEMS))
            out.append(Branch(too_many, Region((Raise("builtins.MemoryError"),)), Region()))
        return times

    def _constant(self, one: NumberList, p: Piece) -> tuple[Expr, ...] | None:
        """The constant that all items are, if that is known."""
        if p.name and p.cut is None:  # a list that is made to be repeated, and for nothing else
            uses = self.lists[p.name].uses
            made = [u for u in uses if u.kind == "make"]
            p = made[0].pieces[0] if len(uses) == 2 and len(made) == 1 and len(made[0].pieces) == 1 else p
        if len(p.items) != 1:
            return None
        found = columns_as(one.form, p.items[0])
        return found if all(isinstance(e, Const) for e in found) else None

    def _repeated(self, names: Sequence[str], p: Part, size: Expr, only: tuple[Expr, ...] | None) -> list[Node]:
        k = Sym(self.fresh("k"), i64)
        if only is None and p.items:  # write it once, and repeat that
            types = [self.data[a].dtype for a in names]
            again = [Tasklet(Memlet(a, (k,)), Load(Memlet(a, (mod(k, p.size),)), t)) for a, t in zip(names, types)]
            rest = Loop(k.name, Range(p.size, size, ONE), Region(tuple(again)))
            return [Branch(ge(size, p.size), Region((*self.filled(names, ZERO, p), rest)), Region())]
        items = only or p.element(mod(k, p.size))
        stores = tuple(Tasklet(Memlet(a, (k,)), e) for a, e in zip(names, items))
        return [Map((k.name,), (Range(ZERO, size, ONE),), Region(stores))]

    def filled(self, names: Sequence[str], at: Expr, p: Part) -> list[Node]:
        """Write the items of a part into arrays from a position on."""
        if p.items:
            return [
                Tasklet(Memlet(a, (add(at, const(k)),)), e) for k, x in enumerate(p.items) for a, e in zip(names, x)
            ]
        if is_const(p.size, 0):
            return []
        if p.columns:
            there, source = (Range(at, add(at, p.size), ONE),), (Range(ZERO, p.size, ONE),)
            return [Copy(Memlet(a, there), Memlet(c, source)) for a, c in zip(names, p.columns)]
        k = Sym(self.fresh("k"), i64)
        stores = tuple(Tasklet(Memlet(a, (add(at, k),)), e) for a, e in zip(names, p.element(k)))
        return [Map((k.name,), (Range(ZERO, p.size, ONE),), Region(stores))]

    def part(self, one: NumberList, p: Piece, out: list[Node]) -> Part:
        """The items of a piece of a list as they are now."""
        if p.span is not None:
            start, _, step = p.span
            size = self.let("part", maximum(range_length(Range(*p.span)), ZERO), out)
            return Part(size, element=lambda k: (add(start, mul(step, k)),))
        if not p.name:
            return Part(const(len(p.items)), tuple(columns_as(one.form, x) for x in p.items))
        columns, types = self.storage[p.name].columns, self.lists[p.name].dtypes
        n = self.let("part", self.storage[p.name].size, out)
        first, size, step = (ZERO, n, ONE) if p.cut is None else self._cut(p.cut, n, out)

        def element(k: Expr) -> tuple[Expr, ...]:
            at = add(first, mul(step, k))
            return tuple(Load(Memlet(c, (at,)), t) for c, t in zip(columns, types))

        return Part(size, columns=columns if p.cut is None else (), element=element)

    def _cut(self, cut: tuple[Expr | None, Expr | None, int], n: Expr, out: list[Node]) -> tuple[Expr, Expr, Expr]:
        """The first item of a slice, how many it has, and the step: start and stop as Python adjusts them to the length."""
        start, stop, step = cut
        low, high = (ZERO, n) if step > 0 else (const(-1), sub(n, ONE))

        def end(e: Expr | None, otherwise: Expr) -> Expr:
            if e is None:
                return otherwise
            e = self.let("end", e, out)
            return self.let("end", minimum(maximum(select(lt(e, ZERO), add(e, n), e), low), high), out)

        first, last = end(start, low if step > 0 else high), end(stop, high if step > 0 else low)
        size = maximum(range_length(Range(first, last, const(step))), ZERO)
        return first, self.let("part", size, out), const(step)

    # --- growth ----------------------------------------------------------------------------------------------------------

    def grown(self, name: str, needed: Expr) -> Node:
        """Make room for `needed` items, where there is too little."""
        one, s = self.lists[name], self.storage[name]
        more: list[Node] = []
        size = self.let(f"{name}_n", s.size, more)
        room = self.let(f"{name}_more", maximum(needed, mul(const(2), size)), more)
        names = [self.fresh(f"{name}_grown") for _ in s.columns]
        more += self.arrays(one, names, room)
        whole = (Range(ZERO, size, ONE),)
        more += [Copy(Memlet(g, whole), Memlet(c, whole)) for g, c in zip(names, s.columns)]
        more += [*self.bind(s.columns, names, room), Tasklet(Memlet(s.room), room)]
        return Branch(gt(needed, Load(Memlet(s.room), i64)), Region(tuple(more)), Region())
