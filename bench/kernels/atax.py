"""Aᵀ (A x): two products with one matrix."""

import numpy as np

PRESETS = {
    "tiny": {"M": 7, "N": 5},
    "S": {"M": 4000, "N": 5000},
    "M": {"M": 10000, "N": 12500},
    "L": {"M": 20000, "N": 25000},
    "paper": {"M": 18000, "N": 22000},
}
CHANGES = ()


def initialize(M, N):
    rng = np.random.default_rng(7)
    return {"A": rng.random((M, N)), "x": rng.random(N)}


def atax(A, x):
    return A.T @ (A @ x)
