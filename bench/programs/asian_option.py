"""Finance: an Asian option by simulated paths, with an antithetic path for each."""

import numpy as np

PRESETS = {"tiny": {"paths": 10, "days": 5}, "S": {"paths": 1_000, "days": 50}, "M": {"paths": 20_000, "days": 100}}
CHANGES = ()


def initialize(paths, days):
    return {
        "z": np.random.default_rng(8).standard_normal((paths, days)),
        "s0": 100.0,
        "strike": 105.0,
        "r": 0.02,
        "sigma": 0.3,
    }


def average_price(z, s0, drift, step):
    prices = s0 * np.exp(np.cumsum(drift + step * z, axis=1))
    return prices.mean(axis=1)


def asian_option(z, s0, strike, r, sigma):
    dt = 1 / z.shape[1]
    drift, step = (r - sigma**2 / 2) * dt, sigma * np.sqrt(dt)
    payoff = np.maximum(average_price(z, s0, drift, step) - strike, 0)
    payoff += np.maximum(average_price(-z, s0, drift, step) - strike, 0)
    payoff *= np.exp(-r) / 2
    return payoff.mean(), payoff.std(ddof=1) / np.sqrt(len(payoff))
