"""Calls of classes: scalar types of NumPy, exceptions, named tuples, dataclasses, members of enumerations, instances."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from soljit.base.knowledge import pure
from soljit.base.knowledge.pure import is_shipped
from soljit.base.python.classes import is_named_tuple
from soljit.base.python.members import written_member
from soljit.frontend_ast.calls.classes.instances import make, make_dataclass
from soljit.frontend_ast.calls.object_calls import call_python_object, make_exception
from soljit.frontend_ast.calls.partials import make_partial
from soljit.frontend_ast.joins.binding import items_of
from soljit.frontend_ast.lowering import static_values
from soljit.frontend_ast.lowering.class_dependencies import depend_on_member, depend_on_members_of_enum, rely_on_class
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.functions import outside
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.values import NONE, Tup, Value
from soljit.frontend_ast.views import numpy_scalars


def construct(cx: Lowering, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`cls(...)`: NumPy scalar types, exceptions, named tuples, dataclasses."""
    rely_on_class(cx, cls)
    if issubclass(cls, enum.Enum) and len(args) == 1 and not kwargs:
        return _member(cx, cls, args[0])
    if issubclass(cls, np.generic):
        return numpy_scalars.scalar_of(cx, cls, args, kwargs)
    if issubclass(cls, BaseException):
        return make_exception(cx, cls, args, kwargs)
    instance: Value | None = make_partial(cx, cls, args, kwargs)
    if instance is not None:
        return instance
    if is_named_tuple(cls):
        fields: tuple[str, ...] = getattr(cls, "_fields", ())
        try:
            cls(*[None for _ in args], **dict.fromkeys(kwargs))
        except TypeError as e:
            cx.raise_("TypeError", str(e))
            return NONE
        bound = dict(zip(fields, args)) | kwargs
        depend_on_member(cx, cls, "__new__")
        defaults = dict(zip(reversed(fields), reversed(cls.__new__.__defaults__ or ())))
        items = [bound[n] if n in bound else constant(defaults[n]) for n in fields]
        return Tup(items_of(cx, items), cls)
    if hasattr(cls, "__dataclass_fields__") and cx.loc not in cx.learned.dynamic:
        made: Value | None = make_dataclass(cx, cls, args, kwargs)
        if made is not None:
            return made
    users: Value | None = make(cx, cls, args, kwargs)
    if users is not None:
        return users
    return call_by_python(cx, cls, args, kwargs, f"making an object of class {cls.__name__}")


def call_by_python(
    cx: Lowering, called: Any, args: list[Value], kwargs: dict[str, Value], what: str, hint: str = ""
) -> Value:
    """Let Python call what is not compiled along: something that a name leads to, or else an object from outside. what: for a refusal"""
    made: Value | None = cx.above.call_function(cx, called, args, kwargs)
    if made is not None:
        return made
    if (there := outside(cx, called)) is not None:
        return call_python_object(cx, there, args, kwargs)
    raise cx.unsupported(what, hint)


def _member(cx: Lowering, cls: type[enum.Enum], v: Value) -> Value:
    """The member of an Enum that has this value."""
    value = static_values.static_of(cx, v)
    depend_on_members_of_enum(cx, cls)
    missing = written_member(cls, "_missing_")
    if not pure.is_operand(value) or not is_shipped(getattr(missing, "__func__", missing)):
        return call_by_python(cx, cls, [v], {}, f"a call of {cls.__name__}")  # what its `_missing_` does
    try:
        return constant(cls(value))
    except ValueError as e:
        cx.raise_like(e)
        return NONE
