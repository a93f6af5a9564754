"""Processes that stay warm and do one task after another; one that dies or hangs is replaced."""

from __future__ import annotations

import faulthandler
import gc
import multiprocessing
import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any

MEMORY = 8 << 30  # bytes of address space of one process: a random program may want all there is
LIFETIME = 200  # tasks of one process: modules, files and libraries pile up


class _Worker:
    """One process, and what it is doing."""

    def __init__(self, work: Callable[[Any], Any], quiet: bool) -> None:
        self.folder = tempfile.mkdtemp(prefix="soljit-fuzz-")
        context = multiprocessing.get_context("fork")
        self.pipe, child = context.Pipe()
        self.process = context.Process(target=_serve, args=(child, work, self.folder, quiet), daemon=True)
        self.process.start()
        child.close()
        self.key: Any = None
        self.busy, self.deadline, self.done = False, 0.0, 0

    def give(self, key: Any, task: Any, timeout: float) -> None:
        self.key, self.busy, self.deadline = key, True, time.monotonic() + timeout
        self.pipe.send(task)

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Pool:
    """`run(tasks)` gives (key, answer, "") or (key, None, "crash …" or "hang …"), in the order in which they end."""

    def __init__(self, work: Callable[[Any], Any], count: int, quiet: bool = True) -> None:
        self.work, self.count, self.quiet = work, count, quiet
        self.workers: list[_Worker] = []

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for w in self.workers:
            w.end()

    def run(self, tasks: Iterable[tuple[Any, Any]], timeout: float) -> Iterator[tuple[Any, Any, str]]:
        waiting = iter(tasks)
        more = True
        while True:
            while more and sum(w.busy for w in self.workers) < self.count:
                key, task = next(waiting, (None, None))
                more = task is not None
                if more:
                    self._idle().give(key, task, timeout)
            busy = [w for w in self.workers if w.busy]
            if not busy:
                return
            wait([w.pipe for w in busy], max(0.0, min(w.deadline for w in busy) - time.monotonic()))
            for w in busy:
                yield from self._ended(w, timeout)

    def _idle(self) -> _Worker:
        for w in self.workers:
            if not w.busy and w.done < LIFETIME:
                return w
        for w in [w for w in self.workers if not w.busy]:
            self._remove(w)
        self.workers.append(_Worker(self.work, self.quiet))
        return self.workers[-1]

    def _remove(self, w: _Worker) -> None:
        w.end()
        self.workers.remove(w)

    def _ended(self, w: _Worker, timeout: float) -> Iterator[tuple[Any, Any, str]]:
        if w.pipe.poll():
            try:
                answer = w.pipe.recv()
            except EOFError:
                w.process.join()
                self._remove(w)
                yield w.key, None, f"crash: exit status {w.process.exitcode}"
                return
            w.busy, w.done = False, w.done + 1
            yield w.key, answer, ""
        elif time.monotonic() > w.deadline:
            self._remove(w)
            yield w.key, None, f"hang: no answer within {timeout} s"


def _serve(pipe: Connection, work: Callable[[Any], Any], folder: str, quiet: bool) -> None:
    tempfile.tempdir = folder
    if not (
        os.environ.get("SOL_SANITIZE") or os.environ.get("ORACLE_DEVICE")
    ):  # checkers and devices take much address space
        resource.setrlimit(resource.RLIMIT_AS, (_size() + MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    faulthandler.disable()
    gc.freeze()  # programs make many small objects and few cycles
    gc.set_threshold(100_000, 20, 20)
    if quiet:
        with open(os.devnull, "w") as null:
            os.dup2(null.fileno(), sys.stderr.fileno())
            os.dup2(null.fileno(), sys.stdout.fileno())
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            os._exit(0)
        pipe.send(work(task))


def _size() -> int:
    """Bytes of address space that the process has now: emulated devices of its parent keep much of it, without memory behind."""
    try:
        with open("/proc/self/statm") as f:
            return int(f.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0
