"""Lines that remarks name: kept relative to the function's first line, so that they stay right when the function moves in its file."""

from __future__ import annotations

import re
from collections.abc import Callable

_LISTED = re.compile(r"\blines? ([+-]?\d+(?:(?:, | and )[+-]?\d+)*)")


def relative_lines(text: str, first: int) -> str:
    """The text with each "line 12" as "line +3", if the function begins in line 9; likewise "lines 12, 13 and 15"."""
    return _changed(text, lambda n: f"{n - first:+d}")


def absolute_lines(text: str, first: int) -> str:
    """The text that `relative_lines` got, for a function that begins here now."""
    return _changed(text, lambda n: str(n + first))


def _changed(text: str, change: Callable[[int], str]) -> str:
    def numbers(m: re.Match[str]) -> str:
        return m[0][: m.start(1) - m.start()] + re.sub(r"[+-]?\d+", lambda n: change(int(n[0])), m[1])

    return _LISTED.sub(numbers, text)
