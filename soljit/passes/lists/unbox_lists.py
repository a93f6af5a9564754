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

from soljit.analysis.loops.number_lists import MAKING, RESIZING, NumberList, Use, Walk, number_lists, walk_in
from soljit.ir.callbacks.item_forms import columns_as
from soljit.ir.core.data import Data, Ref, Scalar
from soljit.ir.core.expr import ONE, ZERO, Expr, Load, Memlet, Range, Sym, is_const
from soljit.ir.core.nodes import (
    Bind,
    Branch,
    Break,
    Callback,
    Loop,
    Node,
    Program,
    Raise,
    Region,
    Return,
    Tasklet,
    While,
)
from soljit.ir.core.types import i64
from soljit.ir.symbolic import add, disj, ge, lt, ne, neg, select, sub
from soljit.ir.walk import rewrite, walk, with_loc
from soljit.passes.lists.list_functions import looked_at
from soljit.passes.lists.list_memory import ListMemory
from soljit.passes.manager import Context
from soljit.support.objects import HERE
from soljit.support.pending import unguarded

_OUT_OF_RANGE = {
    "get": "list index out of range",
    "set": "list assignment index out of range",
    "pop": "pop index out of range",
}


def unbox_lists(program: Program, cx: Context) -> Program:
    """The program with such lists in arrays."""
    found = number_lists(program)
    if not found.lists:
        return program
    rewriter = _Rewriter(program, found.lists, found.walks)
    body = rewrite(program.body, rewriter.node, top_down=True)
    for one in found.lists.values():
        for u in one.uses:
            if u.kind in MAKING:
                cx.note(u.node.loc, "list in memory")
    gone = found.lists.keys() | found.walks.keys()
    data = {k: _without(d, gone) for k, d in rewriter.memory.data.items() if k not in gone}
    return replace(program, body=body, data=data)


def _without(d: Data, gone: set[str]) -> Data:
    if isinstance(d, Ref) and not gone.isdisjoint(d.alias):
        return replace(d, alias=tuple(a for a in d.alias if a not in gone))
    return d


