"""Covariance matrix of the columns of a data set, by the library."""

import numpy as np

PRESETS = {
    "tiny": {"M": 6, "N": 9},
    "S": {"M": 500, "N": 600},
    "M": {"M": 1400, "N": 1800},
    "L": {"M": 3200, "N": 4000},
    "paper": {"M": 1200, "N": 1400},
}
CHANGES = ()


def initialize(M, N):
    return {"float_n": float(N), "data": np.random.default_rng(7).random((N, M))}


def covariance2(M, float_n, data):
    return np.cov(data.T)
