"""What an object holds, read without running code of its class."""

from __future__ import annotations

import sys
import types
from typing import Any

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


def is_of_python(cls: type) -> bool:
    """Is it a class of Python's own library, whose `==` says what is equal?"""
    equality: object = cls.__eq__
    return cls.__module__.partition(".")[0] in sys.stdlib_module_names and equality is not object.__eq__


def type_name(cls: type) -> str:
    """A class as messages name it."""
    return cls.__qualname__ if cls.__module__ in ("builtins", "__main__") else f"{cls.__module__}.{cls.__qualname__}"
