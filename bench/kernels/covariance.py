"""Covariance matrix of the columns of a data set; the data are centred in place."""

import numpy as np

PRESETS = {
    "tiny": {"M": 6, "N": 9},
    "S": {"M": 500, "N": 600},
    "M": {"M": 1400, "N": 1800},
    "L": {"M": 3200, "N": 4000},
    "paper": {"M": 1200, "N": 1400},
}
CHANGES = ("data",)


def initialize(M, N):
    return {"float_n": float(N), "data": np.random.default_rng(7).random((N, M))}


def covariance(M, float_n, data):
    data -= data.mean(axis=0)
    cov = np.zeros((M, M))
    for i in range(M):
        row = data[:, i] @ data[:, i:] / (float_n - 1.0)
        cov[i, i:] = row
        cov[i:, i] = row
    return cov
