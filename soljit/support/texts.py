"""Texts and bytes as arrays of their codes, from which compiled code reads characters without Python."""

from __future__ import annotations

import ctypes
import functools
import sys
from typing import Any

import numpy as np

HERE = "soljit.support.texts."
CODES, KNOWN, WIDE, CHARACTER = (HERE + name for name in ("codes", "known_codes", "wide_codes", "character"))
_UTF_32 = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"
_STATE = (
    32  # in CPython's texts (PEP 393), the place of the word that tells how the characters lie, and the bits that do
)
_BITS = 0x3FFFFF if sys.version_info >= (3, 14) else 0xFF
_WIDTHS = {
    "a": 1,
    "\xe9": 1,
    "\u20ac": 2,
    "\U0001f600": 4,
}  # bytes for each character of a text that has none of a greater code

Codes = np.ndarray[Any, Any]


def codes(value: str | bytes) -> Codes:
    """The bytes, or the code points of the characters of a text, in the smallest type that holds all of them."""
    if isinstance(value, bytes):
        return np.frombuffer(value, np.uint8)
    there = _in_place(value)
    if there is not None:
        return there
    made = _copied(value)
    greatest = made.max(initial=0)
    return _as(made, np.uint32 if greatest > 0xFFFF else np.uint16 if greatest > 0xFF else np.uint8)


def known_codes(value: str | bytes) -> Codes:
    """The same of a text that is known while compiling, so that their type is what it was then."""
    return codes(value)


def wide_codes(value: str) -> Codes:
    """The code points of the characters of any text."""
    there = _in_place(value)
    return _copied(value) if there is None else _as(there, np.uint32)


def character(code: int) -> str:
    """The text of one character of this code point; of no character for all other numbers, those of variables without a value among them."""
    return chr(code) if 0 <= code <= sys.maxunicode else ""


def _copied(value: str) -> Codes:
    return np.frombuffer(value.encode(_UTF_32, "surrogatepass"), np.uint32)


def _as(found: Codes, dtype: type[np.generic]) -> Codes:
    made = found.astype(dtype, copy=False)
    made.flags.writeable = False
    return made


class _Shown:
    """What an array of the characters of a text keeps, and learns where they lie from."""

    def __init__(self, text: str, width: int, head: int) -> None:
        self.text = text
        self.__array_interface__ = {
            "version": 3,
            "shape": (len(text),),
            "typestr": np.dtype(f"u{width}").str,
            "data": (id(text) + head, True),
        }


def _in_place(value: str) -> Codes | None:
    """The characters where they lie in the object, which the array keeps; None: it is not one of the usual form."""
    found = _forms().get(_state(value)) if type(value) is str else None
    return None if found is None else np.asarray(_Shown(value, *found))


@functools.cache
def _forms() -> dict[int, tuple[int, int]]:
    """For the state of texts of the usual forms, the width of a character and where the first one is; none if this Python has other ones."""
    if sys.implementation.name != "cpython":
        return {}
    found: dict[int, tuple[int, int]] = {}
    for letter, width in _WIDTHS.items():
        sample = "".join([letter, letter])
        form = width, sample.__sizeof__() - 3 * width
        found[_state(sample)] = form
        if np.asarray(_Shown(sample, *form)).tolist() != [ord(letter)] * 2:
            return {}
    other = _state(type("Text", (str,), {})("\xe9\xe9"))  # its characters lie elsewhere
    return found if len(found) == len(_WIDTHS) and other not in found else {}


def _state(value: str) -> int:
    return ctypes.c_uint32.from_address(id(value) + _STATE).value & _BITS
