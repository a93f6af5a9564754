"""Work in a thread of its own, beside what the caller does: compilers of kernels and of the runtime's libraries beside the C++ compiler.

The thread is a daemon that starts commands through `commands.run`: none of them outlives Python. Forks wait until a compilation is over
(`compile_lock.py`), so whoever compiles waits for the thread before that.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from soljit.runtime.system import commands

T = TypeVar("T")


class Beside(Generic[T]):
    """A call that has begun. Where no thread can be started, it is made when somebody asks for the result."""

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._made: list[T] = []
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = threading.Thread(target=self._run, daemon=True)
        try:
            self._thread.start()
        except RuntimeError:
            self._thread = None

    def _run(self) -> None:
        try:
            self._made.append(self._call())
        except BaseException as e:  # noqa: BLE001 (whoever asks for the result gets it)
            self._error = e

    def is_running(self) -> bool:
        """Tell whether the call is not over yet."""
        return self._thread is not None and self._thread.is_alive()

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the call is over, at most so long (None: for ever)."""
        if self._thread is not None:
            self._thread.join(seconds)

    def yield_to_others(self) -> None:
        """The commands that the call has started make room for what somebody waits for."""
        if self._thread is not None and self._thread.ident is not None:
            commands.yield_those_of(self._thread.ident)

    def stop(self) -> None:
        """End the commands that the call has started, and wait until it is over: nobody wants the result."""
        if self._thread is not None and self._thread.ident is not None:
            commands.end_those_of(self._thread.ident)
        self.wait()

    def result(self) -> T:
        """What the call returned; what it raised is raised here."""
        self.wait()
        if self._error is not None:
            raise self._error
        return self._made[0] if self._made else self._call()  # a forked child has no such thread
