"""Keep lists of numbers in memory of the program's own, without Python objects.

    callback(same, outs=[v], args=[[]])                          alloc(v_items); v_size = 0
    for i in range(0, n):                                        for i in range(0, n):
        callback(list.append, [v, x])                    →           if v_size == v_room: … twice the room …
                                                                     v_items[v_size] = x; v_size = v_size + 1
    return v                                                     callback(as_list, outs=[v], v_items[0:v_size]); return v

Proof: `analysis/loops/number_lists.py` knows all that is done with the list, and no other code sees it. A Python list is made where the list is returned, or
where a function of Python looks at it. Errors are those of Python's lists. Canonicalize should come next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from soljit.analysis.flow.least_values import least, least_values
from soljit.analysis.loops.list_uses import MAKING, MOVING, NumberList, Use
from soljit.analysis.loops.list_walks import Walk, name_of, operand
from soljit.analysis.loops.number_lists import Found, number_lists
from soljit.ir.callbacks.item_forms import rows_in
from soljit.ir.callbacks.templates import operands_of
from soljit.ir.core.data import Data, Ref
from soljit.ir.core.expr import ONE, ZERO, Const, Expr, Load, Memlet, Op, Range, Sym, is_const, subexpressions
from soljit.ir.core.nodes import (
    Bind,
    Branch,
    Callback,
    Loop,
    Node,
    Program,
    Raise,
    Region,
    Return,
    Tasklet,
)
from soljit.ir.core.types import i64
from soljit.ir.symbolic import add, disj, ge, lt, ne, neg, select, sub
from soljit.ir.walk import rewrite, walk, with_loc
from soljit.passes.lists.instance_rows import instances_as_rows
from soljit.passes.lists.list_functions import looked_at
from soljit.passes.lists.list_loops import ListLoops
from soljit.passes.lists.list_memory import Storage
from soljit.passes.lists.lists_of_arguments import AGAIN, ListsOfArguments, left_to_python
from soljit.passes.lists.tables_in_front import in_front
from soljit.passes.manager import Context
from soljit.support.list_pools import DIFFERENT
from soljit.support.objects import HERE
from soljit.support.pending import unguarded

_OF_OTHERS = {"piece", "keys", *MOVING}  # uses for the sake of another list in the call
_SAFE = {"add", "sub", "mul", "min", "max"}
_OUT_OF_RANGE = {
    "get": "list index out of range",
    "set": "list assignment index out of range",
    "pop": "pop index out of range",
}


def unbox_lists(program: Program, cx: Context) -> Program:
    """The program with such lists in arrays."""
    program = instances_as_rows(program, cx)
    found = number_lists(program)
    done = _unboxed(program, found)
    if done is None:
        found = number_lists(program, entered=False)
        done = _unboxed(program, found)
    if done is None or not found.lists:
        return program
    for one in found.lists.values():
        for u in one.uses:
            if u.kind in MAKING:
                cx.note(u.node.loc, "list in memory")
    return done


def _unboxed(program: Program, found: Found) -> Program | None:
    """The program with these lists in arrays; None: arguments would have changed where an exception leaves it."""
    changes = any(isinstance(n, Callback) and n.target == DIFFERENT for n in walk(program.body))
    rewriter = _Rewriter(program, found.lists, found.walks, changes)
    body = rewrite(program.body, rewriter.node, top_down=True)
    if rewriter.memory.safe:
        body = in_front(body, rewriter.memory.safe)
    if begin := rewriter.begin():
        body = replace(body, nodes=(*with_loc(begin, program.loc), *body.nodes))
    made = {o for w in found.walks.values() for n in w.makers if isinstance(n, Callback) for o in n.outs}
    gone = found.lists.keys() | made
    data = {k: _without(d, gone) for k, d in rewriter.memory.data.items() if k not in gone}
    done = replace(program, body=body, data=data)
    return left_to_python(done) if changes and rewriter.memory.entered else done


def _without(d: Data, gone: set[str]) -> Data:
    if isinstance(d, Ref) and not gone.isdisjoint(d.alias):
        return replace(d, alias=tuple(a for a in d.alias if a not in gone))
    return d


class _Rewriter:
    """uses: of nodes, by identity, with the lists; least: of symbols; changes: lists of arguments may"""

    def __init__(
        self, program: Program, lists: Mapping[str, NumberList], walks: Mapping[str, Walk], changes: bool
    ) -> None:
        self.lists, self.changes = lists, changes
        self.memory = ListsOfArguments(program, lists)
        self.uses: dict[int, list[tuple[str, Use]]] = {}
        for name, one in lists.items():
            for u in one.uses:
                self.uses.setdefault(id(u.node), []).append((name, u))
        self.loops = ListLoops(self.memory, walks)
        self.least = least_values(program) if lists else {}

    def node(self, n: Node) -> tuple[Node, ...] | None:
        """What stands for a node."""
        if (looped := self.loops.node(n)) is not None:
            return looped
        used = [x for x in self.uses.get(id(n), ()) if x[1].kind != "keep"]
        if isinstance(n, Return):
            return with_loc(self._return(n, [x for x, _ in used]), n.loc)
        if not used:
            return None
        name, u = next((x for x in used if x[1].kind not in _OF_OTHERS), used[0])
        match n:
            case Bind():
                return with_loc(self._bind(n.ref, n.source.data), n.loc)
            case Callback() if u.kind == "bind":
                return with_loc(self._bind(n.outs[0], u.source if u.source != n.outs[0] else name), n.loc)
            case Callback() if u.kind == "read":
                native = looked_at(self.memory, name, n, lambda: self._otherwise(n, name))
                return with_loc(native or self._read(n, [x for x, _ in used]), n.loc)
            case Callback():
                return with_loc(getattr(self, f"_{u.kind}")(name, u, n), n.loc)
        return None

    def _bind(self, ref: str, there: str) -> list[Node]:
        m = self.memory
        if m.storage[ref].pool is not None:
            out: list[Node] = []
            number = m.number(there, out)
            return [*out, *m.is_now(ref, number)]
        to, source = m.storage[ref], m.storage[there]
        return [*m.bind(to.columns, source.columns, source.size), Tasklet(to.counter, source.size)]

    def _return(self, n: Return, names: Sequence[str]) -> list[Node]:
        m = self.memory
        writes = self.changes and bool(m.entered)
        if not names and not writes:
            return [n]
        pooled = writes or any(m.storage[name].pool for name in names)
        out, boxes = m.boxes(given=True) if pooled else ([], "")
        made = self._boxed(names, boxes, out)
        if writes:
            out.append(m.written_back(boxes))
        values = tuple(Memlet(made[v.data]) if isinstance(v, Memlet) and v.data in made else v for v in n.values)
        return [*out, replace(n, values=values)]

    def _read(self, n: Callback, names: Sequence[str]) -> list[Node]:
        names = [name for name in names if self.lists[name].column is None]
        before, boxes = self.memory.boxes() if any(self.memory.storage[name].pool for name in names) else ([], "")
        made = self._boxed(names, boxes, before)
        ins = tuple(Memlet(made[x.data]) if isinstance(x, Memlet) and x.data in made else x for x in n.ins)
        effects = tuple(made.get(e, e) for e in n.effects)
        return [*before, replace(n, ins=ins, effects=effects)]

    def _otherwise(self, n: Callback, name: str) -> list[Node]:
        """What Python's function is called for after all, since it raises, perhaps."""
        return [Raise(AGAIN)] if self.changes and self.memory.entered else self._read(n, [name])

    def _boxed(self, names: Sequence[str], boxes: str, out: list[Node]) -> dict[str, str]:
        """The Refs of Python lists that are made of these."""
        made: dict[str, str] = {}
        for name in dict.fromkeys(names):
            more, made[name] = self.memory.boxed(name, boxes)
            out += more
        return made

    def _enter(self, name: str, u: Use, n: Callback) -> list[Node]:
        return self.memory.enter(name, n)

    def _mark(self, name: str, u: Use, n: Callback) -> list[Node]:
        """Instances in lists are kept: those of pools that lists are in, or lead to."""
        out: list[Node] = []
        ins, found, m = list(n.ins), list[object](), self.memory
        for at in operands_of(n.args[2]):
            name = name_of(n.ins[at])
            one = self.lists[name]
            while one.rows:
                one = next(y for y in self.lists.values() if y.pool == one.rows)
            s = m.at(one.name, out) if one.name == name else m.storage[one.name]
            columns = m.windows(s, out) if s.pool is None else m.pools.tables(s.pool)
            tables = columns[: len(columns) - len(s.columns)]
            for column, cls in zip(columns[len(tables) :], rows_in(one.form)):
                if cls == n.args[0]:
                    ins[at] = column
                    found.append([*({"$": len(ins) + k} for k in range(len(tables))), {"$": at}])
                    ins += tables
                    at = len(ins)
                    ins.append(column)
        args = (*n.args[:2], found, *n.args[3:])
        return [*out, replace(n, ins=tuple(ins), args=args)]

    def begin(self) -> list[Node]:
        """What stands at the head of the program."""
        return self.memory.pools.begin()

    # --- whole lists -----------------------------------------------------------------------------------------------------

    def _make(self, name: str, u: Use, n: Callback) -> list[Node]:
        return self.memory.made(name, u.pieces)

    def _repeat(self, name: str, u: Use, n: Callback) -> list[Node]:
        return self.memory.made(name, u.pieces, u.count)

    def _extend(self, name: str, u: Use, n: Callback) -> list[Node]:
        m, out = self.memory, list[Node]()
        one, s = self.lists[name], m.at(name, out)
        part = m.part(one, u.pieces[0], out)
        size = m.let("old", s.size, out)
        whole = m.let("new", add(size, part.size), out)
        out.append(m.grown(name, s, whole))
        out += m.filled(one, s.columns, add(m.first(s, out), size), part)
        return [*out, Tasklet(s.counter, whole), *_succeeded(n, ())]

    def _replace(self, name: str, u: Use, n: Callback) -> list[Node]:
        m, out = self.memory, list[Node]()
        one, s = self.lists[name], m.at(name, out)
        part = m.part(one, u.pieces[0], out)
        out.append(m.grown(name, s, part.size))
        out += m.filled(one, s.columns, m.first(s, out), part)
        return [*out, Tasklet(s.counter, part.size), *_succeeded(n, ())]

    def _best(self, name: str, u: Use, n: Callback) -> list[Node]:
        items, keys = (operand(n, t) for t in n.args)
        return self.memory.best(n, items, keys)

    def _clear(self, name: str, u: Use, n: Callback) -> list[Node]:
        out: list[Node] = []
        counter = self.memory.at(name, out).counter
        return [*out, Tasklet(counter, ZERO), *_succeeded(n, ())]

    def _len(self, name: str, u: Use, n: Callback) -> list[Node]:
        out: list[Node] = []
        size = self.memory.at(name, out).size
        return out + _succeeded(n, (size,))

    def _truth(self, name: str, u: Use, n: Callback) -> list[Node]:
        out: list[Node] = []
        size = self.memory.at(name, out).size
        return out + _succeeded(n, (ne(size, ZERO),))

    # --- single items ----------------------------------------------------------------------------------------------------

    def _append(self, name: str, u: Use, n: Callback) -> list[Node]:
        m, out = self.memory, list[Node]()
        s, items = m.at(name, out), self._item(name, u, out)
        size = m.let("old", s.size, out)
        out.append(m.grown(name, s, add(size, ONE)))
        out += self._stores(name, s, size, items)
        return [*out, Tasklet(s.counter, add(size, ONE)), *_succeeded(n, ())]

    def _item(self, name: str, u: Use, out: list[Node]) -> tuple[Expr, ...]:
        """The columns of what is put in."""
        return self.memory.columns_of(self.lists[name], u.pieces[0].items[0], out)

    def _stores(self, name: str, s: Storage, at: Expr, items: Sequence[Expr]) -> list[Node]:
        out: list[Node] = []
        at = add(self.memory.first(s, out), at)
        return [*out, *(Tasklet(Memlet(c, (at,)), e) for c, e in zip(s.columns, items))]

    def _get(self, name: str, u: Use, n: Callback) -> list[Node]:
        m, out = self.memory, list[Node]()
        s = m.at(name, out)
        bad, at = self._place(u, m.length(s, out), out)
        if u.rows and unguarded(n.target) == n.target:  # in a way that is right in front of loops, too
            bad, zero = m.safe_let("bad", bad, out), select(bad, ZERO, at)
            (item,) = m.loads(name, s, m.safe_let("at", zero, out), out)
            row = m.safe_let("row", select(bad, ZERO, item), out)
            return [*out, *_checked(n, bad, _OUT_OF_RANGE["get"], m.is_now(u.rows[0], row))]
        items = self.memory.read(name, n.outs, s, at, out)
        return out + _checked(n, bad, _OUT_OF_RANGE["get"], items)

    def _set(self, name: str, u: Use, n: Callback) -> list[Node]:
        out: list[Node] = []
        s, items = self.memory.at(name, out), self._item(name, u, out)
        bad, at = self._place(u, self.memory.length(s, out), out)
        first = self.memory.first(s, out)
        stores = [Tasklet(Memlet(c, (add(first, at),)), e) for c, e in zip(s.columns, items)]
        return out + _checked(n, bad, _OUT_OF_RANGE["set"], stores)

    def _pop(self, name: str, u: Use, n: Callback) -> list[Node]:
        m, out = self.memory, list[Node]()
        s = m.at(name, out)
        size = m.let("old", s.size, out)
        last, empty = sub(size, ONE), lt(size, ONE)
        if u.index is None or is_const(u.index, -1):
            taken = [*self.memory.read(name, n.outs, s, last), Tasklet(s.counter, last)]
            return out + _checked(n, empty, "pop from empty list", taken)
        inner: list[Node] = []
        bad, at = self._place(u, size, inner)
        k, types = Sym(m.fresh("k"), i64), self.lists[name].dtypes
        taken = self.memory.read(name, n.outs, s, at)
        first = m.first(s, taken)
        moves = [
            Tasklet(Memlet(c, (add(first, k),)), Load(Memlet(c, (add(first, add(k, ONE)),)), t))
            for c, t in zip(s.columns, types)
        ]
        taken += [Loop(k.name, Range(at, last, ONE), Region(tuple(moves))), Tasklet(s.counter, last)]
        inner += _checked(n, bad, _OUT_OF_RANGE["pop"], taken)
        return out + _checked(n, empty, "pop from empty list", inner, checks=True)

    def _place(self, u: Use, size: Expr, out: list[Node]) -> tuple[Expr, Expr]:
        """Tell whether an index is out of range, and which item it stands for."""
        assert u.index is not None
        size = size if isinstance(size, Sym) else self.memory.let("length", size, out)
        low = least(u.index, self.least)
        index = self.memory.let("index", u.index, out)
        if isinstance(index, Sym) and _is_safe(u.index):
            self.memory.safe.add(index.name)
        if low is not None and low >= 0:
            return ge(index, size), index
        bad = disj(lt(index, neg(size)), ge(index, size))
        return bad, select(lt(index, ZERO), add(index, size), index)


