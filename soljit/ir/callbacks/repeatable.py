"""What programs do that a caller could see: which calls back into Python, and which limits of compiled code, come before
all of it, so that up to there a call can be made again; whether a call back changes an object."""

from __future__ import annotations

from collections.abc import Mapping

from soljit.base.knowledge.pure import known_by_name
from soljit.ir.core.data import Array, Ref, View
from soljit.ir.core.expr import Memlet, Sym
from soljit.ir.core.nodes import Alloc, Bind, Branch, Call, Callback, Copy, Node, Program, Raise, Region
from soljit.ir.walk import memlets_written, reached, walk
from soljit.support.limits import is_limit
from soljit.support.numbers import AS_LIST
from soljit.support.objects import HERE
from soljit.support.pending import unguarded
from soljit.support.random_streams import METHODS
from soljit.support.unforeseen import Site

_OF_CONTAINERS = {"blind", "keyed", "compared"}  # what rows say of functions that only work with a container
_DRAWING = "numpy.random."  # from streams that change
_NEW_GENERATORS = {"numpy.random.default_rng", *(name.rstrip(".") for name in METHODS)}
_MAKER = HERE + "same"  # makes a list, a dict or a set


def site_of(n: Callback) -> Site:
    """Where a call stands."""
    return Site.at(n.loc, unguarded(n.target))


def repeatable(program: Program) -> set[Site]:
    """The sites of which every call comes before the first effect."""
    order = _Order(program)
    return order.early - order.late


def unrepeatable(program: Program) -> set[Site]:
    """The sites of which a call comes after the first effect."""
    return _Order(program).late


def early_limits(program: Program) -> frozenset[int]:
    """The raises of what Python would not raise (`support/limits.py`) that come before the first effect, by identity.

    Those of a function do if the function has no effect, and all calls of it come before the first one, too.
    """
    functions = _all_functions(program)
    quiet = _without_effect(functions)
    orders = {name: _Order(f, quiet) for name, f in functions.items()}
    whole = _Order(program, quiet)
    late = whole.late_calls | {c for name, o in orders.items() if name not in quiet for c in o.calls}
    while more := {c for name in late for c in orders[name].calls} - late:
        late |= more
    early = whole.early_raises - whole.late_raises
    for name, o in orders.items():
        if name in quiet - late:
            early |= o.early_raises - o.late_raises
        elif functions[name] is program and name in late:
            early -= o.early_raises
    return frozenset(early)


def _all_functions(program: Program) -> dict[str, Program]:
    """What calls may name: the functions of a program and of those, and the program itself."""
    found, left = {program.name: program}, [program]
    while left:
        new = {name: f for name, f in left.pop().functions.items() if name not in found}
        found |= new
        left += new.values()
    return found


def _without_effect(functions: Mapping[str, Program]) -> frozenset[str]:
    """The functions that do nothing that a caller could see."""
    quiet = frozenset(functions)
    while kept := frozenset(name for name in quiet if not _Order(functions[name], quiet).done):
        if kept == quiet:
            break
        quiet = kept
    return kept


class _Order:
    """What of a program comes before the first effect, and what after it: calls back, calls of functions, limits.

    quiet: functions without an effect
    done:  does the program have an effect?
    """

    def __init__(self, program: Program, quiet: frozenset[str] = frozenset()) -> None:
        self.program, self.quiet = program, quiet
        self.fresh = fresh_objects(program)
        self.containers = _containers(program, self.fresh)
        self.own = _own_memory(program)
        self.early: set[Site] = set()
        self.late: set[Site] = set()
        self.early_raises: set[int] = set()
        self.late_raises: set[int] = set()
        self.calls: set[str] = set()
        self.late_calls: set[str] = set()
        self.done = self._sort(program.body, False)

    def _sort(self, node: Node, begun: bool) -> bool:
        """Sort what is below a node; tell whether anything was done before its end. Loops count as a whole."""
        match node:
            case Region():
                for n in node.nodes:
                    begun = self._sort(n, begun)
                return begun
            case Branch():
                then = self._sort(node.then, begun)
                return self._sort(node.orelse, begun) or then
        done = begun or any(self._seen(n) for n in walk(node))
        alone = False
        if isinstance(node, Callback) and not begun:
            alone = on_own(self.fresh, node) or not _changes(unguarded(node.target))
        for n in walk(node):
            match n:
                case Callback():
                    (self.early if alone or not done else self.late).add(site_of(n))
                case Raise() if is_limit(n.exception, n.message):
                    (self.late_raises if done else self.early_raises).add(id(n))
                case Call():
                    self.calls.add(n.function)
                    if done:
                        self.late_calls.add(n.function)
        return done

    def _seen(self, n: Node) -> bool:
        """Tell whether this node itself does something that a caller can see, or that another run would do once more."""
        if isinstance(n, Call):
            return n.function not in self.quiet
        if isinstance(n, Callback) and _looks_through(self.program, self.containers, n):
            return False
        if isinstance(n, Callback) and n.target != _MAKER and not _makes(n) and not on_own(self.fresh, n):
            if not _of_numpy_without_effect(unguarded(n.target)):
                return True
        for m in memlets_written(n):
            d = self.program.data.get(m.data)
            while isinstance(d, View):
                d = self.program.data.get(d.of)
            if m.data in self.fresh or isinstance(n, Callback) and m.data in (*n.outs, *reached(n)):
                continue  # what a call may reach has been judged by its target
            if isinstance(d, Ref) and type(n).__name__ not in ("Bind", "Alloc") and m.data not in self.own:
                return True
            if isinstance(d, Array) and (not d.transient or self._goes_home(n, d)):
                return True
        return False

    def _goes_home(self, n: Node, d: Array) -> bool:
        """Tell whether this changes the mirror of an argument, which is copied to the argument when an exception comes."""
        host = self.program.data.get(d.mirror or "")
        return not isinstance(n, (Alloc, Copy)) and isinstance(host, Array) and not host.transient


