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
