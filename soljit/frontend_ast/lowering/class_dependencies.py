"""What a program relied on of the user's classes: members, those that are not there among them, special methods, and the order of bases."""

from __future__ import annotations

import abc
import enum
from typing import Any

from soljit.base.python.classes import is_of_the_user, writes
from soljit.base.python.dependency import Dependency, member
from soljit.base.python.object_names import class_name
from soljit.base.python.special_members import special_members
from soljit.frontend_ast.lowering.lowering import Lowering


def rely_on_class(cx: Lowering, cls: type) -> None:
    """Operators, truth, iteration and calls of instances are part of what is compiled: they go through the special methods of the class."""
    if not is_of_the_user(cls):
        return
    cx.follow_named(cls)
    path = (*cx.paths[id(cls)], ("special", ""))
    if path in cx.dependencies:
        return
    cx.dependencies[path] = Dependency(path, special_members(cls))
    if is_of_the_user(type(cls)):
        cx.depend(cls, "type", "", type(cls))
        rely_on_class(cx, type(cls))


def rely_on_instance(cx: Lowering, obj: Any) -> None:  # any: the user's object
    """An object outside is of the class that it is of, until somebody gives it another one."""
    if is_of_the_user(type(obj)) and cx.can_follow(obj):
        if not isinstance(obj, type):
            cx.depend(obj, "type", "", type(obj))
        rely_on_class(cx, type(obj))


def depend_on_member(cx: Lowering, cls: type, name: str) -> Any:  # any: what a class may hold
    """What the class holds under this name, or that it holds nothing, is part of what is compiled: a method, a property, a constant."""
    found = member(cls, name)
    if is_of_the_user(cls):
        rely_on_class(cx, cls)
        asked = hasattr(type(found), "__get__") and is_of_the_user(type(found))  # whose reads are Python's, at each use
        if asked:
            cx.paths.setdefault(id(found), cx.path_to(cls, "member", name))
            rely_on_class(cx, type(found))
        cx.depend(cls, "member", name, found)
    return found


def depend_on_members_of_enum(cx: Lowering, cls: type) -> None:
    """Which members an Enum has, and under which names and values they are found."""
    if is_of_the_user(cls):
        rely_on_class(cx, cls)
        for name in ("_member_names_", "_member_map_", "_value2member_map_"):
            now = cls.__dict__.get(name)
            path = (*cx.paths[id(cls)], ("member", name), ("contents", ""))
            cx.dependencies.setdefault(
                path, Dependency(path, tuple(now.items() if isinstance(now, dict) else now or ()))
            )


def follow_member(cx: Lowering, m: enum.Enum) -> None:
    """Let the class lead to a member of an Enum, however it was found."""
    cls = type(m)
    if not cx.can_follow(m) and is_of_the_user(cls) and cls.__dict__["_member_map_"].get(m._name_) is m:
        cx.follow_named(cls)
        cx.paths[id(m)] = (*cx.paths[id(cls)], ("member", "_member_map_"), ("key", m._name_))


def depend_on_subclass(cx: Lowering, cls: type, given: Any) -> bool:  # any: a class, or a tuple of some
    """`issubclass(cls, given)`, where that may become another answer."""
    for c in given if isinstance(given, tuple) else (given,):
        if isinstance(c, tuple):
            depend_on_subclass(cx, cls, c)
        elif isinstance(c, type):
            rely_on_class(cx, c)
            if (
                isinstance(c, abc.ABCMeta)
                and not writes(type(c), "__instancecheck__", "__subclasscheck__")
                and not writes(c, "__subclasshook__")
            ):
                cx.follow_named(c)
                path = (*cx.paths[id(c)], ("subclass", class_name(cls)))
                cx.dependencies.setdefault(path, Dependency(path, issubclass(cls, c)))
    rely_on_class(cx, cls)
    return issubclass(cls, given)
