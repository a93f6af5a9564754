"""Texts of exceptions: templates filled with the values of the run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any


def escape(text: str) -> str:
    """A literal text as a template."""
    return text.replace("{", "{{").replace("}", "}}")


def fill_in(message: str, values: Sequence[Any]) -> str:
    """`str.format`; a message whose braces are no format is text in which "{0}", "{0!s}" and "{0!r}" are replaced."""
    try:
        return message.format(*values)
    except (ValueError, KeyError, IndexError):
        pass

    def one(match: re.Match[str]) -> str:
        value = values[int(match[1])]
        return repr(value) if match[2] == "!r" else str(value) if match[2] == "!s" else format(value)

    return re.sub(r"\{(\d+)(![sr])?\}", one, message)
