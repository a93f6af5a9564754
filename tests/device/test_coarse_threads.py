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


def limited(a: np.ndarray, b: np.ndarray, steps: int) -> None:
    for i in range(1, a.shape[0] - 1):
        for j in range(a.shape[1]):
            slope = a[i + 1, j] - a[i, j]
            if slope * (a[i, j] - a[i - 1, j]) < 0.0:
                slope = 0.0
            for _ in range(steps):
                slope = 0.5 * slope + a[i, j]
            b[i, j] = slope


def four_dimensions(a: np.ndarray, b: np.ndarray, steps: int) -> None:
    b[1:-1] = a[2:] - a[:-2]
    a[:, 1:] = b[:, 1:] + b[:, :-1]


CASES: list[tuple[Callable[..., Any], tuple[int, ...]]] = [
    *((five_points, shape) for shape in [(3, 3), (4, 70), (37, 5), (19, 66)]),
    *((seven_points, shape) for shape in [(3, 3, 3), (11, 9, 5), (26, 4, 35), (4, 21, 3)]),
    *((limited, shape) for shape in [(3, 2), (10, 33), (29, 6)]),
    *((four_dimensions, shape) for shape in [(3, 2, 4, 5), (11, 10, 3, 2)]),
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
    assert 'schedule("unrolled"' in jitted.ir() and 'schedule("rolled"' in jitted.ir()
    assert all(np.array_equal(x, y) for x, y in zip(wanted, got))
