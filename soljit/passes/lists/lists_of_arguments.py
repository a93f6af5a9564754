"""Lists of arguments in pools: filled at the head of a program, and written back where it ends. Helpers of `unbox_lists`.

While the program runs, the lists of its arguments stay what they were. What raises an exception then leaves them so, and the call is made again in plain Python, which
changes them as far as it comes, and raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from soljit.analysis.loops.list_uses import NumberList
from soljit.base.records import dataclass
from soljit.ir.callbacks.repeatable import early_limits
from soljit.ir.core.data import Array, Ref, Scalar
from soljit.ir.core.expr import ONE, ZERO, Expr, Memlet, Range, Sym
from soljit.ir.core.nodes import Alloc, Callback, Loop, Node, Program, Raise, Region, Tasklet
from soljit.ir.core.types import b1, i64, obj
from soljit.ir.symbolic import add, sub
from soljit.ir.walk import rewrite, walk
from soljit.passes.lists.keyed_lists import KeyedLists
from soljit.passes.lists.list_pools import Pool, value
from soljit.support.limits import is_limit
from soljit.support.list_pools import COUNTED, DIFFERENT, ENTER, GIVEN, LOOK, OF_POOLS, WRITE_BACK
from soljit.support.numbers import AS_LIST, FILL
from soljit.support.objects import HERE
from soljit.support.pending import unguarded

AGAIN = "soljit.support.limits.Plainly"
_NEVER_RAISE = {
    *OF_POOLS,
    HERE + "set_attribute",
    LOOK,
    DIFFERENT,
    FILL,
    AS_LIST,
    "builtins.len",
}  # unless memory is short, with lists of arguments


@dataclass(frozen=True)
class Entered:
    """A list of an argument in its pool. depth: 1 of numbers, 2 of lists of them; number, first: Scalars with its number, and that of the first list in it, which the others follow"""

    operand: Memlet | Expr
    depth: int
    pool: Pool
    number: str
    first: str = ""


class ListsOfArguments(KeyedLists):
    """Memory of lists, some of which are arguments'."""

    def __init__(self, program: Program, lists: Mapping[str, NumberList]) -> None:
        super().__init__(program, lists)
        self.entered: list[Entered] = []

    # --- at the head -----------------------------------------------------------------------------------------------------

    def enter(self, name: str, n: Callback) -> list[Node]:
        """Take the lists of an argument into pools."""
        out: list[Node] = [replace(n, target=COUNTED, args=n.args[:2])]
        p, depth = self.storage[name].pool, 2 if n.args[1] == 2 else 1
        assert p is not None
        total = self.let("total", value(n.outs[0]), out)
        if depth == 2:
            h, first = self._enter_lists(n, p, total, out)
        else:
            self.pools.reserve(p, ONE, total, out)
            h, first = self.pools.take(p, total, total, out), ""
            self._fill(n, depth, p, self.first(self.numbered(p, h), out), total, (), out)
        self.entered.append(Entered(n.ins[0], depth, p, self.new(f"{name}_number", Scalar(i64)), first))
        out += [*self.is_now(name, h), Tasklet(Memlet(self.entered[-1].number), h)]
        for q in (p, p.rows):
            if q is not None:
                out.append(Tasklet(Memlet(q.given), sub(value(q.lists), value(q.spare))))
        return out

    def _enter_lists(self, n: Callback, p: Pool, total: Expr, out: list[Node]) -> tuple[Expr, str]:
        """The number of a list of lists, and the Scalar with that of the first list in it."""
        rows, length = p.rows, self.new("length", Scalar(i64))
        assert rows is not None
        out.append(Callback("builtins.len", (length,), n.ins[:1], ({"$": 0},), result="int"))
        count = self.let("count", value(length), out)
        self.pools.reserve(p, ONE, count, out)
        h = self.pools.take(p, ZERO, count, out)
        self.pools.reserve(rows, add(count, ONE), total, out)
        sizes = self.new("sizes", Array(i64, (count,)))
        out.append(Alloc(sizes))
        self._fill(
            n, 2, rows, self.let("top", value(rows.top), out), total, (Memlet(sizes, (Range(ZERO, count, ONE),)),), out
        )
        first, last = self.new("first_row", Scalar(i64)), self.let("last", sub(value(rows.spare), ONE), out)
        out.append(Tasklet(Memlet(first), value(rows.free, last)))
        body: list[Node] = []
        k, start = Sym(self.fresh("k"), i64), self.first(self.numbered(p, h), out)
        size = self.let("size", value(sizes, k), body)
        body.append(Tasklet(Memlet(p.columns[0], (add(start, k),)), self.pools.take(rows, size, size, body)))
        out.append(Loop(k.name, Range(ZERO, count, ONE), Region(tuple(body))))
        out.append(Tasklet(self.numbered(p, h).counter, count))
        return h, first

    def _fill(
        self, n: Callback, depth: int, p: Pool, at: Expr, total: Expr, sizes: tuple[Memlet, ...], out: list[Node]
    ) -> None:
        """Write the numbers of an argument into a pool from a position on."""
        ins = (n.ins[0], Memlet(p.columns[0], (Range(at, add(at, total), ONE),)), *sizes)
        operands = [{"$": 1}, {"$": 2} if sizes else None]
        effects = (p.columns[0], *(m.data for m in sizes))
        done = self.new("filled", Scalar(b1))
        out.append(Callback(ENTER, (done,), ins, ({"$": 0}, depth, *operands), effects=effects, result="bool"))

    # --- at the end ------------------------------------------------------------------------------------------------------

    def boxes(self, given: bool = False) -> tuple[list[Node], str]:
        """What keeps the Python lists that are made, and its Ref. given: those of arguments are what they were"""
        made, ins, args = self.new("boxes", Ref(obj, 0)), list[Memlet | Expr](), list[object]()
        for e in self.entered if given else ():
            ins += [e.operand, value(e.number), *([value(e.first)] if e.first else [])]
            k = len(ins) - (3 if e.first else 2)
            first: object = {"$": k + 2, "weak": True} if e.first else -1
            rows = e.pool.rows.number if e.pool.rows is not None and e.first else -1
            args.append([{"$": k}, e.depth, e.pool.number, {"$": k + 1, "weak": True}, rows, first])
        return [Callback(GIVEN, (made,), tuple(ins), tuple(args), result={"object": GIVEN})], made

    def written_back(self, boxes: str) -> Node:
        """Let the lists of arguments hold what they hold here."""
        ins: list[Memlet | Expr] = [Memlet(boxes)]
        pools = self.pools.described(ins)
        done = self.new("written", Scalar(b1))
        changing = sorted({self.pools.of[one.pool].number for one in self.lists.values() if one.pool and one.changes})
        return Callback(WRITE_BACK, (done,), tuple(ins), ({"$": 0}, changing, pools), result="bool")


def left_to_python(program: Program) -> Program | None:
    """The program in which the call is made again where an exception would leave it; None: that may be too late, or Python code may raise one."""
    for n in walk(program.body):
        if isinstance(n, Callback) and unguarded(n.target) == n.target and n.target not in _NEVER_RAISE:
            return None

    def again(n: Node) -> tuple[Node, ...] | None:
        if isinstance(n, Raise) and not is_limit(n.exception, n.message):
            return (Raise(AGAIN, loc=n.loc),)
        return None

    done = replace(program, body=rewrite(program.body, again))
    early = early_limits(done)
    return done if all(id(n) in early for n in walk(done.body) if isinstance(n, Raise)) else None