def _is_safe(e: Expr) -> bool:
    """Can this be computed in front of a loop that would not come to it?"""
    return all(isinstance(x, Sym | Const) or isinstance(x, Op) and x.name in _SAFE for x in subexpressions(e))


def _succeeded(n: Callback, values: Sequence[Expr]) -> list[Node]:
    """The results of a call that cannot fail; last the status, if the program handles exceptions of it."""
    status = [] if unguarded(n.target) == n.target else [Tasklet(Memlet(n.outs[-1]), ZERO)]
    return [*(Tasklet(Memlet(o), e) for o, e in zip(n.outs, values) if o), *status]


def _checked(n: Callback, bad: Expr, text: str, then: Sequence[Node], checks: bool = False) -> list[Node]:
    """Nodes in front of which an IndexError is raised. checks: they tell themselves whether they have succeeded"""
    function = unguarded(n.target)
    if function == n.target:
        wrong: Node = Raise("builtins.IndexError", text)
        return list(then) if is_const(bad, False) else [Branch(bad, Region((wrong,)), Region()), *then]
    target = n.target[: -len(function)] + HERE + "throw"
    wrong = Callback(target, n.outs[-1:], (), ("builtins.IndexError", text))
    return [Branch(bad, Region((wrong,)), Region((*then, *([] if checks else _succeeded(n, ())))))]
