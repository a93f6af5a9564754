"""Programs in which attributes of own instances are variables: `unbox_instances` says which those are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from soljit.analysis.flow.instance_states import Assigned, Order
from soljit.analysis.flow.own_instances import GET, NEW, SAME, SET, attribute_of, compared, is_instance
from soljit.ir.callbacks.item_forms import Form, Item
from soljit.ir.core.data import Ref, Scalar
from soljit.ir.core.expr import FALSE, ONE, TRUE, ZERO, Expr, Extent, Load, Memlet, Range
from soljit.ir.core.nodes import Bind, Branch, Call, Callback, Node, Program, Region, Return, Tasklet
from soljit.ir.core.types import i64
from soljit.ir.symbolic import add, eq
from soljit.ir.walk import FreshNames, memlets_read, memlets_written, rewrite, walk
from soljit.passes.simplify.instance_forms import OBJECT, UNREAD, Arrays, Forms, Maybe, converted, put_by, types_of
from soljit.support.declarations import ANY_FLOAT

_ANY_OBJECT = {"object": None}


class Columns:
    """columns: the variables of each attribute; numbers: those that tell which instance a variable stands for; read: what attributes
    that may be None were read into, and the numbers that they then were
    """

    def __init__(self, program: Program, forms: Forms, assigned: Assigned, orders: Order) -> None:
        self.program, self.forms, self.assigned, self.orders = program, forms, assigned, orders
        self.groups, self.aliases = forms.variables.groups, forms.aliases
        self.fresh, self.data = FreshNames(program), dict(program.data)
        self.columns = {a: self._made(a, form) for a, form in sorted(forms.of.items(), key=lambda x: x[0])}
        self.classes = {str(n.args[0]): n for n in walk(program.body) if isinstance(n, Callback) and n.target == NEW}
        self.read: dict[str, tuple[Form, tuple[str, ...]]] = {}
        self.count = self.fresh("instances")
        self.numbers = self._numbers()

    def program_with(self) -> Program:
        """The program without these instances."""
        self._read_late()
        body = rewrite(self.program.body, self.node)
        if self.numbers:
            self.data[self.count] = Scalar(i64)
            body = replace(body, nodes=(Tasklet(Memlet(self.count), ZERO), *body.nodes))
        gone = self.groups.keys() - self.orders.of.keys()
        return replace(self.program, body=body, data={k: d for k, d in self.data.items() if k not in gone})

    # --- variables ---------------------------------------------------------------------------------------------------------

    def _made(self, a: tuple[str, str], form: Form) -> tuple[str, ...]:
        if form == UNREAD:
            return ()
        if form != OBJECT and not isinstance(form, Arrays):
            return self._scalars("_".join(a), form)
        name = self.fresh("_".join(a))
        if isinstance(form, Arrays):
            self.data[name] = Ref(form.dtype, form.ndim, "C", form.sources)
            for out in form.outs:
                d = self.data[out]
                assert isinstance(d, Ref)
                self.data[out] = replace(d, alias=(*d.alias, name))
        else:
            owner = self.data[a[0]]
            assert isinstance(owner, Ref)
            self.data[name] = owner
        return (name,)

    def _scalars(self, base: str, form: Form) -> tuple[str, ...]:
        types = types_of(form)
        names = tuple(self.fresh(base) for _ in types)
        self.data.update(zip(names, map(Scalar, types)))
        return names

    def _numbers(self) -> dict[str, str]:
        """For groups of which a call is made that must know which instance a variable stands for."""
        asking: set[frozenset[str]] = set()
        for n in walk(self.program.body):
            a, pair = attribute_of(n), compared(n)
            if pair and not self.groups.keys().isdisjoint(pair) and self._is_one(n, *pair) is None:
                asking.add(self.groups[pair[0]])
            elif a and a[0] in self.groups and isinstance(n, Callback) and n.target == SET:
                if self.forms.touched(n, a[0]) - self.aliases.of(n, a[0])[1]:
                    asking.add(self.groups[a[0]])
        names = sorted(name for group in asking for name in group)
        found = {name: self.fresh(f"{name}_number") for name in names}
        self.data.update({x: Scalar(i64) for x in found.values()})
        return found

    def _read_late(self) -> None:
        """Find what nobody looks at as an object before it is needed: reading attributes that may be None."""
        givers: dict[str, list[Node]] = {}
        for n in walk(self.program.body):
            if isinstance(n, (Call, Callback, Bind)):
                for out in (n.ref,) if isinstance(n, Bind) else n.outs:
                    givers.setdefault(out, []).append(n)
        held = {x for d in self.program.data.values() if isinstance(d, Ref) for x in d.alias}
        for a, gets in self.forms.gets.items():
            form = self.forms.of[a]
            for n in gets if isinstance(form, Maybe) else ():
                out = n.outs[0]
                if out and len(givers[out]) == 1 and out not in held:
                    self.read[out] = form, self._scalars(out, form)

    # --- nodes -------------------------------------------------------------------------------------------------------------

    def node(self, n: Node) -> Node | tuple[Node, ...] | None:
        """What stands for a node."""
        if (a := attribute_of(n)) is not None and a[0] in self.groups:
            assert isinstance(n, Callback)
            new = list(self.got(n, *a) if n.target == GET else self.put(n, *a))
            return (*(x for y in new for x in self.looked_at(y)),)
        if isinstance(n, Callback) and n.target == NEW and n.outs[0] in self.groups:
            return tuple(self.counted(n))
        if isinstance(n, Bind) and n.ref in self.groups:
            return tuple(self.copied(n, n.ref, n.source.data))
        if (pair := compared(n)) is not None and not self.groups.keys().isdisjoint(pair):
            assert isinstance(n, Callback)
            return tuple(Tasklet(Memlet(o), self.compared(n, *pair), loc=n.loc) for o in n.outs if o)
        if isinstance(n, Return):
            owners = dict.fromkeys(x.data for x in n.values if isinstance(x, Memlet) and x.data in self.groups)
            made = [x for owner in owners for x in self.in_the_end(owner, n)]
            return (*made, *self.looked_at(n)) if made or self.read else None
        seen = list(self.looked_at(n)) if self.read else [n]
        return None if seen == [n] else tuple(seen)

    def counted(self, n: Callback) -> Iterator[Node]:
        """Another instance: the next number."""
        if n.outs[0] in self.numbers:
            yield Tasklet(Memlet(self.count), add(Load(Memlet(self.count), i64), ONE), loc=n.loc)
            yield Tasklet(Memlet(self.numbers[n.outs[0]]), Load(Memlet(self.count), i64), loc=n.loc)

    def copied(self, n: Bind, to: str, source: str) -> Iterator[Node]:
        """A variable stands for the instance of another one: both hold its attributes."""
        if to == source:
            return
        for name in sorted(self.assigned.of(n, source)):
            if self.columns.get((source, name)) and self.columns.get((to, name)):
                form = self.forms.of[source, name]
                yield from self._store(n, (to, name), self._item(form, self.columns[source, name]))
        if to in self.numbers:
            yield Tasklet(Memlet(self.numbers[to]), Load(Memlet(self.numbers[source]), i64), loc=n.loc)

    def _item(self, form: Form, columns: Sequence[str]) -> Item | Memlet:
        """What variables hold."""
        if form == OBJECT or isinstance(form, Arrays):
            d = self.data[columns[0]]
            assert isinstance(d, Ref)
            return Memlet(columns[0], tuple(Range(ZERO, Extent(columns[0], k), ONE) for k in range(d.ndim)))
        return Item(form, tuple(Load(Memlet(c), t) for c, t in zip(columns, types_of(form), strict=True)))

    def _store(self, n: Node, a: tuple[str, str], value: Item | Memlet) -> Iterator[Node]:
        if isinstance(value, Memlet):
            yield Bind(self.columns[a][0], value, loc=n.loc)
        else:
            yield from self._stored(n, self.columns[a], converted(self.forms.of[a], value))

    @staticmethod
    def _stored(n: Node, columns: Sequence[str], values: Sequence[Expr]) -> Iterator[Node]:
        for c, v in zip(columns, values, strict=True):
            yield Tasklet(Memlet(c), v, loc=n.loc)

    def put(self, n: Callback, owner: str, name: str) -> Iterator[Node]:
        """An attribute is set, for all variables that stand for the instance."""
        form = self.forms.of[owner, name]
        if form == UNREAD:
            return
        value: Item | Memlet
        if form == OBJECT:
            column = self.columns[owner, name][0]
            match n.args[2], n.ins[1:]:
                case {"$": 1}, (Memlet() as value,):
                    yield Bind(column, value, loc=n.loc)
                case _:
                    effects = tuple(e for e in n.effects if e != owner)
                    yield self._same(n, (column,), n.ins[1:], _moved(n.args[2]), _ANY_OBJECT, effects)
            value = Memlet(column)
        elif isinstance(form, Arrays):
            assert isinstance(n.ins[1], Memlet)
            value = n.ins[1]
            yield from self._store(n, (owner, name), value)
        else:
            item = put_by(self.program, n)
            assert item is not None
            value = item
            yield from self._store(n, (owner, name), value)
        must = self.aliases.of(n, owner)[1]
        for other in sorted(self.forms.touched(n, owner)):
            stores = tuple(self._store(n, (other, name), value))
            if other in must:
                yield from stores
            else:
                yield Branch(self._numbers_agree(owner, other), Region(stores), loc=n.loc)

    def got(self, n: Callback, owner: str, name: str) -> Iterator[Node]:
        """An attribute is read."""
        form, columns = self.forms.of[owner, name], self.columns[owner, name]
        if not any(n.outs) or not columns:
            return
        out = n.outs[0]
        item = self._item(form, columns)
        if out in self.read:
            assert isinstance(item, Item)
            yield from self._stored(n, self.read[out][1], item.columns)
        elif isinstance(item, Memlet) and isinstance(form, Arrays) or is_instance(self.program, out) and form == OBJECT:
            assert isinstance(item, Memlet)
            yield Bind(out, item, loc=n.loc)
        elif isinstance(item, Memlet):
            effects = tuple(dict.fromkeys(columns[0] if e == owner else e for e in n.effects))
            yield self._same(n, n.outs, (item,), {"$": 0}, n.result, effects)
        elif is_instance(self.program, out):
            yield from self._boxed(n, out, item)
        else:
            values = converted(n.result, item)
            for o, v in zip(n.outs, values, strict=True):
                if o:
                    yield Tasklet(Memlet(o), v, loc=n.loc)

    def _same(
        self,
        n: Node,
        outs: Sequence[str],
        ins: Sequence[Memlet | Expr],
        arg: object,
        result: object,
        effects: Sequence[str] = (),
    ) -> Callback:
        return Callback(SAME, tuple(outs), tuple(ins), (arg,), {}, tuple(effects), result, loc=n.loc)

    def _boxed(self, n: Node, out: str, item: Item) -> Iterator[Node]:
        """The Python object of numbers."""
        match item.form:
            case Maybe(form=form):
                number = tuple(self._boxed(n, out, Item(form, item.columns[1:])))
                none = self._same(n, (out,), (), None, _ANY_OBJECT)
                yield Branch(eq(item.columns[0], ZERO), Region((none,)), Region(number), loc=n.loc)
            case "any float":
                ways = [
                    self._same(n, (out,), item.columns[1:], _template(0, weak), _ANY_OBJECT) for weak in (True, False)
                ]
                yield Branch(eq(item.columns[0], ZERO), Region((ways[0],)), Region((ways[1],)), loc=n.loc)
            case {"tuple": list() as parts}:
                templates = [_template(k, isinstance(p, str)) for k, p in enumerate(parts)]
                yield self._same(n, (out,), item.columns, {"tuple": templates}, _ANY_OBJECT)
            case form:
                yield self._same(n, (out,), item.columns, _template(0, isinstance(form, str)), _ANY_OBJECT)

    # --- what may be None ----------------------------------------------------------------------------------------------------

    def looked_at(self, n: Node) -> Iterator[Node]:
        """A node, after what it reads has become an object; asking whether that is None, or for the number, needs none."""
        match n:
            case Callback(target=t, args=({"$": 0},), ins=(Memlet(data=x),)) if t == SAME and x in self.read:
                form, item = self._what_was_read(x)
                if isinstance(form, Maybe) and isinstance(n.result, (str, dict)) and _takes(n.result, form.form):
                    values = converted(n.result, Item(form.form, item.columns[1:]))
                    yield from (Tasklet(Memlet(o), v, loc=n.loc) for o, v in zip(n.outs, values, strict=True) if o)
                    return
        pair = compared(n)
        if pair and pair[0] in self.read and not pair[1] and isinstance(n, Callback):
            there = self._what_was_read(pair[0])[1].columns[0]
            yield from (Tasklet(Memlet(o), eq(there, ZERO), loc=n.loc) for o in n.outs if o)
            return
        for x in dict.fromkeys(m.data for m in (*memlets_read(n), *memlets_written(n)) if m.data in self.read):
            yield from self._boxed(n, x, self._what_was_read(x)[1])
        yield n

    def _what_was_read(self, x: str) -> tuple[Form, Item]:
        form, columns = self.read[x]
        item = self._item(form, columns)
        assert isinstance(item, Item)
        return form, item

    # --- which instance it is --------------------------------------------------------------------------------------------------

    def _is_one(self, n: Node, a: str, b: str) -> bool | None:
        """Tell whether two variables stand for one instance; None: only the run tells."""
        may, must = self.aliases.of(n, a)
        return True if a == b or b in must else False if b not in may else None

    def compared(self, n: Callback, a: str, b: str) -> Expr:
        """Whether two variables stand for one instance."""
        known = self._is_one(n, a, b)
        return self._numbers_agree(a, b) if known is None else TRUE if known else FALSE

    def _numbers_agree(self, a: str, b: str) -> Expr:
        x, y = (Load(Memlet(self.numbers[name]), i64) for name in (a, b))
        return eq(x, y)

    def in_the_end(self, owner: str, n: Return) -> Iterator[Node]:
        """The object is made, with what its attributes are."""
        cls, *names = self.orders.of[owner]
        yield replace(self.classes[cls], outs=(owner,), kwargs={"watches": False}, loc=n.loc)  # so that it stays
        for name in names:
            form, columns = self.forms.of[owner, name], self.columns[owner, name]
            value: Memlet | Expr = (
                Memlet(columns[-1]) if form == OBJECT else Load(Memlet(columns[-1]), types_of(form)[-1])
            )
            effects = (owner, columns[-1]) if form == OBJECT else (owner,)

            def setting(
                template: object, name: str = name, value: Memlet | Expr = value, effects: tuple[str, ...] = effects
            ) -> Node:
                return Callback(SET, (), (Memlet(owner), value), ({"$": 0}, name, template), {}, effects, loc=n.loc)

            if form == ANY_FLOAT:
                is_python = eq(Load(Memlet(columns[0]), i64), ZERO)
                ways = [Region((setting(_template(1, weak)),)) for weak in (True, False)]
                yield Branch(is_python, *ways, loc=n.loc)
            else:
                yield setting(_template(1, isinstance(form, str) and form != OBJECT))


def _template(k: int, weak: bool) -> dict[str, object]:
    return {"$": k, "weak": True} if weak else {"$": k}


def _takes(declared: object, form: Form) -> bool:
    return declared == form or declared == ANY_FLOAT and form in ("float", {"numpy": "f64"})


def _moved(template: object) -> object:
    """A template for operands without the first one."""
    match template:
        case {"$": int() as k}:
            return {**template, "$": k - 1}  # type: ignore[dict-item]
        case dict():
            return {key: _moved(x) for key, x in template.items()}
        case list():
            return [_moved(x) for x in template]
    return template
