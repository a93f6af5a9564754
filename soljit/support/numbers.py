"""NumPy's numbers as Python's, one by one and in lists."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from soljit.support.declarations import PYTHON

AS_LIST, FILL = "soljit.support.numbers.as_list", "soljit.support.numbers.fill"  # where compiled code finds them
_NAN = np.float64(math.nan).tobytes()
with np.errstate(invalid="ignore"):
    NAN_IS_TOLD = (np.array([np.inf]) * 0.0).tobytes() != _NAN  # from a computed one, by its bits: by the sign on x86


def as_python(value: np.generic) -> Any:  # a Python number
    """A NumPy scalar as Python's number.

    A NaN with the bits of `np.nan` is that object: containers find a NaN by its identity. Computed ones are new objects, as in Python.
    """
    number = value.item()
    return np.nan if NAN_IS_TOLD and number != number and value.tobytes() == _NAN else number


def as_list(kind: bool | str | list[bool], *columns: np.ndarray[Any, Any]) -> list[Any]:
    """A list of the numbers in a column, or of the tuples of those that stand side by side in several.

    kind: are they Python's numbers (else NumPy's)? Of tuples one answer for each column; "any": not those where the first column is not 0.
    columns: one-dimensional arrays of equal lengths
    """
    if isinstance(kind, bool):
        return _numbers(columns[0], kind)
    if isinstance(kind, str):
        of_numpy, column = columns
        made = _numbers(column, True)
        for k in np.flatnonzero(of_numpy):
            made[k] = column[k]
        return made
    return list(zip(*map(_numbers, columns, kind)))


def _numbers(column: np.ndarray[Any, Any], of_python: bool) -> list[Any]:
    if not of_python:
        return list(column)
    made: list[Any] = column.tolist()
    if column.dtype.kind == "f":
        for k in np.flatnonzero(np.isnan(column)):
            made[k] = as_python(column[k])
    return made


def dtype_of_items(items: Any) -> np.dtype[Any] | None:  # any object
    """The dtype of a list of Python numbers that are all of one type, and fit it; else None."""
    found = set(map(type, items)) if type(items) is list else set()
    dtype = next((np.dtype(cls) for cls in PYTHON.values() if found == {cls}), None)
    fits = dtype is not None and (dtype.kind != "i" or min(items) >= -(1 << 63) and max(items) < 1 << 63)
    return dtype if fits else None


def fill(items: Any, column: np.ndarray[Any, Any]) -> bool | None:  # any object
    """Write the items of a list into an array, if they are all Python numbers of its type; None: they are not."""
    dtype = dtype_of_items(items)
    if type(items) is list and not items and not len(column):
        return True
    if dtype is None or dtype != column.dtype or len(items) != len(column):  # None would be float64
        return None
    column[:] = items
    return True
