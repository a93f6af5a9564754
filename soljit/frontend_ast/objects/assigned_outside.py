"""Which global variables and attributes of objects outside are assigned while the program runs: these are read when it runs."""

from __future__ import annotations

import contextlib
import dis
import functools
import types
from typing import Any

from soljit.base.python.classes import is_of_the_user
from soljit.base.python.dependency import unwrap
from soljit.base.python.names import whose
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.learned import Restart
from soljit.ir.callbacks.reach import runs_code
from soljit.ir.core.nodes import Callback, Program
from soljit.ir.walk import walk

ANYTHING = object()  # some object, whose attribute it is
SOMETHING = object()  # some object that is an argument
MOST_FUNCTIONS = 200


def note_assigned(cx: Lowering, owner: object, name: str) -> None:
    """The variable `name` of this namespace or object is assigned somewhere."""
    key = (id(owner), name)
    if key not in cx.learned.assigned:
        cx.learned.assigned.add(key)
        raise Restart


def note_assigned_of_argument(cx: Lowering, cls: type | None, name: str) -> None:
    """An attribute of an argument is assigned, an instance of this class, if that is known: objects outside may be that very instance."""
    key = (id(cls or SOMETHING), name)
    if key not in cx.learned.assigned:
        cx.learned.assigned.add(key)
        cx.learned.changed |= any(path[-1] == ("attr", name) for path in (*cx.dependencies, *cx.captures))


def is_assigned(cx: Lowering, obj: object, name: str) -> bool:
    """Tell whether this attribute, perhaps one of a class of the object, is assigned somewhere."""
    if not cx.learned.assigned:
        return False
    owners = obj.__mro__ if isinstance(obj, type) else (obj, *type(obj).__mro__)
    shipped = isinstance(obj, types.ModuleType) and whose(obj.__name__) in ("python", "numpy")
    some = (ANYTHING,) if shipped else (ANYTHING, SOMETHING)
    return any((id(x), name) in cx.learned.assigned for x in (*some, *owners))


def note_assigned_by_function(cx: Lowering, function: Any) -> None:
    """Python will call this function: the global variables that it assigns are known from now on."""
    for owner, name in _stored(function, set()):
        note_assigned(cx, owner, name)


def note_assigned_by_objects(cx: Lowering, program: Program) -> None:
    """Python may call any method of an object that the program hands over: what these assign is known from now on, where the program relies on it."""
    if not cx.object_classes or not any(
        isinstance(n, Callback) and runs_code(n, cx.params, cx.data) for n in walk(program)
    ):
        return
    relied = {path[-1][1] for path in (*cx.dependencies, *cx.captures)}
    seen: set[int] = set()
    stored = [
        x
        for cls in cx.object_classes
        for c in cls.__mro__
        if is_of_the_user(c)
        for f in _functions(c)
        for x in _stored(f, seen)
    ]
    new = {(id(owner), name) for owner, name in stored if name in relied} - cx.learned.assigned
    if new:
        cx.learned.assigned |= new
        raise Restart


def _functions(cls: type) -> list[Any]:
    """The functions that a class defines."""
    out: list[Any] = []
    for x in vars(cls).values():
        if isinstance(x, property):
            out += [f for f in (x.fget, x.fset, x.fdel) if f is not None]
        else:
            out.append(x.__func__ if isinstance(x, (staticmethod, classmethod)) else x)
    return out


def _stored(function: Any, seen: set[int]) -> list[tuple[object, str]]:
    """What a function, and those of its module that it may call, assign: globals by their namespace, attributes of anything."""
    function = unwrap(function)
    if not isinstance(function, types.FunctionType) or id(function) in seen or len(seen) > MOST_FUNCTIONS:
        return []
    seen.add(id(function))
    out: list[tuple[object, str]] = []
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # a variable without a value
            out += _stored(cell.cell_contents, seen)
    codes = [function.__code__]
    for code in codes:
        codes.extend(c for c in code.co_consts if isinstance(c, types.CodeType))
        variables, attributes = _names_stored(code)
        out += [(function.__globals__, name) for name in variables] + [(ANYTHING, name) for name in attributes]
        for name in code.co_names:
            called = function.__globals__.get(name)
            members = vars(called).values() if isinstance(called, type) and is_of_the_user(called) else [called]
            for f in members:
                out += _stored(f, seen)
    return out


@functools.lru_cache(1024)
def _names_stored(code: types.CodeType) -> tuple[list[str], list[str]]:
    """The global variables and the attributes that code assigns or deletes."""
    found = list(dis.get_instructions(code))
    variables = [i.argval for i in found if i.opname in ("STORE_GLOBAL", "DELETE_GLOBAL")]
    return variables, [i.argval for i in found if i.opname in ("STORE_ATTR", "DELETE_ATTR")]
