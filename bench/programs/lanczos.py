"""Linear algebra: the largest eigenvalues of a sparse symmetric matrix from a Krylov space."""

import numpy as np

PRESETS = {"tiny": {"n": 20, "k": 5}, "S": {"n": 500, "k": 20}, "M": {"n": 6_000, "k": 15}}
CHANGES = ()
TOLERANCE = 1e-6


def initialize(n):
    rng = np.random.default_rng(24)
    columns = np.concatenate((np.arange(n)[:, None], rng.integers(0, n, (n, 4))), axis=1)
    return {"columns": columns, "values": rng.random((n, 5)), "start": rng.standard_normal(n)}


def multiply(columns, values, x):
    """Half of the product; the other half is that of the transpose, since the matrix is symmetric."""
    y = np.zeros_like(x)
    for i in range(columns.shape[0]):
        for e in range(columns.shape[1]):
            j = columns[i, e]
            y[i] += values[i, e] * x[j]
            y[j] += values[i, e] * x[i]
    return y


def lanczos(columns, values, start, k):
    Q = np.zeros((k + 1, len(start)))
    alpha, beta = np.zeros(k), np.zeros(k)
    Q[0] = start / np.linalg.norm(start)
    for j in range(k):
        w = multiply(columns, values, Q[j])
        alpha[j] = w @ Q[j]
        w -= alpha[j] * Q[j]
        if j > 0:
            w -= beta[j - 1] * Q[j - 1]
        w -= Q[: j + 1].T @ (Q[: j + 1] @ w)
        beta[j] = np.linalg.norm(w)
        Q[j + 1] = w / beta[j]
    T = np.diag(alpha) + np.diag(beta[:-1], 1) + np.diag(beta[:-1], -1)
    return np.linalg.eigvalsh(T)[::-1][:3]
