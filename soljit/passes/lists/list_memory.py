"""Memory of unboxed lists: an array for each column of the items, its size, and how it grows. Helpers of `unbox_lists`.

A list that keeps its length, and is made once in front of all uses, is one array, which the passes behind see through. Another one is a Ref with its
size, and one that grows also knows the room there is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from soljit.analysis.loops.list_uses import MAKING, NumberList, Piece
from soljit.analysis.memory.occurrences import common_chain, places
from soljit.base.records import dataclass
from soljit.ir.callbacks.item_forms import LIST, Item, columns_as, of_python
from soljit.ir.core.data import Array, Ref, Scalar
from soljit.ir.core.expr import ONE, ZERO, Const, Expr, Load, Memlet, Range, Sym, const, is_const
from soljit.ir.core.nodes import Alloc, Branch, Callback, Copy, Let, Loop, Map, Node, Program, Raise, Region, Tasklet
from soljit.ir.core.types import i64, obj
from soljit.ir.symbolic import add, ge, gt, lt, maximum, minimum, mod, mul, range_length, select, sub
from soljit.passes.lists.containers import Containers
from soljit.passes.lists.list_pools import Pool, Pools, value
from soljit.support.list_pools import BOXED
from soljit.support.numbers import AS_LIST

LEAST_ROOM = 8
MOST_ITEMS = 1 << 40  # more than any memory has room for


@dataclass
class Storage:
    """Where a list lies. columns: its arrays, or Refs; size: its length; room: how long its arrays are, if it grows

    pool, number: of a list in a pool; `Storage`s of these are made anew for each operation
    """

    columns: tuple[str, ...]
    size: Expr
    room: Memlet | None = None
    fixed: bool = False
    pool: Pool | None = None
    number: Expr = ZERO

    @property
    def counter(self) -> Memlet:
        """Where the size is kept."""
        assert isinstance(self.size, Load)
        return self.size.memlet


@dataclass(frozen=True)
class Part:
    """Items that go into a list: `items` themselves by their columns, or `size` of those of the list `name` or of a range, from `first` on in steps, or in an order."""

    size: Expr
    items: tuple[tuple[Expr, ...], ...] = ()
    name: str = ""
    first: Expr = ZERO
    step: Expr = ONE
    order: str = ""


class ListMemory(Containers):
    """The containers of a program whose lists are unboxed."""

    def __init__(self, program: Program, lists: Mapping[str, NumberList]) -> None:
        super().__init__(program)
        self.lists = lists
        self.pools = Pools(self)
        self.numbers: dict[str, str] = {}  # of the list that a Ref stands for
        self.known: dict[str, Sym] = {}  # the same, of Refs that get one list for each time that they are used
        self.safe: set[str] = set()  # symbols that may be read in front of loops, too
        self.storage = {name: self._storage(one) for name, one in lists.items()}

    def _storage(self, one: NumberList) -> Storage:
        if one.pool:
            p = self.pool(one)
            if one.brief:
                self.known[one.name] = Sym(self.fresh(f"{one.name}_is"), i64)
            if not one.stays:
                self.numbers[one.name] = self.pools.root(p, f"{one.name}_list")
            return Storage(p.columns, ZERO, pool=p)
        if one.column is not None:
            (whole,) = one.column.subset
            assert isinstance(whole, Range)
            return Storage((one.column.data,), whole.stop, fixed=True)
        if self._is_fixed(one):
            return Storage(tuple(self.fresh(f"{one.name}_items") for _ in one.dtypes), ZERO, fixed=True)
        columns = tuple(self.new(f"{one.name}_items", Ref(t, 1)) for t in one.dtypes)
        size = Load(Memlet(self.new(f"{one.name}_size", Scalar(i64))), i64)
        return Storage(columns, size, Memlet(self.new(f"{one.name}_room", Scalar(i64))) if one.grows else None)

    def pool(self, one: NumberList) -> Pool:
        """The pool of a list."""
        p = self.pools.make(one.pool, one.dtypes, of_python(one.form))
        if one.rows and p.rows is None:
            p.rows = self.pool(next(x for x in self.lists.values() if x.pool == one.rows))
        return p

    def _is_fixed(self, one: NumberList) -> bool:
        makers = [u.node for u in one.uses if u.kind in MAKING]
        if one.grows or len(one.peers) > 1 or len(makers) != 1:
            return False
        found = places(self.program)[one.name]
        first = next(p for p in found if p.node is makers[0])
        return found[0].node is makers[0] and common_chain(found)[: len(first.above)] == first.above

    # --- where lists are -------------------------------------------------------------------------------------------------

    def at(self, name: str, out: list[Node]) -> Storage:
        """Where a list lies now."""
        s = self.storage[name]
        return s if s.pool is None else self.numbered(s.pool, self.number(name, out))

    def number(self, name: str, out: list[Node]) -> Expr:
        """Which list of its pool a Ref stands for."""
        if name in self.known:
            return self.known[name]
        return self.safe_let(
            f"{name}_is", maximum(value(self.numbers[name]), ZERO), out
        )  # there may be none in front of a loop

    def is_now(self, name: str, number: Expr) -> list[Node]:
        """Let a Ref stand for the list of this number."""
        out: list[Node] = []
        if name in self.known:
            self.safe.add(self.known[name].name)
            out.append(Let(self.known[name].name, number))
        if name in self.numbers:
            out.append(Tasklet(Memlet(self.numbers[name]), self.known.get(name, number)))
        return out

    def safe_let(self, base: str, e: Expr, out: list[Node]) -> Expr:
        """The value as a symbol that may be read in front of loops."""
        found = self.let(base, e, out)
        if isinstance(found, Sym) and found is not e:
            self.safe.add(found.name)
        return found

    def numbered(self, p: Pool, h: Expr) -> Storage:
        """Where list `h` of a pool lies."""
        return Storage(p.columns, value(p.size, h), Memlet(p.room, (h,)), pool=p, number=h)

    def first(self, s: Storage, out: list[Node]) -> Expr:
        """Where its items begin in the columns, until room is made for more."""
        return ZERO if s.pool is None else self.safe_let("first", value(s.pool.start, s.number), out)

    def length(self, s: Storage, out: list[Node]) -> Expr:
        """Its length as a symbol."""
        return self.let("length", s.size, out) if s.pool is None else self.safe_let("length", s.size, out)

    def windows(self, s: Storage, out: list[Node]) -> tuple[Memlet, ...]:
        """All items of each column."""
        first = self.first(s, out)
        return tuple(Memlet(c, (Range(first, add(first, s.size), ONE),)) for c in s.columns)

    def loads(self, name: str, s: Storage, at: Expr, out: list[Node]) -> list[Expr]:
        """The columns of an item."""
        at = add(self.first(s, out), at)
        return [Load(Memlet(c, (at,)), t) for c, t in zip(s.columns, self.lists[name].dtypes)]

    def read(
        self, name: str, outs: Sequence[str], s: Storage, at: Expr, before: list[Node] | None = None
    ) -> list[Node]:
        """Read an item. before: where its list is found, if that is not in the same place"""
        out: list[Node] = []
        items = self.loads(name, s, at, out if before is None else before)
        for o, e in zip(outs, items):
            if o:
                out += self.is_now(o, e) if o in self.lists else [Tasklet(Memlet(o), e)]
        return out

    def columns_of(self, one: NumberList, item: Item, out: list[Node]) -> tuple[Expr, ...]:
        """The columns of what is put into a list."""
        if item.form == LIST:
            (row,) = item.columns
            assert isinstance(row, Sym)
            return (self.number(row.name, out),)
        return columns_as(one.form, item)

    # --- arrays ----------------------------------------------------------------------------------------------------------

    def arrays(self, one: NumberList, names: Sequence[str], size: Expr, zero: bool = False) -> list[Node]:
        """Make an array for each column."""
        for a, t in zip(names, one.dtypes):
            self.data[a] = Array(t, (size,))
        return [Alloc(a, zero=zero) for a in names]

    def boxed(self, name: str, boxes: str) -> tuple[list[Node], str]:
        """A Python list of the items, and the Ref that holds it. boxes: the Ref of those that are made together"""
        out: list[Node] = []
        s, held, made = self.at(name, out), self.new(name, Ref(obj, 0)), {"object": "builtins.list"}
        if s.pool is None:
            ins = self.windows(s, out)
            columns = [{"$": k} for k in range(len(ins))]
            return [
                *out,
                Callback(AS_LIST, (held,), ins, (of_python(self.lists[name].form), *columns), result=made),
            ], held
        given: list[Memlet | Expr] = [Memlet(boxes), s.number]
        pools = self.pools.described(given)
        args = ({"$": 0}, s.pool.number, {"$": 1, "weak": True}, pools)
        return [*out, Callback(BOXED, (held,), tuple(given), args, result=made)], held

    # --- pieces ----------------------------------------------------------------------------------------------------------

    def made(self, name: str, pieces: Sequence[Piece], count: Expr | None = None) -> list[Node]:
        """A new list of these pieces; of one piece, `count` times."""
        one, s, out = self.lists[name], self.storage[name], list[Node]()
        if count is not None:
            count = self._times(count, out)
        parts = [self.part(one, p, out) for p in pieces]
        whole = reduce(add, [p.size for p in parts])
        size = self.let(f"{name}_n", whole if count is None else mul(count, whole), out)
        grows = s.room is not None or s.pool is not None and one.grows
        room = self.let(f"{name}_start_n", maximum(size, const(LEAST_ROOM)), out) if grows else size
        only = self._constant(one, pieces[0]) if count is not None else None
        zero = only is not None and all(is_const(e, 0) for e in only) and s.pool is None
        if s.pool is not None:
            self.pools.reserve(s.pool, ONE, room, out)
            h = self.pools.take(s.pool, size, room, out)
            names, at = s.columns, self.first(self.numbered(s.pool, h), out)
            out += self._filled(one, names, at, parts, count, size, only)
            return [*out, *self.is_now(name, h)]
        names = s.columns if s.fixed else tuple(self.fresh(f"{name}_start") for _ in s.columns)
        out += self.arrays(one, names, room, zero)
        if s.fixed:
            s.size = size
        else:
            out += [*self.bind(s.columns, names, room), Tasklet(s.counter, size)]
            out += [Tasklet(s.room, room)] if s.room is not None else []
        return out if zero else out + self._filled(one, names, ZERO, parts, count, size, only)

    def _filled(
        self,
        one: NumberList,
        names: Sequence[str],
        at: Expr,
        parts: Sequence[Part],
        count: Expr | None,
        size: Expr,
        only: tuple[Expr, ...] | None,
    ) -> list[Node]:
        if count is not None:
            return self._repeated(one, names, at, parts[0], size, only)
        out: list[Node] = []
        for p in parts:
            out += self.filled(one, names, at, p)
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
        if len(p.items) != 1 or p.items[0].form == LIST:
            return None
        found = columns_as(one.form, p.items[0])
        return found if all(isinstance(e, Const) for e in found) else None

    def _repeated(
        self, one: NumberList, names: Sequence[str], at: Expr, p: Part, size: Expr, only: tuple[Expr, ...] | None
    ) -> list[Node]:
        k = Sym(self.fresh("k"), i64)
        if only is None and p.items:  # write it once, and repeat that
            types = [self.data[a].dtype for a in names]
            again = [
                Tasklet(Memlet(a, (add(at, k),)), Load(Memlet(a, (add(at, mod(k, p.size)),)), t))
                for a, t in zip(names, types)
            ]
            rest = Loop(k.name, Range(p.size, size, ONE), Region(tuple(again)))
            return [Branch(ge(size, p.size), Region((*self.filled(one, names, at, p), rest)), Region())]
        out: list[Node] = []
        items = only or self._elements(one, p, out)(mod(k, p.size))
        stores = tuple(Tasklet(Memlet(a, (add(at, k),)), e) for a, e in zip(names, items))
        return [*out, Map((k.name,), (Range(ZERO, size, ONE),), Region(stores))]

    def filled(self, one: NumberList, names: Sequence[str], at: Expr, p: Part) -> list[Node]:
        """Write the items of a part into arrays from a position on."""
        if p.items:
            return [
                Tasklet(Memlet(a, (add(at, const(k)),)), e) for k, x in enumerate(p.items) for a, e in zip(names, x)
            ]
        if is_const(p.size, 0):
            return []
        if (
            p.name
            and is_const(p.step, 1)
            and is_const(p.first, 0)
            and not set(names) & set(self.storage[p.name].columns)
        ):
            out: list[Node] = []
            source = self.at(p.name, out)
            first = self.first(source, out)
            there, here = Range(at, add(at, p.size), ONE), Range(first, add(first, p.size), ONE)
            return [*out, *(Copy(Memlet(a, (there,)), Memlet(c, (here,))) for a, c in zip(names, source.columns))]
        k, out = Sym(self.fresh("k"), i64), []
        element = self._elements(one, p, out)
        stores = tuple(Tasklet(Memlet(a, (add(at, k),)), e) for a, e in zip(names, element(k)))
        return [*out, Map((k.name,), (Range(ZERO, p.size, ONE),), Region(stores))]

    def _elements(self, one: NumberList, p: Part, out: list[Node]) -> Callable[[Expr], tuple[Expr, ...]]:
        """What gives the item at a position of a part, until room is made for more."""
        if not p.name:
            return lambda k: (add(p.first, mul(p.step, k)),)
        s = self.at(p.name, out)
        first = add(self.first(s, out), p.first)
        types = self.lists[p.name].dtypes
        return lambda k: tuple(Load(Memlet(c, (add(first, mul(p.step, k)),)), t) for c, t in zip(s.columns, types))

    def part(self, one: NumberList, p: Piece, out: list[Node]) -> Part:
        """The items of a piece of a list as they are now."""
        if p.span is not None:
            start, _, step = p.span
            size = self.let("part", maximum(range_length(Range(*p.span)), ZERO), out)
            return Part(size, first=start, step=step)
        if not p.name:
            return Part(const(len(p.items)), tuple(self.columns_of(one, x, out) for x in p.items))
        n = self.let("part", self.at(p.name, out).size, out)
        first, size, by = (ZERO, n, ONE) if p.cut is None else self._cut(p.cut, n, out)
        return Part(size, name=p.name, first=first, step=by)

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

    def grown(self, name: str, s: Storage, needed: Expr) -> Node:
        """Make room for `needed` items, where there is too little."""
        assert s.room is not None
        one, more = self.lists[name], list[Node]()
        size = self.let(f"{name}_n", s.size, more)
        room = self.let(f"{name}_more", maximum(needed, mul(const(2), size)), more)
        if s.pool is not None:
            room = self.let(f"{name}_room", maximum(room, const(LEAST_ROOM)), more)
            more += self._moved(s, s.pool, size, room)
        else:
            names = [self.fresh(f"{name}_grown") for _ in s.columns]
            more += self.arrays(one, names, room)
            whole = (Range(ZERO, size, ONE),)
            more += [Copy(Memlet(g, whole), Memlet(c, whole)) for g, c in zip(names, s.columns)]
            more += self.bind(s.columns, names, room)
        more.append(Tasklet(s.room, room))
        return Branch(gt(needed, Load(s.room, i64)), Region(tuple(more)), Region())

    def _moved(self, s: Storage, p: Pool, size: Expr, room: Expr) -> list[Node]:
        """Move a list to where there is room for more."""
        out: list[Node] = []
        self.pools.reserve(p, ZERO, room, out)
        first, top = self.first(s, out), self.let("top", value(p.top), out)
        k = Sym(self.fresh("k"), i64)
        moves = [
            Tasklet(Memlet(c, (add(top, k),)), Load(Memlet(c, (add(first, k),)), t)) for c, t in zip(p.columns, p.types)
        ]
        out.append(Loop(k.name, Range(ZERO, size, ONE), Region(tuple(moves))))
        return [*out, Tasklet(Memlet(p.start, (s.number,)), top), Tasklet(Memlet(p.top), add(top, room))]
