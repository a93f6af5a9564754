"""Rank-two update of a matrix, then two products with it."""

import numpy as np

PRESETS = {
    "tiny": {"N": 9},
    "S": {"N": 1000},
    "M": {"N": 3000},
    "L": {"N": 10000},
    "paper": {"N": 8000},
}
CHANGES = ("A", "w", "x")


def initialize(N):
    rng = np.random.default_rng(7)
    vectors = {name: rng.random(N) for name in ("u1", "v1", "u2", "v2", "y", "z")}
    return vectors | {"alpha": 1.5, "beta": 1.2, "A": rng.random((N, N)), "w": np.zeros(N), "x": np.zeros(N)}


def gemver(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    A += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * (A.T @ y) + z
    w += alpha * (A @ x)
