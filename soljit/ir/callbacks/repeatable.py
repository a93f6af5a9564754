"""What programs do that a caller could see: which calls back into Python, and which limits of compiled code, come before
all of it, so that up to there a call can be made again; whether a call back changes an object.

What is written into arrays that the call was given is no such effect where their contents can be put back (`put_back`): the runtime
keeps copies of them for programs that need it.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from soljit.base.knowledge.pure import known_by_name
from soljit.base.place import Loc
from soljit.ir.core.data import Array, Ref, View
from soljit.ir.core.expr import Memlet, Sym
from soljit.ir.core.nodes import Alloc, Bind, Branch, Call, Callback, Copy, Node, Program, Raise, Region
from soljit.ir.core.types import obj
from soljit.ir.walk import memlets_written, reached, walk
from soljit.support.limits import TOO_LARGE, is_limit
from soljit.support.numbers import AS_LIST
from soljit.support.objects import HERE
from soljit.support.pending import unguarded
from soljit.support.random_streams import METHODS
from soljit.support.unforeseen import Site

_OF_CONTAINERS = {"blind", "keyed", "compared"}  # what rows say of functions that only work with a container
_DRAWING = "numpy.random."  # from streams that change
_NEW_GENERATORS = {"numpy.random.default_rng", *(name.rstrip(".") for name in METHODS)}
_PLAIN = {"builtins.str", "builtins.bytes", "builtins.int", "builtins.float", "builtins.complex", "builtins.range"}
_MAKER = HERE + "same"  # makes a list, a dict or a set


def site_of(n: Callback) -> Site:
    """Where a call stands."""
    return Site.at(n.loc, unguarded(n.target))


def repeatable(program: Program) -> set[Site]:
    """The sites of which every call comes before the first effect that cannot be taken back."""
    order = _Order(program, given=_given(program))
    return order.early - order.late


def too_late(program: Program, guessed: Set[Loc]) -> set[Loc]:
    """Where, after such an effect, an int may leave 64 bits, or a call at one of the places `guessed` may give what it was not compiled for."""
    nodes = [(f is program, n) for f in _all_functions(program).values() for n in walk(f.body)]
    calls = [(main, n) for main, n in nodes if isinstance(n, Callback) and n.loc in guessed]
    ints = [n for _, n in nodes if isinstance(n, Raise) and n.message == TOO_LARGE]
    late = _Order(program, given=_given(program)).late if calls else set()
    early = early_limits(program) if ints else frozenset()
    found = {n.loc for main, n in calls if not main or site_of(n) in late}
    return found | {n.loc for n in ints if id(n) not in early}


def put_back(program: Program) -> tuple[str, ...]:
    """The arrays among the parameters whose contents have to be put back before the call is made again."""
    given = _given(program)
    if not given or not any(
        isinstance(n, Callback) or _is_limit(n) for f in _all_functions(program).values() for n in walk(f.body)
    ):
        return ()
    bare, order = _Order(program), _Order(program, given=given)
    if (bare.early - bare.late, early_limits(program, False)) == (order.early - order.late, early_limits(program)):
        return ()
    written = {d for f in _all_functions(program).values() for d in _written_arrays(f)}
    return tuple(p.name for p in program.params if p.name in given and (program.functions or p.name in written))


def early_limits(program: Program, taken_back: bool = True) -> frozenset[int]:
    """The raises of what Python would not raise (`support/limits.py`) that come before the first effect, by identity.

    Those of a function do if the function has no effect, and all calls of it come before the first one, too.
    taken_back: writing into an array that can be put back is no effect
    """
    functions = _all_functions(program)
    given = _given_to_functions(program, functions) if taken_back else {}
    quiet = _without_effect(functions, given)
    orders = {name: _Order(f, quiet, given.get(name, frozenset())) for name, f in functions.items()}
    whole = orders[program.name] if functions[program.name] is program else _Order(program, quiet, _given(program))
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


def _is_limit(n: Node) -> bool:
    return isinstance(n, Raise) and is_limit(n.exception, n.message)


def _given(program: Program) -> frozenset[str]:
    """The parameters of a whole program that are arrays and can be put back: not where a device has copies of arrays."""
    if any(getattr(d, "storage", "host") == "cuda" for d in program.data.values()):
        return frozenset()
    return frozenset(n for p in program.params if isinstance(d := program.data.get(n := p.name), Array) and d.writable)


def _given_to_functions(program: Program, functions: Mapping[str, Program]) -> dict[str, frozenset[str]]:
    """The same of each function: the arrays that are nothing but such a parameter, or memory that the program makes, at every call."""
    found = {name: frozenset(p.name for p in f.params if p.kind == "array") for name, f in functions.items()}
    found[program.name] = _given(program)
    while True:
        others: dict[str, set[str]] = {}
        for name, f in functions.items():
            known = found[name] | {n for n, d in f.data.items() if isinstance(d, Array) and d.transient}
            known |= _own_memory(f, known)
            for n in walk(f.body):
                if not isinstance(n, Call) or n.function not in functions:
                    continue
                arrays = [
                    x for x in n.ins if isinstance(x, Memlet) and isinstance(_of_whom(f, x.data)[1], (Array, Ref))
                ]
                if any(_of_whom(f, x.data)[0] not in known for x in arrays):
                    others.setdefault(n.function, set()).update(found[n.function])
        more = {name: found[name] - names for name, names in others.items() if found[name] & names}
        if not more:
            return found
        found |= more


def _of_whom(program: Program, name: str) -> tuple[str, object]:
    """The container that a view shows."""
    d = program.data.get(name)
    while isinstance(d, View):
        name, d = d.of, program.data.get(d.of)
    return name, d


def _written_arrays(program: Program) -> set[str]:
    """Arrays and what Refs may show that are written somewhere."""
    names = {_of_whom(program, m.data)[0] for n in walk(program.body) for m in memlets_written(n)}
    shown = [a for n in names if isinstance(d := program.data.get(n), Ref) for a in d.alias]
    return names | {_of_whom(program, a)[0] for a in shown}


def _without_effect(functions: Mapping[str, Program], given: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The functions that do nothing that a caller could see."""
    quiet = frozenset(functions)
    while kept := frozenset(
        name for name in quiet if not _Order(functions[name], quiet, given.get(name, frozenset())).done
    ):
        if kept == quiet:
            break
        quiet = kept
    return kept


