"""Subscripts that conditions, remainders, minima and maxima keep inside: without a check, so that loops can become maps. And those that do not."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from soljit.frontend_ast.lower import lower_function
from soljit.ir.text.printer import to_text
from soljit.runtime.values import arguments
from tests.oracle import check


def between(idx: np.ndarray, bins: int) -> np.ndarray:
    h = np.zeros(bins, dtype=np.int64)
    for k in idx:
        if 0 <= k < bins:
            h[k] += 1
    return h


def left_out(idx: np.ndarray, bins: int) -> np.ndarray:
    h = np.zeros(bins, dtype=np.int64)
    for k in idx:
        if k < 0 or k >= len(h):
            continue
        h[k] += 1
    return h


def under_a_name(idx: np.ndarray, bins: int) -> np.ndarray:
    h = np.zeros(bins, dtype=np.int64)
    for i in range(len(idx)):
        k = idx[i]
        inside = k >= 0 and k < bins
        if inside:
            h[k] += 1
    return h


def whole_parts(idx: np.ndarray, bins: int) -> np.ndarray:
    h = np.zeros(bins, dtype=np.int64)
    for v in idx * 0.75:
        k = int(v)
        if k >= 0 and k < bins:
            h[k] += 1
    return h


def in_two_dimensions(idx: np.ndarray, bins: int) -> np.ndarray:
    grid = np.zeros((bins, 3))
    for w in range(idx.shape[0] - 1):
        i, j = idx[w], idx[w + 1]
        if i >= 0 and i < bins and j >= 0 and j < 3:
            grid[i, j] += 1
    return grid


def remainders(idx: np.ndarray, bins: int) -> np.ndarray:
    h, four = np.zeros(bins), np.arange(4)
    for i in range(len(idx)):
        h[idx[i] % bins] += idx[idx[i] % len(idx)] + four[idx[i] % 4]
    return h


def neighbours(idx: np.ndarray, bins: int) -> np.ndarray:
    n = len(idx)
    out = np.zeros_like(idx)
    for i in range(n):
        out[i] = idx[(i + 1) % n] - idx[(i - 1) % n] + idx[min(i + bins, n - 1)] * idx[max(i - bins, 0)]
    return out


PROVED = (between, left_out, under_a_name, whole_parts, in_two_dimensions, remainders, neighbours)
IDX = np.array([0, 3, -1, 2, 7, 1, 5, -9, 2, 2**40, -(2**63), 3, 2**63 - 1])


def lowered(f: Callable[..., Any], *values: Any) -> str:
    described = arguments.describe(list(values), list(inspect.signature(f).parameters))
    return to_text(lower_function(f, described.types, described.leaves).program)


@pytest.mark.parametrize("f", PROVED, ids=lambda f: f.__name__)
def test_subscripts_inside_are_not_checked(f: Callable[..., Any]) -> None:
    assert "IndexError" not in lowered(f, IDX, 4)
    calls = [(IDX, 1), (IDX[:4], 2), (IDX[:0], 3), (IDX[:5], 0), (IDX[::2], -1), (IDX, 40)]
    check(f, IDX, 4, also=calls, message="type")


def one_too_many(idx: np.ndarray, bins: int) -> np.ndarray:
    h = np.zeros(bins, dtype=np.int64)
    for k in idx:
        if 0 <= k <= bins:
            h[k] += 1
    return h


def one_side(idx: np.ndarray, bins: int) -> np.ndarray:
    h = np.zeros(bins, dtype=np.int64)
    for k in idx:
        inside = k < bins and (k > -3 or bins > 7)
        if inside:
            h[k] += 1
    return h


def changed_between(idx: np.ndarray, bins: int) -> np.ndarray:
    h = np.zeros(bins, dtype=np.int64)
    for i in range(len(idx)):
        k = idx[i]
        inside = 0 <= k < bins
        k += 1
        if inside:
            h[k] += 1
    return h


def either(idx: np.ndarray, bins: int) -> np.ndarray:
    h = np.zeros(bins, dtype=np.int64)
    for k in idx:
        if k >= 0 or k < bins:
            h[k] += 1
    return h


def other_length(idx: np.ndarray, bins: int) -> np.ndarray:
    h = np.zeros(bins, dtype=np.int64)
    for k in idx:
        h[k % (bins + 1)] += 1
    return h


def clamped_too_high(idx: np.ndarray, bins: int) -> np.ndarray:
    out = np.zeros_like(idx)
    for i in range(len(idx)):
        out[i] = idx[min(i + bins, len(idx))]
    return out


@pytest.mark.parametrize(
    "f", [one_too_many, one_side, changed_between, either, other_length, clamped_too_high], ids=lambda f: f.__name__
)
def test_subscripts_that_may_be_outside_are_checked(f: Callable[..., Any]) -> None:
    assert "IndexError" in lowered(f, IDX, 4)
    some = np.array([0, 3, 1, 2, 2, -1, -2])
    check(f, IDX, 4, also=[(some, 4), (some, 3), (some, 2), (some[:2], 8), (some[:0], 3), (some, 7)])


def lazily(x: np.ndarray, k: int) -> tuple[bool, int]:
    found = k < len(x) and k >= -len(x) and x[k] > 2 and not (x[k] == 5 or k > 3 and x[k - 4] == 0)
    return found, int(found) + k


def test_operands_that_read_memory_run_only_where_python_runs_them() -> None:
    x = np.array([1.0, 3.0, 5.0, 7.0, 9.0, 11.0])
    check(lazily, x, 1, also=[(x, k) for k in (0, 2, 5, 6, -6, -7, 100)] + [(x[:0], 0)])
