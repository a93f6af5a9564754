"""`dataclass` as the standard library's, for the compiler's own classes: importing soljit makes 240 of them, and these cost a third.

The standard decorator compiles the text of each method of each class. Here it does so for `__init__` alone; the others are shared.
A frozen class is one for type checkers: they refuse what assigns to it, the run does not, so instances are made faster, too.
What users are given is made by `dataclasses.dataclass` itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any


def _made(cls: Any, frozen: bool, eq: bool, slots: bool, kw_only: bool) -> Any:
    own = cls.__dict__
    has_eq, has_hash = "__eq__" in own, own.get("__hash__") is not None
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # else its signature would be looked at
    if "__repr__" not in own:
        cls.__repr__ = _repr
    made: Any = dataclasses.dataclass(repr=False, eq=False, slots=slots, kw_only=kw_only)(cls)
    if eq:
        values = _values([f.name for f in dataclasses.fields(made) if f.compare])
        if not has_eq:
            made.__eq__ = _equal(values)
        if not has_hash:
            made.__hash__ = _hash(values) if frozen else None
    return made


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{type(self).__qualname__}({shown})"


def _values(names: list[str]) -> Callable[[Any], Any]:
    return attrgetter(*names) if names else lambda self: ()


def _equal(values: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    def __eq__(self: Any, other: Any) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(values: Callable[[Any], Any]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, slots=False, kw_only=False):
        """As `dataclasses.dataclass` with these options."""
        if cls is None:
            return lambda c: _made(c, frozen, eq, slots, kw_only)
        return _made(cls, frozen, eq, slots, kw_only)
