"""What programs do that a caller could see: which calls back into Python, and which limits of compiled code, come before
all of it, so that up to there a call can be made again.

What is written into arrays that the call was given is no such effect where their contents can be put back (`put_back`): the runtime
keeps copies of them for programs that need it.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from soljit.base.knowledge.pure import known_by_name
from soljit.base.place import Loc
from soljit.ir.callbacks.own_objects import (
    MAKER,
    changes_its_object,
    containers_in,
    fresh_objects,
    is_about_arrays,
    looks_through,
    makes,
    on_own,
    own_memory,
    plain_objects,
    shown_by,
    text_parameters,
)
from soljit.ir.core.data import Array, Ref
from soljit.ir.core.expr import Memlet, Sym
from soljit.ir.core.nodes import Alloc, Branch, Call, Callback, Copy, Node, Program, Raise, Region
from soljit.ir.core.types import obj
from soljit.ir.walk import memlets_written, reached, walk
from soljit.support.instance_rows import MORE_ROWS
from soljit.support.limits import TOO_LARGE, is_limit
from soljit.support.list_pools import DIFFERENT, LOOK, OF_POOLS
from soljit.support.numbers import FILL
from soljit.support.objects import HERE
from soljit.support.pending import unguarded
from soljit.support.unforeseen import Site


def site_of(n: Callback) -> Site:
    """Where a call stands."""
    return Site.at(n.loc, unguarded(n.target))


def repeatable(program: Program, taken_back: bool = True) -> set[Site]:
    """The sites of which every call comes before the first effect that cannot be taken back.

    taken_back: writing into an array of the caller's can be; not where a device will have copies of it
    """
    order = _Order(program, given=_given(program) if taken_back else frozenset())
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


def _is_quiet(target: str) -> bool:
    """Tell whether this only looks at lists of arguments, makes lists, or gives a handler of the program an exception."""
    handled = unguarded(target) == HERE + "throw" != target
    return target in (MAKER, FILL, LOOK, DIFFERENT, MORE_ROWS) or target in OF_POOLS or handled


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
            known |= own_memory(f, known)
            for n in walk(f.body):
                if not isinstance(n, Call) or n.function not in functions:
                    continue
                arrays = [
                    x for x in n.ins if isinstance(x, Memlet) and isinstance(shown_by(f, x.data)[1], (Array, Ref))
                ]
                if any(shown_by(f, x.data)[0] not in known for x in arrays):
                    others.setdefault(n.function, set()).update(found[n.function])
        more = {name: found[name] - names for name, names in others.items() if found[name] & names}
        if not more:
            return found
        found |= more


def _written_arrays(program: Program) -> set[str]:
    """Arrays and what Refs may show that are written somewhere."""
    names = {shown_by(program, m.data)[0] for n in walk(program.body) for m in memlets_written(n)}
    shown = [a for n in names if isinstance(d := program.data.get(n), Ref) for a in d.alias]
    return names | {shown_by(program, a)[0] for a in shown}


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
        self.containers = containers_in(program, self.fresh)
        self.own = own_memory(program, given)
        self.plain = plain_objects(program)
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
            alone = on_own(self.fresh, node) or not changes_its_object(unguarded(node.target))
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
        if isinstance(n, Callback) and looks_through(self.program, self.containers, n):
            return False
        known = isinstance(n, Callback) and _is_quiet(n.target)
        if isinstance(n, Callback) and not known and not makes(n) and not on_own(self.fresh, n):
            if not (is_about_arrays(unguarded(n.target)) or self._only_computes(n)):
                return True
        for m in memlets_written(n):
            name, d = shown_by(self.program, m.data)
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
        params = {p.name for p in self.program.params if p.kind == "object"} - text_parameters(self.program.params)
        given = any(isinstance(x, Sym) and x.name in params for x in n.ins)
        return facts is not None and facts.tried and facts.looks and not given and self.plain.issuperset(objects)

    def _goes_home(self, n: Node, d: Array) -> bool:
        """Tell whether this changes the mirror of an argument, which is copied to the argument when an exception comes."""
        host = self.program.data.get(d.mirror or "")
        return not isinstance(n, (Alloc, Copy)) and isinstance(host, Array) and not host.transient
