"""Programs that do not end, or not soon: what is counted is lines that they run, so that a busy machine finds the same ones."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

LINES = 100_000  # of programs that end: most run some hundreds


@contextlib.contextmanager
def work_limit(lines: int = LINES) -> Iterator[None]:
    """Raise TooLong in the program that is run here after so many lines of it. Code of modules that were imported is not counted."""
    left = lines

    def count(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if frame.f_globals.get("__spec__") is not None:  # of an imported module
            return None
        left -= 1
        if left < 0:
            raise TooLong
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        yield
    finally:
        sys.settrace(before)
    if left < 0:  # a destructor lost it, or a bare `except` caught it
        raise TooLong


class TooLong(BaseException):
    """No `except Exception` of a random program catches it."""
