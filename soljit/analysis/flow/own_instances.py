"""Instances of the program's classes that nobody but the program sees, and what it does with their attributes.

An object counts that one call makes (`soljit.support.objects.new`, or `made` for dataclasses), and of which nothing else is done than that attributes are set and
read by their names, and that it is returned. What is asked here, and what a pass does with the answer, `passes/simplify/unbox_instances.py` says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import field

from soljit.analysis.flow.forward import Forward
from soljit.base.records import dataclass
from soljit.ir.core.data import Ref
from soljit.ir.core.expr import Memlet
from soljit.ir.core.nodes import Bind, Call, Callback, Node, Program, Return
from soljit.ir.walk import children_nodes, data_used, memlets_read, walk
from soljit.support.objects import HERE

NEW, MADE, GET, SET = HERE + "new", HERE + "made", "builtins.getattr", "builtins.setattr"
Attribute = tuple[str, str]  # the object, the name
_IS = "="  # in the place of a name: one object is the other one


def attribute_of(n: Node) -> Attribute | None:
    """The attribute that a call back sets or gets, if it does."""
    match n:
        case Callback(target=t, args=({"$": 0}, str() as name, *_), ins=(Memlet(data=owner), *_)) if t in (GET, SET):
            return (owner, name) if not n.kwargs and len(n.args) == 2 + (t == SET) else None
    return None


def made_inside(program: Program) -> set[str]:
    """Objects that are made at one place, of which nothing but attributes is asked."""
    found: set[str] = set()
    other = {x for d in program.data.values() if isinstance(d, Ref) for x in d.alias}
    for n in walk(program.body):
        if isinstance(n, Callback):
            if n.target == NEW and not n.kwargs and len(n.outs) == 1:
                (other if n.outs[0] in found else found).add(n.outs[0])
                continue
            other |= _mentioned(n, attribute_of(n))
        elif isinstance(n, Return):
            pass  # there it is made in the end
        elif children_nodes(n):
            other |= {m.data for m in memlets_read(n)}
        else:
            other |= data_used(n)
    return found - other


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
class Assigned(Forward[frozenset[Attribute]]):
    """Which attributes have been set, on all ways. unset: objects of which one is read that may not be."""

    objects: set[str] = field(kw_only=True)
    unset: set[str] = field(default_factory=set)

    def leaf(self, n: Node, state: frozenset[Attribute]) -> frozenset[Attribute]:
        if isinstance(n, Callback) and n.target == NEW:
            return frozenset(a for a in state if a[0] != n.outs[0])
        a = attribute_of(n)
        if a is None or a[0] not in self.objects:
            return state
        assert isinstance(n, Callback)
        if n.target == SET:
            return state | {a}
        if a not in state:
            self.unset.add(a[0])
        return state

    def both(self, a: frozenset[Attribute], b: frozenset[Attribute]) -> frozenset[Attribute]:
        return a & b


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


class Orders(dict[str, tuple[str, ...] | None]):
    """Of each object the names of its attributes in the order in which they were set; None if that depends on the way."""


@dataclass
class Order(Forward[Orders]):
    """In which order the attributes of objects come about. of: of those that are returned"""

    objects: set[str] = field(kw_only=True)
    of: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def leaf(self, n: Node, state: Orders) -> Orders:
        if isinstance(n, Callback) and n.target == NEW and n.outs[0] in self.objects:
            return Orders(state | {n.outs[0]: ()})
        a = attribute_of(n)
        if a is None or a[0] not in self.objects or not isinstance(n, Callback) or n.target != SET:
            return state
        known = state.get(a[0])
        return state if known is None or a[1] in known else Orders(state | {a[0]: (*known, a[1])})

    def both(self, a: Orders, b: Orders) -> Orders:
        return Orders({k: a.get(k) if a.get(k) == b.get(k) else None for k in a.keys() | b.keys()})

    def unclear(self, program: Program, forms: Collection[Attribute]) -> set[str]:
        """Objects that are returned with some attributes, or in one order or another; of the rest `of` tells the order."""
        found: set[str] = set()
        for n in walk(program.body):
            if isinstance(n, Return):
                for owner in self.objects & {x.data for x in n.values if isinstance(x, Memlet)}:
                    order = self.before.get(n, Orders({})).get(owner)
                    if (
                        order is None
                        or {*order} != {name for o, name in forms if o == owner}
                        or self.of.setdefault(owner, order) != order
                    ):
                        found.add(owner)
        return found
