"""An array outside that a function reaches in several ways is one array, as long as they lead to one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import IDENTITY, TARGET, check

TABLE = np.array([1.0, 2.0, 3.0, 4.0])
PART = TABLE[1:]


class Config:
    table = TABLE


def scaled(x: float) -> Any:
    return x * TABLE[0]


def moved(x: float) -> Any:
    return x + TABLE[1]


def of_class(x: float) -> Any:
    return x + Config.table[1]


def partly(x: float) -> Any:
    return x + PART[0]


def by_helpers(a: np.ndarray) -> Any:
    a[0] = scaled(a[1]) + moved(a[2])
    return a.sum()


def by_class(a: np.ndarray) -> Any:
    a[0] = scaled(a[1]) + of_class(a[2])
    return a.sum()


def written_by_one_way(a: np.ndarray) -> Any:
    Config.table[1] = a[0]
    r = moved(1.0)
    TABLE[1] = 2.0
    return r + of_class(a[1])


def stepped(a: np.ndarray, n: int) -> Any:
    if n == 0:
        return moved(a[0]) + of_class(a[1])
    a[0] += 1.0
    return stepped(a, n - 1) + scaled(1.0)


def test_one_array() -> None:
    a = np.arange(1.0, 5.0)
    check(by_helpers, a)
    check(by_class, a)
    check(written_by_one_way, a)
    check(stepped, a, 3)


@pytest.mark.skipif(IDENTITY, reason="about compiled code")
def test_ways_that_part(monkeypatch: pytest.MonkeyPatch) -> None:
    f = sol.jit(by_class, strict=True, target=TARGET)
    a = np.arange(1.0, 5.0)
    for table in (TABLE, TABLE.copy() * 3.0, TABLE):
        monkeypatch.setattr(Config, "table", table)
        for _ in range(3):
            assert f(a.copy()) == by_class(a.copy())
    assert len(f.signatures) == 2


def overlapping(a: np.ndarray) -> Any:
    a[0] = partly(scaled(a[1]))
    return a[0]


@pytest.mark.skipif(IDENTITY, reason="about compiled code")
def test_arrays_that_share_memory_are_named_with_the_line() -> None:
    a = np.arange(1.0, 5.0)
    with pytest.raises(sol.UnsupportedError) as e:
        sol.jit(overlapping, strict=True, target=TARGET)(a)
    assert "the array 'TABLE', which is no argument, shares memory with the array 'PART'" in str(e.value)
    assert "return x * TABLE[0]\n" in str(e.value)
    with pytest.raises(sol.UnsupportedError, match="shares memory with the argument 'a'"):
        sol.jit(by_helpers, strict=True, target=TARGET)(TABLE)
