"""Progress on the terminal: a bar below the lines with rich, the lines alone without it."""

from __future__ import annotations

from types import TracebackType
from typing import Any

try:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.table import Table

    RICH = True
except ImportError:
    RICH = False


class Screen:
    """A context manager; `begin` names what runs, `line` prints a finished thing, `advance` moves the bar."""

    def __init__(self, total: int) -> None:
        self.progress: Any = None  # rich.progress.Progress where rich is installed
        if RICH:
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            self.progress = Progress(*columns)
            self.task = self.progress.add_task("", total=total)

    def __enter__(self) -> Screen:
        if self.progress is not None:
            self.progress.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.progress is not None:
            self.progress.stop()

    def begin(self, text: str) -> None:
        """What runs now."""
        if self.progress is not None:
            self.progress.update(self.task, description=text)

    def line(self, text: str) -> None:
        """A line that stays."""
        if self.progress is not None:
            self.progress.console.print(text, markup=False, highlight=False, soft_wrap=True)
        else:
            print(text, flush=True)

    def advance(self) -> None:
        """One thing is done."""
        if self.progress is not None:
            self.progress.advance(self.task)


def print_table(title: str, heads: list[str], rows: list[list[str]], markdown: bool = False) -> None:
    """A table; the first column is text, the others are numbers."""
    if markdown:
        print("| " + " | ".join(heads) + " |")
        print("|---|" + "---:|" * (len(heads) - 1))
        for row in rows:
            print("| " + " | ".join(row) + " |")
    elif RICH:
        table = Table(title=title)
        for k, head in enumerate(heads):
            table.add_column(head, justify="right" if k else "left")
        for row in rows:
            table.add_row(*row)
        Console().print(table)
    else:
        widths = [max(len(r[k]) for r in [heads, *rows]) for k in range(len(heads))]
        print(title)
        for row in [heads, *rows]:
            print("  ".join(c.rjust(w) if k else c.ljust(w) for k, (c, w) in enumerate(zip(row, widths))))
