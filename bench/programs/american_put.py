"""Finance: an American put on a binomial tree, and the boundary of early exercise."""

import numpy as np

PRESETS = {"tiny": {"steps": 10}, "S": {"steps": 150}, "M": {"steps": 1_000}}
CHANGES = ()


def initialize(steps):
    return {"s0": 100.0, "strike": 110.0, "r": 0.04, "sigma": 0.2, "years": 1.0}


def american_put(s0, strike, r, sigma, years, steps):
    dt = years / steps
    up = np.exp(sigma * np.sqrt(dt))
    p = (np.exp(r * dt) - 1 / up) / (up - 1 / up)
    discount = np.exp(-r * dt)
    values = [max(0.0, strike - s0 * up ** (2 * j - steps)) for j in range(steps + 1)]
    boundary = np.zeros(steps)
    for i in range(steps - 1, -1, -1):
        for j in range(i + 1):
            hold = discount * (p * values[j + 1] + (1 - p) * values[j])
            price = s0 * up ** (2 * j - i)
            exercise = strike - price
            if exercise > hold:
                values[j] = exercise
                boundary[i] = max(boundary[i], price)
            else:
                values[j] = hold
    return values[0], boundary
