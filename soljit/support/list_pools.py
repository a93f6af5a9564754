"""Lists in pools, as compiled code has them: what arguments hold, room for more, and Python's lists again.

A pool holds lists by numbers: list h is `size[h]` items from `start[h]` on, with room for `room[h]`. The items of a list of lists are such numbers,
those of another pool. The lists of arguments come first, and keep their numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from soljit.support.declarations import element_name
from soljit.support.numbers import as_list, dtype_of_items

_HERE = "soljit.support.list_pools."  # where compiled code finds the functions below
LOOK, DIFFERENT = _HERE + "look", _HERE + "different"
COUNTED, ENTER, MORE_ROOM = _HERE + "counted", _HERE + "enter", _HERE + "more_room"
GIVEN, BOXED, WRITE_BACK = _HERE + "Boxes", _HERE + "boxed", _HERE + "write_back"
ORDER = _HERE + "order"
OF_POOLS = frozenset({COUNTED, ENTER, MORE_ROOM, GIVEN, BOXED, WRITE_BACK, ORDER})
FIRST_LISTS, FIRST_ITEMS = 64, 1024

Column = np.ndarray[Any, Any]


def look(items: Any, depth: int, name: str) -> int | None:  # any object
    """How many numbers a list holds, or the lists in it do, if all are Python numbers of the type with this name; None: they are not."""
    rows = [items] if depth == 1 else items
    if type(items) is not list or any(type(row) is not list for row in rows):
        return None
    found = type_of_rows(rows)
    if found is None or not isinstance(found, bool) and element_name(found) != name:
        return None
    return sum(map(len, rows))


def counted(items: Any, depth: int) -> int | None:  # any object
    """How many items a list, or the lists in a list, hold; None: there is something else than lists."""
    rows = [items] if depth == 1 else items
    if type(items) is not list or any(type(row) is not list for row in rows):
        return None
    return sum(map(len, rows))


def type_of_rows(rows: Sequence[list[Any]]) -> np.dtype[Any] | bool | None:
    """The one type of the Python numbers in lists; False: there are none; None: they are of several types, or something else."""
    full = [row for row in rows if row]
    first = type(full[0][0]) if full else None
    if any(set(map(type, row)) != {first} for row in full):
        return None
    if first is not int:
        return dtype_of_items(full[0]) if full else False
    fits = min(map(min, full)) >= -(1 << 63) and max(map(max, full)) < 1 << 63
    return np.dtype(np.int64) if fits else None


def different(depths: str, *lists: list[Any]) -> bool | None:
    """Tell whether no list stands at two places in these arguments, lists of numbers (1) or lists of such lists (2); None: one does."""
    found = {id(x) for x in lists}
    count = len(lists)
    for depth, x in zip(depths, lists):
        if depth == "2":
            found.update(map(id, x))
            count += len(x)
    return True if len(found) == count else None


def enter(items: list[Any], depth: int, column: Column, sizes: Column | None) -> bool | None:
    """Write all numbers of an argument into an array, and how long its lists are; None: they are not Python numbers of its type."""
    if look(items, depth, element_name(column.dtype)) is None:
        return None
    if depth == 1 or sizes is None:
        column[:] = items
        return True
    at = 0
    for k, row in enumerate(items):
        sizes[k] = len(row)
        column[at : at + len(row)] = row
        at += len(row)
    return True


def more_room(
    lists: int,
    items: int,
    given: int,
    roots: Sequence[int],
    holders: Sequence[Sequence[Column]],
    start: Column,
    size: Column,
    room: Column,
    *columns: Column,
) -> tuple[Any, ...]:
    """Make room for more lists and items. Lists to which nothing leads any more go, the others are moved together.

    given:   how many lists are arguments'
    roots:   the lists of variables; -1: none
    holders: (start, size, items) of pools whose items are lists of this one
    Returns the new tables, the numbers that are free, how many these are, where items are free, how many there may be of lists and items, and the new columns.
    """
    try:
        return _more_room(lists, items, given, roots, holders, start, size, room, *columns)
    except MemoryError:
        raise MemoryError from None  # as Python's lists raise it


def _more_room(
    lists: int,
    items: int,
    given: int,
    roots: Sequence[int],
    holders: Sequence[Sequence[Column]],
    start: Column,
    size: Column,
    room: Column,
    *columns: Column,
) -> tuple[Any, ...]:
    count = len(start)
    live = np.zeros(count, bool)
    live[:given] = True
    live[[h for h in roots if h >= 0]] = True
    for starts, sizes, held in holders:
        for k in np.flatnonzero(sizes):
            live[held[starts[k] : starts[k] + sizes[k]]] = True
    kept = np.flatnonzero(live)
    new = max(count if 2 * (len(kept) + lists) <= count else 2 * (count + lists), FIRST_LISTS)
    used = int(room[kept].sum())
    space = max(FIRST_ITEMS, 2 * (used + items))
    tables = [np.zeros(new, np.int64) for _ in range(3)]
    tables[0][kept] = np.cumsum(room[kept]) - room[kept]
    tables[1][kept], tables[2][kept] = size[kept], room[kept]
    source = np.arange(used) + np.repeat(start[kept] - tables[0][kept], room[kept])
    made = []
    for c in columns:
        made.append(np.empty(space, c.dtype))
        made[-1][:used] = c[source]
    free = np.ones(new, bool)
    free[kept] = False
    left = np.flatnonzero(free)[::-1]
    numbers = np.zeros(new, np.int64)
    numbers[: len(left)] = left
    return (*tables, numbers, len(left), used, new, space, *made)


def order(keys: Column, falling: bool) -> Column:
    """The positions of numbers in the order that Python brings them into."""
    items = keys.tolist()
    return np.array(sorted(range(len(items)), key=items.__getitem__, reverse=falling), np.int64)


class Boxes:
    """The Python lists of lists in pools, each made once. given: (an argument, its depth, the pools and the first numbers of itself and of its lists)"""

    def __init__(self, *given: Sequence[Any]) -> None:
        self.made: dict[tuple[int, int], list[Any]] = {}
        for items, depth, pool, h, rows, first in given:
            self.made[pool, h] = items
            if depth == 2:
                self.made |= {(rows, first + k): row for k, row in enumerate(items)}
        self.given = dict(self.made)


def boxed(boxes: Boxes, pool: int, h: int, pools: Sequence[Sequence[Any]]) -> list[Any]:
    """The list of this number in a pool.

    pools: (which pool its items are in, -1: they are numbers, how these are Python's (`as_list`), start, size, columns) of each pool
    """
    return _together(boxes, pool, [h], pools)[0]


def _together(boxes: Boxes, pool: int, numbers: list[int], pools: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """The lists of these numbers; those that are not there yet are made."""
    missing = [h for h in dict.fromkeys(numbers) if (pool, h) not in boxes.made]
    for h in missing:
        boxes.made[pool, h] = []
    for h, items in zip(missing, _items(boxes, pool, missing, pools)):
        boxes.made[pool, h] += items
    return [boxes.made[pool, h] for h in numbers]


def _items(boxes: Boxes, pool: int, numbers: list[int], pools: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """What lists hold. Numbers of lists that lie side by side are made Python's together."""
    rows, kind, start, size, *columns = pools[pool]
    firsts = start[numbers]
    lasts = firsts + size[numbers]
    if rows < 0 and numbers:
        low, high = int(firsts.min()), int(lasts.max())
        if high - low <= 2 * int((lasts - firsts).sum()):
            found = as_list(kind, *(c[low:high] for c in columns))
            return [found[a:b] for a, b in zip((firsts - low).tolist(), (lasts - low).tolist())]
    ends = zip(firsts.tolist(), lasts.tolist())
    if rows < 0:
        return [as_list(kind, *(c[a:b] for c in columns)) for a, b in ends]
    held = [columns[0][a:b].tolist() for a, b in ends]
    made = iter(_together(boxes, rows, [h for x in held for h in x], pools))
    return [[next(made) for _ in x] for x in held]


def write_back(boxes: Boxes, changing: Sequence[int], pools: Sequence[Sequence[Any]]) -> bool:
    """Let the lists of arguments hold what they hold in these pools."""
    found = []
    for pool in changing:
        numbers = [h for p, h in boxes.given if p == pool]
        lists = [boxes.given[pool, h] for h in numbers]
        found += list(zip(lists, _items(boxes, pool, numbers, pools)))
    for x, items in found:
        x[:] = items
    return True
