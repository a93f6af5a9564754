"""What a class says of its instances: whose class is it, may they be taken apart into their attributes, and how are they put together again."""

from __future__ import annotations

import collections
import enum
import functools
import types
from typing import Any

import numpy as np

from soljit.base.device_arrays import CLASS
from soljit.base.python.dependency import held, jitted
from soljit.base.python.members import written_member
from soljit.base.python.names import is_made_by_namedtuple, leads_to, whose
from soljit.base.python.object_names import class_name, is_from_a_statement, ufunc_name

_FIXED = (str, bytes, tuple, frozenset, range, slice, type, types.ModuleType, np.generic, np.dtype, enum.Enum)
_CONTAINERS = (list, dict, set, bytearray, collections.deque)
_OBJECTS = (*_CONTAINERS, np.ndarray, np.flatiter, np.poly1d, np.datetime64, np.timedelta64)
_LOOKED_UP = (
    "numpy.random.",
    "numpy.polynomial.",
    "decimal",
    "fractions",
    "datetime",
)  # modules of classes
_OF_A_CLASS = ("__eq__", "__hash__", "__getattr__", "__getattribute__")  # what the compiler asks classes for
_ITEM: type = collections._tuplegetter  # type: ignore[attr-defined]
ITEMS = ("__len__", "__iter__", "__getitem__", "__next__")


def is_of_the_user(cls: type) -> bool:
    """Tell whether this is a class of a program, not one of Python, NumPy or soljit."""
    return is_from_a_statement(cls) and whose(cls.__module__) == "program"


def is_looked_up(value: Any) -> bool:  # Any: the user's object
    """Tell whether this object outside is taken as it is at each call, not for a constant that has methods.

    So it is with what has items that may change, and not by methods that the user has written (a list, an iterator, an instance of a
    class made from dict), with random generators, with numbers that Python's or NumPy's library makes in Python, and with ufuncs of the program's.
    """
    if answers_for_itself(value) or type(value) in CLASS:
        return True
    if isinstance(value, np.ufunc):
        return ufunc_name(value) is None
    if jitted(value) is not None:
        return False
    if isinstance(value, _OBJECTS) or any(_is_looked_up(c.__module__) for c in type(value).__mro__):
        return True
    if isinstance(value, _FIXED) or whose(type(value).__module__) in ("numpy", "soljit"):
        return False
    found = (written_member(type(value), name) for name in ITEMS)
    return any(f is not None and not _is_written_by_the_user(f) for f in found)


def writes(cls: type, *names: str) -> bool:
    """Tell whether the program has written one of these methods for the class."""
    return any(_is_written_by_the_user(written_member(cls, n)) for n in names)


def answers_for_itself(value: Any) -> bool:  # Any: the user's object
    """Tell whether a method of the program decides what any attribute of the object is, or what its class is. So it may be with proxies."""
    cls = type(value)
    if cls.__module__ == "builtins" or not is_from_a_statement(cls):
        return False
    if class_answers_for_itself(cls):
        return True
    asked = _OF_A_CLASS if issubclass(cls, type) else ("__getattribute__",)
    return writes(cls, *asked) or any("__class__" in vars(c) for c in cls.__mro__[:-1])


def class_answers_for_itself(cls: type) -> bool:
    """Tell whether a metaclass of the program decides what the class equals, or what attributes it has."""
    return type(cls) is not type and writes(type(cls), *_OF_A_CLASS)


def _is_looked_up(module: object) -> bool:
    return isinstance(module, str) and (module.startswith(_LOOKED_UP) or whose(module) == "library")


def _is_written_by_the_user(method: object) -> bool:
    return isinstance(method, types.FunctionType) and whose(method.__module__) != "python"


def is_transparent(cls: type) -> bool:
    """Tell whether the instances are nothing but their attributes: no method decides how they come about, or how attributes are read and written."""
    if getattr(cls, "__abstractmethods__", None) or type(cls).__call__ is not type.__call__:
        return False
    plain: tuple[Any, ...] = (object.__new__, object.__getattribute__)
    if (cls.__new__, cls.__getattribute__) != plain or hasattr(cls, "__getattr__"):
        return False
    owner = next(c for c in cls.__mro__ if "__setattr__" in vars(c))
    frozen = getattr(vars(owner).get("__dataclass_params__"), "frozen", False)
    return owner is object or bool(frozen) and is_written_by_dataclass(vars(owner)["__setattr__"])


