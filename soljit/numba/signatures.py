"""Signatures as Numba's users write them: texts, calls of types, tuples of types, lists of these."""

from __future__ import annotations

from typing import Any

from soljit.base.errors import ArgumentError
from soljit.numba import types
from soljit.numba.types import Signature, Type

_NAMES = {n: x for n, x in vars(types).items() if isinstance(x, Type) or getattr(x, "__module__", "") == types.__name__}


def is_signature(value: Any) -> bool:
    """Tell whether it is one signature or a list of some."""
    if isinstance(value, list):
        return all(map(is_signature, value))
    return isinstance(value, (str, Signature)) or isinstance(value, tuple) and all(isinstance(t, Type) for t in value)


def signatures_of(value: Any) -> tuple[Signature, ...]:
    """The signatures in what a decorator was given."""
    if isinstance(value, list):
        return tuple(s for x in value for s in signatures_of(x))
    if isinstance(value, Signature):
        return (value,)
    if isinstance(value, tuple) and all(isinstance(t, Type) for t in value):
        return (Signature(None, value),)
    if isinstance(value, str):
        return signatures_of(_parsed(value))
    raise ArgumentError(f'a signature is a text such as "float64(float64[:])" or made of types, not {value!r}')


def _parsed(text: str) -> Signature | tuple[Type, ...]:
    """Numba evaluates these texts as Python, too."""
    try:
        found = eval(text, {"__builtins__": {}}, _NAMES)  # noqa: S307 (the program's own text)
    except Exception as e:
        raise ArgumentError(f"the signature {text!r} is not understood: {e}") from e
    if isinstance(found, Type):
        found = (found,)
    if isinstance(found, Signature) or isinstance(found, tuple) and all(isinstance(t, Type) for t in found):
        return found
    raise ArgumentError(f'{text!r} is no signature: write result(types of arguments), such as "f8(f8[:], i8)"')
