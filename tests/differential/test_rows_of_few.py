"""Sums and checks over rows whose lengths data tell: a few elements one by one, more in blocks (`passes/scheduling/order_sums.py`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check

LENGTHS = [0, 1, 2, 7, 8, 9, 3, 0, 0, 15, 16, 17, 127, 128, 129, 1, 300, 5]


def sliced(row: Any, col: Any, val: Any, x: Any) -> Any:
    y = np.empty(row.size - 1, val.dtype)
    for i in range(row.size - 1):
        y[i] = val[row[i] : row[i + 1]] @ x[col[row[i] : row[i + 1]]]
    return y


def named(row: Any, col: Any, val: Any, x: Any) -> Any:
    y = np.zeros(len(row) - 1)
    for i in range(len(y)):
        start, stop = row[i], row[i + 1]
        y[i] = np.sum(val[start:stop] * x[col[start:stop]]) + np.sum(val[start:stop])
    return y


def under_a_condition(row: Any, col: Any, val: Any, x: Any) -> Any:
    y = np.zeros(len(row) - 1)
    for i in range(len(y)):
        part = val[row[i] : row[i + 1]]
        y[i] = np.where(part > 0.5, part, -0.0).sum() + np.exp(part).sum()
    return y


def found(row: Any, col: Any, val: Any, x: Any) -> Any:
    some, every = np.zeros(len(row) - 1, dtype=bool), np.zeros(len(row) - 1, dtype=bool)
    for i in range(len(row) - 1):
        some[i] = np.any(val[row[i] : row[i + 1]] > 0.9)
        every[i] = np.all(val[row[i] : row[i + 1]] > 0.1)
    return some, every


def largest(row: Any, col: Any, val: Any, x: Any) -> Any:
    out = []
    for i in range(len(row) - 1):
        part = val[row[i] : row[i + 1]]
        out.append((part * part).max())
    return out


def matrix(dtype: str, index: str) -> tuple[Any, ...]:
    rng = np.random.default_rng(3)
    row = np.concatenate([[0], np.cumsum(LENGTHS)]).astype(index)
    val = rng.random(row[-1]).astype(dtype)
    return row, rng.integers(0, 40, row[-1]).astype(index), val, rng.random(40).astype(dtype)


@pytest.mark.parametrize("index", ["u4", "i8"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("f", [sliced, named, under_a_condition, found], ids=lambda f: f.__name__)
def test_rows(f: Any, dtype: str, index: str) -> None:
    row, col, val, x = matrix(dtype, index)
    special = val.copy()
    special[[5, 20, 60, 200]] = np.nan, np.inf, -0.0, 0.0
    negative = np.full_like(val, -0.0)
    also = [(row, col, special, x), (row, col, negative, x), (row[:3], col, val, x), (row[::-1].copy(), col, val, x)]
    rtol = 1e-5 if dtype == "f4" else 1e-14
    check(f, row, col, val, x, also=also, rtol=rtol if f in (sliced, named, under_a_condition) else 0.0)


@pytest.mark.parametrize("place", [0, 1, 8, 30, 90, 300, -1])
@pytest.mark.parametrize("bad", [40, -41, 2**31])
def test_an_index_that_is_too_large(place: int, bad: int) -> None:
    row, col, val, x = matrix("f8", "i8")
    col[place] = bad
    check(sliced, row, col, val, x, raises=IndexError)
    check(named, row, col, val, x, raises=IndexError)


def test_rows_of_different_lengths() -> None:
    """The row that reaches beyond one of the arrays is no product any more."""
    row, col, val, x = matrix("f8", "u4")
    check(sliced, row, col, val[:-2], x, raises=ValueError)
    check(sliced, row, col[:30], val, x, raises=ValueError)


def test_an_empty_row_has_no_largest() -> None:
    row, col, val, x = matrix("f8", "i8")
    check(largest, row[1:8], col, val, x)
    check(largest, row, col, val, x, raises=ValueError)
