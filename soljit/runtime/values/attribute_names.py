"""Which attributes of an instance a function may use: those whose names stand in its code, and in the methods and functions that it may call.

The names alone are looked at, so that this is quick and runs nothing. A name too many costs a word of the call; an attribute that is
missing here is read by Python.
"""

from __future__ import annotations

import abc
import dataclasses
import inspect
import types
import weakref
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from soljit.base.python.classes import (
    answers_for_itself,
    has_plain_fields,
    is_of_the_user,
    is_transparent,
    is_users_function,
)
from soljit.base.python.dependency import MISSING
from soljit.base.python.members import as_written
from soljit.base.python.names import leads_to
from soljit.base.python.object_names import class_name

_MOST_CODES, _MOST_KNOWN = 300, 64
_AT_WORK = ("__new__", "__init__", "__init_subclass__", "__del__", "__reduce__", "__repr__", "__str__", "__dir__")


_known: weakref.WeakKeyDictionary[type, bool] = weakref.WeakKeyDictionary()


class Parts(NamedTuple):
    """own: attributes of the instance, with their values; absent: those of its class that none of these hides."""

    own: dict[str, Any]  # any: the user's objects
    absent: tuple[str, ...]


class AttributeNames:
    """Of one function: the attributes of instances of each class."""

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function
        self.known: dict[tuple[type, ...], tuple[str, ...]] = {}

    def parts(self, value: Any, around: tuple[type, ...]) -> Parts | None:  # any: the user's object
        """The attributes of an instance that the function may use; None: it is used as the object that it is.

        around: the classes of the instances of which it is an attribute
        """
        cls = type(value)
        if not may_be_taken_apart(cls) or answers_for_itself(value):
            return None
        fields = _fields(cls)
        own: dict[str, Any] = {k: getattr(value, k) for k in fields if getattr(value, k, MISSING) is not MISSING}
        absent: list[str] = []
        for name in self._names((cls, *around)):
            found = inspect.getattr_static(cls, name, MISSING)
            if found is not MISSING and not _can_be_hidden(as_written(found)):
                continue
            now = getattr(value, name, MISSING)
            if found is not MISSING and is_of_the_class(value, now, found):
                absent.append(name)
            elif now is not MISSING:
                own[name] = now
        return Parts(own, tuple(absent))

    def _names(self, classes: tuple[type, ...]) -> tuple[str, ...]:
        names = self.known.get(classes)
        if names is None:
            if len(self.known) == _MOST_KNOWN:
                self.known.clear()
            names = self.known[classes] = tuple(sorted(_names(self.function, classes) - set(_fields(classes[0]))))
        return names


def may_be_taken_apart(cls: type) -> bool:
    """Tell whether instances are nothing but their attributes, and it is a class of the program's, to which its name leads. A class may get methods later."""
    found = _known.get(cls)
    if found is None:
        found = _known[cls] = _has_a_place(cls)
    return found and is_transparent(cls) and (not dataclasses.is_dataclass(cls) or has_plain_fields(cls))


def _has_a_place(cls: type) -> bool:
    if not cls.__flags__ & 1 << 9:  # Py_TPFLAGS_HEAPTYPE
        return False
    if dataclasses.is_dataclass(cls):
        return True
    if type(cls) not in (type, abc.ABCMeta) or not is_of_the_user(cls) or type(cls).__call__ is not type.__call__:
        return False
    return "<locals>" not in cls.__qualname__ and leads_to(class_name(cls), cls)


def _fields(cls: type) -> list[str]:
    return [f.name for f in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else []


def _can_be_hidden(found: object) -> bool:
    """Tell whether what a class has under a name is read without running code, unless an instance has something of its own."""
    if isinstance(found, (types.FunctionType, staticmethod, classmethod, types.MemberDescriptorType)):
        return True
    return not hasattr(type(found), "__get__")


def is_of_the_class(value: object, now: object, found: object) -> bool:
    """Tell whether `now`, which an attribute of the instance is, is what its class has: `found`."""
    if isinstance(found, types.MemberDescriptorType):
        return False
    if isinstance(now, types.MethodType):
        of_it = now.__self__ is value or now.__self__ is type(value)
        return of_it and now.__func__ is getattr(found, "__func__", found)
    return now is getattr(found, "__func__", found)


def _names(function: types.FunctionType, classes: Iterable[type]) -> frozenset[str]:
    """All names of attributes in the code of the function and in what it may call."""
    names: set[str] = set()
    seen: set[types.CodeType] = set()
    open_: list[tuple[types.CodeType, dict[str, Any]]] = [(function.__code__, function.__globals__)]
    members = [m for cls in classes for c in cls.__mro__[:-1] for m in vars(c).items()]
    for name, member in members:
        if name.startswith("__") and name.endswith("__") and name not in _AT_WORK:
            open_ += [(f.__code__, f.__globals__) for f in _functions(member)]
    while open_ and len(seen) < _MOST_CODES:
        code, space = open_.pop()
        if code in seen:
            continue
        seen.add(code)
        open_ += [(c, space) for c in code.co_consts if isinstance(c, types.CodeType)]
        for name in set(code.co_names):
            known = name in names
            names.add(name)
            if not known:
                open_ += [(f.__code__, f.__globals__) for n, m in members if n == name for f in _functions(m)]
            called = space.get(name)
            if isinstance(called, type) and is_of_the_user(called):
                open_ += [(f.__code__, f.__globals__) for m in vars(called).values() for f in _functions(m)]
            else:
                open_ += [(f.__code__, f.__globals__) for f in _functions(called) if is_users_function(f)]
    return frozenset(names)


def _functions(member: Any) -> Iterator[types.FunctionType]:  # any: what a class or module has
    """The functions behind a member of a class."""
    member = as_written(member)
    if isinstance(member, property):
        for f in (member.fget, member.fset):
            yield from _functions(f)
        return
    if isinstance(member, (staticmethod, classmethod)):
        member = member.__func__
    if isinstance(member, types.FunctionType):
        yield member
