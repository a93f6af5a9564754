"""The programs of the demo: ordinary NumPy functions with ready arguments. Nothing here knows of soljit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soljit.base.records import dataclass

Array = NDArray[Any]  # annotations play no part in compilation


@dataclass(frozen=True)
class Demo:
    """A function, what it is, and how to make its arguments."""

    title: str
    function: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]]


def heat(u: Array, steps: int) -> None:
    """A stencil in a time loop."""
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])


def normal_cdf(x: Array) -> Array:
    """Cumulative normal distribution by a rational approximation."""
    t = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi) * series
    result: Array = np.where(x < 0, tail, 1.0 - tail)
    return result


def black_scholes(price: Array, strike: Array, years: Array, rate: float, volatility: float) -> tuple[Array, Array]:
    """A long elementwise formula with logarithms and exponentials."""
    spread = volatility * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + 0.5 * volatility**2) * years) / spread
    d2 = d1 - spread
    discounted = strike * np.exp(-rate * years)
    call = price * normal_cdf(d1) - discounted * normal_cdf(d2)
    return call, call - price + discounted


def gravity(pos: Array, vel: Array, mass: Array, dt: float) -> None:
    """One step of an n-body simulation: all pairs by broadcasting, then a reduction."""
    apart = pos[:, np.newaxis] - pos
    squared = (apart**2).sum(axis=2) + 1e-3
    vel -= dt * (apart * (mass / (squared * np.sqrt(squared)))[:, :, np.newaxis]).sum(axis=1)
    pos += dt * vel


def rings(radius: Array, value: Array, count: int) -> Array:
    """Means of masked parts of an array."""
    profile = np.zeros(count)
    for k in range(count):
        inside = (radius >= k / count) & (radius < (k + 1) / count)
        profile[k] = value[inside].mean()
    return profile


def layers(x: Array, w1: Array, b1: Array, w2: Array, b2: Array) -> Array:
    """A chain of matrix products with elementwise steps in between."""
    hidden = np.maximum(x @ w1 + b1, 0.0)
    score = hidden @ w2 + b2
    e = np.exp(score - score.max(axis=1, keepdims=True))
    share: Array = e / e.sum(axis=1, keepdims=True)
    return share


def edit_distance(a: Array, b: Array) -> int:
    """Dynamic programming with plain Python loops."""
    row = np.arange(len(b) + 1)
    for i in range(len(a)):
        corner = row[0]
        row[0] = i + 1
        for j in range(len(b)):
            change = corner + (a[i] != b[j])
            corner = row[j + 1]
            row[j + 1] = min(change, corner + 1, row[j] + 1)
    return int(row[len(b)])


def demos() -> list[Demo]:
    """All programs of the demo, in the order in which they run."""
    rng = np.random.default_rng(1)
    r = rng.random
    million = 1_000_000
    return [
        Demo("heat equation, 600 x 600, 100 steps", heat, lambda: (r((600, 600)), 100)),
        Demo(
            "Black-Scholes, a million options",
            black_scholes,
            lambda: (10 + 40 * r(million), 10 + 40 * r(million), 0.1 + r(million), 0.03, 0.2),
        ),
        Demo("n-body step, 400 stars", gravity, lambda: (r((400, 3)), r((400, 3)), r(400), 0.01)),
        Demo("masked means, a million points", rings, lambda: (r(million), r(million), 30)),
        Demo(
            "two dense layers and softmax",
            layers,
            lambda: (r((400, 500)), r((500, 600)) - 0.5, r(600), r((600, 50)) - 0.5, r(50)),
        ),
        Demo(
            "edit distance, 400 x 400, Python loops",
            edit_distance,
            lambda: (rng.integers(0, 4, 400), rng.integers(0, 4, 400)),
        ),
    ]
