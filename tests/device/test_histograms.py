"""Loops and functions that count on a device: threads add integers at the same time, and what raises is found before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls


def jitted(f: Callable[..., Any]) -> Any:
    return sol.jit(device="emulated", offload="always", strict=True)(f)


@jitted
def counted(h: Any, x: Any) -> Any:
    for i in range(x.shape[0]):
        h[x[i]] += 1
    return h


@jitted
def weighted(h: Any, x: Any, w: Any) -> Any:
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            h[x[i, j], 1] -= w[i, j]
    return h


@jitted
def added(h: Any, x: Any, w: Any) -> Any:
    np.add.at(h, x, w)
    return h


@jitted
def bins(x: Any) -> Any:
    return np.bincount(x)


@jitted
def looked_up(h: Any, x: Any, table: Any, y: Any) -> Any:
    for i in range(x.shape[0]):
        h[x[i]] += table[y[i]]
    return h


def same(f: Any, *arguments: Any) -> int:
    """Call a jitted function, compare with Python, exceptions and changed arguments, too; how many kernels ran."""
    mine, theirs = ([np.copy(a) for a in arguments] for _ in range(2))
    sol.device.stats(reset=True)
    got, want = outcome(f, mine), outcome(f.python, theirs)
    assert str(got) == str(want)
    for a, b in zip(mine, theirs):
        assert a.dtype == b.dtype and np.array_equal(a, b)
    return int(sol.device.stats()["launches"])


def outcome(f: Any, arguments: list[Any]) -> Any:
    try:
        return f(*arguments)
    except Exception as e:
        return repr(e)


def places(*shape: int, low: int = 0, high: int = 10) -> Any:
    return np.random.default_rng(1).integers(low, high, shape)


@pytest.mark.parametrize("t", [np.int32, np.uint32, np.int64, np.uint64])
def test_types_that_threads_add_at_the_same_time(gpu: Device, fake: Controls, t: Any) -> None:
    assert same(counted, np.zeros(10, t), places(300)) > 0
    assert same(added, np.full(10, 7, t), places(300), places(300).astype(t)) > 0


@pytest.mark.parametrize("t", [np.int8, np.uint16, np.float64, np.float32])
def test_other_types_stay_in_order(gpu: Device, fake: Controls, t: Any) -> None:
    f = jitted(counted.python)  # whose explain() speaks of this type alone
    same(f, np.zeros(10, t), places(300))
    why = "iterations stay in order" if np.dtype(t).kind == "f" else "all iterations add to the same elements"
    assert why in f.explain()


def test_sums_wrap_around(gpu: Device, fake: Controls) -> None:
    same(added, np.full(10, np.iinfo(np.int64).max), places(100), np.full(100, np.iinfo(np.int64).max // 3))


def test_places_that_count_from_the_end(gpu: Device, fake: Controls) -> None:
    assert same(counted, np.zeros(10, int), places(100, low=-10)) > 0


def test_nests(gpu: Device, fake: Controls) -> None:
    assert same(weighted, np.zeros((10, 3), int), places(20, 30), places(20, 30)) > 0
    same(weighted, np.zeros((10, 3), int), places(0, 30), places(0, 30))
    same(weighted, np.zeros((10, 3), int), places(5, 0), places(5, 0))


def test_functions_of_numpy(gpu: Device, fake: Controls) -> None:
    assert same(bins, places(500)) > 0
    same(bins, np.array([3, -1]))
    assert same(jitted(lambda x: np.histogram(x, 7)), np.random.default_rng(2).random(100)) > 0


@pytest.mark.parametrize("at", [0, 1, 57, 99])
@pytest.mark.parametrize("value", [10, -11, 1 << 40])
def test_what_comes_before_an_error_has_happened(gpu: Device, fake: Controls, at: int, value: int) -> None:
    x = places(100)
    x[at] = value
    if at == 57:
        x[80] = 99
    assert same(counted, np.zeros(10, int), x) > 0


@pytest.mark.parametrize("at", [(0, 0), (3, 4), (9, 9)])
def test_errors_in_nests(gpu: Device, fake: Controls, at: tuple[int, int]) -> None:
    x = places(10, 10)
    x[at] = 10
    same(weighted, np.zeros((10, 3), int), x, places(10, 10))


def test_the_first_of_several_checks_raises(gpu: Device, fake: Controls) -> None:
    for x_at, y_at in ((5, 5), (5, 4), (4, 5), (99, 5)):
        x, y = places(50), places(50)
        x[min(x_at, 49)], y[y_at] = 77 if x_at < 50 else x[49], 88
        same(looked_up, np.zeros(10, int), x, np.arange(10), y)


def test_arguments_that_share_memory(gpu: Device, fake: Controls) -> None:
    for first, second in ((slice(0, 30), slice(0, 30)), (slice(0, 20), slice(10, 30))):
        got, want = places(30, high=30), places(30, high=30)
        outcomes = [outcome(f, [a[first], a[second]]) for f, a in ((counted, got), (counted.python, want))]
        assert str(outcomes[0]) == str(outcomes[1]) and np.array_equal(got, want)
