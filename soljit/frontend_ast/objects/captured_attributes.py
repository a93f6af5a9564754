"""Attributes of objects that exist before the call: globals, closure variables, modules, classes, instances.

What is read from them is a constant of the variant or, if it is an array or a container, a further argument; so each attribute is a
dependency, looked up again at each call. A property is compiled along, since its value may change without any attribute of its name.
"""

from __future__ import annotations

import enum
import functools
import inspect
import types
from typing import Any

import numpy as np

from soljit.base.knowledge.pure import is_known_class
from soljit.base.python.classes import ITEMS, is_looked_up, is_of_the_user, writes
from soljit.base.python.dependency import MISSING, Dependency, Path, held, member
from soljit.base.python.members import as_written, written_member
from soljit.base.python.names import whose
from soljit.frontend_ast.lowering.class_dependencies import (
    depend_on_member,
    follow_member,
    rely_on_class,
    rely_on_instance,
)
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.captured_assignments import read_attribute
from soljit.frontend_ast.objects.functions import fetched
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.values.constants import constant, holds_unusual_nan
from soljit.frontend_ast.values.object_types import ANY
from soljit.frontend_ast.values.values import CompileTime, Method, Static, Tup, Value
from soljit.support.objects import HERE

_DISPATCHED = type(np.sum)  # NumPy's own functions, which keep their names in a __dict__


def attribute(cx: Lowering, obj: Any, name: str) -> Value:  # any: the user's object
    """`obj.name`."""
    if type(obj) in (str, np.str_, bytes, int, slice) and callable(getattr(obj, name, None)):
        return Method(Static(obj), name)
    if isinstance(obj, CompileTime):
        return obj.attribute(cx, name)
    now: Value | None = read_attribute(cx, obj, name)
    if now is not None:
        return now
    changes = may_change(obj, name) and not (isinstance(obj, types.ModuleType) and in_own_text(cx))
    if isinstance(obj, (type, types.ModuleType)):
        cx.follow_named(obj)
    if isinstance(obj, enum.Enum):
        follow_member(cx, obj)
        changes = changes and (
            cx.can_follow(obj) or obj._name_ in type(obj).__members__
        )  # several flags together do not
    if changes and not isinstance(obj, types.ModuleType):
        rely_on_instance(cx, obj)
        depend_on_member(cx, obj if isinstance(obj, type) else type(obj), name)
    found = written_member(type(obj), name) if changes and not isinstance(obj, type) else None
    if isinstance(found, property) and isinstance(found.fget, types.FunctionType):
        result: Value = cx.above.call(cx, Static(found.fget), [Static(obj)])
        return result
    if hasattr(type(found), "__get__") and is_of_the_user(type(found)) and not hasattr(found, "python"):
        raise cx.unsupported(f"'{name}', a descriptor of the class {type(obj).__name__}", "read it outside")
    if changes and not cx.can_follow(obj):
        raise cx.unsupported(
            f"attribute '{name}' of an object that no name leads to", "give the object a name of its own"
        )
    asked = who_is_asked(obj, name)
    if asked is not None:
        return _by_python(cx, obj, name, asked)
    try:
        value = getattr(obj, name)
    except AttributeError as e:
        if changes:
            cx.depend(obj, "attr", _held_as(obj, name), MISSING)
        cx.raise_like(e)
        return Static(None)
    if not changes and not (is_looked_up(value) and cx.can_follow(obj)):
        return constant(value)
    return outside_value(cx, obj, "attr", _held_as(obj, name), value)


def has_attribute(cx: Lowering, obj: Any, name: str) -> bool:  # any: the user's object
    """`hasattr(obj, name)`, where nobody is asked who is not known to have no effect."""
    there = hasattr(obj, name)
    if isinstance(obj, CompileTime) or not may_change(obj, name):
        return there
    if isinstance(obj, (type, types.ModuleType)):
        cx.follow_named(obj)
    if not isinstance(obj, types.ModuleType):
        rely_on_instance(cx, obj)
        depend_on_member(cx, obj if isinstance(obj, type) else type(obj), name)
    if not cx.can_follow(obj):
        raise cx.unsupported(
            f"hasattr '{name}' of an object that no name leads to", "give the object a name of its own"
        )
    cx.depend(obj, "attr", _held_as(obj, name), getattr(obj, name) if there else MISSING)
    return there


def _held_as(obj: Any, name: str) -> str:  # any: the user's object
    """The attribute that a member of an Enum really has: its `name` and `value` are read from others, by a descriptor of Python's."""
    if isinstance(obj, enum.Enum) and name in ("name", "value") and member(type(obj), name) is member(enum.Enum, name):
        return f"_{name}_"
    return name


def in_own_text(cx: Lowering) -> bool:
    """Tell whether this is a text of soljit's own, such as a formula of a NumPy function. What it mentions changes with soljit only."""
    return bool(cx.frames) and cx.frames[-1].resolve.function is None


