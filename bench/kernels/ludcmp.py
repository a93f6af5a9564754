"""LU factors without pivoting, then forward and backward substitution."""

import numpy as np

PRESETS = {
    "tiny": {"N": 9},
    "S": {"N": 60},
    "M": {"N": 220},
    "L": {"N": 650},
    "paper": {"N": 2000},
}
CHANGES = ("A",)


def initialize(N):
    rng = np.random.default_rng(7)
    return {"A": rng.random((N, N)) + N * np.eye(N), "b": rng.random(N)}


def ludcmp(A, b):
    n = len(b)
    for i in range(n):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[:j, j]) / A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    y = np.zeros_like(b)
    for i in range(n):
        y[i] = b[i] - A[i, :i] @ y[:i]
    x = np.zeros_like(b)
    for i in reversed(range(n)):
        x[i] = (y[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return x, y
