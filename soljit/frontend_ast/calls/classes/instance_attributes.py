"""Attributes of instances that are made in compiled code."""

from __future__ import annotations

import dataclasses
import types
from dataclasses import replace

from soljit.base.python.classes import is_frozen
from soljit.base.python.members import written_member
from soljit.frontend_ast.lowering.class_dependencies import depend_on_member
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.assigned_outside import is_assigned, note_assigned_of_argument
from soljit.frontend_ast.objects.captured_attributes import class_constant
from soljit.frontend_ast.objects.contents import element_of, escape, put, read_slot, write_into
from soljit.frontend_ast.objects.exposure import open_up
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.learned import element_read, is_optional, join_elements, new_slot
from soljit.frontend_ast.values.object_types import ANY, ObjectType, Slot
from soljit.frontend_ast.values.values import Method, Object, Static, Value
from soljit.support.objects import HERE


def field_of(cx: Lowering, kind: ObjectType, name: str) -> Slot:
    """What an attribute holds."""
    assert kind.fields is not None
    if name not in kind.fields:
        assert kind.site is not None
        kind.fields[name] = new_slot(cx.learned, kind.site, f"attribute {name}")
    return kind.fields[name]


def instance_attribute(cx: Lowering, owner: Object, name: str) -> Value:
    """`owner.name`: an attribute of the instance, a property, a method or a constant of the class."""
    cls = owner.type.cls
    assert cls is not None
    if name == "__dict__":
        open_up(cx, cls)
        return call_by_name(cx, "builtins.getattr", [owner, Static(name)], ANY)
    found = written_member(cls, name)
    depend_on_member(cx, cls, name)
    if isinstance(found, property):
        result: Value = cx.above.call(cx, Static(found.fget), [owner])
        return result
    if isinstance(found, types.FunctionType):
        return Method(owner, name)
    if isinstance(found, (staticmethod, classmethod)):
        return constant(getattr(cls, name))
    if hasattr(type(found), "__get__") and not isinstance(found, types.MemberDescriptorType):
        return call_by_name(cx, "builtins.getattr", [owner, Static(name)], ANY, changes=True)
    slot = field_of(cx, owner.type, name)
    here = element_read(cx.learned, slot)
    if cls in cx.learned.opened:
        here = ANY
    elif found is None or isinstance(found, types.MemberDescriptorType):
        here = read_slot(cx, slot)
    elif is_assigned(cx, cls, name) or cls in cx.learned.exposed:
        here = ANY
    elif here is None:
        return class_constant(cx, cls, name)
    else:
        here = join_elements(cx.learned, here, element_of(cx, constant(found)))
    made = call_by_name(cx, "builtins.getattr", [owner, Static(name)], here)
    return replace(made, beside_none=here.items[0]) if isinstance(made, Object) and is_optional(here) else made


def raise_frozen(cx: Lowering, name: str) -> None:
    """What `owner.name = …` does where the owner's class is a frozen dataclass."""
    error = f"{dataclasses.FrozenInstanceError.__module__}.{dataclasses.FrozenInstanceError.__name__}"
    cx.raise_(error, f"cannot assign to field '{name}'")


def set_instance_attribute(cx: Lowering, owner: Object, name: str, value: Value) -> None:
    """`owner.name = value`."""
    cls = owner.type.cls
    write_into(cx, owner)
    if cls is None or owner.type.fields is None:
        note_assigned_of_argument(cx, cls, name)
        escape(cx, value)
        call_by_name(cx, "builtins.setattr", [owner, Static(name), value], changes=True)
        return
    found = written_member(cls, name)
    depend_on_member(cx, cls, name)
    if is_frozen(cls, name):
        raise_frozen(cx, name)
        return
    if isinstance(found, property) and found.fset is not None:
        cx.above.call(cx, Static(found.fset), [owner, value])
        return
    if name in ("__class__", "__dict__"):
        raise cx.unsupported(f"setting '{name}' of an instance")
    if isinstance(found, property) or cls.__dictoffset__ == 0 and not isinstance(found, types.MemberDescriptorType):
        escape(cx, value)
        call_by_name(cx, HERE + "set_attribute", [owner, Static(name), value])  # which raises
        return
    put(cx, field_of(cx, owner.type, name), value)
    call_by_name(cx, "builtins.setattr", [owner, Static(name), value])
