"""`jit`, `njit` and what they make of a function."""

from __future__ import annotations

import inspect
import types as python_types
from collections.abc import Callable, Sequence
from typing import Any

from soljit.api import Jitted
from soljit.base import other_compilers
from soljit.base.errors import ArgumentError
from soljit.numba.options import options_of
from soljit.numba.signatures import is_signature, signatures_of
from soljit.numba.types import Signature
from soljit.numba.wrappers import converting


class Dispatcher(Jitted[..., Any]):
    """A jitted function with the names that Numba's dispatchers have."""

    __slots__ = ()

    def __init__(
        self,
        function: python_types.FunctionType,
        signatures: Sequence[Signature] = (),
        error_model: str = "python",
        **options: Any,
    ) -> None:
        numpy_errors = error_model == "numpy"
        around = converting(function, signatures, numpy_errors) if signatures or numpy_errors else function
        super().__init__(around, options)
        self.__dict__["py_func"] = function
        self.__dict__["targetoptions"] = {"nopython": True, **options}
        self.__dict__["nopython_signatures"] = [*signatures]

    def recompile(self) -> None:
        """Forget what was compiled."""
        self._entry.begin()

    def disable_compile(self, val: bool = True) -> None:
        """Nothing: calls of other types are compiled when they come."""

    def parallel_diagnostics(self, signature: object = None, level: int = 1) -> None:
        """Print `explain()`."""
        print(self.explain())


def jit(signature_or_function: Any = None, **options: Any) -> Any:
    """Numba's `jit`: with and without parentheses, with signatures, with Numba's or soljit's keywords."""
    return _decorating("jit()", signature_or_function, options)


def njit(signature_or_function: Any = None, **options: Any) -> Any:
    """Numba's `njit`, the same as `jit` here."""
    return _decorating("njit()", signature_or_function, options)


def _decorating(where: str, given: Any, keywords: dict[str, Any]) -> Any:
    signature = [keywords.pop(n) for n in ("signature", "signature_or_function") if n in keywords]
    if signature and given is None:
        given = signature[0]
    error_model = keywords.get("error_model", "python")
    if error_model not in ("python", "numpy"):
        raise ArgumentError(f"error_model is 'python' or 'numpy', not {error_model!r}")
    signatures = signatures_of(given) if given is not None and is_signature(given) else ()
    options = options_of(keywords, where, 5)

    def decorate(function: Any) -> Any:
        if isinstance(function, (staticmethod, classmethod)):
            return type(function)(decorate(function.__func__))
        return Dispatcher(plain(function, where), signatures, error_model, **options)

    if given is None or is_signature(given):
        return decorate
    return decorate(given)


def plain(function: Any, where: str) -> python_types.FunctionType:
    found = other_compilers.python_of(function) or getattr(function, "py_func", None)
    if found is None and isinstance(function, Jitted):
        found = function.python
    if found is None:
        found = function
    if not isinstance(found, python_types.FunctionType):
        what = f"{where} takes a Python function or signatures, not {type(function).__name__} {function!r:.100}"
        hint = other_compilers.for_no_function(function)
        raise ArgumentError(f"{what}\nhint: {hint}" if hint else what)
    return found


def jit_module(**options: Any) -> None:
    """Numba's `jit_module`: decorate all functions that the calling module defines."""
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    space = frame.f_back.f_globals
    decorate: Callable[[Any], Any] = njit(**options)
    for name, value in [*space.items()]:
        if isinstance(value, python_types.FunctionType) and value.__module__ == space.get("__name__"):
            space[name] = decorate(value)
