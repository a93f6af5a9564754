"""Calls of NumPy's functions that give arrays of no numeric type, or other objects: what they give, and what is seen through it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.base.knowledge.pure import is_pure
from soljit.base.python.classes import is_of_the_user, runs_the_program
from soljit.base.sentences import Plain
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import escape
from soljit.frontend_ast.objects.foreign_arrays import some_objects
from soljit.frontend_ast.objects.functions import as_library_argument
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.objects.results import result_of
from soljit.frontend_ast.values.object_types import ANY, Element
from soljit.frontend_ast.values.values import Arr, Dict, Func, Method, Num, Object, Static, Tup, Value

_MAKERS = (np.array, np.asarray, np.asanyarray)


def result_for(function: Any, args: Sequence[Value], found: Element) -> Element:
    """What the function gives, if it gives `found` for examples: what is in lists decides about the dimensions of an array of objects."""
    if found.object is None or found.object.form is None or found.object.form[0] != "O" or function not in _MAKERS:
        return found
    v = args[0]
    flat = isinstance(v, Tup) and all(
        isinstance(x, Num) or (isinstance(x, Static) and not isinstance(x.obj, (list, tuple))) for x in v.items
    )
    return found if flat or isinstance(v, Arr) else some_objects()


def escape_into(cx: Lowering, found: Element, args: Sequence[Value]) -> None:
    """Find which of the values that a function of NumPy's has got may be seen through an object like `found` that it gives."""
    for v in args:
        if isinstance(v, (Object, Arr)):  # an array may be seen through a view
            escape(cx, v)
        elif isinstance(v, (Tup, Dict)) and found.object is not None:
            form = found.object.form
            if form is None:
                escape(cx, v)
            elif isinstance(v, Tup) and form[0] == "O":
                for x in v.items:
                    escape(cx, x)


def _runs_the_program(v: Value) -> bool:
    """Tell whether NumPy's functions may run code of the program's, or catch what it raises, when they are given this. Then no example tells what they give."""
    match v:
        case Func() | Method():
            return True
        case Static():
            return runs_the_program(v.obj) or isinstance(v.obj, type) and issubclass(v.obj, BaseException)
        case Object():
            return v.type.cls is not None and is_of_the_user(v.type.cls)
        case Tup():
            return any(map(_runs_the_program, v.items))
        case Dict():
            return v.cls is not None or any(map(_runs_the_program, v.items.values()))
    return False


def note_called_back(cx: Lowering, target: str, why: UnsupportedError | None = None) -> None:
    """Remember that a function of NumPy's is called, and what of it is not compiled."""
    if why is None:
        cx.note("called back", function=Plain(target))
    else:
        cx.note("called back since", function=Plain(target), why=Plain(why.message), cure=Plain(why.hint))


def call_for_object(
    cx: Lowering,
    function: Any,
    target: str,
    args: list[Value],
    kwargs: dict[str, Value],
    changes: bool,
    opaque: bool = False,
    why: UnsupportedError | None = None,
) -> Value | None:
    """A call of NumPy's that gives a Python object, or a view of an argument; None: one of which only the run tells what it gives.

    opaque: the call may not be tried; why: it was refused to be compiled
    """
    values = [*args, *kwargs.values()]
    effects = not is_pure(function)
    opaque = opaque or effects or any(map(_runs_the_program, values))
    if opaque:
        args = [as_library_argument(cx, a) for a in args]
        kwargs = {k: as_library_argument(cx, v) for k, v in kwargs.items()}
    found = ANY if opaque else result_of(cx, function, args, kwargs)
    # by axes or lengths in a list, or by what an attribute holds
    decided = any(isinstance(v, Object) and v.type.cls in (list, tuple, None) for v in values)
    if found is ANY and not opaque and not decided:
        return None
    if found.form != "object" and any(not v.writable for v in values if isinstance(v, Arr)):
        return None  # a view that may not be written
    found = result_for(function, args, found)
    if found.form == "array" and found.ndim > 1:  # a view: its memory order is that of the argument at run time
        found = replace(found, order="A", rank=tuple(range(found.ndim)))
    escape_into(cx, found, values)
    note_called_back(cx, target, why)
    return call_by_name(cx, target, args, found, kwargs, changes=changes or effects)
