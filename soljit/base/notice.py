"""A line for whoever waits long for the compiler: on a terminal, or in a notebook, where it vanishes when the waiting is over.

Where stderr is a file or a pipe, and where a notebook catches what a cell writes, there is none.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import uuid
from types import TracebackType
from typing import Any

from soljit.base.settings import current

NOTICE = 2.0  # seconds of waiting after which a line is written


class Notice:
    """Somebody waits (`with`) for what is called `title`."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._is_shown = False

    def __enter__(self) -> Notice:
        if current().progress and _is_watched():
            self._thread = threading.Thread(target=self._show, name="soljit clock", daemon=True)
            with contextlib.suppress(RuntimeError):  # no more threads: then without a line
                self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._thread is not None and self._is_shown:
            self._thread.join()

    def _show(self) -> None:
        if self._over.wait(NOTICE):
            return
        self._is_shown = True
        text = f"soljit: compiling {self.title} takes a while (SOL_PROGRESS=0 hides this line)\n"
        notebook = _notebook()
        if notebook is None:
            sys.stderr.write(text)
            return
        shown = {"display_id": uuid.uuid4().hex}
        notebook.publish({"text/plain": text}, {}, transient=shown)
        self._over.wait()
        notebook.publish({"text/plain": "", "text/html": ""}, {}, transient=shown, update=True)


def _is_watched() -> bool:
    """Tell whether somebody sees what is written to stderr."""
    return current().debug > 0 or (sys.stderr is not None and sys.stderr.isatty()) or _notebook() is not None


def _notebook() -> Any:  # any: IPython's publisher
    """What shows things below the cell that runs; None where this is no notebook, or stderr is caught."""
    if not type(sys.stderr).__module__.startswith("ipykernel"):
        return None
    shell: Any = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return None if getattr(shell, "kernel", None) is None else shell.display_pub
