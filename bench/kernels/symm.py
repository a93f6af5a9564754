"""C := alpha A B + beta C for a symmetric A of which only the lower half is read."""

import numpy as np

PRESETS = {
    "tiny": {"M": 6, "N": 7},
    "S": {"M": 40, "N": 50},
    "M": {"M": 120, "N": 150},
    "L": {"M": 350, "N": 550},
    "paper": {"M": 1000, "N": 1200},
}
CHANGES = ("C",)


def initialize(M, N):
    rng = np.random.default_rng(7)
    A = np.tril(rng.random((M, M))) + np.triu(np.full((M, M), -999.0), 1)
    return {"alpha": 1.5, "beta": 1.2, "C": rng.random((M, N)), "A": A, "B": rng.random((M, N))}


def symm(alpha, beta, C, A, B):
    rows, columns = C.shape
    C *= beta
    below = np.empty(columns)
    for i in range(rows):
        for j in range(columns):
            C[:i, j] += alpha * B[i, j] * A[i, :i]
            below[j] = A[i, :i] @ B[:i, j]
        C[i] += alpha * (A[i, i] * B[i] + below)
