"""Azimuthal integration: the mean of `data` in each of `npt` rings of `radius`, ring by ring with masks."""

import numpy as np

PRESETS = {
    "tiny": {"N": 300, "npt": 7},
    "S": {"N": 400000, "npt": 1000},
    "M": {"N": 4000000, "npt": 1000},
    "L": {"N": 40000000, "npt": 1000},
    "paper": {"N": 1000000, "npt": 1000},
}
CHANGES = ()


def initialize(N):
    rng = np.random.default_rng(7)
    return {"data": rng.random(N), "radius": rng.random(N)}


def azimint_naive(data, radius, npt):
    outer = np.max(radius)
    profile = np.zeros(npt)
    for ring in range(npt):
        low, high = outer * ring / npt, outer * (ring + 1) / npt
        inside = (radius >= low) & (radius < high)
        profile[ring] = data[inside].mean()
    return profile
