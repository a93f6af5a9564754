"""Which calls back into Python may run code that changes, or looks at, memory that the program holds, too.

Whatever runs code of the program or of a library may change every array that anybody else can hold: arguments, captured arrays,
and all that was given away. Such a `Callback` names the container that stands for them in its `effects`, without being given it.
The others are functions of Python and NumPy that have no effect, on numbers, texts and arrays of numbers: an object among the operands may
have special methods, and may die of being let go.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from soljit.base.knowledge.pure import is_pure_name, known_by_name
from soljit.ir.callbacks.own_objects import fresh_objects, makes, text_parameters
from soljit.ir.callbacks.templates import names_in
from soljit.ir.core.data import Data
from soljit.ir.core.expr import Expr, Memlet, Sym
from soljit.ir.core.nodes import Bind, Call, Callback, Loop, Param, Program, While
from soljit.ir.walk import is_object, walk
from soljit.support.instance_rows import MORE_ROWS
from soljit.support.list_pools import DIFFERENT, LOOK
from soljit.support.numbers import FILL
from soljit.support.objects import HERE
from soljit.support.pending import unguarded
from soljit.support.random_streams import METHODS
from soljit.support.texts import CODES, KNOWN, WIDE

_SETTING = HERE + "set_attribute"  # of an instance, where the value before dies quietly
_RAISING = "soljit.support.pending.raise_again"
_READING = {"operator.getitem", "builtins.len"}  # of a list or tuple, by a number
_ITERATING = {HERE + name for name in ("steps", "has_next", "take")} | {
    "builtins.enumerate",
    "builtins.zip",
    "builtins.reversed",
}
_COPYING = {
    "builtins.list",
    "builtins.list.copy",
    "builtins.sorted",
    "operator.getitem",
    "operator.add",
    "operator.mul",
}
_GIVING = _ITERATING | _COPYING | {"builtins.list.pop", HERE + "same"}  # a list, out of a list, or such a list itself
_OF_ITEMS = {"operator.getitem", "operator.setitem", HERE + "take"}
_LOOKING = (
    {
        FILL,
        LOOK,
        DIFFERENT,
        MORE_ROWS,
        HERE + "is_same",
        HERE + "same",
        "builtins.bool",
        "operator.contains",
        "builtins.list.index",
        "builtins.list.count",
        "numpy.array",
        "numpy.asarray",
    }
    | {f"builtins.{name}" for name in ("len", "sum", "min", "max", "any", "all")}
    | _ITERATING
    | _COPYING
)  # at lists of numbers


def runs_code(n: Callback, params: Collection[Param], data: Mapping[str, Data]) -> bool:
    """Tell whether the call may run code that nobody has looked at."""
    target = unguarded(n.target)
    if _has(target, "raises") or target in (_RAISING, FILL, LOOK, DIFFERENT, MORE_ROWS, _SETTING, CODES, KNOWN, WIDE):
        return False
    texts = text_parameters(params)
    objects = [x for x in n.ins if is_object(x, params, data) and not (isinstance(x, Sym) and x.name in texts)]
    named = set(names_in([n.args, n.kwargs]))
    if target.startswith(METHODS) and len(objects) == 1 and objects[0] is n.ins[0]:
        return False
    if objects and target in _READING:
        return len(objects) > 1 or not _is_sequence(n.ins[0], params)
    if objects:
        return not all(_has(name, "holds") for name in (target, *named))
    return not all(map(_has_no_effect, (target, *named)))


def leaves_lists_alone(program: Program, names: Collection[str]) -> bool:
    """Tell whether nothing but the program can see these parameters, lists of numbers or of such lists, while it runs.

    So it is if all that is done with objects is done with such lists, with lists that the program makes of numbers, with the lists in them, and with iterators over these.
    """
    if program.functions:
        return False
    known, texts = _lists_and_iterators(program, names), text_parameters(program.params)
    for n in walk(program.body):
        match n:
            case Callback():
                objects, target = _objects_of(n, program) - texts, unguarded(n.target)
                if target == _SETTING and len(objects) == 1 and objects.isdisjoint(known):
                    continue  # a number, or another thing without objects, becomes an attribute
                if objects and not (objects <= known and (target in _LOOKING or _changes_lists(target))):
                    return False
                if not objects and runs_code(n, program.params, program.data):
                    return False
            case Call():
                return False
    return True


def _lists_and_iterators(program: Program, names: Collection[str]) -> set[str]:
    """These parameters, and Refs that are nothing but lists that the program makes, lists in lists, copies, and iterators over these."""
    writers: dict[str, list[Callback | Bind]] = {}
    fresh = fresh_objects(program)
    for n in walk(program.body):
        for name in n.outs if isinstance(n, Callback) else [n.ref] if isinstance(n, Bind) else ():
            writers.setdefault(name, []).append(n)  # type: ignore[arg-type]
    known = {*names, *writers}

    def is_list(name: str) -> bool:
        for n in () if name in fresh else writers[name]:
            if isinstance(n, Bind):
                good = n.source.data in known
            else:
                good = makes(n) or unguarded(n.target) in _GIVING and _objects_of(n, program) <= known
            if not good:
                return False
        return True

    while other := {name for name in known - set(names) if not is_list(name)}:
        known -= other
    return known


def changes_lists(program: Program, flat: Collection[str], nested: Collection[str]) -> bool:
    """Tell whether the program changes one of these parameters, lists of numbers (`flat`) or of such lists, or a list in one."""
    parts = _parts(program, flat, nested)
    calls = (n for n in walk(program.body) if isinstance(n, Callback))
    return any(_changes_lists(unguarded(n.target)) and _objects_of(n, program) & parts for n in calls)


def goes_through(program: Program, name: str, nested: bool) -> bool:
    """Tell whether a loop reads or sets items of this parameter, a list of numbers or of such lists: many of them, for all that is known."""
    parts = _parts(program, () if nested else (name,), (name,) if nested else ())
    for loop in walk(program.body):
        if not isinstance(loop, (Loop, While)):
            continue
        for n in walk(loop.body):
            if isinstance(n, Callback) and unguarded(n.target) in _OF_ITEMS and _objects_of(n, program) & parts:
                return True
    return False


def _parts(program: Program, flat: Collection[str], nested: Collection[str]) -> set[str]:
    """These lists, what has been a list in such a list, what such a list was put into, and iterators over them."""
    parts, count = {*flat, *nested}, 0
    calls = [n for n in walk(program.body) if isinstance(n, (Callback, Bind))]
    while count != len(parts):
        count = len(parts)
        for n in calls:
            if isinstance(n, Bind):
                parts |= {n.ref} if n.source.data in parts else set()
                continue
            given, target = _objects_of(n, program) & parts, unguarded(n.target)
            if (
                given - set(flat)
                and target in _GIVING
                or given
                and (makes(n) or target in _ITERATING | {HERE + "same"})
            ):
                parts |= set(n.outs)
            elif given and _changes_lists(target):
                parts |= _objects_of(n, program)
    return parts


def _objects_of(n: Callback, program: Program) -> set[str]:
    found = [x for x in n.ins if is_object(x, program.params, program.data)]
    return {x.data if isinstance(x, Memlet) else x.name for x in found if isinstance(x, (Memlet, Sym))}


def _has(name: str, word: str) -> bool:
    """Has the row of the function this word?"""
    facts = known_by_name(name)
    return facts is not None and word in facts


def _changes_lists(target: str) -> bool:
    facts = known_by_name(target)
    return facts is not None and facts.changes == "0" and (target.startswith("builtins.list.") or "drops" in facts)


def _has_no_effect(name: str) -> bool:
    return is_pure_name(name) or name.startswith(HERE) and not _has(name, "imports")


def _is_sequence(x: Memlet | Expr, params: Iterable[Param]) -> bool:
    """A list or a tuple, whose items can be read without running code."""
    return isinstance(x, Sym) and any(p.name == x.name and p.container in ("list", "tuple") for p in params)
