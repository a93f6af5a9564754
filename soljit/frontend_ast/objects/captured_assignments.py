"""Assignments to what exists before the call: global variables, attributes of classes, modules and instances.

What a function, or one that Python calls for it, assigns is read from Python at every use; nothing of it is a constant of the variant. That
something is assigned shows while the function is lowered; it is lowered again then.
"""

from __future__ import annotations

import types
from typing import Any

from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.assigned_outside import is_assigned, note_assigned
from soljit.frontend_ast.objects.contents import escape
from soljit.frontend_ast.objects.functions import fetched
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.values.object_types import ANY
from soljit.frontend_ast.values.values import Static, Value
from soljit.support.objects import HERE


def read_global(cx: Lowering, function: types.FunctionType, name: str) -> Value | None:
    """A global variable of the function's module as it is now; None: nothing assigns it."""
    space = function.__globals__
    if (id(space), name) not in cx.learned.assigned:
        return None
    return call_by_name(
        cx, HERE + "read_global", [cx.capture(function, "attr", "__globals__", space), Static(name)], ANY
    )


def assign_global(cx: Lowering, function: types.FunctionType, name: str, value: Value) -> None:
    """`name = value` for a global variable of the function's module."""
    note_assigned(cx, function.__globals__, name)
    escape(cx, value)
    space = cx.capture(function, "attr", "__globals__", function.__globals__)
    call_by_name(cx, "operator.setitem", [space, Static(name), value], changes=True)


def set_attribute(cx: Lowering, obj: Any, name: str, value: Value) -> bool:
    """`obj.name = value` for an object that exists before the call; False: no path leads to it."""
    there = fetched(cx, obj)
    if there is None:
        return False
    note_assigned(cx, obj, name)
    escape(cx, value)
    call_by_name(cx, "builtins.setattr", [there, Static(name), value], changes=True)
    return True


def read_attribute(cx: Lowering, obj: Any, name: str) -> Value | None:
    """`obj.name` as it is now; None: nothing assigns it."""
    if not is_assigned(cx, obj, name):
        return None
    there = fetched(cx, obj)
    return None if there is None else call_by_name(cx, "builtins.getattr", [there, Static(name)], ANY)
