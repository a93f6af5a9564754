"""Pools of lists: memory for lists that only the run tells apart. Helpers of `unbox_lists`.

A list is a number h, and `start[h]`, `size[h]`, `room[h]` say where its items lie in the pool's columns. New items come from the end. Where there is no room
for them, or no number is free, Python makes room (`support/list_pools.py`): lists to which no variable and no list leads any more go then. What was moved is somewhere else
afterwards, so that `start` is read anew behind everything that may do so.
"""

from __future__ import annotations

from dataclasses import field

from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Ref, Scalar
from soljit.ir.core.expr import ONE, ZERO, Expr, Load, Memlet, Range, Sym, const
from soljit.ir.core.nodes import Alloc, Branch, Callback, Loop, Node, Region, Tasklet
from soljit.ir.core.types import DType, i64
from soljit.ir.symbolic import add, disj, lt, sub
from soljit.passes.lists.containers import Containers
from soljit.support.list_pools import FIRST_ITEMS, FIRST_LISTS, MORE_ROOM

INTS = {"array": ["i64", 1]}


@dataclass
class Pool:
    """One pool.

    columns: Refs of the items' columns; start, size, room, free: Refs of tables; spare: how many numbers are free; top: where items are free;
    lists, space: how many lists and items there may be; given: how many lists came from arguments
    number: among the pools of the program; rows: the pool that its items are lists of
    roots:  Scalars with numbers of lists
    """

    number: int
    types: tuple[DType, ...]
    kind: bool | str | list[bool]
    rows: Pool | None = None
    columns: tuple[str, ...] = ()
    start: str = ""
    size: str = ""
    room: str = ""
    free: str = ""
    spare: str = ""
    top: str = ""
    lists: str = ""
    space: str = ""
    given: str = ""
    roots: list[str] = field(default_factory=list)


def value(name: str, *at: Expr) -> Load:
    """A number in one of its tables or scalars."""
    return Load(Memlet(name, at), i64)


class Pools:
    """The pools of a program."""

    def __init__(self, memory: Containers) -> None:
        self.m = memory
        self.of: dict[str, Pool] = {}

    def make(self, name: str, types: tuple[DType, ...], kind: bool | str | list[bool]) -> Pool:
        """The pool with this name."""
        if name not in self.of:
            p = self.of[name] = Pool(len(self.of), types, kind)
            base = f"pool{p.number}_"
            p.columns = tuple(self.m.new(base + "items", Ref(t, 1)) for t in types)
            p.start, p.size, p.room, p.free = (
                self.m.new(base + x, Ref(i64, 1)) for x in ("start", "size", "room", "free")
            )
            p.spare, p.top, p.lists, p.space, p.given = (
                self.m.new(base + x, Scalar(i64)) for x in ("spare", "top", "lists", "space", "given")
            )
        return self.of[name]

    def root(self, p: Pool, base: str) -> str:
        """A variable that holds a list of the pool."""
        p.roots.append(self.m.new(base, Scalar(i64)))
        return p.roots[-1]

    def begin(self) -> list[Node]:
        """At the head of the program: pools without lists, and variables that hold none."""
        out: list[Node] = []
        lists, items = const(FIRST_LISTS), const(FIRST_ITEMS)
        for p in self.of.values():
            arrays = [(p.start, i64, lists), (p.size, i64, lists), (p.room, i64, lists), (p.free, i64, lists)]
            for ref, t, n in (*arrays, *((c, t, items) for c, t in zip(p.columns, p.types))):
                first = self.m.new(f"{ref}_0", Array(t, (n,)))
                out.append(Alloc(first, zero=ref == p.size))
                out += self.m.bind([ref], [first], n)
            k = Sym(self.m.fresh("k"), i64)
            number = Tasklet(Memlet(p.free, (k,)), sub(const(FIRST_LISTS - 1), k))
            out.append(Loop(k.name, Range(ZERO, lists, ONE), Region((number,))))
            for name, n in ((p.spare, lists), (p.top, ZERO), (p.lists, lists), (p.space, items), (p.given, ZERO)):
                out.append(Tasklet(Memlet(name), n))
            out += [Tasklet(Memlet(name), const(-1)) for name in p.roots]
        return out

    # --- room ------------------------------------------------------------------------------------------------------------

    def reserve(self, p: Pool, lists: Expr, items: Expr, out: list[Node]) -> None:
        """Make sure that there is room for so many lists and items together."""
        too_few = lt(value(p.spare), lists)
        too_small = lt(sub(value(p.space), value(p.top)), items)
        out.append(Branch(disj(too_few, too_small), Region((self._more_room(p, lists, items),)), Region()))

    def _more_room(self, p: Pool, lists: Expr, items: Expr) -> Node:
        ins: list[Memlet | Expr] = []

        def operand(x: Memlet | Expr) -> object:
            ins.append(x)
            return {"$": len(ins) - 1} if isinstance(x, Memlet) else {"$": len(ins) - 1, "weak": True}

        counts = [operand(x) for x in (lists, items, value(p.given))]
        roots = [operand(value(r)) for r in p.roots]
        above = [q for q in self.of.values() if q.rows is p]
        holders = [[operand(self._all(q, x)) for x in (q.start, q.size, *q.columns)] for q in above]
        tables = [operand(self._all(p, x)) for x in (p.start, p.size, p.room, *p.columns)]
        outs = (p.start, p.size, p.room, p.free, p.spare, p.top, p.lists, p.space, *p.columns)
        arrays = [{"array": [t.name, 1]} for t in p.types]
        result = {"tuple": [INTS] * 4 + ["int"] * 4 + arrays}
        return Callback(MORE_ROOM, outs, tuple(ins), (*counts, roots, holders, *tables), result=result)

    def _all(self, p: Pool, name: str) -> Memlet:
        whole = value(p.space if name in p.columns else p.lists)
        return Memlet(name, (Range(ZERO, whole, ONE),))

    def tables(self, p: Pool) -> tuple[Memlet, ...]:
        """Where all its lists lie, how long they are, and the items."""
        return tuple(self._all(p, name) for name in (p.start, p.size, *p.columns))

    def take(self, p: Pool, size: Expr, room: Expr, out: list[Node]) -> Expr:
        """A new list of this size, for which there is room already; its number."""
        m = self.m
        spare = m.let("spare", sub(value(p.spare), ONE), out)
        h = m.let("list", value(p.free, spare), out)
        top = m.let("top", value(p.top), out)
        out += [Tasklet(Memlet(p.spare), spare), Tasklet(Memlet(p.top), add(top, room))]
        for name, e in ((p.start, top), (p.size, size), (p.room, room)):
            out.append(Tasklet(Memlet(name, (h,)), e))
        return h

    # --- for Python ------------------------------------------------------------------------------------------------------

    def described(self, ins: list[Memlet | Expr]) -> list[object]:
        """All pools, as `boxed` and `write_back` take them."""
        found: list[object] = []
        for p in self.of.values():
            operands: list[object] = []
            for x in self.tables(p):
                ins.append(x)
                operands.append({"$": len(ins) - 1})
            found.append([-1 if p.rows is None else p.rows.number, p.kind, *operands])
        return found
