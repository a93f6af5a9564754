"""A call back into Python that gave something else than the program was compiled for.

Where nothing has been done yet that a caller could see, the whole call is made again by a program compiled for what came.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from soljit.base.place import Loc


class Site(NamedTuple):
    """Which call of a program: its place in the source, and what is called."""

    file: str
    line: int
    col: int
    target: str

    @classmethod
    def at(cls, loc: Loc, target: str) -> Site:
        """The call of `target` (without the exceptions that the program handles) at a place."""
        return cls(loc.file, loc.line, loc.col, target)


NOT_TAKEN: Final = (
    object()
)  # instead of a result: a variant does not take this call, and has done nothing; no program can return it
Foreseen = Mapping[Site, tuple[object, ...]]  # the results, one of each kind, that a call is known to give


class Unforeseen(TypeError):
    """See the head of this file. result: what came; site: from where."""

    def __init__(self, text: str, result: object = None, site: Site | None = None) -> None:
        super().__init__(text)
        self.result, self.site = result, site

    def at(self, site: Site, again: bool, result: object) -> Unforeseen:
        """The same, with its place; `again`: the whole call may be repeated."""
        return (Repeatable if again else Unforeseen)(str(self), result, site)


class Repeatable(Unforeseen):
    """Nothing has been done yet that a caller could see."""
