"""Symmetric rank-k update of the lower half of C."""

import numpy as np

PRESETS = {
    "tiny": {"M": 6, "N": 7},
    "S": {"M": 50, "N": 70},
    "M": {"M": 150, "N": 200},
    "L": {"M": 500, "N": 600},
    "paper": {"M": 1000, "N": 1200},
}
CHANGES = ("C",)


def initialize(M, N):
    rng = np.random.default_rng(7)
    return {"alpha": 1.5, "beta": 1.2, "C": rng.random((N, N)), "A": rng.random((N, M))}


def syrk(alpha, beta, C, A):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += (alpha * A[i, k]) * A[: i + 1, k]
