"""B := alpha Aᵀ B for a unit lower triangular A, in place."""

import numpy as np

PRESETS = {
    "tiny": {"M": 6, "N": 7},
    "S": {"M": 65, "N": 80},
    "M": {"M": 200, "N": 250},
    "L": {"M": 600, "N": 700},
    "paper": {"M": 1000, "N": 1200},
}
CHANGES = ("B",)


def initialize(M, N):
    rng = np.random.default_rng(7)
    return {"alpha": 1.5, "A": rng.random((M, M)), "B": rng.random((M, N))}


def trmm(alpha, A, B):
    rows, columns = B.shape
    for i in range(rows):
        for j in range(columns):
            B[i, j] += A[i + 1 :, i] @ B[i + 1 :, j]
    B *= alpha
