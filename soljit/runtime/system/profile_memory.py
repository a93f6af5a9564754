"""What profiled code and Python share: `codegen/include/soljit/profile.h`. There is one for each process, made when it is first asked for."""

from __future__ import annotations

import ctypes
import functools
import itertools
import threading
from typing import NamedTuple

ROOM = 1 << 17  # events that are kept for a trace: 4 MiB


def _fields(*names: str) -> tuple[tuple[str, type[ctypes.c_int64]], ...]:
    return tuple((name, ctypes.c_int64) for name in names)


class Counts(ctypes.Structure):
    """`sol_timed_place`."""

    _fields_ = _fields("calls", "own", "bytes", "moving", "threads", "longest", "mean")


class Thread(ctypes.Structure):
    """`sol_timed_thread`."""

    _fields_ = _fields("number", "inner", "muted", "kernels")


class _Event(ctypes.Structure):
    """`sol_timed_event`."""

    _fields_ = _fields("place", "thread", "begin", "end")


class _Profile(ctypes.Structure):
    """`sol_profile`."""

    _fields_ = (*_fields("on", "key", "room", "next"), ("events", ctypes.POINTER(_Event)))


class Event(NamedTuple):
    """A run of the place at this address, in nanoseconds of CLOCK_MONOTONIC."""

    place: int
    thread: int
    begin: int
    end: int


class _Threads(threading.local):
    mine: Thread | None = None


_threads = _Threads()
_numbers = itertools.count(1)  # those of `threading` are given again after a thread has ended


class Memory:
    """What is shared, and the functions of the system that reach the part of a thread."""

    def __init__(self) -> None:
        self.shared = _Profile()
        self._events: ctypes.Array[_Event] | None = None
        self._set = getattr(ctypes.CDLL(None), "pthread_setspecific", None)
        key = ctypes.c_ulong(0)
        if self._set is not None and ctypes.CDLL(None).pthread_key_create(ctypes.byref(key), None):
            self._set = None
        self.shared.key = key.value

    def open(self) -> None:
        """A profile begins."""
        if self._events is None:  # it stays: what still runs at the end of a profile may write
            self._events = (_Event * ROOM)()
        ctypes.memset(self._events, 0, ctypes.sizeof(self._events))
        self.shared.events, self.shared.room, self.shared.next = self._events, ROOM, 0
        self.shared.on = 1

    def close(self) -> tuple[list[Event], int]:
        """It is over: what happened, and how many events were lost. What still runs then is not told."""
        self.shared.on = self.shared.room = 0
        count, kept = self.shared.next, self._events
        assert kept is not None
        events = [Event(e.place, e.thread, e.begin, e.end) for e in kept[: min(count, ROOM)]]
        return [e for e in events if e.end], max(0, count - ROOM)

    @property
    def takes_times(self) -> bool:
        """Does the system have what compiled code needs to tell threads apart?"""
        return self._set is not None

    def thread(self) -> Thread:
        """The part of this thread."""
        mine = _threads.mine
        if mine is None:
            mine = _threads.mine = Thread(next(_numbers))
            if self._set is not None:
                self._set(ctypes.c_ulong(self.shared.key), ctypes.byref(mine))
        return mine


@functools.cache
def memory() -> Memory:
    """That of the process."""
    return Memory()


def address() -> int:
    """Where it is."""
    return ctypes.addressof(memory().shared)
