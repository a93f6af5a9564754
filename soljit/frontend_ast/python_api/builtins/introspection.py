"""Questions about types, shapes and names, which the compiler answers."""

from __future__ import annotations

import functools
import types

import numpy as np

from soljit.base.python.classes import is_of_the_user
from soljit.base.python.members import written_member
from soljit.base.python.names import find
from soljit.frontend_ast.calls import attribute_reads
from soljit.frontend_ast.calls.calls import call_value
from soljit.frontend_ast.lowering.caught import Caught
from soljit.frontend_ast.lowering.class_dependencies import (
    depend_on_member,
    depend_on_subclass,
    rely_on_class,
    rely_on_instance,
)
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import CALLED, implements
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.objects.captured_attributes import has_attribute, may_change, who_is_asked
from soljit.frontend_ast.objects.contents import BOOL, grow
from soljit.frontend_ast.objects.functions import fetched, function_object
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.values import (
    Arr,
    CompileTime,
    Dict,
    Func,
    Lazy,
    Method,
    Num,
    Static,
    Tup,
    Value,
)
from soljit.ir.core.expr import Const
from soljit.ir.core.types import b1

_READ_AS_THEY_ARE = (  # what classes hold, and instances give without code of the program
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    staticmethod,
    classmethod,
    functools.partialmethod,
)


def class_of(v: Value) -> type | None:
    """The Python class of a value, of one of the user's, too."""
    match v:
        case Tup() | Dict() if v.cls is not None:
            return v.cls
        case Static(obj=Caught() as caught):
            names = {"" if s.slot else s.exception for s in caught.signatures}
            return find(names.pop()) if len(names) == 1 and "" not in names else None
        case Static(obj=CompileTime() as made):
            return made.cls
        case Static():
            return type(v.obj)
        case Func() | Method():
            return types.FunctionType
    return attribute_reads.class_of(v)


@implements(isinstance)
def isinstance_(cx: Lowering, v: Value, classes: Value) -> Value:
    """isinstance, settled at compile time"""
    cls = class_of(v)
    if cls is None:
        raise cx.unsupported(f"isinstance of {describe(v)}")
    given = static_of(cx, classes)
    if isinstance(v, Static):
        rely_on_instance(cx, v.obj)
    try:
        return Num(Const(depend_on_subclass(cx, cls, given), b1), True)
    except TypeError:
        try:
            isinstance(None, 0)  # type: ignore[arg-type]  # says what isinstance says
        except TypeError as e:
            cx.raise_like(e)
        return Num(Const(False, b1), True)


@implements(type)
def type_(cx: Lowering, v: Value) -> Value:
    """type(x)"""
    cls = class_of(v)
    if cls is None:
        raise cx.unsupported(f"type of {describe(v)}")
    if isinstance(v, Static):
        rely_on_instance(cx, v.obj)
    return Static(cls)


@implements(hasattr)
def hasattr_(cx: Lowering, v: Value, name: Value) -> Value:
    """hasattr, settled at compile time"""
    cls = class_of(v)
    key = static_of(cx, name)
    if isinstance(v, Func):
        return call_value(cx, Static(hasattr), [function_object(cx, v), name])
    if isinstance(v, Static) and (asked := who_is_asked(v.obj, key)) is not None:
        there = fetched(cx, v.obj)
        if there is None:
            raise cx.unsupported(f"hasattr of '{key}', which {asked}", "ask outside")
        return call_by_name(cx, "builtins.hasattr", [there, name], BOOL, changes=True)
    if isinstance(v, Static):
        return Num(Const(has_attribute(cx, v.obj, key), b1), True)
    if cls is not None:
        depend_on_member(cx, cls, key)
    if isinstance(v, Dict) and key in v.items and v.cls is not None:
        return Num(Const(True, b1), True)
    if cls is not None and is_of_the_user(cls) and _is_computed(cls, key):
        raise cx.unsupported(f"hasattr of '{key}', which the class {cls.__name__} computes", "ask outside")
    if (
        isinstance(v, Dict)
        and cls is not None
        and (not hasattr(cls, key) or _is_slot(cls, key))
        and attribute_reads.may_be_of_the_instance(cx, v, cls, key)
    ):
        grow(cx, v)
    if isinstance(v, Dict) and cls is not None and _is_slot(cls, key):
        return Num(Const(False, b1), True)  # a place without a value
    owner = np.zeros((1,) * v.ndim, v.dtype.numpy) if isinstance(v, (Arr, Lazy)) else cls  # some attributes raise
    return Num(Const(cls is not None and hasattr(owner, key), b1), True)


def _is_slot(cls: type, name: str) -> bool:
    """Does the class keep a place for this attribute of an instance (`__slots__`)? It says nothing of a value there."""
    return isinstance(written_member(cls, name), types.MemberDescriptorType)


def _is_computed(cls: type, name: str) -> bool:
    """Does reading this attribute of an instance run code of the program, which may also say that there is none?"""
    found = written_member(cls, name)
    return hasattr(type(found), "__get__") and not isinstance(found, _READ_AS_THEY_ARE) and not hasattr(found, "python")


@implements(getattr)
def getattr_(cx: Lowering, v: Value, name: Value, *default: Value) -> Value:
    """getattr of a name that is known: the attribute"""
    key = static_of(cx, name)
    if not isinstance(key, str):
        raise cx.unsupported("getattr with this name")
    if default and isinstance(v, Func):
        return call_value(cx, Static(getattr), [function_object(cx, v), name, *default])
    if default:
        known = isinstance(v, Static) and not may_change(v.obj, key)
        has = hasattr_(cx, v, name)
        if not known or not isinstance(has, Num) or has.expr != Const(True, b1):
            raise cx.unsupported("getattr with a default")
    return attribute_reads.attribute_of(cx, v, key)


@implements(callable)
def callable_(cx: Lowering, v: Value) -> Value:
    """callable"""
    match v:
        case Func() | Method():
            answer = True
        case Static():
            made_here = isinstance(v.obj, CompileTime) and v.obj.is_callable
            rely_on_instance(cx, v.obj)
            answer = callable(v.obj) or type(v.obj) in CALLED or made_here
        case Dict() | Tup():
            if v.cls is not None:
                rely_on_class(cx, v.cls)
            answer = v.cls is not None and any("__call__" in c.__dict__ for c in v.cls.__mro__)
        case _:
            answer = False
    return Num(Const(answer, b1), True)


@implements(np.isscalar)
def isscalar(cx: Lowering, v: Value) -> Value:
    """np.isscalar"""
    return Num(Const(isinstance(v, Num) or (isinstance(v, Static) and isinstance(v.obj, (str, bytes))), b1), True)
