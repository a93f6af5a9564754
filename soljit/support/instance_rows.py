"""Rows of instances that have no objects, as compiled code has them: room for more.

An instance is the number of a row, and an attribute is an array, its column. Rows that nothing leads to any more are free when there is no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

MORE_ROWS = "soljit.support.instance_rows.more_rows"
FIRST_ROWS = 256
_FEW = 4096  # rows, up to which more room costs less than looking for those that are free

Column = np.ndarray[Any, Any]


def more_rows(
    cls: str,
    rows: Sequence[int],
    lists: Sequence[Sequence[Column]],
    attributes: Sequence[Column],
    count: int,
    *columns: Column,
) -> tuple[Any, ...]:
    """Find rows that are free, or make room for twice as many.

    cls:        the class of the instances
    rows:       those of variables
    lists:      their items; of lists in pools (start, size, items)
    attributes: columns of other instances that hold these
    Returns the rows that are free, how many these are, how many rows there are, and the new columns.
    """
    try:
        return _more_rows(rows, lists, attributes, count, *columns)
    except MemoryError:
        raise MemoryError from None  # as Python raises it


def _more_rows(
    rows: Sequence[int], lists: Sequence[Sequence[Column]], attributes: Sequence[Column], count: int, *columns: Column
) -> tuple[Any, ...]:
    live = np.zeros(count, bool)
    live[list(rows)] = True
    for held in attributes:
        live[held] = True
    for *tables, items in lists:
        if tables:
            start, size = (t[np.flatnonzero(tables[1])] for t in tables)
            items = items[np.arange(size.sum()) + np.repeat(start - (np.cumsum(size) - size), size)]
        live[items] = True
    new = 2 * count if count < _FEW or 2 * np.count_nonzero(live) > count else count
    free = np.append(np.flatnonzero(~live), np.arange(count, new))[::-1]
    made = [np.zeros(new, c.dtype) for c in columns]
    for c, m in zip(columns, made):
        m[:count] = c
    spare = np.zeros(new, np.int64)
    spare[: len(free)] = free
    return (spare, len(free), new, *made)
