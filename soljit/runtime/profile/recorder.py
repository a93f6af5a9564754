"""What a profile gathers while it is open: calls of decorated functions, how each was made, and which compiled code takes its own times.

A call from Python, a search for compiled code and a place of compiled code (`include/soljit/profile.h`) nest in one another. Each knows what has ended in it, by
`Thread.inner`, so that every nanosecond counts once.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from soljit.base.errors import SoljitError, UnsupportedError
from soljit.base.settings import current
from soljit.runtime.system import profile_memory
from soljit.runtime.system.library import address
from soljit.runtime.variants.failures import without_ours
from soljit.runtime.variants.variant import TimedRecord, Variant
from soljit.support.limits import Plainly

COMPILED, SEARCH = ("compiled", ""), ("compiling", "")  # ways of calls: the kind of a row, and a note
PLAIN, REFUSED = "plain Python", "refused"  # kinds whose notes say why
Way = tuple[str, str]
MOST = profile_memory.ROOM  # calls that are kept for a trace


def now() -> int:
    """Nanoseconds of the clock that compiled code reads."""
    if hasattr(time, "clock_gettime_ns"):
        return time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    return time.monotonic_ns()


class Known(NamedTuple):
    """Compiled code that takes its times: of which function, its places, and where these count; at: the address of that"""

    code: types.CodeType
    name: str
    timed: Sequence[TimedRecord]
    counts: Any  # any: a ctypes array of `profile_memory.Counts`
    at: int


class Called(NamedTuple):
    """A call, or a search for compiled code, for a trace."""

    code: types.CodeType
    way: Way
    thread: int
    begin: int
    end: int


class _Thread(threading.local):
    reason = ""  # why the call that is being made runs in plain Python


_thread = _Thread()
_known: dict[int, Known] = {}  # by the address of the counts: libraries stay loaded
_open: Recorder | None = None


class Recorder:
    """That of one profile. sums: function and way → how many calls, and their nanoseconds without those of calls and places in them."""

    def __init__(self) -> None:
        self.memory = profile_memory.memory()
        self.sums: dict[tuple[types.CodeType, Way], list[int]] = {}
        self.names: dict[types.CodeType, str] = {}
        self.calls: list[Called] = []
        self.events: list[profile_memory.Event] = []
        self.lost = 0
        self.begin = self.end = 0
        self.threads: dict[int, str] = {}
        self.known: list[Known] = []  # the compiled code that has run
        self._lock = threading.Lock()

    def open(self) -> None:
        """From now on everything is gathered here."""
        global _open
        for known in _known.values():
            ctypes.memset(known.counts, 0, ctypes.sizeof(known.counts))
        self.memory.open()
        self.begin = now()
        _open = self

    def close(self) -> None:
        """Nothing is gathered any more."""
        global _open
        _open, self.end = None, now()
        self.events, lost = self.memory.close()
        self.lost += lost
        ran = [x for x in _known.values() if x.counts[0].calls]
        self.known = [x._replace(counts=type(x.counts).from_buffer_copy(x.counts)) for x in ran]

    def note(self, function: types.FunctionType, way: Way, begin: int, own: int) -> None:
        """A call, or a search, is over; after the profile it counts no more. own: nanoseconds without those of what ended in it"""
        end, thread = now(), self.memory.thread().number
        with self._lock:
            if self.end:
                return
            code = function.__code__
            sums = self.sums.setdefault((code, way), [0, 0])
            sums[0] += 1
            sums[1] += own
            self.names[code] = function.__qualname__
            if thread not in self.threads:
                self.threads[thread] = threading.current_thread().name
            if len(self.calls) < MOST:
                self.calls.append(Called(code, way, thread, begin, end))
            else:
                self.lost += 1


def is_open() -> bool:
    """Is there a profile that gathers now?"""
    return _open is not None


def runs_plainly(why: str | Exception) -> None:
    """The call that is being made runs in plain Python, for this reason."""
    if _open is not None:
        _thread.reason = sentence(why)


def sentence(why: str | Exception) -> str:
    """A reason in a line."""
    if isinstance(why, UnsupportedError):
        return f"line {why.loc.line}: {why.message}" if why.loc.line else why.message
    return (why.what()[0] if isinstance(why, Plainly) else str(why)).partition("\n")[0]


def takes_times(function: types.FunctionType, v: Variant) -> None:
    """Compiled code that calls of this function may run from now on."""
    found = address(v.library.handle, "sol_places") if v.record.timed and v.library.handle is not None else 0
    if found and found not in _known:
        counts = (profile_memory.Counts * len(v.record.timed)).from_address(found)
        _known[found] = Known(function.__code__, function.__qualname__, v.record.timed, counts, found)


@contextlib.contextmanager
def searching(function: types.FunctionType) -> Iterator[None]:
    """In the body, compiled code is sought, made or waited for."""
    r = _open
    if r is None:
        yield
        return
    mine = r.memory.thread()
    outer, mine.inner = mine.inner, 0
    begin = now()
    try:
        yield
    finally:
        spent = now() - begin
        r.note(function, SEARCH, begin, spent - mine.inner)
        mine.inner = outer + spent


def profiled(
    function: types.FunctionType, made: Callable[..., Any], why: Callable[[], str]
) -> Callable[..., Any]:  # any: the user's values
    """What makes calls of a decorated function by `made`, and takes their time. why: tells what made one run in plain Python"""

    def call(*args: Any, **kwargs: Any) -> Any:
        r = _open
        if r is None:
            return made(*args, **kwargs)
        mine = r.memory.thread()
        outer, kernels, reason = mine.inner, mine.kernels, _thread.reason
        mine.inner, _thread.reason = 0, ""
        refusal: SoljitError | None = None
        begin = now()
        try:
            return made(*args, **kwargs)
        except BaseException as e:
            refusal = e if isinstance(e, SoljitError) else None
            if not current().debug:
                e.__traceback__ = without_ours(e)
            raise
        finally:
            spent = now() - begin
            if _thread.reason:
                way = PLAIN, _thread.reason
            elif mine.kernels != kernels:
                way = COMPILED
            else:
                way = (PLAIN, why()) if refusal is None else (REFUSED, sentence(refusal))
            r.note(function, way, begin, spent - mine.inner)
            mine.inner = outer + spent
            _thread.reason = reason

    return call
