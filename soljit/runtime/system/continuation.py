"""A process of its own that goes on with what this one has begun.

It is a fork, which has everything as it was at that point of the program and goes on from there, while this process does something else. Its parent is the system, it
has neither the files nor the terminal of this process, and it ends by `end` or after `LONGEST` seconds. Locks of other threads stay locked in it: so it must need
none of theirs, as soljit's own part of a compilation and the C++ compiler do not.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import select
import signal
import sys
import threading
import time
import warnings
from typing import Any, NoReturn

LONGEST = 600
NICE = 10  # of what nobody waits for


def is_possible() -> bool:
    """Tell whether processes can be forked here without harm: on macOS system libraries do not survive it."""
    return sys.platform == "linux"


class Continuation:
    """See the head of this file. is_here: this is the process that goes on"""

    def __init__(self) -> None:
        self.is_here = False
        self._pipe, self._read = -1, b""
        self._lock = threading.Lock()

    def begin(self) -> bool:
        """Make the process: True in that, and False in this one, also if there can be none."""
        if self.is_here or not is_possible():
            return self.is_here
        try:
            reader, writer = os.pipe()
        except OSError:
            return False
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of forks of processes with threads
                between = os.fork()
        except OSError:
            os.close(reader)
            os.close(writer)
            return False
        if between:
            os.close(writer)
            with contextlib.suppress(ChildProcessError):  # where nobody waits for children, the system does
                os.waitpid(between, 0)
            self._pipe = reader
            return False
        try:
            if os.fork():
                os._exit(0)
            self._become(writer)
        except BaseException:  # noqa: BLE001 (nothing of the program goes on here)
            os._exit(1)
        return True

    def _become(self, writer: int) -> None:
        self.is_here, self._pipe = True, os.dup2(writer, 3)
        os.setsid()
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(LONGEST)
        nothing = os.open(os.devnull, os.O_RDWR)
        for k in range(3):
            os.dup2(nothing, k)
        os.closerange(4, min(os.sysconf("SC_OPEN_MAX"), 1 << 16))
        gc.disable()  # finalizers of the program run in that alone
        os.nice(NICE)

    def end(self, result: object) -> NoReturn:
        """The process that goes on ends, with a result for the other one."""
        with contextlib.suppress(Exception), os.fdopen(self._pipe, "wb") as pipe:
            pickle.dump(result, pipe)
        os._exit(0)

    @property
    def has_begun(self) -> bool:
        """Is there such a process, or was there one?"""
        return self._pipe >= 0 or bool(self._read)

    def is_running(self) -> bool:
        """Tell whether the process has not ended yet."""
        self.wait(0.0)
        return self._pipe >= 0

    def wait(self, seconds: float | None = None) -> None:
        """Wait until it has ended, at most so long (None: for ever). Several threads may."""
        end = None if seconds is None else time.perf_counter() + seconds
        while (pipe := self._pipe) >= 0:
            try:
                ready, _, _ = select.select(
                    [pipe], [], [], None if end is None else max(0.0, end - time.perf_counter())
                )
            except (OSError, ValueError):  # another thread has just closed it
                continue
            if not ready:
                return
            with self._lock:  # nobody reads from a file of the program that has got the number meanwhile
                if self._pipe == pipe and select.select([pipe], [], [], 0.0)[0]:
                    self._take(pipe)

    def _take(self, pipe: int) -> None:
        part = os.read(pipe, 1 << 16)
        self._read += part
        if not part:
            self._pipe = -1
            os.close(pipe)

    def yield_to_others(self) -> None:
        """It does so from the beginning."""

    def result(self) -> Any:  # any: what `end` got
        """The result; EOFError if the process was ended before it had one."""
        if not self._read:
            raise EOFError("the process was ended")
        return pickle.loads(self._read)
