"""Cholesky factor of a positive definite matrix, row by row, in the lower half of its own memory."""

import numpy as np

PRESETS = {
    "tiny": {"N": 9},
    "S": {"N": 100},
    "M": {"N": 300},
    "L": {"N": 900},
    "paper": {"N": 2000},
}
CHANGES = ("A",)


def initialize(N):
    lower = np.tril(np.random.default_rng(7).random((N, N)), -1) / N + np.eye(N)
    return {"A": lower @ lower.T}


def cholesky(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[j, :j]) / A[j, j]
        A[i, i] = np.sqrt(A[i, i] - A[i, :i] @ A[i, :i])
