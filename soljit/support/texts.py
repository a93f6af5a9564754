"""Texts and bytes as arrays of their codes, from which compiled code reads characters without Python."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

HERE = "soljit.support.texts."
CODES, WIDE, CHARACTER = (HERE + name for name in ("codes", "wide_codes", "character"))
_UTF_32 = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"


def codes(value: str | bytes) -> np.ndarray[Any, Any]:
    """The bytes, or the code points of the characters of a text; as bytes, too, if these hold all of them."""
    if isinstance(value, str):
        try:
            value = value.encode("latin-1")
        except UnicodeEncodeError:
            return wide_codes(value)  # type: ignore[arg-type]
    return np.frombuffer(value, np.uint8)


def wide_codes(value: str) -> np.ndarray[Any, Any]:
    """The code points of the characters of any text."""
    return np.frombuffer(value.encode(_UTF_32, "surrogatepass"), np.uint32)


def is_wide(value: str | bytes) -> bool:
    """Tell whether there is a character whose code no byte holds."""
    return isinstance(value, str) and not value.isascii() and codes(value).dtype == np.uint32


def character(code: int) -> str:
    """The text of one character of this code point; of no character, if the code is negative."""
    return chr(code) if code >= 0 else ""
