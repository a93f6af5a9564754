"""Numba's `extending`: what gives compiled code another text for a function than the one Python runs has no meaning here."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from soljit.base.errors import ArgumentError
from soljit.numba.dispatcher import njit
from soljit.numba.errors import NumbaWarning

_told: set[str] = set()


def register_jitable(*args: Any, **options: Any) -> Any:
    """The function as it is: helpers are compiled along without being told."""
    return args[0] if args else lambda f: f


def overload(function: Any, **options: Any) -> Callable[[Any], Any]:
    """Left out: compiled code has the meaning of the function itself, whose text is compiled along."""
    return _left_out("overload", function)


def overload_method(cls: Any, name: str, **options: Any) -> Callable[[Any], Any]:
    """Left out: methods are those of the class."""
    return _left_out("overload_method", name)


def overload_attribute(cls: Any, name: str, **options: Any) -> Callable[[Any], Any]:
    """Left out: attributes are those of the class."""
    return _left_out("overload_attribute", name)


def _left_out(what: str, of: Any) -> Callable[[Any], Any]:
    name = getattr(of, "__name__", str(of))
    if what not in _told:
        _told.add(what)
        warnings.warn(
            f"{what}: soljit compiles what Python would call: the text of {name} itself, not another one for compiled code",
            NumbaWarning,
            stacklevel=3,
        )
    return lambda implementation: implementation


def intrinsic(*args: Any, **options: Any) -> Any:
    """Numba's way to write LLVM by hand: what it makes says so when it is called."""
    if not args:
        return intrinsic

    def refuse(*_: Any) -> Any:
        raise ArgumentError(f"{args[0].__name__} is an intrinsic, written in LLVM for Numba: write a Python function")

    return refuse


def is_jitted(function: Any) -> bool:
    """Tell whether `njit` has made it."""
    return hasattr(function, "py_func")


__all__ = ["intrinsic", "is_jitted", "njit", "overload", "overload_attribute", "overload_method", "register_jitable"]
