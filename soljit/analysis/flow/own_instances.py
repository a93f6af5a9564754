"""Instances of the program's classes that nobody but the program sees, and what it does with their attributes.

An object counts that a call makes (`soljit.support.objects.new`, or `made` for dataclasses), and of which nothing else is done than that attributes are set and
read by their names, that variables are bound to it and compared, and that it is returned. What is asked here, and what a pass does with the answer, `passes/simplify/unbox_instances.py` says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field

from soljit.analysis.flow.forward import Forward
from soljit.base.records import dataclass
from soljit.ir.core.data import Ref
from soljit.ir.core.expr import Memlet
from soljit.ir.core.nodes import Bind, Call, Callback, Map, Node, Program, Return
from soljit.ir.core.types import obj
from soljit.ir.walk import children_nodes, data_used, memlets_read, walk
from soljit.support.objects import HERE

NEW, MADE, IS, SAME = HERE + "new", HERE + "made", HERE + "is_same", HERE + "same"
GET, SET = "builtins.getattr", "builtins.setattr"
Attribute = tuple[str, str]  # the object, the name
_IS = "="  # in the place of a name: one object is the other one


def attribute_of(n: Node) -> Attribute | None:
    """The attribute that a call back sets or gets, if it does."""
    match n:
        case Callback(target=t, args=({"$": 0}, str() as name, *_), ins=(Memlet(data=owner), *_)) if t in (GET, SET):
            return (owner, name) if not n.kwargs and len(n.args) == 2 + (t == SET) else None
    return None


@dataclass(frozen=True)
class Variables:
    """Array variables (Refs) that stand for such instances and for nothing else.

    groups: of each those that may stand for the same one, itself included; alone: those that only one call gives a value
    """

    groups: Mapping[str, frozenset[str]]
    alone: frozenset[str]

    def without(self, names: Iterable[str]) -> Variables:
        """The rest, if whole groups go with these."""
        gone = {x for name in names for x in self.groups.get(name, ())}
        return Variables({k: g for k, g in self.groups.items() if k not in gone}, self.alone - gone)

    def only(self, names: Collection[str]) -> Variables:
        """These groups."""
        return Variables({k: g for k, g in self.groups.items() if k in names}, self.alone & frozenset(names))


def own_variables(program: Program) -> Variables:
    """The variables of instances that calls make, of which nothing but attributes is asked, and whether two are one."""
    other = {x for d in program.data.values() if isinstance(d, Ref) for x in d.alias}
    makers: Counter[str] = Counter()
    bound: dict[str, set[str]] = {}
    for n in walk(program.body):
        if isinstance(n, Callback) and n.target == NEW and not n.kwargs and len(n.outs) == 1:
            makers[n.outs[0]] += 1
        elif isinstance(n, Callback) and (pair := compared(n)):
            other |= {*n.outs, *n.effects} - set(pair)
        elif isinstance(n, Callback):
            other |= _mentioned(n, attribute_of(n))
        elif isinstance(n, Bind) and is_instance(program, n.ref) and is_instance(program, n.source.data):
            bound.setdefault(n.ref, set()).add(n.source.data)
            bound.setdefault(n.source.data, set())
        elif isinstance(n, Return):
            pass  # there it is made in the end
        elif isinstance(n, Map):
            other |= data_used(n)
        elif children_nodes(n):
            other |= {m.data for m in memlets_read(n)}
        else:
            other |= data_used(n)
    given = makers.keys() | {name for name, sources in bound.items() if sources}
    groups = _connected(makers.keys() | bound.keys(), bound)
    groups = {k: g for k, g in groups.items() if g <= given and other.isdisjoint(g)}
    return Variables(groups, frozenset(k for k, times in makers.items() if times == 1 and len(groups.get(k, ())) == 1))


def _connected(names: Collection[str], links: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    of = {name: {name} for name in names}
    for name, others in links.items():
        for other in others:
            if of[name] is not of[other]:
                of[name] |= of[other]
                for x in of[other]:
                    of[x] = of[name]
    return {name: frozenset(g) for name, g in of.items()}


def is_instance(program: Program, name: str) -> bool:
    """Tell whether this is a variable of a Python object."""
    d = program.data.get(name)
    return isinstance(d, Ref) and d.dtype is obj and d.ndim == 0


def compared(n: Node) -> tuple[str, str] | None:
    """The two variables of which a call asks whether they are one object; "" is None."""
    match n:
        case Callback(target=t, args=({"$": 0}, {"$": 1}), ins=(Memlet(data=a), Memlet(data=b))) if t == IS:
            return (a, b)
        case Callback(target=t, args=({"$": 0}, None), ins=(Memlet(data=a),)) if t == IS:
            return (a, "")
    return None


def _mentioned(n: Callback, attribute: Attribute | None) -> set[str]:
    """The containers in a call, but the object whose attribute it is about, in its place."""
    ins = [x for x in n.ins if isinstance(x, Memlet)]
    names = {m.data for m in (ins[1:] if attribute else ins)} | set(n.outs)
    return names | (set(n.effects) - ({attribute[0]} if attribute else set()))


def returned(program: Program) -> set[str]:
    """What the program returns."""
    return {x.data for n in walk(program.body) if isinstance(n, Return) for x in n.values if isinstance(x, Memlet)}


def single(program: Program) -> set[str]:
    """Objects that one call gives, and nothing else is bound to."""
    times = Counter(x for n in walk(program.body) for x in _given(n))
    return {x for x, k in times.items() if k == 1 and isinstance(d := program.data.get(x), Ref) and d.dtype.kind == "O"}


def _given(n: Node) -> tuple[str, ...]:
    return n.outs if isinstance(n, (Call, Callback)) else (n.ref,) if isinstance(n, Bind) else ()


@dataclass
class Held(Forward[frozenset[tuple[str, str, str]]]):
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
        if n.target == SET:
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
        return state | {(out, _IS, held[0])}

    def both(
        self, a: frozenset[tuple[str, str, str]], b: frozenset[tuple[str, str, str]]
    ) -> frozenset[tuple[str, str, str]]:
        return a & b

    def names(self) -> dict[str, str]:
        """What results of reading such attributes are, wherever they are used; nothing else is left in `found`."""
        attributes = {out: a for a, outs in self.found.items() for out in outs}
        for n, state in self.before.items():
            for out in {m.data for m in memlets_read(n)} & attributes.keys():
                a = attributes[out]
                if (out, _IS, self.found[a][out]) not in state:
                    self.other.add(a)
        self.found = {a: outs for a, outs in self.found.items() if a not in self.other}
        return {out: held for outs in self.found.values() for out, held in outs.items() if out}