class _Rewriter:
    """at: the positions of iterators over lists whose lengths change on the way"""

    def __init__(self, program: Program, lists: Mapping[str, NumberList], walks: Mapping[str, Walk]) -> None:
        self.lists, self.walks = lists, walks
        self.memory = ListMemory(program, lists)
        self.uses: dict[int, list[tuple[str, Use]]] = {}
        for name, one in lists.items():
            for u in one.uses:
                self.uses.setdefault(id(u.node), []).append((name, u))
        self.loops = {id(w.loop): w for w in walks.values()}
        self.at: dict[str, str] = {}

    def node(self, n: Node) -> tuple[Node, ...] | None:
        """What stands for a node."""
        if isinstance(n, While) and id(n) in self.loops:
            return tuple(self._loop(n, self.loops[id(n)]))
        used = [x for x in self.uses.get(id(n), ()) if x[1].kind != "keep"]
        if not used:
            return None
        name, u = next((x for x in used if x[1].kind != "piece"), used[0])
        match n:
            case Return():
                return with_loc(self._return(n, [x for x, _ in used]), n.loc)
            case Bind():
                return with_loc(self._bind(n), n.loc)
            case Callback() if u.kind == "read":
                native = looked_at(self.memory, name, n, lambda: self._read(n, [name]))
                return with_loc(native or self._read(n, [x for x, _ in used]), n.loc)
            case Callback():
                return with_loc(getattr(self, f"_{u.kind}")(name, u, n), n.loc)
        return None

    def _bind(self, n: Bind) -> list[Node]:
        to, source = self.memory.storage[n.ref], self.memory.storage[n.source.data]
        return [*self.memory.bind(to.columns, source.columns, source.size), Tasklet(to.counter, source.size)]

    def _return(self, n: Return, names: Sequence[str]) -> list[Node]:
        made = {name: self.memory.boxed(name) for name in dict.fromkeys(names)}
        values = tuple(Memlet(made[v.data][1]) if isinstance(v, Memlet) and v.data in made else v for v in n.values)
        return [*(b for b, _ in made.values()), replace(n, values=values)]

    def _read(self, n: Callback, names: Sequence[str]) -> list[Node]:
        made = {name: self.memory.boxed(name) for name in dict.fromkeys(names) if self.lists[name].column is None}
        ins = tuple(Memlet(made[x.data][1]) if isinstance(x, Memlet) and x.data in made else x for x in n.ins)
        effects = tuple(made[e][1] if e in made else e for e in n.effects)
        return [*(b for b, _ in made.values()), replace(n, ins=ins, effects=effects)]

    # --- whole lists -----------------------------------------------------------------------------------------------------

    def _make(self, name: str, u: Use, n: Callback) -> list[Node]:
        return self.memory.made(name, u.pieces)

    def _repeat(self, name: str, u: Use, n: Callback) -> list[Node]:
        return self.memory.made(name, u.pieces, u.count)

    def _extend(self, name: str, u: Use, n: Callback) -> list[Node]:
        m, s, out = self.memory, self.memory.storage[name], list[Node]()
        part = m.part(self.lists[name], u.pieces[0], out)
        size = m.let("old", s.size, out)
        whole = m.let("new", add(size, part.size), out)
        out += [m.grown(name, whole), *m.filled(s.columns, size, part), Tasklet(s.counter, whole)]
        return out + _succeeded(n, ())

    def _clear(self, name: str, u: Use, n: Callback) -> list[Node]:
        return [Tasklet(self.memory.storage[name].counter, ZERO), *_succeeded(n, ())]

    def _len(self, name: str, u: Use, n: Callback) -> list[Node]:
        return _succeeded(n, (self.memory.storage[name].size,))

    def _truth(self, name: str, u: Use, n: Callback) -> list[Node]:
        return _succeeded(n, (ne(self.memory.storage[name].size, ZERO),))

    # --- single items ----------------------------------------------------------------------------------------------------

    def _append(self, name: str, u: Use, n: Callback) -> list[Node]:
        m, s, out = self.memory, self.memory.storage[name], list[Node]()
        size = m.let("old", s.size, out)
        out.append(m.grown(name, add(size, ONE)))
        out += [Tasklet(Memlet(c, (size,)), e) for c, e in zip(s.columns, self._item(name, u))]
        return [*out, Tasklet(s.counter, add(size, ONE)), *_succeeded(n, ())]

    def _item(self, name: str, u: Use) -> tuple[Expr, ...]:
        """The columns of what is put in."""
        return columns_as(self.lists[name].form, u.pieces[0].items[0])

    def _get(self, name: str, u: Use, n: Callback) -> list[Node]:
        s, out = self.memory.storage[name], list[Node]()
        bad, at = self._place(u, s.size, out)
        return out + _checked(n, bad, _OUT_OF_RANGE["get"], self._loads(name, n, at))

    def _set(self, name: str, u: Use, n: Callback) -> list[Node]:
        s, out = self.memory.storage[name], list[Node]()
        bad, at = self._place(u, s.size, out)
        stores = [Tasklet(Memlet(c, (at,)), e) for c, e in zip(s.columns, self._item(name, u))]
        return out + _checked(n, bad, _OUT_OF_RANGE["set"], stores)

    def _pop(self, name: str, u: Use, n: Callback) -> list[Node]:
        m, s, out = self.memory, self.memory.storage[name], list[Node]()
        size = m.let("old", s.size, out)
        last, empty = sub(size, ONE), lt(size, ONE)
        if u.index is None or is_const(u.index, -1):
            taken = [*self._loads(name, n, last), Tasklet(s.counter, last)]
            return out + _checked(n, empty, "pop from empty list", taken)
        inner: list[Node] = []
        bad, at = self._place(u, size, inner)
        k, types = Sym(m.fresh("k"), i64), self.lists[name].dtypes
        moves = [Tasklet(Memlet(c, (k,)), Load(Memlet(c, (add(k, ONE),)), t)) for c, t in zip(s.columns, types)]
        shift = Loop(k.name, Range(at, last, ONE), Region(tuple(moves)))
        inner += _checked(n, bad, _OUT_OF_RANGE["pop"], [*self._loads(name, n, at), shift, Tasklet(s.counter, last)])
        return out + _checked(n, empty, "pop from empty list", inner)

    def _loads(self, name: str, n: Callback, at: Expr, columns: Sequence[str] = ()) -> list[Node]:
        columns, types = columns or self.memory.storage[name].columns, self.lists[name].dtypes
        return [Tasklet(Memlet(o), Load(Memlet(c, (at,)), t)) for o, c, t in zip(n.outs, columns, types) if o]

    def _place(self, u: Use, size: Expr, out: list[Node]) -> tuple[Expr, Expr]:
        """Tell whether an index is out of range, and which item it stands for."""
        assert u.index is not None
        size = self.memory.let("length", size, out)
        index = self.memory.let("index", u.index, out)
        bad = disj(lt(index, neg(size)), ge(index, size))
        return bad, select(lt(index, ZERO), add(index, size), index)

    # --- loops over lists ------------------------------------------------------------------------------------------------

    def _steps(self, name: str, u: Use, n: Callback) -> list[Node]:
        if self._inside(self.walks[n.outs[0]]).isdisjoint(RESIZING):
            return []
        at = self.at[n.outs[0]] = self.memory.new(f"{n.outs[0]}_at", Scalar(i64))
        return [Tasklet(Memlet(at), ZERO)]

    def _inside(self, w: Walk) -> set[str]:
        """What the loop does with the list."""
        nodes = {id(x) for x in walk(w.loop.body)}
        return {u.kind for u in self.lists[w.over].uses if id(u.node) in nodes}

    def _loop(self, n: While, w: Walk) -> list[Node]:
        """A loop over positions; where the list changes on the way, each step looks at its length."""
        m, s, types = self.memory, self.memory.storage[w.over], self.lists[w.over].dtypes
        parts, rest = walk_in(n), n.body.nodes[4:]
        assert parts is not None
        if w.name in self.at:
            at = Load(Memlet(self.at[w.name]), i64)
            leave = Branch(ge(at, s.size), Region((Break(),)), Region())
            head = with_loc([leave, *self._loads(w.over, parts[1], at), Tasklet(at.memlet, add(at, ONE))], n.loc)
            return [replace(n, body=replace(n.body, nodes=(*head, *rest)))]
        before: list[Node] = []
        columns: Sequence[str] = s.columns
        if not s.fixed and self._inside(w) & (MAKING | {"bind"}):  # the variable may change, the iterator does not
            columns = [m.new(f"{w.over}_seen", Ref(t, 1)) for t in types]
            before += with_loc(m.bind(columns, s.columns, s.size), n.loc)
        k = Sym(m.fresh("k"), i64)
        head = with_loc(self._loads(w.over, parts[1], k, columns), n.loc)
        body = replace(n.body, nodes=(*head, *rest))
        return [*before, Loop(k.name, Range(ZERO, s.size, ONE), body, loc=n.loc)]


def _succeeded(n: Callback, values: Sequence[Expr]) -> list[Node]:
    """The results of a call that cannot fail; last the status, if the program handles exceptions of it."""
    status = [] if unguarded(n.target) == n.target else [Tasklet(Memlet(n.outs[-1]), ZERO)]
    return [*(Tasklet(Memlet(o), e) for o, e in zip(n.outs, values) if o), *status]


def _checked(n: Callback, bad: Expr, text: str, then: Sequence[Node]) -> list[Node]:
    """Nodes in front of which an IndexError is raised."""
    function = unguarded(n.target)
    if function == n.target:
        wrong: Node = Raise("builtins.IndexError", text)
        return list(then) if is_const(bad, False) else [Branch(bad, Region((wrong,)), Region()), *then]
    target = n.target[: -len(function)] + HERE + "throw"
    wrong = Callback(target, n.outs[-1:], (), ("builtins.IndexError", text))
    return [Branch(bad, Region((wrong,)), Region((*then, *_succeeded(n, ()))))]
