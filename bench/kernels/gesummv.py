"""Sum of two matrix-vector products."""

import numpy as np

PRESETS = {
    "tiny": {"N": 9},
    "S": {"N": 2000},
    "M": {"N": 4000},
    "L": {"N": 14000},
    "paper": {"N": 11200},
}
CHANGES = ()


def initialize(N):
    rng = np.random.default_rng(7)
    return {"alpha": 1.5, "beta": 1.2, "A": rng.random((N, N)), "B": rng.random((N, N)), "x": rng.random(N)}


def gesummv(alpha, beta, A, B, x):
    return alpha * (A @ x) + beta * (B @ x)
