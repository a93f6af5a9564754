"""A profile as a table, in plain text and by rich."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from soljit.base.messages import cut
from soljit.runtime.profile.rows import Row, short_place

if TYPE_CHECKING:
    from rich.table import Table

_HEAD = ("ms", "share", "calls", "GB/s", "of memory", "threads", "Python", "NumPy", "where", "line")
_RIGHT = 8  # columns of numbers
_SOURCE, _NAMES = 44, 60  # characters of a line, and of what it calls


def cells(row: Row) -> tuple[str, ...]:
    """A row as texts; "-" for what is not known, nothing for what there is none of."""
    timed = row.kind != "compiled" or row.calls is not None
    none = "-" if row.kind == "compiled" and timed else ""
    threads = f"{row.threads}" if none else ""
    if row.imbalance is not None:
        threads += f" (+{row.imbalance:.0%})"
    return (
        f"{row.ms:.3f}" if timed else "",
        f"{row.share:.1%}" if timed else "",
        "-" if row.calls is None else str(row.calls),
        none if row.gb_per_s is None else f"{row.gb_per_s:.1f}",
        none if row.bandwidth is None else f"{row.bandwidth:.0%}",
        threads,
        f"{row.python:.0%}" if row.python else "",
        f"{row.numpy:.0%}" if row.numpy else "",
        short_place(row),
        _line(row),
    )


def _line(row: Row) -> str:
    text = cut(row.text, _SOURCE) if row.kind == "compiled" else f"{row.function}: {row.kind}"
    called = f"  > {cut(', '.join(row.called), _NAMES)}" if row.called else ""
    return f"{text}{called}" + (f"  > {row.note}" if row.note else "")


def text_of(rows: Sequence[Row], below: Sequence[str]) -> str:
    """Plain text. below: lines under the table"""
    table = [_HEAD, *map(cells, rows)]
    widths = [max(len(line[k]) for line in table) for k in range(len(_HEAD))]
    lines = []
    for line in table:
        aligned = [x.rjust(w) if k < _RIGHT else x.ljust(w) for k, (x, w) in enumerate(zip(line, widths))]
        lines.append("  ".join(aligned).rstrip())
    return "\n".join([*lines, *below])


def rich_table(rows: Sequence[Row], below: Sequence[str]) -> Table:
    """For rich's consoles. ImportError without rich."""
    from rich.table import Table
    from rich.text import Text

    table = Table(caption="\n".join(below), caption_justify="left")
    for k, name in enumerate(_HEAD):
        table.add_column(name, justify="right" if k < _RIGHT else "left", no_wrap=k < _RIGHT)
    for row in rows:
        table.add_row(*(Text(x) for x in cells(row)))
    return table
