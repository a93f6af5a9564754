"""A loop over time steps with branches per element: prices of an Asian option with a barrier."""

import numpy as np

import soljit as sol


@sol.jit
def price(noise, start, strike, barrier, rate, volatility, years):
    paths, steps = noise.shape
    dt = years / steps
    drift = (rate - 0.5 * volatility**2) * dt
    value = np.full(paths, start)
    total = np.zeros(paths)
    alive = np.ones(paths, dtype=np.bool_)
    for k in range(steps):
        value *= np.exp(drift + volatility * np.sqrt(dt) * noise[:, k])
        alive &= value < barrier
        total += value
    payoff = np.where(alive, np.maximum(total / steps - strike, 0.0), 0.0)
    return np.exp(-rate * years) * payoff.mean()


noise = np.random.default_rng(0).standard_normal((20_000, 64))
terms = (100.0, 100.0, 140.0, 0.03, 0.2, 1.0)
compiled, plain = price(noise, *terms), price.python(noise, *terms)
print(f"price {compiled:.10f}, with NumPy {plain:.10f}")
assert np.isclose(compiled, plain, rtol=1e-12)
