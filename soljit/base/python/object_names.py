"""Names of Python's objects: of classes, ufuncs and members, for programs and for messages."""

from __future__ import annotations

import builtins
import enum
import sys
import types

import numpy as np

from soljit.base.python import unnamed
from soljit.base.python.names import home, owner_of

_WITHOUT_NAME = {t: n for n, t in vars(types).items() if isinstance(t, type) and not hasattr(builtins, t.__name__)}


_HOMES = ("numpy", "numpy.strings", "numpy.char", "scipy.special")  # of ufuncs


def is_from_a_statement(cls: type) -> bool:
    """Tell whether this class was made by a class statement, and is not one of those that are written in C."""
    return bool(cls.__flags__ & 1 << 9)  # Py_TPFLAGS_HEAPTYPE


def class_name(cls: type) -> str:
    """The dotted name of a class, function, or method of a class that is written in C."""
    of = None if isinstance(cls, type) else getattr(cls, "__objclass__", owner_of(cls))
    module = getattr(cls, "__module__", None) or (of if isinstance(of, type) else type(None)).__module__
    if module == "builtins" and (named := _WITHOUT_NAME.get(cls)) is not None:
        return f"types.{named}"
    if isinstance(cls, type) and is_from_a_statement(cls) and not unnamed.has_name(cls):
        return unnamed.name_of(cls)
    return f"{home(module)}.{cls.__qualname__}"


def ufunc_name(value: object) -> str | None:
    """The dotted name of a ufunc of NumPy's or SciPy's, which do not tell it themselves in every version, or of a method of one; None if it is something else."""
    owner = owner_of(value)
    if isinstance(owner, np.ufunc):
        name = ufunc_name(owner)
        return name and f"{name}.{getattr(value, '__name__', '')}"
    if not isinstance(value, np.ufunc):
        return None
    homes = (m for m in _HOMES if getattr(sys.modules.get(m), value.__name__, None) is value)
    return next((f"{m}.{value.__name__}" for m in homes), None)


def member_name(value: object) -> str | None:
    """The dotted name of a member of an Enum; None if it is something else or has no such name."""
    if not isinstance(value, enum.Enum):
        return None
    return f"{class_name(type(value))}.{value.name}" if type(value).__members__.get(value.name or "") is value else None


def say(value: object) -> str:
    """How messages call the type of a value."""
    if isinstance(value, np.ndarray):
        return f"{value.ndim}-dimensional array of {value.dtype}"
    return type(value).__name__
