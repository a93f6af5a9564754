"""One compilation at a time, and forks only between compilations.

A fork copies everything but the other threads. What one of them was just doing, such as importing a part of the compiler, nobody would
finish in the child, where Python's own locks would be held for ever. So a fork waits until the compilation is over. The thread that
compiles may fork itself, or call a function that is being compiled (a signal handler or a destructor may do anything): that
call does not wait, and does not compile.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

LONGEST_WAIT = 60.0  # seconds that a fork waits


class Compiling:
    """The lock, and what became of it in forks. `with compiling.lock`, what compiled code needs is imported, sought and made."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.was_cut_off = False  # a fork did not wait long enough: what was compiled there is in no known state
        self._held = False
        self._helper: int | None = None  # a thread that compiles for the one that holds the lock

    def is_mine(self) -> bool:
        """Tell whether this very thread compiles at present."""
        return threading.get_ident() == self._helper or self.lock._is_owned()  # type: ignore[attr-defined]

    @contextmanager
    def in_helper(self) -> Iterator[None]:
        """This thread compiles, while the one that holds the lock waits for it."""
        self._helper = threading.get_ident()
        try:
            yield
        finally:
            self._helper = None

    def before_fork(self) -> None:
        """Wait for other threads."""
        if threading.get_ident() != self._helper:
            self._held = self.lock.acquire(timeout=LONGEST_WAIT)

    def after_fork_in_parent(self) -> None:
        """Let them go on."""
        if self._held:
            self.lock.release()

    def after_fork_in_child(self) -> None:
        """There is only this thread now."""
        if self._held:
            self.lock.release()
        else:
            self.lock, self.was_cut_off, self._helper = threading.RLock(), True, None


compiling = Compiling()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=compiling.before_fork,
        after_in_parent=compiling.after_fork_in_parent,
        after_in_child=compiling.after_fork_in_child,
    )
