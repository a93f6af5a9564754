"""`jitclass` and `structref`: classes stay the classes that they are, whose methods soljit compiles along."""

from __future__ import annotations

from typing import Any

from soljit.base.errors import ArgumentError


def jitclass(cls_or_spec: Any = None, spec: Any = None) -> Any:
    """The class as it is; types of fields follow from their values."""
    if isinstance(cls_or_spec, type):
        return cls_or_spec
    if cls_or_spec is not None and not isinstance(cls_or_spec, (list, tuple, dict)):
        raise ArgumentError(f"jitclass() takes a class or a list of fields, not {cls_or_spec!r:.100}")
    return lambda cls: cls


class structref:  # noqa: N801 (Numba's module of that name)
    """What programs use of `numba.experimental.structref`."""

    class StructRefProxy:
        """A plain class with the fields that its instances are made with."""

        _fields: tuple[str, ...] = ()

        def __new__(cls, *values: Any) -> Any:
            """An instance, whose fields `__init__` assigns."""
            return object.__new__(cls)

        def __init__(self, *values: Any) -> None:
            for name, value in zip(type(self)._fields, values):
                setattr(self, name, value)

    @staticmethod
    def register(cls: type) -> type:
        """The class as it is."""
        return cls

    @staticmethod
    def define_proxy(proxy: type, struct: type, fields: Any) -> None:
        """Tell the class its fields. Properties of these names that Numba's programs write are taken away: they would ask Numba's boxes."""
        proxy._fields = tuple(fields)  # type: ignore[attr-defined]
        for name in fields:
            if isinstance(vars(proxy).get(name), property):
                delattr(proxy, name)
