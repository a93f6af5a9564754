"""What holds of own instances at a place: which variables stand for one, which are read later, which attributes are set, and in which order."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import field
from typing import NamedTuple

from soljit.analysis.flow.forward import Forward
from soljit.analysis.flow.own_instances import NEW, SET, Attribute, Variables, attribute_of
from soljit.base.records import dataclass
from soljit.ir.core.expr import Memlet
from soljit.ir.core.nodes import (
    Bind,
    Branch,
    Break,
    Call,
    Callback,
    Continue,
    Loop,
    Node,
    Program,
    Raise,
    Region,
    Return,
    Tasklet,
    While,
)
from soljit.ir.walk import memlets_read, walk
from soljit.support.pending import unguarded

Names = frozenset[str]


class Alike(NamedTuple):
    """Pairs of variables that may stand for one instance, and of those that do."""

    may: frozenset[tuple[str, str]] = frozenset()
    must: frozenset[tuple[str, str]] = frozenset()


@dataclass
class Aliases(Forward[Alike]):
    """Which variables stand for one instance, of those that are used again."""

    variables: Variables = field(kw_only=True)
    used: Later = field(kw_only=True)

    def leaf(self, n: Node, state: Alike) -> Alike:
        name = defined(n)
        if name not in self.variables.groups:
            return state
        if not isinstance(n, Bind):
            return self._used(n, (_without(pairs, name) for pairs in state))
        source = n.source.data
        return state if source == name else self._used(n, (_renamed(pairs, name, source) for pairs in state))

    def _used(self, n: Node, state: Iterable[frozenset[tuple[str, str]]]) -> Alike:
        again = self.used.after[n]
        return Alike(*(frozenset(p for p in pairs if p[0] in again and p[1] in again) for pairs in state))

    def both(self, a: Alike, b: Alike) -> Alike:
        return Alike(a.may | b.may, a.must & b.must)

    def of(self, n: Node, name: str) -> tuple[Names, Names]:
        """The other variables that may stand for the instance of one in front of a node, and those that do."""
        state = self.before.get(n, Alike())
        may, must = ({y for x, y in pairs if x == name} for pairs in state)
        return frozenset(may), frozenset(must)


def defined(n: Node) -> str:
    """The variable to which a node gives another instance; "" if it does that to none."""
    if isinstance(n, Bind):
        return n.ref
    return n.outs[0] if isinstance(n, Callback) and n.target == NEW else ""


def _without(pairs: frozenset[tuple[str, str]], name: str) -> frozenset[tuple[str, str]]:
    return frozenset(p for p in pairs if name not in p)


def _renamed(pairs: frozenset[tuple[str, str]], name: str, source: str) -> frozenset[tuple[str, str]]:
    """The pairs after a variable has become another one."""
    rest = _without(pairs, name)
    same = {source, *(y for x, y in rest if x == source)}
    return rest | {p for x in same for p in ((x, name), (name, x))}


def given(n: Node) -> Names:
    """The containers that get something else by this node, whatever happens."""
    match n:
        case Bind():
            return frozenset({n.ref})
        case Call():
            return frozenset(n.outs)
        case Callback():
            return frozenset(n.outs) if unguarded(n.target) == n.target else frozenset()
        case Tasklet() if n.out.wcr is None and not n.out.subset:
            return frozenset({n.out.data})
    return frozenset()


# --- what is read later -------------------------------------------------------------------------------------------------


class Live:
    """Which of these containers are read behind a node (`after`) before they get something else, wholly."""

    def __init__(self, program: Program, names: Collection[str]) -> None:
        self.names = frozenset(names)
        self.after: dict[Node, Names] = {}
        self._region(program.body, frozenset(), frozenset(), frozenset())

    def _region(self, region: Region, live: Names, out: Names, again: Names) -> Names:
        """out, again: what is live where a Break and a Continue lead"""
        for n in reversed(region.nodes):
            self.after[n] = self.after.get(n, frozenset()) | live
            live = self._node(n, live, out, again)
        return live

    def _node(self, n: Node, live: Names, out: Names, again: Names) -> Names:
        match n:
            case Region():
                return self._region(n, live, out, again)
            case Branch():
                return self._region(n.then, live, out, again) | self._region(n.orelse, live, out, again)
            case Loop() | While():
                head = live
                while (more := head | self._region(n.body, head, live, head)) != head:
                    head = more
                return head
            case Break():
                return out
            case Continue():
                return again
            case Raise():
                return frozenset()
            case Return():
                live = frozenset()
        read, given = self.uses(n)
        return (live - given) | read

    def uses(self, n: Node) -> tuple[Names, Names]:
        """What a leaf reads, and what it gives something else."""
        return frozenset(m.data for m in memlets_read(n)) & self.names, given(n)


class Later(Live):
    """Which variables are read before they stand for another instance. sets: setting an attribute counts, too"""

    def __init__(self, program: Program, variables: Variables, sets: bool = False) -> None:
        self.sets = sets
        super().__init__(program, variables.groups.keys())

    def uses(self, n: Node) -> tuple[Names, Names]:
        read, _ = super().uses(n)
        if (a := attribute_of(n)) is not None and isinstance(n, Callback) and n.target == SET and not self.sets:
            read -= {a[0]}
        return read, frozenset({defined(n)})


# --- attributes ---------------------------------------------------------------------------------------------------------


@dataclass
class Assigned(Forward[frozenset[Attribute]]):
    """Which attributes have been set, on all ways on which the variable stands for an instance: others do not read it. unset: variables of which one is read
    that may not be; `(name, "")`: it stands for none
    """

    aliases: Aliases = field(kw_only=True)
    unset: set[str] = field(default_factory=set)

    def leaf(self, n: Node, state: frozenset[Attribute]) -> frozenset[Attribute]:
        groups = self.aliases.variables.groups
        if (name := defined(n)) in groups:
            if isinstance(n, Bind) and n.source.data == name:
                return state
            rest = frozenset(a for a in state if a[0] != name)
            return rest | {(name, a[1]) for a in rest if a[0] == n.source.data} if isinstance(n, Bind) else rest
        a = attribute_of(n)
        if a is None or a[0] not in groups:
            return state
        assert isinstance(n, Callback)
        if n.target == SET:
            return state | {(name, a[1]) for name in (a[0], *self.aliases.of(n, a[0])[1])}
        if a not in state and (a[0], "") not in state:
            self.unset.add(a[0])
        return state

    def both(self, a: frozenset[Attribute], b: frozenset[Attribute]) -> frozenset[Attribute]:
        return frozenset(x for x in a | b if (x in a or (x[0], "") in a) and (x in b or (x[0], "") in b))

    def start(self) -> frozenset[Attribute]:
        """What holds in the beginning."""
        return frozenset((name, "") for name in self.aliases.variables.groups)

    def of(self, n: Node, name: str) -> set[str]:
        """The attributes of a variable that are set in front of a node."""
        return {a for owner, a in self.before.get(n, ()) if owner == name}


class Orders(dict[str, "tuple[str, ...] | None"]):
    """Of each variable the names of the attributes of its instance in the order in which they were set, after its class; None if that depends on the way."""


@dataclass
class Order(Forward[Orders]):
    """In which order the attributes of instances come about. of: of those that are returned"""

    aliases: Aliases = field(kw_only=True)
    of: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def leaf(self, n: Node, state: Orders) -> Orders:
        groups = self.aliases.variables.groups
        if (name := defined(n)) in groups:
            if isinstance(n, Bind):
                return Orders(state | {name: state.get(n.source.data)})
            assert isinstance(n, Callback)
            return Orders(state | {name: (str(n.args[0]),)})
        a = attribute_of(n)
        if a is None or a[0] not in groups or not isinstance(n, Callback) or n.target != SET:
            return state
        may, must = self.aliases.of(n, a[0])
        new = Orders(state)
        for name in (a[0], *may):
            known = state.get(name)
            if known is not None and a[1] not in known[1:]:
                new[name] = (*known, a[1]) if name == a[0] or name in must else None
        return new

    def both(self, a: Orders, b: Orders) -> Orders:
        both = {k: a[k] if a[k] == b[k] else None for k in a.keys() & b.keys()}
        return Orders(a | b | both)

    def unclear(self, program: Program, attributes: Collection[Attribute]) -> set[str]:
        """Variables that are returned with some attributes, or in one order or another, or with others that may stand for the same instance."""
        found: set[str] = set()
        for n in walk(program.body):
            if not isinstance(n, Return):
                continue
            given = self.aliases.variables.groups.keys() & {x.data for x in n.values if isinstance(x, Memlet)}
            for name in given:
                order = self.before.get(n, Orders({})).get(name)
                if (
                    order is None
                    or {*order[1:]} != {a for owner, a in attributes if owner == name}
                    or self.of.setdefault(name, order) != order
                    or self.aliases.of(n, name)[0] & given
                ):
                    found.add(name)
        return found
