"""What arguments a function takes."""

from __future__ import annotations

import functools
import inspect
from typing import Any


@functools.cache
def signature_of(function: Any) -> inspect.Signature | None:  # any function
    """Its parameters; None if it does not tell them."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def takes(function: Any, /, *args: object, **kwargs: object) -> bool:  # any function
    """Tell whether these arguments fit the function's parameters, as far as it tells them."""
    signature = signature_of(function)
    try:
        return signature is None or signature.bind(*args, **kwargs) is not None
    except TypeError:
        return False


def unlike(function: Any, /, *args: object, **kwargs: object) -> str:  # any function
    """In which form a function does not take these arguments: "with where=", …; "" if they fit."""
    if takes(function, *args, **kwargs):
        return ""
    signature = signature_of(function)
    assert signature is not None
    unknown = [f"{k}=" for k in kwargs if k not in signature.parameters]
    return f"with {' and '.join(unknown)}" if unknown else "in this form"
