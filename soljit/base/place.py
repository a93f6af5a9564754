"""Where in the user's source a thing comes from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Loc:
    """A place in a user's file: `line` and `col` count from 1 and 0, as Python's `ast` does."""

    file: str = ""
    line: int = 0
    col: int = 0
    end_line: int = 0
    end_col: int = 0
    function: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else "<no place>"


NOWHERE = Loc()