class _Order:
    """What of a program comes before the first effect, and what after it: calls back, calls of functions, limits.

    quiet: functions without an effect
    given: arrays of the caller's whose contents can be put back
    done:  does the program have an effect?
    """

    def __init__(
        self, program: Program, quiet: frozenset[str] = frozenset(), given: frozenset[str] = frozenset()
    ) -> None:
        self.program, self.quiet, self.given = program, quiet, given
        self.fresh = fresh_objects(program)
        self.containers = _containers(program, self.fresh)
        self.own = _own_memory(program, given)
        self.plain = _plain_objects(program)
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
                case Raise() if _is_limit(n):
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
            if not (_is_about_arrays(unguarded(n.target)) or self._only_computes(n)):
                return True
        for m in memlets_written(n):
            name, d = _of_whom(self.program, m.data)
            if m.data in self.fresh or isinstance(n, Callback) and m.data in (*n.outs, *reached(n)):
                continue  # what a call may reach has been judged by its target
            if isinstance(d, Ref) and type(n).__name__ not in ("Bind", "Alloc") and name not in self.own:
                return True
            if isinstance(d, Array) and name not in self.given and (not d.transient or self._goes_home(n, d)):
                return True
        return False

    def _only_computes(self, n: Callback) -> bool:
        """Tell whether this is a function without effect, of numbers, arrays, texts and the like."""
        facts = known_by_name(unguarded(n.target))
        data = self.program.data
        objects = [
            x.data for x in n.ins if isinstance(x, Memlet) and isinstance(d := data[x.data], Ref) and d.dtype is obj
        ]
        params = {p.name for p in self.program.params if p.kind == "object"}
        given = any(isinstance(x, Sym) and x.name in params for x in n.ins)
        return facts is not None and facts.tried and facts.looks and not given and self.plain.issuperset(objects)

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


def _plain_objects(program: Program) -> frozenset[str]:
    """Objects that are texts or numbers whenever they are something, by what the calls declare that they come from."""
    plain: set[str] = set()
    other: set[str] = set()
    for n in walk(program.body):
        outs = n.outs if isinstance(n, (Call, Callback)) else [n.ref] if isinstance(n, Bind) else ()
        of_a_class = isinstance(n, Callback) and isinstance(n.result, dict) and n.result.get("object") in _PLAIN
        (plain if of_a_class else other).update(outs)
    return frozenset(plain - other)


def _own_memory(program: Program, known: Set[str]) -> set[str]:
    """Refs that are only ever bound to memory that the program makes, or to such arrays."""
    sources: dict[str, set[str]] = {}
    given: set[str] = set()
    for n in walk(program.body):
        if isinstance(n, Bind):
            sources.setdefault(n.ref, set()).add(_of_whom(program, n.source.data)[0])
        elif isinstance(n, (Call, Callback)):
            given.update(n.outs)
    made = known | {name for name, d in program.data.items() if isinstance(d, Array) and d.transient}
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


def _is_about_arrays(target: str) -> bool:
    """Tell whether this is a function of NumPy's that does nothing but to compute, and perhaps to write into the arrays that it is given."""
    facts = known_by_name(target)
    writes = facts is not None and facts.changes in ("0", "1")
    return target.startswith("numpy.") and not target.startswith(_DRAWING) and (only_looks(target) or writes)
