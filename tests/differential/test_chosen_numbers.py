"""Complex numbers that vector loops store under conditions (`passes/reordering/choose_stores.py`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import check

RNG = np.random.default_rng(4)


def escape(c: np.ndarray, limit: float, steps: int) -> Any:
    z, counts = np.zeros(c.shape, c.dtype), np.zeros(c.shape, np.int64)
    for n in range(steps):
        inside = np.less(abs(z), limit)
        counts[inside] = n
        z[inside] = z[inside] ** 2 + c[inside]
    return z, counts


def julia(c: np.ndarray, limit: float, steps: int) -> Any:
    z = c.copy()
    for _ in range(steps):
        z = np.where(abs(z) < limit, z * z + c, z)
    return z


@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
@pytest.mark.parametrize("f", [escape, julia])
def test_points_that_stay(f: Any, dtype: type) -> None:
    for shape in ((0,), (1,), (7,), (33,), (20, 41)):
        c = (RNG.random(shape) * 3 - 2 + 1j * (RNG.random(shape) * 2 - 1)).astype(dtype)
        check(f, c, 2.0, 30)


def test_signs_and_nans_stay() -> None:
    odd = [complex(a, b) for a in (0.0, -0.0, np.nan, np.inf, -np.inf, 1.5) for b in (0.0, -0.0, np.nan, -np.inf, 2.0)]
    check(escape, np.array(odd), 2.0, 4)
    check(julia, np.array(odd), 2.0, 4)


def test_places_that_are_not_there() -> None:
    def f(c: np.ndarray, d: np.ndarray, limit: float) -> Any:
        z = c.copy()
        for i in range(c.size):
            if abs(z[i]) < limit and i < d.size:
                z[i] = z[i] * d[i]
        return z

    check(f, RNG.random(50) + 1j, RNG.random(20) + 0.5j, 1.2)


def test_vectors_are_told() -> None:
    f = sol.jit(escape)
    f(RNG.random(50) + 1j, 2.0, 5)
    assert "sol_chosen" in f.source()
