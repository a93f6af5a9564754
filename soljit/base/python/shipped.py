"""What Python and NumPy ship under the names of their modules, and whether a program has put something else there.

A program may do that (`np.zeros = mine`, a mock in a test), and compiled code that used such a name is not used then. But the compiler is
a program of Python and NumPy, too: as long as one of these names means something else, nothing is compiled and nothing is taken from the disk.
"""

from __future__ import annotations

import operator
import sys
import types
from typing import Any

import numpy as np

_KEPT = ("builtins", "math", "operator", "itertools", "functools", "numpy", "numpy.linalg")
_OF_USERS = {
    "print",
    "input",
    "open",
    "breakpoint",
    "help",
    "exit",
    "quit",
    "copyright",
    "credits",
    "license",
    "__import__",
}
_KINDS = (
    type,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    np.ufunc,
    type(np.sum),
    float,
    types.ModuleType,
)


def _names() -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    found = []
    for name in _KEPT:
        space = vars(sys.modules[name]) if name in sys.modules else {}
        kept = {k: v for k, v in space.items() if isinstance(v, _KINDS) and k not in _OF_USERS and k[:2] != "__"}
        found.append((name, space, kept))
    return found


_SHIPPED = _names()
_all, _map, _next = all, map, next  # they may be what was replaced


def replaced() -> str | None:
    """The dotted name of a function, class or module of Python's or NumPy's in whose place a program has put something else; None: there is none."""
    return _first_replaced(_SHIPPED)


def replaced_builtin() -> str | None:
    """Such a name of `builtins`: as long as there is one, code of soljit itself may do anything."""
    return _first_replaced(_SHIPPED[:1])


def _first_replaced(spaces: list[tuple[str, dict[str, Any], dict[str, Any]]]) -> str | None:
    for module, space, kept in spaces:
        if not _all(_map(operator.is_, _map(space.get, kept), kept.values())):
            return _next(f"{module}.{name}" for name, value in kept.items() if space.get(name) is not value)
    return None
