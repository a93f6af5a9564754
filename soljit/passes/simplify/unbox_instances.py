"""Attributes of instances that nobody else sees become variables.

    callback(new, outs=[p], args=[Point])
    callback(setattr, p, "x", a[i])                     p_x = a[i]
    callback(getattr, outs=[x], p, "x")          →      x = p_x

Proof: the object is made at one place, and all that is done with it is to set and get attributes by their names; its class decides nothing about that (the front
end lets Python do it under another name where it does). Each attribute holds numbers of one form, or arrays that the program makes, of which only elements are
used, and is set on every way to where it is read. No exception and no call back shows the object, so nobody can tell that there is none. One that is returned
is made there, if it has numbers only, which all ways have set in one order.

Must come first: sizes, ints that may leave 64 bits, and effects that cannot be taken back depend on it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from soljit.analysis.flow.own_instances import (
    GET,
    MADE,
    NEW,
    SET,
    Assigned,
    Attribute,
    Held,
    Order,
    Orders,
    attribute_of,
    made_inside,
    returned,
    single,
)
from soljit.base.records import dataclass
from soljit.ir.callbacks.item_forms import Form, Item, columns_as, dtypes_of, is_number, item_of, together
from soljit.ir.core.data import Array, Data, Ref, Scalar
from soljit.ir.core.expr import ONE, ZERO, Expr, Extent, Load, Memlet, Range
from soljit.ir.core.nodes import Bind, Branch, Call, Callback, Node, Program, Region, Return, Tasklet
from soljit.ir.core.types import DType, i64
from soljit.ir.symbolic import eq
from soljit.ir.walk import FreshNames, memlets_read, rename_data, rewrite, walk
from soljit.passes.manager import Context
from soljit.support.declarations import ANY_FLOAT

_UNREAD = "nobody reads it"


def unbox_instances(program: Program, cx: Context) -> Program:
    """The program with attributes of such instances as variables."""
    while (after := _some(program, cx)) is not program:  # one less in an attribute of another one may be the next
        program = after
    return program


def _some(program: Program, cx: Context) -> Program:
    apart = _apart(program)
    made = made_inside(apart)
    if not made:
        return program
    shown = made & returned(apart)
    held = Held(cx.facts(program), objects=made - shown, single=single(apart))
    held.region(apart.body, frozenset())
    names = held.names()
    if held.found:
        return _without(_apart(program, {a[0] for a in held.found}), held.found.keys(), names)
    forms = _forms(apart, made, shown)
    made -= {owner for owner, form in ((o, forms.get((o, name))) for o, name in _asked(apart, made)) if form is None}
    early = Assigned(cx.facts(program), objects=made)
    early.region(apart.body, frozenset())
    orders = Order(cx.facts(program), objects=shown)
    orders.region(apart.body, Orders({}))
    made -= early.unset | orders.unclear(apart, forms)
    return _as_variables(_apart(program, made), made, forms, orders.of) if made else program


def _as_variables(
    program: Program, made: set[str], forms: Mapping[Attribute, Form], orders: Mapping[str, tuple[str, ...]]
) -> Program:
    fresh, data = FreshNames(program), dict(program.data)
    columns: dict[Attribute, tuple[str, ...]] = {}
    for a in sorted(a for a in forms if a[0] in made):
        form = forms[a]
        if form == _UNREAD:
            continue
        kinds = (form,) if isinstance(form, _Array) else dtypes_of(form)
        columns[a] = tuple(fresh("_".join(a)) for _ in kinds)
        if isinstance(form, _Array):
            (variable,) = columns[a]
            data[variable] = Ref(form.dtype, form.ndim, "C", form.sources)
            for out in form.outs:
                d = data[out]
                assert isinstance(d, Ref)
                data[out] = replace(d, alias=(*d.alias, variable))
        else:
            data.update(zip(columns[a], map(Scalar, dtypes_of(form))))
    classes = {n.outs[0]: n for n in walk(program.body) if isinstance(n, Callback) and n.target == NEW}
    rewriter = _Rewriter(program, made, forms, columns, orders, classes)
    body = rewrite(program.body, rewriter.node)
    return replace(program, body=body, data={k: d for k, d in data.items() if k not in made or k in orders})


def _apart(program: Program, owners: Collection[str] | None = None) -> Program:
    """The program with dataclass instances made in steps: an instance, and then each of its fields. owners: those that are; None: all"""

    def node(n: Node) -> Node | tuple[Node, ...] | None:
        if not isinstance(n, Callback) or n.target != MADE or (owners is not None and n.outs[0] not in owners):
            return None
        cls, names, *values = n.args
        (owner,) = n.outs
        steps: list[Node] = [Callback(NEW, n.outs, (), (cls,), {}, (), n.result, loc=n.loc)]
        for name, v in zip(str(names).split(","), values, strict=True):
            ins: tuple[Memlet | Expr, ...] = (Memlet(owner),)
            match v:
                case {"$": int() as k, **how}:
                    ins, v = (*ins, n.ins[k]), {"$": 1, **how}
                case dict() | list():
                    return None
            steps.append(Callback(SET, (), ins, ({"$": 0}, name, v), {}, (owner,), loc=n.loc))
        return tuple(steps)

    body = rewrite(program.body, node)
    return program if body is program.body else replace(program, body=body)


# --- objects in attributes ----------------------------------------------------------------------------------------------


def _without(program: Program, attributes: Collection[Attribute], names: Mapping[str, str]) -> Program:
    """The program without these attributes: what they hold has a name already."""
    body = rewrite(program.body, lambda n: () if attribute_of(n) in attributes else None)
    chain = {x: names.get(y, y) for x, y in names.items()}
    while chain != (longer := {x: names.get(y, y) for x, y in chain.items()}):
        chain = longer
    data = {k: d for k, d in program.data.items() if k not in chain}
    return rename_data(replace(program, body=body, data=data), chain)


# --- numbers and arrays -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Array:
    """An attribute that holds arrays which the program makes, of which it uses the elements. outs: the Refs that it is read into"""

    dtype: DType
    ndim: int
    sources: tuple[str, ...]
    outs: tuple[str, ...]


def _array(program: Program, held: set[str], calls: Iterable[Callback]) -> _Array | None:
    """An attribute that these calls set and get, if it holds such arrays. held: containers that are given to somebody, or get other names"""
    sources: dict[str, None] = {}
    outs: dict[str, None] = {}
    for n in calls:
        if n.target == GET:
            outs[n.outs[0]] = None
            continue
        match n.args[2], n.ins[1:]:
            case {"$": 1}, (Memlet(data=source) as m,) if _is_whole(program.data[source], m):
                sources[source] = None
            case _:
                return None
    found = [program.data[x] for x in (*sources, *outs) if x]
    kinds = {(d.dtype, len(d.shape) if isinstance(d, Array) else d.ndim) for d in found if isinstance(d, (Array, Ref))}
    fits = all(isinstance(d := program.data.get(o), Ref) and d.order in ("C", "A") for o in outs)
    if len(kinds) != 1 or not fits or not held.isdisjoint(outs) or not sources:
        return None
    ((dtype, ndim),) = kinds
    return _Array(dtype, ndim, tuple(sources), tuple(outs))


def _is_whole(d: Data, m: Memlet) -> bool:
    """Tell whether this is all of an array that the program makes, in C order."""
    if not (isinstance(d, Array) and d.transient and d.strides is None and d.storage == "host" and m.axes is None):
        return False
    return m.subset == tuple(Range(ZERO, n, ONE) for n in d.shape)


def _held(program: Program) -> set[str]:
    """Containers that are returned, given to a call, or bound to a variable: somebody may ask which array they are."""
    out: set[str] = set()
    for n in walk(program.body):
        if isinstance(n, (Callback, Call, Return, Bind)):
            out |= {m.data for m in memlets_read(n)}
    return out


def _asked(program: Program, made: Iterable[str]) -> set[Attribute]:
    return {a for n in walk(program.body) if (a := attribute_of(n)) and a[0] in made}


def _forms(program: Program, made: set[str], shown: set[str]) -> dict[Attribute, Form]:
    """Of each attribute the form of all numbers, or arrays, that it holds; none is there for others. Those of `shown` hold single numbers."""
    held = _held(program)
    calls: dict[Attribute, list[Callback]] = {}
    read: dict[Attribute, list[Form | None]] = {}
    put: dict[Attribute, list[Form | None]] = {}
    for n in walk(program.body):
        a = attribute_of(n)
        if a is None or a[0] not in made:
            continue
        assert isinstance(n, Callback)
        calls.setdefault(a, []).append(n)
        if n.target == GET:
            numbers = is_number(n.result) or n.result == ANY_FLOAT
            read.setdefault(a, []).append(n.result if numbers else None)
        else:
            item = item_of(program, n, n.args[2])
            put.setdefault(a, []).append(item.form if item else None)
    out: dict[Attribute, Form] = {}
    for a in read.keys() | put.keys():
        if a not in read and a[0] not in shown:
            out[a] = _UNREAD
            continue
        forms = [*read.get(a, []), *put.get(a, [])]
        form = _array(program, held, calls[a]) if None in forms else together(read.get(a, []), put.get(a, []))
        if a[0] in shown and not (is_number(form) or form == ANY_FLOAT):
            form = None
        if form is not None:
            out[a] = form
    return out


@dataclass
class _Rewriter:
    """orders: of objects that are returned the names of their attributes; classes: the calls that make objects"""

    program: Program
    made: set[str]
    forms: Mapping[Attribute, Form]
    columns: Mapping[Attribute, tuple[str, ...]]
    orders: Mapping[str, tuple[str, ...]]
    classes: Mapping[str, Callback]

    def node(self, n: Node) -> Node | tuple[Node, ...] | None:
        if isinstance(n, Return):
            owners = dict.fromkeys(x.data for x in n.values if isinstance(x, Memlet) and x.data in self.made)
            return (*(x for owner in owners for x in self.in_the_end(owner, n)), n) if owners else None
        if isinstance(n, Callback) and n.target == NEW and n.outs[0] in self.made:
            return ()
        a = attribute_of(n)
        if a is None or a[0] not in self.made:
            return None
        assert isinstance(n, Callback)
        if self.forms[a] == _UNREAD:
            return ()
        columns, form = self.columns[a], self.forms[a]
        if isinstance(form, _Array):
            (variable,) = columns
            source = n.ins[1] if n.target == SET else self.whole(variable, form.ndim)
            assert isinstance(source, Memlet)
            name = variable if n.target == SET else n.outs[0]
            return (Bind(name, source, loc=n.loc),) if name else ()
        types = dtypes_of(form)
        if n.target == GET:
            pairs = [(o, c, t) for o, c, t in zip(n.outs, columns, types, strict=True) if o]
            return tuple(Tasklet(Memlet(o), Load(Memlet(c), t), loc=n.loc) for o, c, t in pairs)
        item = item_of(self.program, n, n.args[2])
        assert isinstance(item, Item)
        values = columns_as(form, item)
        return tuple(Tasklet(Memlet(c), v, loc=n.loc) for c, v in zip(columns, values, strict=True))

    def in_the_end(self, owner: str, n: Return) -> Iterator[Node]:
        """The object is made, with what its attributes are."""
        yield replace(self.classes[owner], kwargs={"watches": False}, loc=n.loc)  # so that it stays
        for name in self.orders[owner]:
            form, columns = self.forms[owner, name], self.columns[owner, name]
            number = Load(Memlet(columns[-1]), dtypes_of(form)[-1])

            def setting(weak: bool, name: str = name, number: Load = number) -> Node:
                template = {"$": 1, "weak": True} if weak else {"$": 1}
                return Callback(SET, (), (Memlet(owner), number), ({"$": 0}, name, template), {}, (owner,), loc=n.loc)

            if form == ANY_FLOAT:
                is_python = eq(Load(Memlet(columns[0]), i64), ZERO)
                yield Branch(is_python, Region((setting(True),)), Region((setting(False),)), loc=n.loc)
            else:
                yield setting(isinstance(form, str))

    @staticmethod
    def whole(name: str, ndim: int) -> Memlet:
        """All elements that an array variable stands for."""
        return Memlet(name, tuple(Range(ZERO, Extent(name, k), ONE) for k in range(ndim)))
