"""Attributes: of modules and compile-time objects, of arrays and numbers, of named tuples and dataclasses."""

from __future__ import annotations

import operator
import types
from typing import Any

import numpy as np

from soljit.base.python.classes import has_method, is_item
from soljit.base.python.members import written_member
from soljit.frontend_ast.calls.classes import instance_arguments, instance_attributes
from soljit.frontend_ast.lowering import class_dependencies, registry
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.numbers.number_methods import is_number_method
from soljit.frontend_ast.objects import captured_attributes
from soljit.frontend_ast.objects.container_methods import keeping_methods
from soljit.frontend_ast.objects.contents import METHODS_OF_LISTS, grow, is_list_argument, write_into
from soljit.frontend_ast.objects.functions import function_object
from soljit.frontend_ast.objects.iterators import needed
from soljit.frontend_ast.objects.objects import call_by_name, make_object
from soljit.frontend_ast.objects.results import member_result
from soljit.frontend_ast.values import numpy_versions
from soljit.frontend_ast.values.descriptions import describe, py_type
from soljit.frontend_ast.values.object_types import ANY
from soljit.frontend_ast.values.values import (
    Arr,
    Dict,
    Func,
    Instance,
    Lazy,
    Method,
    Num,
    Object,
    RangeVal,
    SliceVal,
    Static,
    Tup,
    Value,
)
from soljit.ir.core.expr import Const
from soljit.ir.core.types import DType, b1, i64

SPECIAL: dict[str, Any] = {
    "__len__": len,
    "__contains__": operator.contains,
    "__getitem__": operator.getitem,
    "__setitem__": operator.setitem,
    "__delitem__": operator.delitem,
}  # methods that may be called by name, though the operator is what they are written for
_LIST_METHODS = {"append", "extend", "insert", "pop", "index", "count", "reverse", "copy", "clear", "sort", "remove"}
_NAMED_TUPLE_METHODS = {"_replace", "_asdict"}
_DICT_METHODS = {"get", "items", "keys", "values", "update", "copy", "pop", "setdefault", "popitem", "clear"}


def attribute_of(cx: Lowering, owner: Value, name: str) -> Value:
    """`owner.name`."""
    match owner:
        case _ if name == "__class__":
            cls_of_owner: Value = cx.above.call(cx, Static(type), [owner])
            return cls_of_owner
        case Static():
            return captured_attributes.attribute(cx, owner.obj, name)
        case Arr() | Lazy():
            return _of_array(cx, owner, name)
        case Num() if (part := _of_number(cx, owner, name)) is not None:
            return part
        case Tup() if (item := _of_tuple(cx, owner, name)) is not None:
            return item
        case Instance():
            return instance_arguments.attribute(cx, owner, name)
        case Dict() if owner.cls is not None:
            return _of_instance(cx, owner, owner.cls, name)
        case Dict() if name in _DICT_METHODS:
            return Method(owner, name)
        case RangeVal() if name in ("start", "stop", "step"):
            return Num(getattr(owner, name), True)
        case RangeVal() if name in ("index", "count"):
            return Method(make_object(cx, owner), name)
        case SliceVal() if name in ("start", "stop", "step"):
            bound: Value | None = getattr(owner, name)
            return Static(None) if bound is None else bound
        case SliceVal() if name == "indices":
            return Method(owner, name)
        case Func() if name == "__name__" and id(owner) not in cx.function_objects:
            return Static(getattr(owner.tree, "name", "<lambda>"))
        case Func():
            return object_attribute(cx, function_object(cx, owner), name)
        case Object():
            return object_attribute(cx, owner, name)
    needed(cx, owner)
    cls = class_of(owner)
    if isinstance(owner, (Tup, Dict)) and name in SPECIAL and hasattr(cls, name):
        return Method(owner, name)
    if cls is not None and not hasattr(cls, name):
        return _missing(cx, owner, name, py_type(owner))
    raise cx.unsupported(f"attribute '{name}' of {describe(owner)}")


def _missing(cx: Lowering, owner: Value, name: str, cls: str) -> Value:
    """Raise Python's AttributeError. Where a handler may look at it, Python makes it: it knows the object and the name."""
    if cx.attempts:
        call_by_name(cx, "builtins.getattr", [owner, Static(name)])
    text = f"'{cls}' object has no attribute '{name}'"
    if isinstance(owner, (Arr, Lazy)):  # some versions of NumPy know what there once was
        text = numpy_versions.text_of(lambda: getattr(np.zeros(1), name)) or text
    cx.raise_("AttributeError", text)
    return Static(None)


def may_be_of_the_instance(cx: Lowering, owner: Dict, cls: type, name: str) -> bool:
    """Tell whether an instance that is taken apart may have an attribute that is none of its fields, its own or one that a descriptor finds."""
    found = written_member(cls, name)
    if isinstance(found, (property, types.FunctionType, staticmethod, classmethod)):
        return False
    given = any(v is owner for v, _ in cx.containers) and hasattr(cls, "__dict__")
    return given or hasattr(type(found), "__get__")


