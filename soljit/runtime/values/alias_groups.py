"""Which arrays of a call may overlap, and which are one object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from soljit.base.python.arrays import is_writable


def alias_groups(arrays: Sequence[np.ndarray[Any, Any]]) -> list[int | None]:  # any: every dtype comes here
    """Numbers of the groups of arrays whose memory may overlap with one of the two writable; None for an array
    alone.
    """
    if len(arrays) < 2:
        return [None] * len(arrays)
    bounds = [extent(a) for a in arrays]
    root = list(range(len(arrays)))
    for i in range(1, len(arrays)):
        for j in range(i):
            overlap = bounds[i][0] < bounds[j][1] and bounds[j][0] < bounds[i][1]
            if overlap and (is_writable(arrays[i]) or is_writable(arrays[j])) and root[i] != root[j]:
                root = [root[j] if r == root[i] else r for r in root]
    numbers: dict[int, int] = {}
    return [numbers.setdefault(r, len(numbers)) if root.count(r) > 1 else None for r in root]


def same_objects(arrays: Sequence[np.ndarray[Any, Any]]) -> list[int | None]:  # any: every dtype comes here
    """Numbers of the arrays that occur several times; None for the others."""
    ids = [id(a) for a in arrays]
    numbers: dict[int, int] = {}
    return [numbers.setdefault(i, len(numbers)) if ids.count(i) > 1 else None for i in ids]


def extent(a: np.ndarray[Any, Any]) -> tuple[int, int]:  # any: every dtype comes here
    """Addresses of the array's memory: the first, and the one behind the last."""
    start: int = a.__array_interface__["data"][0]
    if a.size == 0:
        return start, start
    reach = [(n - 1) * s for n, s in zip(a.shape, a.strides)]
    return start + sum(r for r in reach if r < 0), start + sum(r for r in reach if r > 0) + a.itemsize
