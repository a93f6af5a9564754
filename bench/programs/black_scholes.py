"""Finance: prices and greeks of many European options at once."""

import numpy as np

PRESETS = {"tiny": {"n": 20}, "S": {"n": 20_000}, "M": {"n": 1_000_000}}
CHANGES = ()


def initialize(n):
    rng = np.random.default_rng(7)
    return {
        "spot": rng.uniform(50, 150, n),
        "strike": rng.uniform(50, 150, n),
        "years": rng.uniform(0.1, 2, n),
        "rate": 0.03,
        "vol": 0.25,
    }


def normal_cdf(x):
    k = 1 / (1 + 0.2316419 * np.abs(x))
    poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi) * poly
    return np.where(x >= 0, 1 - tail, tail)


def black_scholes(spot, strike, years, rate, vol):
    root = vol * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * vol**2) * years) / root
    d2 = d1 - root
    discount = np.exp(-rate * years)
    call = spot * normal_cdf(d1) - strike * discount * normal_cdf(d2)
    put = call - spot + strike * discount
    vega = spot * np.exp(-0.5 * d1**2) / np.sqrt(2 * np.pi) * np.sqrt(years)
    return call, put, vega
