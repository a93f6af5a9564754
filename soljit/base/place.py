"""Where in the user's source a thing comes from."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import field

from soljit.base.records import dataclass

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def is_ours(file: str) -> bool:
    """Is it a file of soljit, whose functions are compiled along with the user's?"""
    return file.startswith(_OURS)


@dataclass(frozen=True, slots=True)
class Loc:
    """A place in a user's file: `line` and `col` count from 1 and 0, as Python's `ast` does.

    first:  the line of the function's `def`; 0: unknown
    caller: where the function was called that holds it, if that was compiled into its caller; two places are one whoever calls.
    in_try: exceptions that are raised there may be handled in the program.
    """

    file: str = ""
    line: int = 0
    col: int = 0
    end_line: int = 0
    end_col: int = 0
    function: str = ""
    first: int = field(default=0, compare=False, repr=False)
    caller: Loc | None = field(default=None, compare=False, repr=False)
    in_try: bool = field(default=False, compare=False, repr=False)

    def chain(self) -> tuple[Loc, ...]:
        """The place, and those of the calls that led to it, the innermost first."""
        return (self, *(self.caller.chain() if self.caller else ()))

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else "<no place>"


NOWHERE = Loc()


def lines_text(loc: Loc, places: Collection[Loc]) -> str:
    """Lines as text, "lines 3, 7 and 8"; those of another file with its name."""
    numbers = sorted({x.line for x in places if x.file == loc.file})
    others = sorted({f"{x.file.rpartition('/')[2]}:{x.line}" for x in places if x.file != loc.file})
    texts = [*map(str, numbers)]
    listed = " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))
    text = f"line{'s' if len(texts) > 1 else ''} {listed}" if texts else ""
    return " and ".join(filter(None, (text, ", ".join(others))))
