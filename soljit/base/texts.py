"""What notebooks show of values that are made to be read: the text itself, line by line, instead of a literal on one line."""

from __future__ import annotations

from typing import Any


def show(self: object, printer: Any, cycle: bool) -> None:  # any: IPython's printer
    """As `_repr_pretty_` of a class: IPython shows `str()` of an instance."""
    printer.text(str(self))


class Text(str):
    """Text that IPython shows as it is."""

    __slots__ = ()
    _repr_pretty_ = show
