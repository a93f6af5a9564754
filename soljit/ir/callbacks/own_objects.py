"""Which objects and memory belong to a program alone, and which calls back into Python change others."""

from __future__ import annotations

from collections.abc import Iterable, Set

from soljit.base.knowledge.pure import known_by_name
from soljit.ir.core.data import Array, View
from soljit.ir.core.expr import Memlet, Sym
from soljit.ir.core.nodes import Bind, Call, Callback, Param, Program
from soljit.ir.walk import memlets_written, walk
from soljit.support.instance_rows import MORE_ROWS
from soljit.support.list_pools import MORE_ROOM
from soljit.support.numbers import AS_LIST
from soljit.support.objects import HERE
from soljit.support.pending import unguarded
from soljit.support.random_streams import METHODS

_OF_CONTAINERS = {"blind", "keyed", "compared"}  # what rows say of functions that only work with a container
_DRAWING = "numpy.random."  # from streams that change
_NEW_GENERATORS = {"numpy.random.default_rng", *(name.rstrip(".") for name in METHODS)}
_PLAIN = {"builtins.str", "builtins.bytes", "builtins.int", "builtins.float", "builtins.complex", "builtins.range"}
TEXTS = ("str", "bytes")  # as parameters say it
MAKER = HERE + "same"  # makes a list, a dict or a set


def shown_by(program: Program, name: str) -> tuple[str, object]:
    """The container that a view shows."""
    d = program.data.get(name)
    while isinstance(d, View):
        name, d = d.of, program.data.get(d.of)
    return name, d


def fresh_objects(program: Program) -> set[str]:
    """Objects that the program makes: nobody else has them yet."""
    made: set[str] = set()
    other: set[str] = set()
    for n in walk(program.body):
        new = isinstance(n, Callback) and makes(n)
        outs = n.outs if isinstance(n, Callback) else [m.data for m in memlets_written(n)]
        (made if new else other).update([n.ref] if isinstance(n, Bind) else outs)
    return made - other


def plain_objects(program: Program) -> frozenset[str]:
    """Objects that are texts or numbers whenever they are something, by what the calls declare that they come from."""
    plain: set[str] = set()
    other: set[str] = set()
    for n in walk(program.body):
        outs = n.outs if isinstance(n, (Call, Callback)) else [n.ref] if isinstance(n, Bind) else ()
        of_a_class = isinstance(n, Callback) and isinstance(n.result, dict) and n.result.get("object") in _PLAIN
        (plain if of_a_class else other).update(outs)
    return frozenset(plain - other)


def text_parameters(params: Iterable[Param]) -> set[str]:
    """Those that are texts or bytes."""
    return {p.name for p in params if p.container in TEXTS}


def own_memory(program: Program, known: Set[str]) -> set[str]:
    """Refs that are only ever bound to memory that the program makes, or to such arrays."""
    sources: dict[str, set[str]] = {}
    given: set[str] = set()
    for n in walk(program.body):
        if isinstance(n, Bind):
            sources.setdefault(n.ref, set()).add(shown_by(program, n.source.data)[0])
        elif isinstance(n, (Call, Callback)) and not (isinstance(n, Callback) and n.target in (MORE_ROOM, MORE_ROWS)):
            given.update(n.outs)
    made = known | {name for name, d in program.data.items() if isinstance(d, Array) and d.transient}
    own = sources.keys() - given  # room for lists in pools and for instances is new memory, too
    while other := {name for name in own if not sources[name] <= made | own}:
        own -= other
    return own


def containers_in(program: Program, fresh: set[str]) -> set[str]:
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


def looks_through(program: Program, containers: set[str], n: Callback) -> bool:
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


def makes(n: Callback) -> bool:
    """Tell whether this makes a container, or a generator of random numbers from a seed."""
    if n.target in _NEW_GENERATORS:
        return not n.ins and bool(n.args or n.kwargs)
    return n.target == AS_LIST or n.target == MAKER and (not n.ins or isinstance(n.args[0], list))


def changes_its_object(target: str) -> bool:
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


def is_about_arrays(target: str) -> bool:
    """Tell whether this is a function of NumPy's that does nothing but to compute, and perhaps to write into the arrays that it is given."""
    facts = known_by_name(target)
    writes = facts is not None and facts.changes in ("0", "1")
    return target.startswith("numpy.") and not target.startswith(_DRAWING) and (only_looks(target) or writes)
