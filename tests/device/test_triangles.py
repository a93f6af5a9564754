"""Loops over triangles as grids of threads: right at every size, and with a thread for each element."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls


def mirrored(a: Any, b: Any) -> None:
    for i in range(a.shape[0]):
        b[i:, i] = b[i, i:] = a[i, i:] * 2.0


def halves(a: Any, b: Any) -> None:
    n = len(a)
    for i in range(n):
        for j in range(i, n):
            b[i, j] = a[j, i] + i
    for i in range(n):
        for j in range(i):
            b[i, j] = a[j, i] - j


def running_ends(a: Any, b: Any) -> Any:
    n = len(a)
    count = 0
    for i in range(n):
        for j in range(n - i):
            b[i, j] += a[i, i + j]
            count += 1
        for j in range(i + 1):
            a[j, i] = 0.5
    return count


def rows_that_may_be_empty(a: Any, b: Any) -> None:
    n = len(a)
    for i in range(n):
        for j in range(i - 3, 2 * i - 5):
            if 0 <= j < n:
                b[i, j] = a[j, i]


def columns(a: Any, b: Any) -> None:
    for i in range(1, a.shape[0]):
        b[:i, i] = a[:i, i] / i
        b[i, :i] = a[:i, i] * i


FUNCTIONS = (mirrored, halves, running_ends, rows_that_may_be_empty, columns)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_triangles(gpu: Device, fake: Controls, f: Any) -> None:
    g = sol.jit(device="emulated", offload="always", strict=True)(f)
    for n in (1, 2, 17, 70):
        a = np.random.default_rng(n).random((n, n))
        mine, its = (a.copy(), a[::-1].copy()), (a.copy(), a[::-1].copy())
        assert g(*mine) == f(*its)
        for x, y in zip(mine, its):
            np.testing.assert_array_equal(x, y)


def test_each_element_has_a_thread(gpu: Device, fake: Controls) -> None:
    g = sol.jit(device="emulated", offload="always", strict=True)(mirrored)
    g(np.ones((20, 20)), np.zeros((20, 20)))
    (kernel,) = [line for line in g.ir().splitlines() if '"grid"' in line]
    assert 'schedule("grid", "grid")' in kernel
