"""QR factors by the modified Gram–Schmidt process; the columns of A are made orthogonal in place."""

import numpy as np

PRESETS = {
    "tiny": {"M": 9, "N": 6},
    "S": {"M": 70, "N": 60},
    "M": {"M": 220, "N": 180},
    "L": {"M": 600, "N": 500},
    "paper": {"M": 240, "N": 200},
}
CHANGES = ("A",)


def initialize(M, N):
    return {"A": np.random.default_rng(7).random((M, N)) + np.eye(M, N)}


def gramschmidt(A):
    columns = A.shape[1]
    Q = np.zeros_like(A)
    R = np.zeros((columns, columns))
    for k in range(columns):
        R[k, k] = np.sqrt(A[:, k] @ A[:, k])
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, columns):
            R[k, j] = Q[:, k] @ A[:, j]
            A[:, j] -= R[k, j] * Q[:, k]
    return Q, R