def _of_number(cx: Lowering, owner: Num, name: str) -> Value | None:
    """An attribute of a number; None if it has none of this name that is compiled."""
    of_numpy = name in registry.ATTRIBUTES or name in registry.METHODS
    if not owner.weak and (of_numpy or callable(getattr(owner.dtype.numpy.type, name, None))):
        return _of_scalar(cx, owner, name)
    if owner.dtype is b1 and owner.weak and name in ("real", "imag", "numerator", "denominator"):
        owner = Num(cx.cast(owner.expr, i64), True)  # a bool's parts are ints
    if name in ("real", "imag"):
        return registry.ATTRIBUTES[name](cx, owner)
    if name in ("numerator", "denominator") and owner.dtype.is_int:
        return owner if name == "numerator" else Num(Const(1, owner.dtype), owner.weak)
    return Method(owner, name) if is_number_method(owner, name) else None


def _of_tuple(cx: Lowering, owner: Tup, name: str) -> Value | None:
    """An attribute of a list or tuple, or of an instance of a class made from one; None if it has none that is compiled."""
    cls, fields = owner.cls, _fields(owner.cls)
    if name in fields and (cls is None or is_item(class_dependencies.depend_on_member(cx, cls, name))):
        return owner.items[fields.index(name)]
    if name in _LIST_METHODS or (cls is not None and name in _NAMED_TUPLE_METHODS):
        return Method(owner, name)
    if cls is not None and (found := _of_class(cx, owner, cls, name)) is not None:
        return found
    if cls is not None and not hasattr(cls, name) and not hasattr(cls, "__getattr__"):
        return _missing(cx, owner, name, cls.__name__)
    return None


def _of_instance(cx: Lowering, owner: Dict, cls: type, name: str) -> Value:
    """An attribute of an instance of a dataclass: a field, or what its class has."""
    class_dependencies.rely_on_class(cx, cls)
    if name in owner.items:
        class_dependencies.depend_on_member(cx, cls, name)
        return owner.items[name]
    if may_be_of_the_instance(cx, owner, cls, name):
        grow(cx, owner)
    found = _of_class(cx, owner, cls, name)
    return _missing(cx, owner, name, cls.__name__) if found is None else found


def _of_class(cx: Lowering, owner: Value, cls: type, name: str) -> Value | None:
    """What a class of the user's has for its instances: a property, a method, a constant."""
    class_dependencies.depend_on_member(cx, cls, name)
    found = written_member(cls, name)
    if isinstance(found, property):
        result: Value = cx.above.call(cx, Static(found.fget), [owner])
        return result
    if isinstance(found, types.FunctionType):
        return Method(owner, name)
    if found is None or hasattr(type(found), "__get__") and not isinstance(found, (staticmethod, classmethod)):
        return None
    return captured_attributes.class_constant(cx, cls, name)


def class_of(v: Value) -> type | None:
    """The class of a value of Python's or NumPy's own types, as far as it is known."""
    match v:
        case Num():
            return v.dtype.number_class(v.weak)
        case Arr() | Lazy():
            return np.ndarray
        case Tup() if v.cls is None:
            return list if v.mutable else tuple
        case Dict() if v.cls is None:
            return dict
        case RangeVal():
            return range
        case SliceVal():
            return slice
        case Object():
            return v.type.cls
    return None


def _of_array(cx: Lowering, a: Arr | Lazy, name: str) -> Value:
    if name in registry.ATTRIBUTES:
        return registry.ATTRIBUTES[name](cx, a)
    if name in registry.METHODS or callable(getattr(np.ndarray, name, None)):
        return Method(a, name)
    try:
        getattr(np.zeros((1,) * a.ndim, a.dtype.numpy), name)
    except AttributeError:
        return _missing(cx, a, name, "numpy.ndarray")
    raise cx.unsupported(f"array attribute '{name}'")


def _of_scalar(cx: Lowering, v: Num, name: str) -> Value:
    """NumPy scalars have the attributes and methods of 0-d arrays."""
    if name in registry.ATTRIBUTES:
        return registry.ATTRIBUTES[name](cx, v)
    return Method(v, name)


def dtype_value(dtype: DType) -> Static:
    """The dtype object as a compile-time value."""
    return Static(dtype.numpy)


def _fields(cls: Any) -> tuple[str, ...]:
    """Names of the items of a named tuple, or of a tuple of Python's own with names, as `sys.float_info`."""
    if not hasattr(cls, "n_sequence_fields"):
        return getattr(cls, "_fields", ())
    every_field_is_an_item = cls.n_fields == cls.n_sequence_fields and cls.n_unnamed_fields == 0
    return cls.__match_args__ if every_field_is_an_item else ()


def object_attribute(cx: Lowering, owner: Object, name: str) -> Value:
    """`owner.name`."""
    cls = owner.type.cls
    if owner.type.fields is not None:
        return instance_attributes.instance_attribute(cx, owner, name)
    of_list = cls is None and name in METHODS_OF_LISTS and is_list_argument(cx, owner)
    if of_list or (has_method(cls, name) if cls is not None else owner.type.item is not None):
        return Method(owner, name)
    if cls is None:
        if name in keeping_methods():
            write_into(cx, owner)
        return call_by_name(cx, "builtins.getattr", [owner, Static(name)], ANY)
    like = member_result(cx, owner, name, (), {})
    return call_by_name(cx, "builtins.getattr", [owner, Static(name)], ANY if like.form == "none" else like)