def who_is_asked(obj: Any, name: str) -> str | None:  # any: the user's object
    """What code, that is not known to have no effect, would be asked for this attribute; None: the attribute can be read while compiling."""
    if isinstance(obj, types.ModuleType):
        computed = (
            name not in vars(obj) and "__getattr__" in vars(obj) and whose(obj.__name__) not in ("python", "numpy")
        )
        return "the module computes" if computed else None
    if is_known_class(type(obj)) or isinstance(obj, (enum.Enum, np.dtype, np.ufunc)):
        return None
    cls = type(obj)
    getter = written_member(cls, "__getattribute__")
    if isinstance(getter, types.FunctionType):
        return f"the class {cls.__name__} computes"
    found = as_written(inspect.getattr_static(obj, name, MISSING))
    if found is MISSING:
        other = written_member(cls, "__getattr__")
        return None if other is None else f"the method __getattr__ of the class {cls.__name__} finds"
    if isinstance(found, (property, functools.cached_property)) and not isinstance(obj, type):
        return f"a property of the class {cls.__name__} computes"
    get = written_member(type(found), "__get__")
    return (
        f"a descriptor of the class {cls.__name__} finds"
        if isinstance(get, types.FunctionType) and not hasattr(found, "python")
        else None
    )


def _by_python(cx: Lowering, obj: Any, name: str, asked: str) -> Value:  # any: the user's object
    """An attribute that code of the program or of a library computes: Python reads it, at each use."""
    if isinstance(obj, types.ModuleType):
        cx.follow_named(obj)
        if cx.can_follow(obj):
            cx.depend(obj, "attr", name, MISSING)  # once it is there, it can be compiled along
        made: Value = call_by_name(cx, HERE + "of_module", [Static(obj.__name__), Static(name)], ANY, changes=True)
        return made
    there = fetched(cx, obj)
    if there is None:
        raise cx.unsupported(f"attribute '{name}', which {asked}", "read it outside")
    found: Value = call_by_name(cx, "builtins.getattr", [there, Static(name)], ANY, changes=True)
    return found


def outside_value(cx: Lowering, owner: object, kind: str, name: str, value: Any) -> Value:  # any: the user's object
    """What `name` of `owner` (a global, cell, attribute or item) is: a constant of the variant, or a further argument if it can be changed in place."""
    if is_looked_up(value):
        captured: Value = cx.capture(owner, kind, name, value)
        return captured
    if holds_unusual_nan(value):
        raise cx.unsupported(f"'{name}', a NaN with a sign or bits of its own", "pass it as an argument")
    path = cx.depend(owner, kind, name, value)
    rely_on_instance(cx, value)
    if isinstance(value, type):
        rely_on_class(cx, value)
    return outside_items(cx, value, path) if _holds_changeable(value) else constant(value)


def outside_items(cx: Lowering, owner: tuple[Any, ...], path: Path) -> Tup:
    """The tuple to which `path` leads, item by item."""
    cx.paths.setdefault(id(owner), path)
    items = [outside_value(cx, owner, "item", str(k), x) for k, x in enumerate(owner)]
    return Tup(items, type(owner) if type(owner) is not tuple else None, False, None)


def outside_partial(cx: Lowering, obj: functools.partial[Any]) -> tuple[Value, list[Value], dict[str, Value]]:
    """The function of a partial that exists already, and the arguments that it adds."""
    if not cx.can_follow(obj):
        named = {k: constant(x) for k, x in obj.keywords.items()}
        return Static(obj.func), [constant(x) for x in obj.args], named
    function = outside_value(cx, obj, "attr", "func", obj.func)
    path = cx.depend(obj, "attr", "args", obj.args)
    args = outside_items(cx, obj.args, path).items
    here = cx.paths.setdefault(id(obj.keywords), (*cx.paths[id(obj)], ("attr", "keywords")))
    keys = (*here, ("keys", ""))
    cx.dependencies.setdefault(keys, Dependency(keys, tuple(obj.keywords)))
    return function, args, {k: outside_value(cx, obj.keywords, "key", k, x) for k, x in obj.keywords.items()}


def _holds_changeable(value: object) -> bool:
    if not isinstance(value, tuple) or writes(type(value), *ITEMS):
        return False
    return any(is_looked_up(x) or _holds_changeable(x) for x in value)


def class_constant(cx: Lowering, cls: type, name: str) -> Value:
    """What a class or one of its bases holds under this name: one object, whichever class it is read from, unless it is a classmethod."""
    holder = next((c for c in cls.__mro__ if name in vars(c)), cls)
    return attribute(cx, cls if isinstance(vars(holder).get(name), classmethod) else holder, name)


def may_change(obj: Any, name: str) -> bool:  # any: the user's object
    """Tell whether this attribute could be another one at the next call."""
    if isinstance(obj, types.ModuleType):
        return True
    if isinstance(obj, (np.dtype, np.generic, np.ufunc, _DISPATCHED, np.finfo, np.iinfo)):
        return False
    if isinstance(obj, type):
        return is_of_the_user(obj)
    if is_of_the_user(type(obj)):
        return True
    return (
        held(obj, name, MISSING) is not MISSING
        or inspect.getattr_static(obj, name, MISSING) is MISSING
        and _has_attributes(obj)
    )


def _has_attributes(obj: Any) -> bool:  # any: the user's object
    try:
        object.__getattribute__(obj, "__dict__")
    except AttributeError:
        return False
    return True
