"""NumPy's own Python functions inside programs: one number at a time in loops, and fused with what is around them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check

RNG = np.random.default_rng(3)


def test_a_driven_oscillator() -> None:
    def f(times: np.ndarray, force: np.ndarray, steps: int, dt: float) -> Any:
        x, v = 1.0, 0.0
        path = np.empty(steps)
        for k in range(steps):
            v += dt * (np.interp(k * dt, times, force) - x)
            x += dt * v
            path[k] = x
        return path, np.trapezoid(path, dx=dt), np.diff(path).max()

    check(f, np.linspace(0.0, 2.0, 9), RNG.random(9), 300, 0.01, rtol=1e-14)


def test_sampling_by_cumulated_weights() -> None:
    def f(weights: np.ndarray, draws: np.ndarray) -> Any:
        total = np.cumsum(weights)
        out = np.zeros(weights.size, np.int64)
        for u in draws:
            out[np.searchsorted(total, u * total[-1], side="right")] += 1
        return out, np.bincount(out, minlength=3)

    check(f, RNG.random(12), RNG.random(400))


def test_an_azimuthal_mean() -> None:
    def f(data: np.ndarray, radius: np.ndarray, n: int) -> Any:
        return np.histogram(radius, n, weights=data)[0] / np.histogram(radius, n)[0]

    check(f, RNG.random(150_000), RNG.random(150_000), 64)


def test_the_slope_of_a_field() -> None:
    def f(u: np.ndarray, h: float) -> Any:
        dy, dx = np.gradient(u, h)
        return np.sqrt(dx * dx + dy * dy), np.nanmean(np.where(u > 0.5, u, np.nan)), np.polyval(u[0], h)

    check(f, RNG.random((20, 30)), 0.25, rtol=1e-15)
