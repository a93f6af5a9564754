"""Two vectors updated with a matrix and with its transpose."""

import numpy as np

PRESETS = {
    "tiny": {"N": 9},
    "S": {"N": 5500},
    "M": {"N": 11000},
    "L": {"N": 22000},
    "paper": {"N": 16000},
}
CHANGES = ("x1", "x2")


def initialize(N):
    rng = np.random.default_rng(7)
    return {name: rng.random(N) for name in ("x1", "x2", "y_1", "y_2")} | {"A": rng.random((N, N))}


def mvt(x1, x2, y_1, y_2, A):
    x1 += A @ y_1
    x2 += A.T @ y_2
