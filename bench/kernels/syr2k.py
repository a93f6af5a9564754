"""Symmetric rank-2k update of the lower half of C."""

import numpy as np

PRESETS = {
    "tiny": {"M": 6, "N": 7},
    "S": {"M": 35, "N": 50},
    "M": {"M": 110, "N": 140},
    "L": {"M": 350, "N": 400},
    "paper": {"M": 1000, "N": 1200},
}
CHANGES = ("C",)


def initialize(M, N):
    rng = np.random.default_rng(7)
    return {"alpha": 1.5, "beta": 1.2, "C": rng.random((N, N)), "A": rng.random((N, M)), "B": rng.random((N, M))}


def syr2k(alpha, beta, C, A, B):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += alpha * (A[: i + 1, k] * B[i, k] + B[: i + 1, k] * A[i, k])
