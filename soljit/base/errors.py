"""The errors a user can meet, and the one warning.

`UnsupportedError`  your code, at this place, cannot be compiled
`ArgumentError`     this call's arguments cannot be taken
`ToolchainError`    the compiler is missing or failed (command, log and file are kept)
`DeviceError`       the GPU is missing, or failed
`ScheduleError`     a schedule is not understood, or a step of it cannot be taken
`InternalError`     our bug: the message asks for a report
"""

from __future__ import annotations

import linecache
from typing import Any

from soljit.base.place import NOWHERE, Loc

ArgPlace = tuple[int | str, ...]  # the number of a parameter, and names of attributes below it


class SoljitError(Exception):
    """Base of all errors that soljit itself raises."""


class UnsupportedError(SoljitError):
    """The function uses something that soljit does not compile.

    `message` says what, `loc` where, `hint` what to write instead.
    """

    def __init__(self, message: str, loc: Loc = NOWHERE, hint: str = "") -> None:
        self.message, self.loc, self.hint = message, loc, hint
        super().__init__(self.render())

    def render(self) -> str:
        """The full text: place, the user's line with carets, the message, the cure."""
        lines = [self.message]
        if self.loc.line:
            lines.insert(0, f"{self.loc.file}:{self.loc.line}: in {self.loc.function or 'function'}")
            lines[1:1] = excerpt(self.loc)
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)


class ObjectNeeded(SoljitError):
    """The function changes, stores or returns the lists or dicts that are these arguments: it must be compiled for the objects themselves."""

    def __init__(self, *places: ArgPlace) -> None:
        self.places = frozenset(places)
        names = ", ".join(".".join(map(str, place)) for place in places)
        super().__init__(f"argument {names} is needed as an object")


class ArgumentError(SoljitError, TypeError):
    """An argument of this call has a type that compiled code cannot take."""


class ToolchainError(SoljitError):
    """No compiler was found, or the compiler failed on generated code."""


class NoCompilerError(ToolchainError):
    """There is no compiler on this machine."""


class CompilerTimeoutError(ToolchainError):
    """A run of the compiler did not end within the limit."""


class DeviceError(SoljitError):
    """There is no such device, it cannot be used, or it failed."""


class ScheduleError(SoljitError):
    """A schedule is not understood, or one of its steps cannot be taken for this function. steps: those that could not be taken"""

    def __init__(self, message: str, steps: tuple[Any, ...] = ()) -> None:  # any: what is above this module
        super().__init__(message)
        self.steps = steps


class InternalError(SoljitError):
    """A bug in soljit."""


class FallbackWarning(UserWarning):
    """A decorated function runs in plain Python; the text says why and what to write instead."""


class TransferWarning(UserWarning):
    """Something of NumPy works on a device array on the host; said once."""


def excerpt(loc: Loc) -> list[str]:
    """The user's source line and a line of carets under the place, or nothing if the file is gone."""
    text = linecache.getline(loc.file, loc.line).rstrip("\n")
    if not text.strip():
        return []
    end = loc.end_col if loc.end_line == loc.line and loc.end_col > loc.col else len(text)
    return ["    " + text, "    " + " " * loc.col + "^" * max(1, end - loc.col)]
