"""Matrix of correlation coefficients of the columns of a data set; the data are standardized in place."""

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


def correlation(M, float_n, data):
    spread = data.std(axis=0)
    spread[spread <= 0.1] = 1.0
    data -= data.mean(axis=0)
    data /= np.sqrt(float_n) * spread
    corr = np.eye(M)
    for i in range(M - 1):
        row = data[:, i] @ data[:, i + 1 :]
        corr[i, i + 1 :] = row
        corr[i + 1 :, i] = row
    return corr
