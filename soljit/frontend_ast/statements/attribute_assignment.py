"""Assignment to attributes: `a.shape = …`, `a.real = …`, `a.imag = …`, `a.flat = …`, fields of dataclasses."""

from __future__ import annotations

from dataclasses import replace

from soljit.base.python.classes import is_frozen
from soljit.frontend_ast.arrays.elementwise import store
from soljit.frontend_ast.arrays.operands import as_array
from soljit.frontend_ast.calls.classes import instance_arguments, instance_attributes, instances
from soljit.frontend_ast.calls.classes.dataclass_init import set_plainly
from soljit.frontend_ast.joins.binding import named, pin
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.objects import captured_assignments
from soljit.frontend_ast.objects.contents import grow, grow_if_held
from soljit.frontend_ast.objects.functions import function_object
from soljit.frontend_ast.values import numpy_versions
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.values import Arr, Dict, Func, Instance, Object, Static, Tup, Union, Value
from soljit.frontend_ast.views.flat_elements import assign_all
from soljit.frontend_ast.views.indexing import set_item
from soljit.frontend_ast.views.reshaping import component_view, shaped_view
from soljit.frontend_ast.views.shape_arguments import new_shape


def set_attribute(cx: Lowering, owner: Value, name: str, value: Value) -> Value | None:
    """`owner.name = value`. Gives the array that replaces `owner` under all its names, if its shape changes."""
    match owner, name:
        case Arr(), "shape":
            return _set_shape(cx, owner, value)
        case Arr(), ("real" | "imag"):
            if not owner.dtype.is_complex:
                if name == "imag":
                    cx.raise_("TypeError", "array does not have imaginary part to set")
                    return None
                if numpy_versions.PARTS_CHECK:
                    set_item(cx, owner, Static(Ellipsis), value)
                else:
                    store(cx, owner, as_array(cx, value))
                return None
            store(cx, component_view(cx, owner, int(name == "imag")), as_array(cx, value))
            return None
        case Arr(), "flat":
            assign_all(cx, owner, value)
            return None
        case Dict(), _ if owner.cls is not None:
            if is_frozen(owner.cls, name):
                instance_attributes.raise_frozen(cx, name)
                return None
            if isinstance(owner, Instance):
                instance_arguments.set_attribute(cx, owner, name, value)
                return None
            given = any(v is owner for v, _ in cx.containers)
            if name not in owner.items and (given or (owner.site is not None and owner.site not in cx.learned.dynamic)):
                grow(cx, owner)
            if name not in owner.items:
                raise cx.unsupported(
                    f"a new attribute '{name}' of {describe(owner)}", "declare it as a field of the dataclass"
                )
            instances.changes(cx, owner)
            grow_if_held(cx, owner, value)
            owner.items[name] = named(cx, pin(cx, value, name), name)
            return None
        case Tup(), _ if owner.cls is not None and name in getattr(owner.cls, "_fields", ()):
            cx.raise_("AttributeError", "can't set attribute")
            return None
        case Static(), _ if captured_assignments.set_attribute(cx, owner.obj, name, value):
            return None
        case Static(obj=None | bool() | int() | float() | str() | bytes()), _:
            try:
                setattr(owner.obj, name, None)
            except AttributeError as e:
                cx.raise_like(e)
                return None
        case ((Object() | Func()), _):
            there = function_object(cx, owner) if isinstance(owner, Func) else owner
            instance_attributes.set_instance_attribute(cx, there, name, value)
            return None
    raise cx.unsupported(f"setting attribute '{name}' of {describe(owner)}")


@implements(setattr)
def setattr_(cx: Lowering, owner: Value, name: Value, value: Value) -> Value:
    """setattr with a name that is known: an assignment"""
    if isinstance(owner, (Arr, Static)):
        raise cx.unsupported(f"setattr of {describe(owner)}", "write the assignment")
    set_attribute(cx, owner, static_of(cx, name), value)
    return Static(None)


@implements(object.__setattr__)
def setattr_plainly(cx: Lowering, owner: Value, name: Value, value: Value) -> Value:
    """object.__setattr__ with a name that is known: how a frozen instance sets its own attributes"""
    key = static_of(cx, name)
    if isinstance(owner, Instance):
        instance_arguments.set_attribute(cx, owner, key, value)
        return Static(None)
    if isinstance(owner, Dict) and owner.cls is not None and key in owner.items:
        instances.changes(cx, owner)
        grow_if_held(cx, owner, value)
        owner.items[key] = named(cx, pin(cx, value, key), key)
        return Static(None)
    if isinstance(owner, Dict) and owner.cls is not None:
        grow(cx, owner)
    if not isinstance(owner, Object):
        raise cx.unsupported(f"setattr of {describe(owner)}", "write the assignment")
    set_plainly(cx, owner, key, value)
    return Static(None)


def _set_shape(cx: Lowering, a: Arr, value: Value) -> Arr:
    if isinstance(value, Union):
        raise cx.unsupported("setting a shape whose number of dimensions only the run tells", "use reshape")
    shape = new_shape(cx, a, value.items if isinstance(value, Tup) else [value])
    if shape is None:
        return a
    view = shaped_view(cx, a, shape)
    if view is None:
        text = "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape."
        cx.raise_("AttributeError", text)
        return a
    if a.whole:  # an argument would have to change its shape for the caller, too
        params = {p.name for p in cx.params}
        if a.data in params:
            raise cx.unsupported("setting the shape of an argument", "use reshape")
    return replace(view, whole=a.whole, made=a.made)
