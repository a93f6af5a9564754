"""Texts of exceptions: templates filled with the values of the run."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any


def unbound_local(name: str) -> str:
    """What Python says of a local variable that has no value yet."""
    if sys.version_info < (3, 11):
        return f"local variable '{name}' referenced before assignment"
    return f"cannot access local variable '{name}' where it is not associated with a value"


def unbound_free(name: str) -> str:
    """The same of a variable of a function around."""
    if sys.version_info < (3, 11):
        return f"free variable '{name}' referenced before assignment in enclosing scope"
    return f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope"


def cut(text: str, most: int) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


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
