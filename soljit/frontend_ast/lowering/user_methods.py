"""Which methods the user has written for the class of an instance."""

from __future__ import annotations

import types

from soljit.base.python.classes import is_of_the_user
from soljit.base.python.members import written_member
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.values import Dict, Object, Static, Tup, Value


def users_class(v: Value) -> type | None:
    """The class of an instance whose methods are compiled along."""
    match v:
        case Dict() | Tup() if v.cls is not None:
            return v.cls
        case Object() if v.type.fields is not None:
            return v.type.cls
        case Static() if is_of_the_user(type(v.obj)):
            return type(v.obj)
    return None


_SHIPPED = (
    "collections",
    "typing",
    "dataclasses",
    "enum",
    "reprlib",
)  # where methods come from that nobody wrote for a class


def written_method(v: Value, name: str) -> types.FunctionType | None:
    """The method of this name that the user has written for the class of `v`."""
    cls = users_class(v)
    found = written_member(cls, name) if cls is not None else None
    if not isinstance(found, types.FunctionType) or found.__code__.co_filename.startswith("<string>"):
        return None
    return None if found.__globals__.get("__name__") in _SHIPPED else found


def says_what_is_equal(cx: Lowering, *values: Value) -> bool:
    """Tell whether one of them is an instance whose class says itself what it is equal to. One that is the same object is not asked."""
    return any(written_method(v, "__eq__") is not None for v in values)
