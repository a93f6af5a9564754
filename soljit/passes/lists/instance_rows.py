"""Instances that stand in lists, or in attributes of others, become rows of columns.

    callback(new, outs=[b], args=[Body])                     b = the next row that is free
    callback(setattr, b, "x", 0.0)                           body_x[b] = 0.0
    callback(list.append, [v, b])                    →       callback(list.append, [v, row b])
    callback(operator.getitem, outs=[c], [v, i])             callback(operator.getitem, outs=[row c], [v, i])
    callback(getattr, outs=[m], c, "x")                      m = body_x[c]

Proof: every instance of the class that the program sees is one that it makes (`analysis/loops/instance_rows.py`). All that is done with one is to set and
get attributes by their names, to ask whether two are one, and to put it into variables, attributes of such instances, and lists of the program that need no
objects themselves (`number_lists`). Whatever is read has been set before others could see the instance. So nobody can tell that there is none.

A row is used again when neither a variable nor a list nor an attribute leads to it: where there is no other one, Python finds these
(`support/instance_rows.py`); it looks at the lists that are read later, all of which are known at the place.
A helper of `unbox_lists`, which takes the lists of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from soljit.analysis.flow.own_instances import GET, IS, MADE, NEW, SAME, SET, attribute_of, compared
from soljit.analysis.loops.instance_rows import (
    Filled,
    Marks,
    circles,
    classes_of,
    held_in,
    shown,
    times,
)
from soljit.analysis.loops.list_uses import LARGEST, SMALLEST
from soljit.analysis.loops.list_walks import name_of, walk_in
from soljit.analysis.loops.number_lists import Found, number_lists
from soljit.base.sentences import Said, said
from soljit.ir.callbacks.item_forms import LIST, Form, Item, is_form, rows_in
from soljit.ir.callbacks.templates import operands_of
from soljit.ir.core.data import Array, Ref, Scalar
from soljit.ir.core.expr import FALSE, ONE, ZERO, Expr, Load, Memlet, Range, Sym, const
from soljit.ir.core.nodes import Alloc, Bind, Branch, Callback, Loop, Node, Program, Region, Tasklet
from soljit.ir.core.types import i64
from soljit.ir.symbolic import add, eq, lt, sub
from soljit.ir.walk import memlets_read, memlets_written, rewrite, walk, with_loc
from soljit.passes.lists.containers import Containers
from soljit.passes.manager import Context
from soljit.passes.simplify.instance_forms import OBJECT, Maybe, converted, holds, joined, put_by, types_of
from soljit.passes.simplify.unbox_instances import apart
from soljit.support.instance_rows import FIRST_ROWS, MORE_ROWS
from soljit.support.objects import HERE
from soljit.support.pending import unguarded

_INTS = {"array": ["i64", 1]}
_PUTTING = {  # the arguments that are, or hold, what is put in
    "builtins.list.append": (1,),
    "builtins.list.extend": (1,),
    "operator.setitem": (2,),
    SAME: (0,),
    "operator.add": (0, 1),
    "operator.mul": (0,),
}
_TAKING = {"operator.getitem", "builtins.list.pop", HERE + "take", SMALLEST, LARGEST}


def instances_as_rows(program: Program, cx: Context) -> Program:
    """The program with instances as rows, where they can be."""
    classes, mixed = ({}, set()) if program.functions else classes_of(program)
    for n in walk(program.body) if mixed else ():
        if (
            isinstance(n, Callback)
            and n.target in (NEW, MADE)
            and isinstance(n.result, dict)
            and n.result["object"] in mixed
        ):
            cx.note(n.loc, "instances stay objects", why=said("instances of several classes"))
    while classes:
        attempt = _Attempt(program, cx, classes)
        done = attempt.program_with()
        if not attempt.refused:
            for n in attempt.made:
                cx.note(n.loc, "instances in columns")
            return done
        for n in attempt.made:
            cls = classes[n.outs[0]]
            if cls in attempt.refused and cls in attempt.stored:
                cx.note(n.loc, "instances stay objects", why=attempt.refused[cls])
        classes = {name: c for name, c in classes.items() if c not in attempt.refused}
    return program


class _Rows:
    """The rows of one class. columns: of each attribute that is read; free: rows that are; spare: how many; count: how many there are; fixed: all that there will be"""

    def __init__(self, cls: str, attributes: Mapping[str, Form], m: Containers, fixed: int) -> None:
        base = cls.rpartition(".")[2].lower()
        self.cls, self.fixed = cls, fixed
        self.forms = attributes
        self.columns: dict[str, tuple[str, ...]] = {}
        for name, form in attributes.items():
            self.columns[name] = tuple(m.fresh(f"{base}_{name}") for _ in types_of(form))
            for c, t in zip(self.columns[name], types_of(form)):
                m.data[c] = Array(t, (const(fixed),)) if fixed else Ref(t, 1)
        self.spare = m.new(f"{base}_spare", Scalar(i64))
        if not fixed:
            self.count = m.new(f"{base}_rows", Scalar(i64))
            self.free = m.new(f"{base}_free", Ref(i64, 1))

    @property
    def all(self) -> list[tuple[str, Form]]:
        """All columns, with their types."""
        return [
            (c, t) for name, form in self.forms.items() for c, t in zip(self.columns[name], types_of(form), strict=True)
        ]


class _Attempt(Containers):
    """refused: classes of which instances are something else than rows, and why; made: where instances are made; stored: classes of which some are put into lists"""

    def __init__(self, program: Program, cx: Context, classes: Mapping[str, str]) -> None:
        self.cx, self.classes = cx, classes
        self.refused: dict[str, Said] = {}
        super().__init__(_in_steps(program, classes))
        calls = [n for n in walk(self.program.body) if isinstance(n, Callback)]
        self.made = [n for n in calls if n.target == NEW and n.outs[0] in classes]
        putting = [n for n in calls if unguarded(n.target) in _PUTTING]
        self.stored = {classes[name] for n in putting for x in n.ins if (name := name_of(x)) in classes}
        self.moved: list[tuple[set[str], Node]] = []  # what puts instances into lists, and takes them out
        self.forms = self._forms()
        self.rows: dict[str, _Rows] = {}

    def program_with(self) -> Program:
        """The program with rows, unless something is refused."""
        filled = Filled(
            self.cx.facts(self.program),
            classes=self.classes,
            read={c: [a for owner, a in self.forms if owner == c] for c in set(self.classes.values())},
        )
        filled.region(self.program.body, filled.start())
        self._refuse(filled.missing(), said("attributes unset"))
        if self.refused:
            return self.program
        often = times(self.program.body, self.made, FIRST_ROWS)
        for cls in sorted(set(self.classes.values())):
            mine = [n for n in self.made if self.classes[n.outs[0]] == cls]
            most = sum(often.get(n, FIRST_ROWS + 1) for n in mine)
            attributes = {
                a: form for (owner, a), form in sorted(self.forms.items(), key=lambda x: x[0]) if owner == cls
            }
            self.rows[cls] = _Rows(cls, attributes, self, most if most <= FIRST_ROWS else 0)
        body = rewrite(self.program.body, self.node)
        self.data |= {name: Scalar(i64) for name in self.classes}
        rowed = replace(self.program, body=body, data=self.data)
        found = number_lists(rowed)
        held = held_in(found.lists)
        self._refuse({*shown(found.lists, held), *self._lost(found)}, said("lists of objects"))
        return rowed if self.refused else self._with_room(rowed, found, held)

    def _refuse(self, classes: Iterable[str], why: Said) -> None:
        self.refused = dict.fromkeys(classes, why) | self.refused

    def _lost(self, found: Found) -> set[str]:
        """The classes of instances that go into other things than such lists."""
        known = {id(u.node) for one in found.lists.values() for u in one.uses}
        known |= {id(parts[1]) for w in found.walks.values() if (parts := walk_in(w.loop)) is not None}
        return {c for classes, n in self.moved if id(n) not in known for c in classes}

    # --- attributes ------------------------------------------------------------------------------------------------------

    def _forms(self) -> dict[tuple[str, str], Form]:
        """The forms of attributes that are read, by class and name."""
        gets: dict[tuple[str, str], list[Callback]] = {}
        sets: dict[tuple[str, str], list[Callback]] = {}
        for n in walk(self.program.body):
            a = attribute_of(n)
            if isinstance(n, Callback) and a and a[0] in self.classes:
                (gets if n.target == GET else sets).setdefault((self.classes[a[0]], a[1]), []).append(n)
        found: dict[tuple[str, str], Form] = {}
        for (cls, name), reads in gets.items():
            items = [self._given(n) for n in sets.get((cls, name), ())]
            form = OBJECT if None in items or not items else reduce(joined, [x.form for x in items if x is not None])
            good = form != OBJECT and not isinstance(form, Maybe) and isinstance(form, (str, dict)) and is_form(form)
            if not good or not all(holds(self._declared(n), form) for n in reads):
                self._refuse({cls}, said("attributes of several types"))
            found[cls, name] = form
        inside = {
            c: [x for (d, _), f in found.items() if c == d and is_form(f) for x in rows_in(f) if x] for c, _ in found
        }
        self._refuse(circles(inside), said("instances in circles"))
        return found

    def _given(self, n: Callback) -> Item | None:
        """What an attribute is set to."""
        match n.args[2], n.ins[1:]:
            case {"$": 1}, (Memlet(data=name),) if name in self.classes:
                return Item({"row": self.classes[name]}, (self._row(name),))
        return put_by(self.program, n)

    def _declared(self, n: Callback) -> Form:
        """What a call gives, instances as rows."""
        return self._result(n.result)

    def _result(self, result: object) -> object:
        match result:
            case {"tuple": [*parts]}:
                return {"tuple": [self._result(p) for p in parts]}
            case {"object": str() as cls} if cls in self.classes.values():
                return {"row": cls}
        return result

    def _row(self, name: str) -> Load:
        return Load(Memlet(name), i64)

    # --- nodes -----------------------------------------------------------------------------------------------------------

    def node(self, n: Node) -> Node | tuple[Node, ...] | None:
        """What stands for a node."""
        named = {m.data for m in (*memlets_read(n), *memlets_written(n))} & self.classes.keys()
        if not named:
            return None
        match n:
            case Bind(ref=to, source=Memlet(data=source)) if {to, source} <= named:
                return Tasklet(Memlet(to), self._row(source), loc=n.loc)
            case Callback() if (a := attribute_of(n)) is not None and a[0] in named:
                return with_loc(self._got(n, *a) if n.target == GET else self._put(n, *a), n.loc)
            case Callback(target=t) if t == NEW:
                return Callback(MORE_ROWS, n.outs, (), (self.classes[n.outs[0]],), loc=n.loc)
            case Callback() if (pair := compared(n)) is not None and {*pair} - {""} <= named:
                e = eq(*map(self._row, pair)) if self._alike(pair) else FALSE
                return tuple(Tasklet(Memlet(o), e, loc=n.loc) for o in n.outs if o)
            case Callback(target=t, args=({"$": 0},), ins=(Memlet(data=x),), outs=(o,)) if (
                t == SAME and {x, o} == named
            ):
                return Tasklet(Memlet(o), self._row(x), loc=n.loc)
            case Callback() if (moved := self._moved(n, named)) is not None:
                self.moved.append(({self.classes[x] for x in named}, moved))
                return moved
        self._refuse({self.classes[x] for x in named}, said("instances needed", line=n.loc.line))
        return None

    def _alike(self, pair: tuple[str, str]) -> bool:
        return pair[1] != "" and self.classes[pair[0]] == self.classes[pair[1]]

    def _moved(self, n: Callback, named: set[str]) -> Callback | None:
        """A call that puts instances into a list, or takes them out, with rows; None: it does something else."""
        target = unguarded(n.target)
        given = {x.data for x in n.ins if isinstance(x, Memlet)} & named
        places = _PUTTING.get(target, ())
        if n.kwargs or given and target in (SAME, "operator.add", "operator.mul") and n.result != LIST:
            return None
        if named - given and target not in _TAKING or not named <= given | set(n.outs):
            return None
        rows: set[str] = set()
        args = [self._template(n, a, rows) if k in places else a for k, a in enumerate(n.args)]
        others = [a for k, a in enumerate(n.args) if k not in places]
        if rows != given or not given.isdisjoint(name_of(n.ins[j]) for j in operands_of(others)):
            return None
        ins = tuple(self._row(x.data) if isinstance(x, Memlet) and x.data in given else x for x in n.ins)
        effects = tuple(e for e in n.effects if e not in given)
        return replace(n, ins=ins, args=tuple(args), effects=effects, result=self._declared(n))

    def _template(self, n: Callback, template: object, rows: set[str]) -> object:
        """A template of items, with rows. rows: receives the variables"""
        match template:
            case {"$": int() as k} if isinstance(x := n.ins[k], Memlet) and x.data in self.classes:
                rows.add(x.data)
                return {"$": k, "row": self.classes[x.data]}
            case {"tuple": [*parts]}:
                return {"tuple": [self._template(n, p, rows) for p in parts]}
            case [*parts]:
                return [self._template(n, p, rows) for p in parts]
        return template

    def _got(self, n: Callback, owner: str, name: str) -> list[Node]:
        mine, out = self.rows[self.classes[owner]], list[Node]()
        form, at = mine.forms[name], self._at(owner, out)
        loads = [Load(Memlet(c, (at,)), t) for c, t in zip(mine.columns[name], types_of(form), strict=True)]
        values = converted(self._declared(n), Item(form, tuple(loads)))
        return [*out, *(Tasklet(Memlet(o), v) for o, v in zip(n.outs, values, strict=True) if o)]

    def _put(self, n: Callback, owner: str, name: str) -> list[Node]:
        mine, out = self.rows[self.classes[owner]], list[Node]()
        if name not in mine.forms:
            return []
        item, at = self._given(n), self._at(owner, out)
        assert item is not None
        values = converted(mine.forms[name], item)
        return [*out, *(Tasklet(Memlet(c, (at,)), v) for c, v in zip(mine.columns[name], values, strict=True))]

    def _at(self, owner: str, out: list[Node]) -> Expr:
        return self.let(f"{owner}_row", self._row(owner), out)

    # --- room ------------------------------------------------------------------------------------------------------------

    def _with_room(self, rowed: Program, found: Found, held: Mapping[str, set[str]]) -> Program:
        """The program in which rows are taken where instances are made."""
        marks = Marks(rowed, self.cx.facts(rowed), found, held, self.classes.keys())

        def node(n: Node) -> tuple[Node, ...] | None:
            if isinstance(n, Callback) and n.target == MORE_ROWS:
                return with_loc(self._taken(n, self.rows[str(n.args[0])], marks), n.loc)
            return None

        body = rewrite(rowed.body, node)
        begin: list[Node] = [Tasklet(Memlet(name), ZERO) for name in self.classes]
        for mine in self.rows.values():
            begin += self._begin(mine)
        body = replace(body, nodes=(*with_loc(begin, rowed.loc), *body.nodes))
        return replace(rowed, body=body, data=self.data)

    def _taken(self, n: Callback, mine: _Rows, marks: Marks) -> list[Node]:
        (name,) = n.outs
        spare = Load(Memlet(mine.spare), i64)
        if mine.fixed:
            return [Tasklet(Memlet(name), spare), Tasklet(Memlet(mine.spare), add(spare, ONE))]
        used = marks.at(n, mine.cls)
        if used is None:
            self._refuse({mine.cls}, said("lists not known"))
            return []
        out: list[Node] = [Branch(lt(spare, ONE), Region((self._more(mine, *used),)), Region())]
        left = self.let("spare", sub(spare, ONE), out)
        return [*out, Tasklet(Memlet(name), Load(Memlet(mine.free, (left,)), i64)), Tasklet(Memlet(mine.spare), left)]

    def _more(self, mine: _Rows, rows: Sequence[str], lists: Sequence[str]) -> Node:
        ins: list[Memlet | Expr] = []

        def operand(x: Memlet | Expr) -> dict[str, object]:
            ins.append(x)
            return {"$": len(ins) - 1} if isinstance(x, Memlet) else {"$": len(ins) - 1, "weak": True}

        def whole(x: _Rows, c: str) -> Memlet:
            return Memlet(c, (Range(ZERO, const(x.fixed) if x.fixed else Load(Memlet(x.count), i64), ONE),))

        args: list[object] = [mine.cls, [operand(self._row(x)) for x in rows if self.classes[x] == mine.cls]]
        args.append([operand(Memlet(x)) for x in lists])
        args.append(
            [
                operand(whole(x, x.columns[a][k]))
                for x in self.rows.values()
                for a, form in x.forms.items()
                for k, c in enumerate(rows_in(form))
                if c == mine.cls
            ]
        )
        args.append(operand(Load(Memlet(mine.count), i64)))
        args += [operand(whole(mine, c)) for c, _ in mine.all]
        outs = (mine.free, mine.spare, mine.count, *(c for c, _ in mine.all))
        arrays = [{"array": [t.name, 1]} for _, t in mine.all]  # type: ignore[attr-defined]
        return Callback(MORE_ROWS, outs, tuple(ins), tuple(args), result={"tuple": [_INTS, "int", "int", *arrays]})

    def _begin(self, mine: _Rows) -> list[Node]:
        """At the head of the program: all rows are free."""
        if mine.fixed:
            return [*(Alloc(c, zero=True) for c, _ in mine.all), Tasklet(Memlet(mine.spare), ZERO)]
        out: list[Node] = []
        size = const(FIRST_ROWS)
        for ref, t in ((mine.free, i64), *mine.all):
            first = self.new(f"{ref}_0", Array(t, (size,)))  # type: ignore[arg-type]
            out += [Alloc(first, zero=True), *self.bind([ref], [first], size)]
        k = Sym(self.fresh("k"), i64)
        number = Tasklet(Memlet(mine.free, (k,)), sub(const(FIRST_ROWS - 1), k))
        out.append(Loop(k.name, Range(ZERO, size, ONE), Region((number,))))
        return [*out, Tasklet(Memlet(mine.spare), size), Tasklet(Memlet(mine.count), size)]


def _in_steps(program: Program, classes: Mapping[str, str]) -> Program:
    """The program in which instances of dataclasses are made in steps, and what cannot fail is not guarded."""

    def node(n: Node) -> tuple[Node, ...] | None:
        function = unguarded(n.target) if isinstance(n, Callback) else ""
        if not isinstance(n, Callback) or function == n.target or function not in (GET, SET, NEW, MADE, IS, SAME):
            return None
        plain = replace(n, target=function, outs=n.outs[:-1])
        named = {m.data for m in memlets_read(n) if isinstance(m, Memlet)} | set(plain.outs)
        if named.isdisjoint(classes):
            return None
        return plain, Tasklet(Memlet(n.outs[-1]), ZERO, loc=n.loc)

    return apart(replace(program, body=rewrite(program.body, node)), classes.keys())