def fresh_objects(program: Program) -> set[str]:
    """Objects that the program makes: nobody else has them yet."""
    made: set[str] = set()
    other: set[str] = set()
    for n in walk(program.body):
        new = isinstance(n, Callback) and _makes(n)
        outs = n.outs if isinstance(n, Callback) else [m.data for m in memlets_written(n)]
        (made if new else other).update([n.ref] if isinstance(n, Bind) else outs)
    return made - other


def _own_memory(program: Program) -> set[str]:
    """Refs that are only ever bound to memory that the program makes."""
    sources: dict[str, set[str]] = {}
    given: set[str] = set()
    for n in walk(program.body):
        if isinstance(n, Bind):
            sources.setdefault(n.ref, set()).add(n.source.data)
        elif isinstance(n, (Call, Callback)):
            given.update(n.outs)
    made = {name for name, d in program.data.items() if isinstance(d, Array) and d.transient}
    own = sources.keys() - given
    while other := {name for name in own if not sources[name] <= made | own}:
        own -= other
    return own


def _containers(program: Program, fresh: set[str]) -> set[str]:
    """Containers of Python's own, and the views, copies and iterators of them that the program makes."""
    found = {p.name for p in program.params if p.container} | fresh
    owners: dict[str, set[str | None]] = {}
    for n in walk(program.body):
        if isinstance(n, Bind):
            owners.setdefault(n.ref, set()).add(None)
            continue
        walking = isinstance(n, Callback) and _is_walking(unguarded(n.target))
        for name in n.outs if isinstance(n, Callback) else [m.data for m in memlets_written(n)]:
            owners.setdefault(name, set()).add(_owner(n) if isinstance(n, Callback) and walking else None)
    while more := {x for x, those in owners.items() if those <= found} - found:
        found |= more
    return found


def _owner(n: Callback) -> str | None:
    """The object that stands first in a call."""
    match n.args:
        case ({"$": int() as k}, *_):
            x = n.ins[k]
            return x.data if isinstance(x, Memlet) else x.name if isinstance(x, Sym) else None
    return None


def _looks_through(program: Program, containers: set[str], n: Callback) -> bool:
    """Tell whether this only goes through such a container, without running code of its items."""
    target = unguarded(n.target)
    if _owner(n) not in containers:
        return False
    objects = {p.name for p in program.params if p.kind == "object"}
    keys = [x for x in n.ins if isinstance(x, Memlet) or isinstance(x, Sym) and x.name in objects]
    facts = known_by_name(target)
    if facts is None or facts.changes:
        return False
    if "keyed" in facts:
        return len(keys) == 1
    number = isinstance(n.result, str) or isinstance(n.result, dict) and "numpy" in n.result
    return "blind" in facts or "steps" in facts or "folds" in facts and number and len(keys) == 1


def _is_walking(target: str) -> bool:
    """Does this go through a container of Python's own without running code of its items?"""
    facts = known_by_name(target)
    return facts is not None and "blind" in facts and not facts.changes


def _makes(n: Callback) -> bool:
    """Tell whether this makes a container, or a generator of random numbers from a seed."""
    if n.target in _NEW_GENERATORS:
        return not n.ins and bool(n.args or n.kwargs)
    return n.target == AS_LIST or n.target == _MAKER and (not n.ins or isinstance(n.args[0], list))


def _changes(target: str) -> bool:
    """Tell whether this is a method that changes its object, so that it may not be called once more."""
    facts = known_by_name(target)
    return facts is not None and (bool(facts.changes) or "draws" in facts)


def on_own(fresh: set[str], n: Callback) -> bool:
    """Tell whether this only looks at or changes a container or a generator that nobody else has yet."""
    target = unguarded(n.target)
    match n.args:
        case ({"$": int() as k}, *_) if _is_of_its_owner(target):
            owner = n.ins[k]
            return isinstance(owner, Memlet) and owner.data in fresh
    return False


def _is_of_its_owner(target: str) -> bool:
    """Is this about the container, or the generator, that is its first argument?"""
    facts = known_by_name(target)
    return target.startswith(METHODS) or facts is not None and not facts.words.isdisjoint(_OF_CONTAINERS)


_ASKS_WHICH = {HERE + "is_same", "operator.is_", "operator.is_not", "builtins.id"}


def changes_objects(program: Program) -> bool:
    """Tell whether a call may change an object that others have, too, or asks which object it is."""
    for p in (program, *program.functions.values()):
        fresh = fresh_objects(p)
        for n in walk(p.body):
            if not isinstance(n, Callback):
                continue
            target = unguarded(n.target)
            if (target in _ASKS_WHICH or not only_looks(target)) and not on_own(fresh, n):
                return True
    return False


def only_looks(target: str) -> bool:
    """Tell whether this is a function that changes none of its arguments."""
    facts = known_by_name(target)
    return facts is not None and facts.looks


def _of_numpy_without_effect(target: str) -> bool:
    return target.startswith("numpy.") and not target.startswith(_DRAWING) and only_looks(target)
