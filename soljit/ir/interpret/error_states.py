"""How floating-point errors are reported while a program is interpreted: its own arithmetic reports none, its calls back do as the user wants."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

_wanted: ContextVar[Any] = ContextVar("wanted")


@contextmanager
def silent() -> Iterator[None]:
    """Around the interpretation of a program: what its calls back have changed holds afterwards."""
    token = _wanted.set(np.geterr())
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        after = _wanted.get()
        _wanted.reset(token)
        if after != np.geterr():
            np.seterr(**after)


@contextmanager
def as_wanted() -> Iterator[None]:
    """Around a call back, which may change how errors are reported."""
    with np.errstate(**_wanted.get()):
        try:
            yield
        finally:
            _wanted.set(np.geterr())
