"""Linear algebra: a QR decomposition by reflections, and least squares with it."""

import numpy as np

PRESETS = {"tiny": {"m": 8, "n": 4}, "S": {"m": 60, "n": 30}, "M": {"m": 600, "n": 300}}
CHANGES = ()


def initialize(m, n):
    rng = np.random.default_rng(23)
    return {"A": rng.standard_normal((m, n)), "b": rng.standard_normal(m)}


def householder_qr(A, b):
    m, n = A.shape
    R = A.copy()
    y = b.copy()
    for k in range(n):
        v = R[k:, k].copy()
        v[0] += np.copysign(np.linalg.norm(v), v[0])
        v /= np.linalg.norm(v)
        R[k:, k:] -= 2 * np.outer(v, v @ R[k:, k:])
        y[k:] -= 2 * v * (v @ y[k:])
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - R[i, i + 1 : n] @ x[i + 1 :]) / R[i, i]
    return x, np.triu(R[:n]), np.linalg.norm(y[n:])
