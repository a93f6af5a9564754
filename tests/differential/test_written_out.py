"""NumPy's own Python functions inside programs: one number at a time in loops, and fused with what is around them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check, compiled

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
    check(f, RNG.random(150_000), RNG.random(150_000), 70_000)


def test_the_slope_of_a_field() -> None:
    def f(u: np.ndarray, h: float) -> Any:
        dy, dx = np.gradient(u, h)
        return np.sqrt(dx * dx + dy * dy), np.nanmean(np.where(u > 0.5, u, np.nan)), np.polyval(u[0], h)

    check(f, RNG.random((20, 30)), 0.25, rtol=1e-15)


def test_median_of_vectors() -> None:
    def f(a):
        return np.median(a)

    def rows(a):
        out = np.empty(a.shape[0])
        for i in range(a.shape[0]):
            out[i] = np.median(a[i])
        return out, np.median(a), np.median(a[0], axis=0), np.median(a[:, 1:3]), np.median(a, axis=1)

    rng = np.random.default_rng(0)
    calls = []
    for n in (1, 2, 3, 10, 64, 65, 201):
        x = rng.random(n)
        calls += [(x,), (x * 9 // 1 - 4,), (np.where(x < 0.5, -0.0, 0.0),), (x * 1.7e308,), (x[::-1],)]
        calls += [
            (np.where(x < 0.2, np.nan, x),),
            (x.astype("f"),),
            ((x * 200).astype("B"),),
            (np.where(x < 0.3, -np.inf, np.inf),),
        ]
    calls += [(rng.random((3, 4)).T,), (np.array([True, False]),)]
    check(f, *calls[0], also=calls[1:])
    check(f, np.zeros(0))
    check(rows, rng.random((20, 9)), also=[(rng.random((3, 100)).T.astype(int),), (np.full((3, 4), np.nan),)])


def test_interpolation_where_numbers_are_missing_or_not_sorted() -> None:
    def f(x: float, xp: np.ndarray, fp: np.ndarray) -> Any:
        return np.interp(x, xp, fp), np.interp(x, xp, fp, left=-1.0, right=-2.0)

    jitted = compiled(f, target="null")
    rng, places = np.random.default_rng(5), np.array([0, 1, 2, 3, 4, 5, 6.5, 7, 8, 9, np.nan, np.inf, -np.inf])
    for k in range(1500):
        n = int(rng.integers(1, 15))
        xp, fp = rng.choice(places, n), rng.choice(places, n)
        x = float(rng.choice([0, 0.5, 1, 3, 3.3, 6.5, 8.2, np.nan, np.inf]))
        xp = np.sort(xp) if k % 2 else xp
        assert repr(jitted(x, xp, fp)) == repr(f(x, xp, fp)), (x, xp, fp)
