"""Kernels whose threads do several iterations of an outer loop: stencils of all shapes, with lengths that no piece fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
import soljit.passes.device.coarsen_threads as coarsen_threads


def five_points(a: np.ndarray, b: np.ndarray, steps: int) -> None:
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = b[1:-1, 1:-1] - b[:-2, 1:-1]


def seven_points(a: np.ndarray, b: np.ndarray, steps: int) -> None:
    for _ in range(steps):
        b[1:-1, 1:-1, 1:-1] = a[2:, 1:-1, 1:-1] - a[:-2, 1:-1, 1:-1] + a[1:-1, 2:, 1:-1] * a[1:-1, :-2, 1:-1]
        a[:, 1:] = b[:, 1:] - b[:, :-1]


def backwards(a: np.ndarray, b: np.ndarray, steps: int) -> None:
    b[::-1, 2:] = a[:, 2:] + a[:, :-2]
    b[1:] += a[1:] * a[:-1]


CASES: list[tuple[Callable[..., Any], tuple[int, ...]]] = [
    *((five_points, shape) for shape in [(3, 3), (4, 70), (37, 5), (19, 66)]),
    *((seven_points, shape) for shape in [(3, 3, 3), (11, 9, 5), (26, 4, 35), (4, 21, 3)]),
    *((backwards, shape) for shape in [(7, 9), (2, 3), (23, 5, 3)]),
]


@pytest.mark.parametrize(("f", "shape"), CASES)
@pytest.mark.parametrize("busy", [1, 50])
def test_stencils(f: Callable[..., Any], shape: tuple[int, ...], busy: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coarsen_threads, "BUSY", busy)
    a, b = np.random.default_rng(3).random((2, *shape))
    wanted, got = (a.copy(), b.copy()), (a.copy(), b.copy())
    f(*wanted, 3)
    jitted = sol.jit(device="emulated", offload="always", strict=True, cache=False)(f)
    jitted(*got, 3)
    assert "some" in jitted.ir() and 'schedule("grid", "grid", ' in jitted.ir()
    assert all(np.array_equal(x, y) for x, y in zip(wanted, got))
