"""`dataclass` as the standard library's, for the compiler's own classes: importing soljit makes 240 of them, and these cost a third.

The standard decorator compiles the text of each method of each class. Here `__init__` alone has a text, which is compiled when the first instance
is made; most classes have none in a call. `dataclasses.fields`, `replace` and `asdict` take such classes as they take their own.
A frozen class is one for type checkers: they refuse what assigns to it, the run does not, so instances are made faster, too.
There are no `ClassVar` and `InitVar`. What users are given is made by `dataclasses.dataclass` itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, field, fields
from operator import attrgetter
from reprlib import recursive_repr
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any

_FIELDS = "__dataclass_fields__"  # where the standard library looks


def _made(cls: Any, frozen: bool, eq: bool, slots: bool, kw_only: bool) -> Any:
    own = cls.__dict__
    has_init, has_eq, has_hash = "__init__" in own, "__eq__" in own, own.get("__hash__") is not None
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__
    if "__repr__" not in own:
        cls.__repr__ = _repr
    found = _fields_of(cls, kw_only)
    _check_order(found.values())
    setattr(cls, _FIELDS, found)
    if "__match_args__" not in own:
        cls.__match_args__ = tuple(f.name for f in found.values() if f.init and not f.kw_only)  # type: ignore[misc]
    if slots:
        cls = _with_slots(cls, found)
    if not has_init:
        cls.__init__ = _first_init(cls, list(found.values()))
    if eq:
        values = _values([f.name for f in found.values() if f.compare])
        if not has_eq:
            cls.__eq__ = _equal(values)
        if not has_hash:
            cls.__hash__ = _hash(values) if frozen else None
    return cls


def _fields_of(cls: type, kw_only: bool) -> dict[str, Field[Any]]:
    """The fields of a class and of those that it is made from. A default stays an attribute of the class."""
    found: dict[str, Field[Any]] = {}
    for base in cls.__mro__[-1:0:-1]:
        found |= base.__dict__.get(_FIELDS, {})
    for name, written in inspect.get_annotations(cls).items():
        default = getattr(cls, name, MISSING)
        if isinstance(default, Field):
            f = default
            if f.default is MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, f.default)
        else:
            f = field() if default is MISSING or isinstance(default, MemberDescriptorType) else field(default=default)
        if f.default.__class__.__hash__ is None:
            raise ValueError(f"the default of {cls.__qualname__}.{name} would be shared: use field(default_factory=…)")
        f.name, f.type = name, written
        f._field_type = _PLAIN  # type: ignore[attr-defined]
        if f.kw_only is MISSING:
            f.kw_only = kw_only
        found[name] = f
    return found


def _check_order(found: Iterable[Field[Any]]) -> None:
    """Raise TypeError if a field without a default comes after one with a default."""
    last = None
    for f in found:
        if f.init and not f.kw_only:
            if f.default is not MISSING or f.default_factory is not MISSING:
                last = f.name
            elif last is not None:
                raise TypeError(f"non-default argument {f.name!r} follows default argument {last!r}")


def _with_slots(cls: Any, found: dict[str, Field[Any]]) -> Any:
    """The class anew, with slots for its own fields."""
    there = {name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
    inside = {k: v for k, v in cls.__dict__.items() if k not in found and k not in ("__dict__", "__weakref__")}
    made = type(cls)(
        cls.__name__, cls.__bases__, inside | {"__slots__": tuple(name for name in found if name not in there)}
    )
    made.__qualname__ = cls.__qualname__
    return made


def _first_init(cls: Any, found: list[Field[Any]]) -> Callable[..., None]:
    """An `__init__` that puts the right one in its place."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        init = _init(cls, found)
        cls.__init__ = init
        init(self, *args, **kwargs)

    return __init__


def _init(cls: Any, found: Iterable[Field[Any]]) -> Callable[..., None]:
    """Compile the `__init__` of a class with these fields."""
    parameters: list[str] = []
    by_name: list[str] = []
    body: list[str] = []
    names: dict[str, Any] = {"_not_given": MISSING}
    for f in found:
        value = f.name
        if f.default_factory is not MISSING:
            names[f"_make_{f.name}"] = f.default_factory
            made = f"_make_{f.name}()"
            value = f"{made} if {f.name} is _not_given else {f.name}" if f.init else made
            default = " = _not_given"
        elif f.default is not MISSING:
            names[f"_default_{f.name}"] = f.default
            default = f" = _default_{f.name}"
            value = value if f.init else f"_default_{f.name}"
        else:
            default = ""
        if f.init:
            (by_name if f.kw_only else parameters).append(f.name + default)
        if f.init or f.default_factory is not MISSING or default and "__slots__" in cls.__dict__:
            body.append(f"self.{f.name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    head = ", ".join(["self", *parameters, *(["*", *by_name] if by_name else [])])
    exec(f"def __init__({head}):\n " + "\n ".join(body or ["pass"]), names)
    init: Callable[..., None] = names["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__module__ = cls.__module__
    return init


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
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

    _PLAIN: Any
else:
    import dataclasses

    @dataclasses.dataclass(repr=False, eq=False)
    class _Standard:
        one: int

    (_PLAIN,) = (f._field_type for f in dataclasses.fields(_Standard))  # neither ClassVar nor InitVar

    def dataclass(cls=None, /, *, frozen=False, eq=True, slots=False, kw_only=False):
        """As `dataclasses.dataclass` with these options."""
        if cls is None:
            return lambda c: _made(c, frozen, eq, slots, kw_only)
        return _made(cls, frozen, eq, slots, kw_only)
