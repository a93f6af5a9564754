"""A raise in compiled code → the Python exception, as if the user's line had raised it.

The traceback ends with the user's line, below those of the calls that led to it, if they were compiled along: each is a tiny
code object that bears the user's file, function and line, and the last one raises. So does an exception that Python raised when
it was called back, with the frames of the program's functions that it came through.
"""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from soljit.base.errors import ArgumentError, UnsupportedError
from soljit.base.place import Loc
from soljit.base.settings import current
from soljit.ir.callbacks.templates import message
from soljit.ir.core.types import BY_NAME
from soljit.runtime.values.device_arrays import on_host
from soljit.runtime.variants.variant import Place, RaiseRecord, Record
from soljit.support.limits import Plainly
from soljit.support.unforeseen import Unforeseen

_RAISE = compile("def raise_it(): raise error", "<soljit>", "exec").co_consts[0]
_CALL = compile("def call_it(): inner()", "<soljit>", "exec").co_consts[0]


def raiser(
    record: Record, file: str, first_line: int
) -> Callable[[int, Any, bytes], None]:  # any: bytes, or an exception
    """The function that the dispatcher calls with the number of a raise and the frame's operand words, or with -1 minus the number
    of a call back and the exception that it raised, or with the number of a place and the exception that the handler of a signal raised there; and
    with the calls of functions of the program that are left, as 32-bit numbers. Its frame and that of `throw` are not shown.
    """

    def fail(place: int, given: Any, through: bytes) -> None:  # any: bytes, or an exception
        calls = [record.calls[k] for k in np.frombuffer(through, np.int32)]
        if isinstance(given, BaseException):
            given = _with_losses(given)
            if isinstance(given, (Unforeseen, Plainly)):
                raise given
            if not current().debug:
                given.__traceback__ = _from_the_user_on(given)
            called = record.callbacks[-1 - place] if place < 0 else record.raises[place]
            throw(given, (called.place, *calls), file, first_line)
        raised = record.raises[place]
        error = make_error(raised, given)
        told = _with_losses(error)
        if isinstance(error, Plainly):
            raise error
        if raised.again and told is error:
            raise Plainly(error, _loc(raised.place, file, first_line))
        throw(told, (raised.place, *calls), file, first_line)

    return fail


def _with_losses(error: BaseException) -> BaseException:
    """The exception; a DeviceError in its place where a device could not give back what arguments should hold then."""
    layer = sys.modules.get("soljit.runtime.devices.layer")  # not loaded: no device was used
    return layer.with_losses(error) if layer else error


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
    return cls(message(record.message, operands(record.operands, words)))


def operands(dtypes: Sequence[str], words: bytes) -> list[Any]:
    """Words of the frame as NumPy scalars."""
    out, at = [], 0
    for name in dtypes:
        t = BY_NAME[name]
        out.append(np.frombuffer(words, t.numpy, 1, at)[0])
        at += max(8, t.size)
    return out


def throw(error: BaseException, places: Sequence[Place], file: str, first_line: int) -> None:
    """Raise `error` from the user's line, the first of these, which is reached through the calls at the others."""
    run: Callable[[], object] | None = None
    for p in places:
        place: Place | None = p
        while place is not None:
            code, names = (_RAISE, {"error": error}) if run is None else (_CALL, {"inner": run})
            run = _at(code, place, file, first_line, names)
            place = place.callers[0] if place.callers else None
    assert run is not None
    run()


def _at(code: types.CodeType, place: Place, file: str, first_line: int, names: dict[str, Any]) -> types.FunctionType:
    """A function of this code whose frame is the user's line."""
    line = place.line if place.file else first_line + place.line
    name = place.function.rpartition(".")[2] or "function"
    first = max(1, line - place.above)
    code = code.replace(co_filename=place.file or file, co_firstlineno=first, co_name=name)
    above, size = max(1, line) - first, len(code.co_code)
    if sys.version_info >= (3, 11):
        code = code.replace(co_linetable=_columns(place, above, size // 2), co_qualname=place.function or name)
    else:
        code = code.replace(co_linetable=_lines(above, size))
    return types.FunctionType(code, names)


def _lines(above: int, size: int) -> bytes:
    """The table of lines before Python 3.11 (PEP 626) for code all of which stands `above` lines below its first: pairs of a number of bytes and a step of lines."""
    return bytes([0, 127]) * (above // 127) + bytes([size, above % 127])


def _columns(place: Place, above: int, instructions: int) -> bytes:
    """The table of lines and columns for code whose instructions all stand for `place`, `above` lines below its first (CPython's Objects/locations.md,
    the long form, or that without columns): each entry has the step from the line of the one before it.
    """

    def number(n: int) -> bytes:
        return bytes([0x40 | n & 0x3F]) + number(n >> 6) if n > 0x3F else bytes([n])

    columns = number(place.lines) + number(place.col + 1) + number(place.end_col + 1) if place.end_col else b""
    kind = 14 if columns else 13
    pieces = [(min(8, instructions - k), 0 if k else above) for k in range(0, instructions, 8)]
    return b"".join(bytes([0x80 | kind << 3 | n - 1]) + number(step << 1) + columns for n, step in pieces)


def plainly(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:  # any: the user's values
    """Call the user's function in plain Python: what this raises without a frame of the function is about the call."""
    host = on_host(args, kwargs)
    return function(*args, **kwargs) if host is None else host.result(function(*host.args, **host.kwargs))


def without_ours(error: BaseException) -> types.TracebackType | None:
    """The traceback of an exception from the first frame on that is not soljit's. All of it, if the exception is neither about the user's code nor an interrupt."""
    t = _from_the_user_on(error)
    if t is not None or isinstance(error, UnsupportedError | ArgumentError | KeyboardInterrupt):
        return t
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return None if last is not None and last.tb_frame.f_code is plainly.__code__ else error.__traceback__


def _from_the_user_on(error: BaseException) -> types.TracebackType | None:
    t = error.__traceback__
    while t is not None and t.tb_frame.f_globals.get("__name__", "").partition(".")[0] == "soljit":
        t = t.tb_next
    return t
