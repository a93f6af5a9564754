"""Classes to which no dotted name leads, such as those that a function defines: here they have names, for this process.

`soljit.base.python.unnamed.<name>_<number>` is found like any other name. A program that mentions one is not kept for other processes.
"""

from __future__ import annotations

import itertools
from typing import Any

from soljit.base.python.names import leads_to

PREFIX = f"{__name__}."

_numbers = itertools.count(1)
_names: dict[type, str] = {}
_classes: dict[str, type] = {}  # which live as long as the programs that mention them


def has_name(value: Any) -> bool:  # Any: a class or function
    """Tell whether the dotted name of this class or function leads to it."""
    return leads_to(f"{value.__module__}.{value.__qualname__}", value)


def name_of(cls: type) -> str:
    """The name here of a class that has none."""
    if cls not in _names:
        plain = cls.__name__ if cls.__name__.isidentifier() else "anonymous"
        name = f"{plain}_{next(_numbers)}"
        _classes[name] = cls
        _names.setdefault(cls, name)
    return PREFIX + _names[cls]


def __getattr__(name: str) -> type:
    try:
        return _classes[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
