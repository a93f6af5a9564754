"""Durbin's recursion for a Toeplitz system: each step reverses and extends the solution."""

import numpy as np

PRESETS = {
    "tiny": {"N": 12},
    "S": {"N": 1000},
    "M": {"N": 6000},
    "L": {"N": 20000},
    "paper": {"N": 16000},
}
CHANGES = ()


def initialize(N):
    return {"r": 0.3 / np.arange(1, N + 1) ** 2}  # a positive definite Toeplitz matrix with unit diagonal


def durbin(r):
    y = np.empty_like(r)
    y[0] = alpha = -r[0]
    beta = 1.0
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + r[:k][::-1] @ y[:k]) / beta
        y[:k] += alpha * y[:k][::-1]
        y[k] = alpha
    return y
