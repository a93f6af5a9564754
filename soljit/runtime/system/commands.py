"""Running the compiler: for a limited time, without a terminal, and with nothing left behind.

The command gets a session of its own. When it is over, by itself or because of the limit, all that it started and left
is ended, too; a child that still holds the command's output keeps nobody waiting, since output goes to a file. What is
still running when Python ends is ended with it.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from typing import IO, NamedTuple

from soljit.base.errors import CompilerTimeoutError, ToolchainError
from soljit.runtime.system.continuation import NICE

MOST_OUTPUT = 1 << 20  # bytes that are read of it
_running: dict[subprocess.Popen[bytes], int] = {}  # and the thread that waits for each


class Outcome(NamedTuple):
    """How a command ended, and what it wrote."""

    status: int
    out: str
    err: str


def run(command: Sequence[str], limit: float, folder: str) -> Outcome:
    """Run a command; what it writes, into `folder` for temporary files, is for this user alone.

    ToolchainError if it cannot be started; CompilerTimeoutError after `limit` seconds (0: none), with the command and the limit.
    """
    environment = {**os.environ, "TMPDIR": folder} if folder else None
    with _output() as out, _output() as err:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=environment,
                umask=0o077 if os.name == "posix" else -1,
                start_new_session=True,
            )
        except (OSError, ValueError) as e:
            raise ToolchainError(f"the C++ compiler does not run: {shlex.join(command)}: {e}") from e
        late = _wait(process, limit)
        if late:
            raise CompilerTimeoutError(
                f"the C++ compiler did not end within {limit:g} s and was stopped\n  command: {shlex.join(command)}\n"
                f"  limit:   the setting compiler_seconds (SOL_COMPILER_SECONDS; 0 for none)"
            )
        return Outcome(process.returncode, _text(out), _text(err))


def _wait(process: subprocess.Popen[bytes], limit: float) -> bool:
    """Wait for the end; True if it had to be brought about."""
    late = threading.Event()
    gone = threading.Event()

    def stop() -> None:
        if not gone.is_set():
            late.set()
            _end(process)

    timer = threading.Timer(limit, stop)
    timer.daemon = True
    _running[process] = threading.get_ident()
    try:
        if limit:
            timer.start()
        if hasattr(os, "waitid"):  # its number stays taken, so that no other process is ended below
            with contextlib.suppress(ChildProcessError):
                os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        else:
            process.wait()
    finally:
        gone.set()
        timer.cancel()
        _end(process)
        process.wait()
        _running.pop(process, None)
    return late.is_set()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command and all that it has started."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _output() -> IO[bytes]:
    """A file for output, in memory where the system has such: disks are full at times."""
    if hasattr(os, "memfd_create"):
        with contextlib.suppress(OSError):
            return open(os.memfd_create("soljit"), "w+b")
    return tempfile.TemporaryFile()


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(MOST_OUTPUT).decode("utf-8", "replace")


def end_those_of(thread: int) -> None:
    """End the commands for which this thread waits."""
    for process, waits in list(_running.items()):
        if waits == thread:
            _end(process)


def yield_those_of(thread: int) -> None:
    """The commands for which this thread waits run when the processor has nothing better to do."""
    for process, waits in list(_running.items()):
        if waits == thread and hasattr(os, "setpriority"):
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PGRP, process.pid, NICE)


def _end_all() -> None:
    for process in list(_running):
        _end(process)


atexit.register(_end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_running.clear)
