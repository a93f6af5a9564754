"""Azimuthal integration: the mean of `data` in each of `npt` rings of `radius`, by histograms."""

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


def azimint_hist(data, radius, npt):
    count, _ = np.histogram(radius, bins=npt)
    total, _ = np.histogram(radius, bins=npt, weights=data)
    return total / count
