"""The clock of a compilation: the time after which compiling is given up.

The bounds that count (`frontend_ast/lowering/work.py`, `ir/walk/size.py`) end most compilations that are too large, always at the same point; the
time is the last resort. It is looked at where compiling goes on step by step (`check`), and it is time of the processor, so that a
busy machine changes nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType

from soljit.base.notice import Notice

EVERY = 16  # calls of `check` between two looks at the time

_now: Clock | None = None  # of what is being compiled: only one thread compiles at a time
_calls = 0


class OutOfTime(BaseException):
    """The time is over; nothing that tries one form and then another catches this."""


def check() -> None:
    """Give up if the time is over."""
    global _calls
    _calls += 1
    if not _calls % EVERY and _now is not None:
        _now.look()


class Clock:
    """Runs while a function is compiled (`with`).

    title:   what is compiled
    limit:   seconds of soljit's own work after which `check` gives up; 0: never
    seconds: of waiting after which `check` gives up for now, whatever the processor did meanwhile; None: never
    go_on:   makes another process that goes on, and tells whether this is it
    is_for_now: waiting was over
    """

    def __init__(
        self,
        title: str,
        limit: float,
        seconds: float | None = None,
        go_on: Callable[[], bool] | None = None,
    ) -> None:
        self.title, self.limit, self._notice = title, limit, Notice(title)
        self.seconds, self.go_on, self.is_for_now = seconds, go_on, False
        self._begin, self._thread = time.perf_counter(), threading.get_ident()
        self._start = self._here = 0.0
        self._given_up = False
        self._before: Clock | None = None

    def __enter__(self) -> Clock:
        global _now
        self._before, _now = _now, self
        self.start_here()
        self._notice.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        global _now
        _now = self._before
        self._notice.__exit__(kind, error, trace)

    def start_here(self) -> None:
        """The work begins, in this thread."""
        self._start, self._here = time.thread_time(), time.perf_counter()

    def give_up(self) -> None:
        """The time is over now."""
        self._given_up = True

    def look(self) -> None:
        """Give up if the time is over."""
        if self.seconds is not None and time.perf_counter() - self._begin > self.seconds:
            here = threading.get_ident() == self._thread  # of another thread's work a fork has no end
            self.is_for_now = self.go_on is None or not here or not self.go_on()
            if self.is_for_now:
                raise OutOfTime
            self.seconds = None
            self.start_here()
        if self._given_up or (self.limit and self._spent() > self.limit):
            raise OutOfTime

    def _spent(self) -> float:
        """Seconds of the processor, or, as long as that is within the limit, those of the wall: some systems take a millisecond to tell the former."""
        passed = time.perf_counter() - self._here
        return passed if passed <= self.limit else time.thread_time() - self._start
