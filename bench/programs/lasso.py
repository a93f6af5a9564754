"""Optimization: sparse regression by coordinate descent with soft thresholds."""

import numpy as np

PRESETS = {"tiny": {"n": 20, "p": 5}, "S": {"n": 200, "p": 40}, "M": {"n": 1_000, "p": 300}}
CHANGES = ()


def initialize(n, p):
    rng = np.random.default_rng(22)
    X = rng.standard_normal((n, p))
    truth = np.where(rng.random(p) < 0.2, 2.0, 0.0)
    return {"X": X, "y": X @ truth + 0.1 * rng.standard_normal(n), "penalty": 0.1}


def soft(x, t):
    if x > t:
        return x - t
    if x < -t:
        return x + t
    return 0.0


def lasso(X, y, penalty):
    n, p = X.shape
    beta = np.zeros(p)
    residual = y.copy()
    norms = (X**2).sum(axis=0) / n
    for sweep in range(50):
        largest = 0.0
        for j in range(p):
            old = beta[j]
            rho = X[:, j] @ residual / n + norms[j] * old
            beta[j] = soft(rho, penalty) / norms[j]
            if beta[j] != old:
                residual -= X[:, j] * (beta[j] - old)
                largest = max(largest, abs(beta[j] - old))
        if largest < 1e-6:
            break
    return beta, sweep
