"""Attributes of instances that nobody else sees become variables.

    callback(new, outs=[p], args=[Point])
    callback(setattr, p, "x", a[i])                     p_x = a[i]
    callback(getattr, outs=[x], p, "x")          →      x = p_x

Proof: the object is made at one place, and all that is done with it is to set and get attributes by their names; its class decides nothing about that (the front
end lets Python do it under another name where it does). Each attribute holds numbers of one form, or arrays that the program makes, of which only elements are
used, and is set on every way to where it is read. No exception, no call back and no result shows the object, so nobody can tell that there is none.

Must come first: sizes, ints that may leave 64 bits, and effects that cannot be taken back depend on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace

from soljit.analysis.flow.forward import Forward
from soljit.base.records import dataclass
from soljit.ir.callbacks.item_forms import Form, Item, columns_as, dtypes_of, is_number, item_of, together
from soljit.ir.core.data import Array, Data, Ref, Scalar
from soljit.ir.core.expr import ONE, ZERO, Expr, Extent, Load, Memlet, Range
from soljit.ir.core.nodes import Bind, Call, Callback, Node, Program, Return, Tasklet
from soljit.ir.core.types import DType
from soljit.ir.walk import FreshNames, children_nodes, data_used, memlets_read, rename_data, rewrite, walk
from soljit.passes.manager import Context
from soljit.support.declarations import ANY_FLOAT
from soljit.support.objects import HERE

_NEW, _MADE, _GET, _SET = HERE + "new", HERE + "made", "builtins.getattr", "builtins.setattr"
_UNREAD = "nobody reads it"
Attribute = tuple[str, str]  # the object, the name


def unbox_instances(program: Program, cx: Context) -> Program:
    """The program with attributes of such instances as variables."""
    while (after := _some(program, cx)) is not program:  # one less in an attribute of another one may be the next
        program = after
    return program


def _some(program: Program, cx: Context) -> Program:
    apart = _apart(program)
    made = _made(apart)
    if not made:
        return program
    held = _Held(cx.facts(program), objects=made, single=_single(apart))
    held.region(apart.body, frozenset())
    names = held.names()
    if held.found:
        return _without(_apart(program, {a[0] for a in held.found}), held.found.keys(), names)
    forms = _forms(apart, made)
    made -= {owner for owner, form in ((o, forms.get((o, name))) for o, name in _asked(apart, made)) if form is None}
    early = _Assigned(cx.facts(program), objects=made)
    early.region(apart.body, frozenset())
    made -= early.unset
    return _as_variables(_apart(program, made), made, forms) if made else program


def _as_variables(program: Program, made: set[str], forms: Mapping[Attribute, Form]) -> Program:
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
    rewriter = _Rewriter(program, made, forms, columns)
    body = rewrite(program.body, rewriter.node)
    return replace(program, body=body, data={k: d for k, d in data.items() if k not in made})


def _apart(program: Program, owners: Collection[str] | None = None) -> Program:
    """The program with dataclass instances made in steps: an instance, and then each of its fields. owners: those that are; None: all"""

    def node(n: Node) -> Node | tuple[Node, ...] | None:
        if not isinstance(n, Callback) or n.target != _MADE or (owners is not None and n.outs[0] not in owners):
            return None
        cls, names, *values = n.args
        (owner,) = n.outs
        steps: list[Node] = [Callback(_NEW, n.outs, (), (cls,), {}, (), n.result, loc=n.loc)]
        for name, v in zip(str(names).split(","), values, strict=True):
            ins: tuple[Memlet | Expr, ...] = (Memlet(owner),)
            match v:
                case {"$": int() as k, **how}:
                    ins, v = (*ins, n.ins[k]), {"$": 1, **how}
                case dict() | list():
                    return None
            steps.append(Callback(_SET, (), ins, ({"$": 0}, name, v), {}, (owner,), loc=n.loc))
        return tuple(steps)

    body = rewrite(program.body, node)
    return program if body is program.body else replace(program, body=body)


# --- objects in attributes ----------------------------------------------------------------------------------------------


def _single(program: Program) -> set[str]:
    """Objects that one call gives, and nothing else is bound to."""
    times = Counter(x for n in walk(program.body) for x in _given(n))
    return {x for x, k in times.items() if k == 1 and isinstance(d := program.data.get(x), Ref) and d.dtype.kind == "O"}


def _given(n: Node) -> tuple[str, ...]:
    return n.outs if isinstance(n, (Call, Callback)) else (n.ref,) if isinstance(n, Bind) else ()


@dataclass
class _Held(Forward[frozenset[tuple[str, str, str]]]):
    """Which object an attribute holds. found: of each attribute that never holds anything else the results of reading it, and what they are"""

    objects: set[str] = field(kw_only=True)
    single: set[str] = field(kw_only=True)
    found: dict[Attribute, dict[str, str]] = field(default_factory=dict)
    other: set[Attribute] = field(default_factory=set)

    def leaf(self, n: Node, state: frozenset[tuple[str, str, str]]) -> frozenset[tuple[str, str, str]]:
        given = _given(n)
        if given:
            state = frozenset(x for x in state if x[0] not in given and x[2] not in given)
        a = attribute_of(n)
        if a is None or a[0] not in self.objects:
            return state
        assert isinstance(n, Callback)
        if n.target == _SET:
            match n.args[2], n.ins[1:]:
                case {"$": 1}, (Memlet(data=value),) if value in self.single and value != a[0]:
                    self.found.setdefault(a, {})
                    return frozenset(x for x in state if x[:2] != a) | {(*a, value)}
            self.other.add(a)
            return frozenset(x for x in state if x[:2] != a)
        held = [x[2] for x in state if x[:2] == a]
        out = n.outs[0] if n.outs else ""
        if len(held) == 1 and (out in self.single or not out):
            known = self.found.setdefault(a, {}).setdefault(out, held[0])
            held = held if known == held[0] else []
        if len(held) != 1:
            self.other.add(a)
        return state

    def both(
        self, a: frozenset[tuple[str, str, str]], b: frozenset[tuple[str, str, str]]
    ) -> frozenset[tuple[str, str, str]]:
        return a & b

    def names(self) -> dict[str, str]:
        """What results of reading such attributes are; nothing else is left in `found`."""
        self.found = {a: outs for a, outs in self.found.items() if a not in self.other}
        return {out: held for outs in self.found.values() for out, held in outs.items() if out}


def _without(program: Program, attributes: Collection[Attribute], names: Mapping[str, str]) -> Program:
    """The program without these attributes: what they hold has a name already."""
    body = rewrite(program.body, lambda n: () if attribute_of(n) in attributes else None)
    chain = {x: names.get(y, y) for x, y in names.items()}
    while chain != (longer := {x: names.get(y, y) for x, y in chain.items()}):
        chain = longer
    return replace(
        program, body=rename_data(body, chain), data={k: d for k, d in program.data.items() if k not in chain}
    )


# --- numbers and arrays -------------------------------------------------------------------------------------------------


def _made(program: Program) -> set[str]:
    """Objects that are made at one place, of which nothing but attributes is asked."""
    found: set[str] = set()
    other = {x for d in program.data.values() if isinstance(d, Ref) for x in d.alias}
    for n in walk(program.body):
        if isinstance(n, Callback):
            if n.target == _NEW and not n.kwargs and len(n.outs) == 1:
                (other if n.outs[0] in found else found).add(n.outs[0])
                continue
            other |= _mentioned(n, attribute_of(n))
        elif children_nodes(n):
            other |= {m.data for m in memlets_read(n)}
        else:
            other |= data_used(n)
    return found - other


def attribute_of(n: Node) -> Attribute | None:
    """The attribute that a call back sets or gets, if it does."""
    match n:
        case Callback(target=t, args=({"$": 0}, str() as name, *_), ins=(Memlet(data=owner), *_)) if t in (_GET, _SET):
            return (owner, name) if not n.kwargs and len(n.args) == 2 + (t == _SET) else None
    return None


def _mentioned(n: Callback, attribute: Attribute | None) -> set[str]:
    """The containers in a call, but the object whose attribute it is about, in its place."""
    ins = [x for x in n.ins if isinstance(x, Memlet)]
    names = {m.data for m in (ins[1:] if attribute else ins)} | set(n.outs)
    return names | (set(n.effects) - ({attribute[0]} if attribute else set()))


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
        if n.target == _GET:
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


def _forms(program: Program, made: set[str]) -> dict[Attribute, Form]:
    """Of each attribute the form of all numbers, or arrays, that it holds; none is there for others."""
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
        if n.target == _GET:
            numbers = is_number(n.result) or n.result == ANY_FLOAT
            read.setdefault(a, []).append(n.result if numbers else None)
        else:
            item = item_of(program, n, n.args[2])
            put.setdefault(a, []).append(item.form if item else None)
    out: dict[Attribute, Form] = {}
    for a in read.keys() | put.keys():
        if a not in read:
            out[a] = _UNREAD
            continue
        forms = [*read.get(a, []), *put.get(a, [])]
        form = _array(program, held, calls[a]) if None in forms else together(read.get(a, []), put.get(a, []))
        if form is not None:
            out[a] = form
    return out


@dataclass
class _Assigned(Forward[frozenset[Attribute]]):
    """Which attributes have been set, on all ways. unset: objects of which one is read that may not be."""

    objects: set[str] = field(kw_only=True)
    unset: set[str] = field(default_factory=set)

    def leaf(self, n: Node, state: frozenset[Attribute]) -> frozenset[Attribute]:
        if isinstance(n, Callback) and n.target == _NEW:
            return frozenset(a for a in state if a[0] != n.outs[0])
        a = attribute_of(n)
        if a is None or a[0] not in self.objects:
            return state
        assert isinstance(n, Callback)
        if n.target == _SET:
            return state | {a}
        if a not in state:
            self.unset.add(a[0])
        return state

    def both(self, a: frozenset[Attribute], b: frozenset[Attribute]) -> frozenset[Attribute]:
        return a & b


@dataclass
class _Rewriter:
    program: Program
    made: set[str]
    forms: Mapping[Attribute, Form]
    columns: Mapping[Attribute, tuple[str, ...]]

    def node(self, n: Node) -> Node | tuple[Node, ...] | None:
        if isinstance(n, Callback) and n.target == _NEW and n.outs[0] in self.made:
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
            source = n.ins[1] if n.target == _SET else self.whole(variable, form.ndim)
            assert isinstance(source, Memlet)
            name = variable if n.target == _SET else n.outs[0]
            return (Bind(name, source, loc=n.loc),) if name else ()
        types = dtypes_of(form)
        if n.target == _GET:
            pairs = [(o, c, t) for o, c, t in zip(n.outs, columns, types, strict=True) if o]
            return tuple(Tasklet(Memlet(o), Load(Memlet(c), t), loc=n.loc) for o, c, t in pairs)
        item = item_of(self.program, n, n.args[2])
        assert isinstance(item, Item)
        values = columns_as(form, item)
        return tuple(Tasklet(Memlet(c), v, loc=n.loc) for c, v in zip(columns, values, strict=True))

    @staticmethod
    def whole(name: str, ndim: int) -> Memlet:
        """All elements that an array variable stands for."""
        return Memlet(name, tuple(Range(ZERO, Extent(name, k), ONE) for k in range(ndim)))