def is_frozen(cls: type, name: str) -> bool:
    """Tell whether a transparent class lets nobody set this attribute of its instances: as frozen dataclasses do, of which a subclass may have others."""
    owner = next(c for c in cls.__mro__ if "__setattr__" in vars(c))
    return owner is not object and (cls is owner or name in getattr(owner, "__dataclass_fields__", ()))


def has_plain_fields(cls: type) -> bool:
    """Tell whether the fields of a transparent dataclass are nothing but what was stored in them, no properties."""
    found = (written_member(cls, name) for name in getattr(cls, "__dataclass_fields__", {}))
    return all(not hasattr(type(x), "__set__") or isinstance(x, types.MemberDescriptorType) for x in found)


def is_written_by_dataclass(method: object) -> bool:
    """Tell whether `dataclass` has made this method."""
    return isinstance(method, types.FunctionType) and method.__code__.co_filename == "<string>"


def is_named_tuple(cls: Any) -> bool:  # Any: any class
    """Tell whether this is a class of named tuples, of which making an instance stores the items and does nothing else."""
    plain = is_made_by_namedtuple(cls.__new__) and cls.__init__ is object.__init__
    return issubclass(cls, tuple) and hasattr(cls, "_fields") and plain


def is_item(member: object) -> bool:
    """Tell whether this is what a class of named tuples holds for one of their items."""
    return isinstance(member, (_ITEM, types.MemberDescriptorType))


def has_method(cls: type, name: str) -> bool:
    """Tell whether the class has a method of this name, not an attribute that may be called."""
    found = written_member(cls, name)
    if isinstance(found, (types.GetSetDescriptorType, types.MemberDescriptorType)):
        return False  # what the class's own class says of this name is not what its instances have
    bound = hasattr(type(found), "__get__") or isinstance(found, types.BuiltinFunctionType)
    return bound and (
        callable(found) or isinstance(found, (classmethod, staticmethod, types.ClassMethodDescriptorType))
    )


def does_not_get_the_object(cls: type, name: str) -> bool:
    """Tell whether this is a method of the class, or a function in it, that gets no instance though it is called on one."""
    found = written_member(cls, name)
    return isinstance(found, (staticmethod, classmethod, types.ClassMethodDescriptorType, types.BuiltinFunctionType))


def is_found(function: Any) -> bool:
    """Tell whether the dotted name of a function leads to it."""
    return has_a_name(function) and leads_to(class_name(function), function)


def is_class_with_a_name(value: Any) -> bool:  # Any: the user's object
    """Tell whether this is a class to which a name leads, as none leads to some that are written in C."""
    return isinstance(value, type) and (is_from_a_statement(value) or leads_to(class_name(value), value))


def has_a_name(value: Any) -> bool:  # Any: the user's object
    """Tell whether this is a function or class, which has a dotted name, not an instance that can be called."""
    return isinstance(value, type) or not is_of_the_user(type(value)) and hasattr(value, "__qualname__")


def is_users_function(value: Any) -> bool:  # Any: the user's object
    """Tell whether this is a function that is not of Python's library."""
    return isinstance(value, types.FunctionType) and whose(value.__module__) != "python"


def runs_the_program(value: Any) -> bool:  # Any: the user's object
    """Tell whether calling this object, or working on it, may run code of the program's."""
    cls = type(value)
    if isinstance(value, types.FunctionType):
        return whose(value.__module__) == "program"
    if isinstance(value, np.ufunc):
        return ufunc_name(value) is None
    if isinstance(value, type) or not isinstance(value, enum.Enum) and is_of_the_user(cls):
        return is_of_the_user(value if isinstance(value, type) else cls)
    if cls in (list, tuple, set, frozenset, dict):
        return any(map(runs_the_program, [*value, *value.values()] if cls is dict else value))
    if isinstance(value, functools.partial):
        return any(map(runs_the_program, (value.func, *value.args, *value.keywords.values())))
    parts = [held(value, name) for name in ("__wrapped__", "pyfunc")]  # of decorated functions and np.vectorize
    if isinstance(value, (types.MethodType, types.BuiltinMethodType)):
        parts += [value.__self__, getattr(value, "__func__", None)]
    return callable(value) and any(x is not None and runs_the_program(x) for x in parts)
