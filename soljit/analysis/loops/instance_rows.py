"""Classes of which every instance that the program sees is one that it makes, and what is known of them: which variables and lists hold them, and which
attributes are set before others see one. What is asked here, and what a pass does with the answer, `passes/lists/instance_rows.py` says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import field

from soljit.analysis.flow.forward import Forward
from soljit.analysis.flow.instance_states import Live, given
from soljit.analysis.flow.own_instances import GET, MADE, NEW, SET, attribute_of, is_instance
from soljit.analysis.loops.list_uses import NumberList
from soljit.analysis.loops.list_walks import Walk
from soljit.analysis.loops.number_lists import Found
from soljit.base.records import dataclass
from soljit.ir.callbacks.item_forms import LIST, dtypes_of, is_form, rows_in
from soljit.ir.core.data import Ref
from soljit.ir.core.expr import Const, Range
from soljit.ir.core.nodes import Bind, Branch, Call, Callback, Loop, Map, Node, Program, Region
from soljit.ir.symbolic import Facts
from soljit.ir.walk import data_used, memlets_read, walk
from soljit.support.pending import unguarded

State = frozenset[tuple[str, str]]  # a variable and an attribute; "": any that others read
_SEEN = ""
_LOOKING = {
    *("keep", "make", "repeat", "append", "extend", "set", "get", "pop", "clear", "len", "truth", "steps"),
    *("replace", "best", "keys", "piece", "bind", "hold", "take", "mark"),
}


def declared_outs(n: Callback) -> Iterator[tuple[str, object]]:
    """What gets the results of a call, with what is declared of each."""
    outs = iter(n.outs)

    def parts(declared: object) -> Iterator[tuple[str, object]]:
        if isinstance(declared, Mapping) and declared.keys() == {"tuple"}:
            for part in declared["tuple"]:
                yield from parts(part)
            return
        count = len(dtypes_of(declared)) if is_form(declared) else 1
        yield from ((name, declared) for _, name in zip(range(count), outs))

    if n.result is not None:
        yield from parts(n.result)
    yield from ((name, None) for name in outs)


def classes_of(program: Program) -> tuple[dict[str, str], set[str]]:
    """Variables that stand for nothing but instances of one class that the program makes → the class, for classes of which all variables are such;
    and the classes of which one variable holds several.
    """
    found: dict[str, set[str]] = {}
    links: list[Bind] = []
    made: set[str] = set()
    other: set[str] = {""}
    for n in walk(program.body):
        match n:
            case Callback():
                for name, declared in declared_outs(n):
                    cls = declared.get("object") if isinstance(declared, Mapping) else None
                    found.setdefault(name, set()).add(cls if isinstance(cls, str) else "")
                    if unguarded(n.target) in (NEW, MADE) and isinstance(cls, str):
                        (other if n.kwargs else made).add(cls)
            case Call():
                for name in n.outs:
                    found.setdefault(name, set()).add("")
            case Bind():
                links.append(n)
                found.setdefault(n.ref, set())
            case Map():
                for name in data_used(n):
                    found.setdefault(name, set()).add("")
    if not made:
        return {}, set()
    changed = True
    while changed:
        changed = False
        for n in links:
            source = found.get(n.source.data, {""})
            changed |= not source <= found[n.ref]
            found[n.ref] |= source
    held = {x for d in program.data.values() if isinstance(d, Ref) for x in d.alias}
    for name, classes in found.items():
        if len(classes) > 1 or not is_instance(program, name) or name in held:
            other |= classes
    alone = {name: c for name, (c,) in ((k, v) for k, v in found.items() if len(v) == 1) if c in made - other and name}
    return alone, {c for classes in found.values() if len(classes & made) > 1 for c in classes & made}


def circles(holds: Mapping[str, Collection[str]]) -> set[str]:
    """Classes whose instances may lead to themselves. holds: of each class those in its attributes"""
    reach = {c: set(others) for c, others in holds.items()}
    for _ in reach:
        for others in reach.values():
            others |= {y for x in others for y in reach.get(x, ())}
    return {c for c, others in reach.items() if c in others}


# --- attributes -----------------------------------------------------------------------------------------------------------


@dataclass
class Filled(Forward[State]):
    """Which attributes of the instances that variables stand for are set. classes: of the variables; read: the attributes that each class needs"""

    classes: Mapping[str, str] = field(kw_only=True)
    read: Mapping[str, Collection[str]] = field(kw_only=True)

    def start(self) -> State:
        """What holds in the beginning, where they stand for none."""
        return frozenset((name, _SEEN) for name in self.classes)

    def leaf(self, n: Node, state: State) -> State:
        if isinstance(n, Callback) and n.target == SET and (a := attribute_of(n)) and a[0] in self.classes:
            return state | {a}
        changed = given(n) & self.classes.keys()
        if isinstance(n, Callback) and unguarded(n.target) != n.target:
            changed = frozenset(n.outs) & self.classes.keys()
        if not changed:
            return state
        if isinstance(n, Bind):
            known = {(n.ref, a) for name, a in state if name == n.source.data}
        else:
            is_new = isinstance(n, Callback) and n.target == NEW
            known = set() if is_new else {(name, _SEEN) for name in changed}
        return frozenset(x for x in state if x[0] not in changed) | known

    def both(self, a: State, b: State) -> State:
        return frozenset(x for x in a | b if (x in a or (x[0], _SEEN) in a) and (x in b or (x[0], _SEEN) in b))

    def missing(self) -> set[str]:
        """Classes of which an attribute is read, or an instance seen by others, before it is set."""
        found = set()
        for n, state in self.before.items():
            if isinstance(n, Bind):
                continue
            a = attribute_of(n)
            for name in {m.data for m in memlets_read(n)} & self.classes.keys():
                needed: Collection[str] = self.read.get(self.classes[name], ())
                if a is not None and isinstance(n, Callback) and a[0] == name:
                    value = n.target == SET and any(getattr(x, "data", "") == name for x in n.ins[1:])
                    needed = [a[1]] if n.target == GET else needed if value else ()
                if (name, _SEEN) not in state and any((name, attribute) not in state for attribute in needed):
                    found.add(self.classes[name])
        return found


# --- lists ----------------------------------------------------------------------------------------------------------------


def held_in(lists: Mapping[str, NumberList]) -> dict[str, set[str]]:
    """The classes whose instances lists hold, directly or in other lists."""
    found = {name: set(rows_in(one.form)) - {""} for name, one in lists.items() if one.form is not None}
    changed = True
    while changed:
        changed = False
        for name in found:
            one = lists[name]
            inner = {c for other in found if one.form == LIST and lists[other].pool == one.rows for c in found[other]}
            changed |= not inner <= found[name]
            found[name] |= inner
    return found


def shown(lists: Mapping[str, NumberList], held: Mapping[str, set[str]]) -> set[str]:
    """The classes of instances in lists that something else looks at."""
    return {c for name in held if any(u.kind not in _LOOKING for u in lists[name].uses) for c in held[name]}


class Marks:
    """Which lists hold instances where a new one is made."""

    def __init__(
        self, program: Program, facts: Facts, found: Found, held: Mapping[str, set[str]], rows: Collection[str]
    ) -> None:
        self.found, self.held, self.rows = found, held, rows
        iterators = {o: w for w in found.walks.values() for n in w.makers if isinstance(n, Callback) for o in n.outs}
        self.iterators: dict[str, Walk] = iterators
        self.live = Live(program, {*held, *iterators, *rows})
        self.bound = Bound(facts)
        self.bound.region(program.body, frozenset())
        self.changed = {w.name: {x for n in walk(w.loop.body) for x in given(n)} for w in found.walks.values()}

    def at(self, n: Callback, cls: str) -> tuple[list[str], list[str]] | None:
        """The rows and lists that are used behind a place; None: only the run tells whether one of them is there."""
        live = self.live.after[n] - set(n.outs)
        lists = {name for name in live & self.held.keys() if cls in self.held[name]}
        for name in live & self.iterators.keys():
            w = self.iterators[name]
            over = {x for x in w.lists if cls in self.held.get(x, ())}
            if not over.isdisjoint(self.changed[w.name]):
                return None
            lists |= over
        if not lists <= self.bound.before.get(n, frozenset()):
            return None
        return sorted(live & set(self.rows)), sorted(lists)


@dataclass
class Bound(Forward[frozenset[str]]):
    """The containers that have been given something."""

    def leaf(self, n: Node, state: frozenset[str]) -> frozenset[str]:
        return state | given(n)

    def both(self, a: frozenset[str], b: frozenset[str]) -> frozenset[str]:
        return a & b


# --- how many -------------------------------------------------------------------------------------------------------------


def times(region: Region, wanted: Collection[Node], most: int, around: int = 1) -> dict[Node, int]:
    """How often each of these nodes runs at most; those of which that is not known, or more than `most`, are not there."""
    found: dict[Node, int] = {}
    for n in region.nodes:
        match n:
            case Loop(span=Range(Const() as start, Const() as stop, Const() as step)):
                steps = len(range(int(start.value), int(stop.value), int(step.value)))  # type: ignore[arg-type]
                if around * steps <= most:
                    found |= times(n.body, wanted, most, around * steps)
            case Branch():
                found |= times(n.then, wanted, most, around) | times(n.orelse, wanted, most, around)
            case _ if n in wanted:
                found[n] = around
    return found
