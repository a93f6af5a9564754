"""A piece of C++ and how tightly it binds, so that parentheses stand only where they are needed."""

from __future__ import annotations

from typing import NamedTuple

PRIMARY, UNARY, PRODUCT, SUM, LOOSE = 5, 4, 3, 2, 1


class Text(NamedTuple):
    """C++ text and how tightly its outermost operator binds."""

    text: str
    binds: int = PRIMARY

    def __str__(self) -> str:
        return self.text

    def at(self, least: int) -> str:
        """The text, in parentheses if it binds less tightly than `least`."""
        return self.text if self.binds >= least else f"({self.text})"
