"""Threads of OpenMP do not survive a fork: a child whose surviving thread had some runs kernels alone in that thread.

GCC's runtime would wait for them for ever, whoever started them: compiled code, or another library that uses the same runtime.
Threads that the child starts have threads of their own.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from soljit.runtime.system.library import is_loaded, uses_openmp


class Forks:
    """alone: the thread that must not start others, as `threading.get_ident` tells it; 0 for none."""

    def __init__(self) -> None:
        self.alone = 0
        self.listeners: list[Callable[[int], None]] = []
        self._has_threads = False

    def tell(self, listener: Callable[[int], None]) -> None:
        """Let the listener know `alone` now, and after each fork."""
        self.listeners.append(listener)
        listener(self.alone)

    def before(self) -> None:
        """Look for threads, while they are there."""
        self._has_threads = (uses_openmp() or is_loaded("libgomp.so.1")) and _has_threads()

    def in_child(self) -> None:
        """The thread that survives keeps what it knew of the others, now and in children of its own."""
        me = threading.get_ident()
        self.alone = me if self._has_threads or self.alone == me else 0
        for listener in self.listeners:
            listener(self.alone)


def _has_threads() -> bool:
    try:
        return len(os.listdir("/proc/self/task")) > 1
    except OSError:
        return True


forks = Forks()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=forks.before, after_in_child=forks.in_child)
