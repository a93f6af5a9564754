"""Instances put together again from their items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def make_dataclass(cls: type, names: Sequence[str], *values: object) -> object:
    """An instance that holds these values already: its `__init__` was compiled along."""
    made: Any = object.__new__(cls)
    for name, value in zip(names, values):
        object.__setattr__(made, name, value)
    return made


def make_named_tuple(cls: type[tuple[Any, ...]], *items: object) -> object:
    """A named tuple of these items, whatever a class made from it does when it is called."""
    return tuple.__new__(cls, items)
