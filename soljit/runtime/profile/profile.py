"""`soljit.profile()`: see the class."""

from __future__ import annotations

import dataclasses
import json
import os
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any

from soljit.base.errors import ArgumentError
from soljit.base.settings import take_times
from soljit.runtime.profile import recorder
from soljit.runtime.profile.bandwidth import bandwidth
from soljit.runtime.profile.recorder import Recorder
from soljit.runtime.profile.rows import Row, rows_of
from soljit.runtime.profile.table import rich_table, text_of
from soljit.runtime.profile.trace import trace_of

if TYPE_CHECKING:
    from rich.table import Table

_opening = threading.Lock()


class Profile:
    """Where the time of decorated functions goes while `with profile() as p` is open, in all threads of the process.

    Functions are compiled anew for it, with code that takes the times of their loops and calls; that is kept apart from other code, which stays as it is, and computes the
    same. Calls wait until it is there. Times are those of the clock, not of the processor.
    """

    def __init__(self) -> None:
        self._recorder: Recorder | None = None
        self._rows: list[Row] | None = None
        self._bandwidth: float | None = None

    def __enter__(self) -> Profile:
        with _opening:
            if recorder.is_open():
                raise ArgumentError(
                    "a profile is open already, and there is one at a time: its rows are of all threads"
                )
            self._recorder, self._rows = Recorder(), None
            self._recorder.open()
        take_times(True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        take_times(False)
        self._closed(False).close()

    def _closed(self, over: bool = True) -> Recorder:
        r = self._recorder
        if r is None or over and not r.end:
            raise ArgumentError("the profile is not over: its rows are there after `with profile() as p`")
        return r

    @property
    def rows(self) -> list[Row]:
        """A `Row` for each line that took time, the one that took most first, and for calls that did not run as compiled code."""
        r = self._closed()
        if self._rows is None:
            rows = rows_of(r, None)
            if any(x.gb_per_s is not None for x in rows):
                self._bandwidth = bandwidth()
                rows = rows_of(r, self._bandwidth)
            self._rows = rows
        return self._rows

    @property
    def ms(self) -> float:
        """Milliseconds from the beginning to the end of the block, with those of compiling and of what is no decorated function."""
        r = self._closed()
        return (r.end - r.begin) / 1e6

    def as_dicts(self) -> list[dict[str, Any]]:
        """The rows as dicts, for `pandas.DataFrame` and others."""
        return [dataclasses.asdict(x) for x in self.rows]

    def table(self) -> Table:
        """The rows as a table of rich, which has to be installed; `print(p)` needs nothing."""
        return rich_table(self.rows, self._below())

    def trace(self, path: str | os.PathLike[str] | None = None) -> dict[str, Any]:
        """What happened when, in the format of Chrome's tracing: `path` is written, for chrome://tracing and ui.perfetto.dev.

        Of more than 131,072 runs of places, or of as many calls, the later ones are left out; the rows count all.
        """
        found = trace_of(self._closed())
        if path is not None:
            with open(path, "w", encoding="utf-8") as f:
                json.dump(found, f)
        return found

    def _below(self) -> list[str]:
        """What is said under the table."""
        rows = self.rows
        compiling = sum(x.ms for x in rows if x.kind == "compiling")
        inside = sum(x.ms for x in rows) - compiling
        lines = [
            f"{self.ms:.3f} ms in all: {inside:.3f} in decorated functions, {compiling:.3f} compiling for them, the rest elsewhere"
        ]
        if self._bandwidth is not None:
            lines.append(f"memory: {self._bandwidth:.1f} GB/s, measured by copying large arrays on all cores")
        if not self._closed().memory.takes_times:
            lines.append("lines are not timed: this system has no threads of POSIX")
        return lines

    def __str__(self) -> str:
        return text_of(self.rows, self._below())

    def __rich__(self) -> Table:
        return self.table()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # any: IPython's
        printer.text(str(self) if self._recorder is not None and self._recorder.end else repr(self))
