"""Ecology: plants on a landscape compete for space and throw seeds to their neighbourhood."""

import numpy as np

PRESETS = {"tiny": {"n": 10, "years": 2}, "S": {"n": 50, "years": 5}, "M": {"n": 60, "years": 6}}
CHANGES = ()


def initialize(n):
    rng = np.random.default_rng(11)
    return {"density": rng.random((n, n)) * (rng.random((n, n)) < 0.05), "habitat": rng.random((n, n)), "reach": 3}


def dispersal_kernel(reach):
    d = np.arange(-reach, reach + 1)
    weights = np.exp(-np.hypot(d[:, None], d[None, :]))
    return weights / weights.sum()


def seed_dispersal(density, habitat, reach, years):
    n = density.shape[0]
    kernel = dispersal_kernel(reach)
    history = np.zeros(years)
    for year in range(years):
        seeds = np.zeros_like(density)
        for i in range(n):
            for j in range(n):
                if density[i, j] > 0.001:
                    for di in range(-reach, reach + 1):
                        for dj in range(-reach, reach + 1):
                            x, y = i + di, j + dj
                            if 0 <= x < n and 0 <= y < n:
                                seeds[x, y] += 3.0 * density[i, j] * kernel[di + reach, dj + reach]
        density = np.minimum(1.0, 0.7 * density + seeds * habitat * (1 - density))
        history[year] = density.mean()
    return density, history
