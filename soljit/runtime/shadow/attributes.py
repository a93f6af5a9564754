"""What an object holds, read without running code of its class."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np

ATOMS = (type(None), bool, int, float, complex, str, bytes, np.generic, np.dtype)
CALLABLE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, type)


def attributes(x: object) -> dict[str, Any]:
    """The values of `__slots__` and `__dict__`."""
    found: dict[str, Any] = {}
    for cls in type(x).__mro__:
        for name, member in vars(cls).items():
            if isinstance(member, types.MemberDescriptorType) and member.__objclass__ is cls:
                try:
                    found[name] = member.__get__(x, type(x))
                except AttributeError:
                    continue  # not assigned
    try:
        return {**found, **object.__getattribute__(x, "__dict__")}
    except (AttributeError, TypeError):
        return found


def is_jitted(x: object) -> bool:
    """Did `jit` make it? (Its class stands above this package.)"""
    return type(x).__module__ == "soljit.api"


def is_known_by_name(x: object) -> bool:
    """Is it an object like `MISSING = object()`, whose identity counts: one without state, or one of constants that functions of its module name?"""
    cls = type(x)
    if isinstance(x, (*ATOMS, *CALLABLE)) or not cls.__flags__ & _MADE_IN_PYTHON and cls is not object:
        return False
    held = attributes(x)
    if not held:
        return cls is object or (hasattr(x, "__dict__") and cls.__basicsize__ <= _Empty.__basicsize__)
    module = sys.modules.get(cls.__module__)
    if module is None or not all(isinstance(v, ATOMS) for v in held.values()):
        return False
    names = [name for name, v in vars(module).items() if v is x]
    return bool(names) and not _named_by_functions(module).isdisjoint(names)


def is_fresh(x: object, function: types.FunctionType) -> bool:
    """Is it an instance without attributes whose method is called, `__init__` most likely?"""
    if not type(x).__flags__ & _MADE_IN_PYTHON or isinstance(x, type) or attributes(x):
        return False
    members = (m for cls in type(x).__mro__ for m in vars(cls).values())
    parts = (p for m in members for p in ((m.fget, m.fset, m.fdel) if isinstance(m, property) else (m,)))
    return any(getattr(p, "__code__", None) is function.__code__ for p in parts)


class _Empty:
    """An instance without state."""


_MADE_IN_PYTHON = 1 << 9  # a flag of classes that are on the heap


def _named_by_functions(module: types.ModuleType) -> set[str]:
    """All names that are read in functions and methods of a module."""
    names: set[str] = set()
    left: list[Any] = [*vars(module).values()]
    while left:
        x = left.pop()
        if isinstance(x, types.CodeType):
            names.update(x.co_names)
            left += x.co_consts
        elif isinstance(x, types.FunctionType) or is_jitted(x):
            left.append(x.__code__)
        elif isinstance(x, (staticmethod, classmethod)):
            left.append(x.__func__)
        elif isinstance(x, type) and x.__module__ == module.__name__:
            left += [f for f in vars(x).values() if not isinstance(f, type)]
    return names


def has_finalizer(cls: type) -> bool:
    """Does the program's own code run when an object of the class goes?"""
    found = getattr(cls, "__del__", None)
    return found is not None and not isinstance(found, (types.WrapperDescriptorType, types.MethodDescriptorType))


def is_of_python(cls: type) -> bool:
    """Is it a class of Python's own library, whose `==` says what is equal?"""
    equality: object = cls.__eq__
    if cls is types.SimpleNamespace:
        return False  # it asks its values
    return cls.__module__.partition(".")[0] in sys.stdlib_module_names and equality is not object.__eq__


def type_name(cls: type) -> str:
    """A class as messages name it."""
    return cls.__qualname__ if cls.__module__ in ("builtins", "__main__") else f"{cls.__module__}.{cls.__qualname__}"
