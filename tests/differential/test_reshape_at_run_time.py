"""Shapes computed in a loop: only the run tells whether one of their lengths is the unknown -1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check


def halves(a: Any, lengths: Any) -> Any:
    total = 0.0
    for k in range(len(lengths)):
        b = a.reshape(lengths[k], len(a) // 4)
        total += b[0, 0] + b.shape[0] * 10 + b.shape[1] * 100
    return total


def both(a: Any, rows: Any, columns: Any) -> Any:
    total = 0
    for k in range(len(rows)):
        b = a.reshape(rows[k], columns[k])
        total += b.shape[0] * 10 + b.shape[1] * 100 + int(b[-1, 0])
    return total


def test_given_and_unknown_lengths() -> None:
    check(halves, np.arange(12.0), np.array([4, -1, 4]))


@pytest.mark.parametrize("rows, columns", [([3, -1, 12, -1], [4, 6, -1, 1]), ([3, -1], [4, -1]), ([3, 5], [4, 5])])
def test_each_may_be_unknown(rows: list[int], columns: list[int]) -> None:
    check(both, np.arange(12.0), np.array(rows), np.array(columns))


@pytest.mark.parametrize("row, column", [(5, -1), (-1, 5), (0, -1), (-1, 0), (3, 3)])
def test_what_does_not_fit(row: int, column: int) -> None:
    check(both, np.arange(12.0), np.array([3, row]), np.array([4, column]))


def test_lengths_from_a_power_in_a_loop() -> None:
    def stages(y: Any, k: int) -> Any:
        n = len(y)
        for stage in range(k):
            done = 2**stage
            y[:] = y.reshape(done, 2, n // (2 * done)).transpose(1, 0, 2).reshape(n) + stage
        return y.sum()

    check(stages, np.arange(16.0), 4)
