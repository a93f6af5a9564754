"""Ecology: many predator-prey systems at once by the classical Runge-Kutta method."""

import numpy as np

PRESETS = {"tiny": {"n": 5, "steps": 5}, "S": {"n": 200, "steps": 200}, "M": {"n": 20_000, "steps": 100}}
CHANGES = ()


def initialize(n):
    rng = np.random.default_rng(10)
    return {"start": rng.uniform(5, 15, (2, n)), "rates": rng.uniform(0.1, 0.5, (4, n)), "dt": 0.02}


def growth(state, rates):
    prey, hunters = state
    a, b, c, d = rates
    return np.stack((a * prey - b * 0.1 * prey * hunters, d * 0.1 * prey * hunters - c * hunters))


def predator_prey(start, rates, dt, steps):
    y = start.copy()
    peak = y.copy()
    for _ in range(steps):
        k1 = growth(y, rates)
        k2 = growth(y + 0.5 * dt * k1, rates)
        k3 = growth(y + 0.5 * dt * k2, rates)
        k4 = growth(y + dt * k3, rates)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        peak = np.maximum(peak, y)
    return y, peak
