"""Lines that remarks name: kept relative to the function's first line, so that they stay right when the function moves in its file."""

from __future__ import annotations

import re


def relative_lines(text: str, first: int) -> str:
    """The text with each "line 12" as "line +3", if the function begins in line 9."""
    return re.sub(r"\bline (\d+)", lambda m: f"line {int(m[1]) - first:+d}", text)


def absolute_lines(text: str, first: int) -> str:
    """The text that `relative_lines` got, for a function that begins here now."""
    return re.sub(r"\bline ([+-]\d+)", lambda m: f"line {int(m[1]) + first}", text)
