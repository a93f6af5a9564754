"""Calls that go deeper than the stack at hand allows.

What recurses over a program goes as deep as the program is nested: some frames for each level. Python's limit of 1000 frames is met by an
`if` with a few hundred `elif`, or by any program if the caller itself is deep. Such a call is made again in a thread of its own, with a stack
that is large enough for the limit that it gets. Ordinary programs never come here, so that they do without the thread.
"""

from __future__ import annotations

import contextvars
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

FRAMES = 20_000
ROOM = 150  # frames that finding, importing and starting the compiler take
STACK = 256 << 20  # bytes; only what is used of it becomes memory
T = TypeVar("T")


def has_room() -> bool:
    """Tell whether the stack at hand is empty enough for what comes before `call_deep`."""
    try:
        sys._getframe(sys.getrecursionlimit() - ROOM)
    except ValueError:  # it is not that deep
        return True
    return False


def call_deep(function: Callable[[], T], give_up: Callable[[], None]) -> T:
    """What `function()` gives, called with room for `FRAMES` frames; RecursionError if that does not do.

    give_up: makes the call end soon, if the caller is interrupted
    """
    outcome: list[tuple[bool, Any]] = []  # any: the result or the exception
    context = contextvars.copy_context()

    def run() -> None:
        try:
            outcome.append((True, context.run(function)))
        except BaseException as e:
            outcome.append((False, e))

    limit, size = sys.getrecursionlimit(), threading.stack_size()
    raised = max(limit, FRAMES)
    thread = threading.Thread(target=run, name="soljit compiler", daemon=True)
    sys.setrecursionlimit(raised)
    try:
        _start(thread, size)
        while thread.is_alive():
            try:
                thread.join()
            except BaseException:
                give_up()
                thread.join()
                raise
    finally:
        if sys.getrecursionlimit() == raised:  # nobody else has changed it meanwhile
            sys.setrecursionlimit(limit)
    done, value = outcome[0]
    if not done:
        raise value
    return value  # type: ignore[no-any-return]


def _start(thread: threading.Thread, size: int) -> None:
    """Start a thread with a large stack; RecursionError if the system does not give it one."""
    try:
        threading.stack_size(STACK)
        thread.start()
    except (RuntimeError, ValueError) as e:
        raise RecursionError(str(e)) from e
    finally:
        threading.stack_size(size)
