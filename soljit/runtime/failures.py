"""A raise in compiled code → the Python exception, as if the user's line had raised it.

The traceback's last entry is the user's line: the exception is raised by a tiny code object that bears the user's
file, function and line.
"""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from soljit.base.errors import ArgumentError, UnsupportedError
from soljit.base.limits import Plainly
from soljit.base.messages import fill_in
from soljit.base.place import Loc
from soljit.ir.types import BY_NAME
from soljit.runtime.variant import Place, RaiseRecord

_RAISE = compile("def raise_it(error): raise error", "<soljit>", "exec").co_consts[0]
_PYTHON = {"b1": bool, "i64": int, "u64": int, "f64": float, "c128": complex}


def raiser(raises: Sequence[RaiseRecord], file: str, first_line: int) -> Callable[[int, bytes], None]:
    """The function that the dispatcher calls with the number of a raise and the frame's operand words."""

    def fail(place: int, words: bytes) -> None:
        record = raises[place]
        error = make_error(record, words)
        if record.again:
            raise Plainly(error, _loc(record.place, file, first_line))
        throw(error, record.place, file, first_line)

    return fail


def _loc(place: Place, file: str, first_line: int) -> Loc:
    line = place.line if place.file else first_line + place.line
    return Loc(place.file or file, line, place.col, line + place.lines, place.end_col, place.function)


def make_error(record: RaiseRecord, words: bytes) -> BaseException:
    """The exception, with its message filled in."""
    module, _, name = record.exception.rpartition(".")
    owner: Any = importlib.import_module(module or "builtins")
    cls: type[BaseException] = getattr(owner, name)
    if record.message is None:
        return cls()
    return cls(fill_in(record.message, operands(record.operands, words)))


def operands(dtypes: Sequence[str], words: bytes) -> list[Any]:
    """Words of the frame as the numbers Python would print."""
    out, at = [], 0
    for name in dtypes:
        t = BY_NAME[name]
        value = np.frombuffer(words, t.numpy, 1, at)[0]
        out.append(_PYTHON[name](value) if name in _PYTHON else value)
        at += max(8, t.size)
    return out


def throw(error: BaseException, place: Place, file: str, first_line: int) -> None:
    """Raise `error` from the user's line."""
    line = place.line if place.file else first_line + place.line
    name = place.function.rpartition(".")[2] or "function"
    code = _RAISE.replace(co_filename=place.file or file, co_firstlineno=max(1, line), co_name=name)
    if sys.version_info >= (3, 11):
        code = code.replace(co_linetable=_columns(place, len(code.co_code) // 2))
    error.__traceback__ = None
    types.FunctionType(code, {})(error)


def _columns(place: Place, instructions: int) -> bytes:
    """The table of lines and columns for code whose instructions all stand for `place` (CPython's Objects/locations.md, the long form)."""

    def number(n: int) -> bytes:
        return bytes([0x40 | n & 0x3F]) + number(n >> 6) if n > 0x3F else bytes([n])

    where = b"\0" + number(place.lines) + number(place.col + 1) + number(place.end_col + 1)
    kind, where = (14, where) if place.end_col else (13, b"\0")
    pieces = [min(8, instructions - k) for k in range(0, instructions, 8)]
    return b"".join(bytes([0x80 | kind << 3 | n - 1]) + where for n in pieces)


def without_ours(error: BaseException) -> types.TracebackType | None:
    """The traceback of an exception from the first frame on that is not soljit's. All of it, if the exception is not about the user's code."""
    t = error.__traceback__
    while t is not None and t.tb_frame.f_globals.get("__name__", "").partition(".")[0] == "soljit":
        t = t.tb_next
    return t if t is not None or isinstance(error, UnsupportedError | ArgumentError) else error.__traceback__
