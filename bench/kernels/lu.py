"""LU factors without pivoting, in place."""

import numpy as np

PRESETS = {
    "tiny": {"N": 9},
    "S": {"N": 60},
    "M": {"N": 220},
    "L": {"N": 700},
    "paper": {"N": 2000},
}
CHANGES = ("A",)


def initialize(N):
    return {"A": np.random.default_rng(7).random((N, N)) + N * np.eye(N)}


def lu(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[:j, j]) / A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
