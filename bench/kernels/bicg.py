"""The two products of a biconjugate gradient step: Aᵀ r and A p."""

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
    return {"A": rng.random((N, M)), "p": rng.random(M), "r": rng.random(N)}


def bicg(A, p, r):
    return A.T @ r, A @ p
