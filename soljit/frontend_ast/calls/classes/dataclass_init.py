"""What the `__init__` that `dataclass` writes does to an instance: it sets the fields in their order and calls `__post_init__`."""

from __future__ import annotations

import dataclasses
import inspect
import types
from typing import Any

from soljit.base.python.object_names import class_name
from soljit.frontend_ast.calls.attribute_reads import attribute_of
from soljit.frontend_ast.calls.classes import instance_attributes
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import put, write_into
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.values import NONE, Object, Static, Value


def initialized(cx: Lowering, init: types.FunctionType, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """`init(instance, …)` where `dataclass` has written `init`; None: it has not, or the instance is no object."""
    owner = args[0] if args else None
    if not isinstance(owner, Object) or owner.type.cls is None or owner.type.fields is None:
        return None
    written = (c for c in owner.type.cls.__mro__ if dataclasses.is_dataclass(c) and vars(c).get("__init__") is init)
    cls: Any = next(written, None)
    if cls is None:
        return None
    try:
        given: dict[str, Value] = inspect.signature(init).bind(*args, **kwargs).arguments
    except TypeError:
        call_by_name(cx, f"{class_name(cls)}.__init__", args, kwargs=kwargs)  # which raises
        return NONE
    frozen = cls.__dataclass_params__.frozen
    after: list[Value] = []
    for name, field in cls.__dataclass_fields__.items():
        kind = field._field_type.name
        if kind == "_FIELD_CLASSVAR" or not _is_set(cls, field):
            continue
        value = given[name] if field.init and name in given else _default(cx, field)
        if kind == "_FIELD_INITVAR":
            after.append(value)
        elif frozen:
            set_plainly(cx, owner, name, value)
        else:
            instance_attributes.set_instance_attribute(cx, owner, name, value)
    if hasattr(cls, "__post_init__"):
        cx.above.call(cx, attribute_of(cx, owner, "__post_init__"), after)
    return NONE


def set_plainly(cx: Lowering, owner: Object, name: str, value: Value) -> None:
    """`object.__setattr__(owner, name, value)`"""
    if owner.type.fields is not None:
        put(cx, instance_attributes.field_of(cx, owner.type, name), value)
    write_into(cx, owner)
    call_by_name(cx, "builtins.object.__setattr__", [owner, Static(name), value])


def _is_set(cls: type, field: dataclasses.Field[Any]) -> bool:
    """Tell whether `__init__` sets this field. The class itself has the default of one that is no parameter, unless it has slots."""
    made = field.default_factory is not dataclasses.MISSING
    return field.init or made or (field.default is not dataclasses.MISSING and "__slots__" in vars(cls))


def _default(cx: Lowering, field: dataclasses.Field[Any]) -> Value:
    if field.default_factory is not dataclasses.MISSING:
        made: Value = cx.above.call(cx, Static(field.default_factory), [])
        return made
    return constant(field.default)
