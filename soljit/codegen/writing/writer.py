"""Lines of C++ with indentation and `// line N` marks.

A `Writer` holds what has been written so far; parts of a file are written separately and joined at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from soljit.base.place import Loc


class Writer:
    """Lines at an indentation level."""

    def __init__(self, level: int = 0) -> None:
        self.lines: list[str] = []
        self.level = level
        self._line = 0

    def line(self, text: str = "") -> None:
        """One line at the present level; preprocessor lines too, because they read better in place."""
        self.lines.append("  " * self.level + text if text else "")

    def mark(self, loc: Loc) -> None:
        """Say which line of the user's code follows, when it changes."""
        if loc.line and loc.line != self._line:
            self.line(f"// line {loc.line}")
        self._line = loc.line or self._line

    @contextmanager
    def block(self, head: str = "", tail: str = "}") -> Iterator[None]:
        """`head {` … `}`."""
        self.line(f"{head} {{" if head else "{")
        self.level += 1
        yield
        self.level -= 1
        self.line(tail)

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + ("\n" if self.lines else "")
