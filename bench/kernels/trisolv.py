"""Forward substitution with a lower triangular matrix."""

import numpy as np

PRESETS = {
    "tiny": {"N": 9},
    "S": {"N": 2000},
    "M": {"N": 5000},
    "L": {"N": 14000},
    "paper": {"N": 16000},
}
CHANGES = ("x",)


def initialize(N):
    rng = np.random.default_rng(7)
    return {"L": rng.random((N, N)) + N * np.eye(N), "x": np.zeros(N), "b": rng.random(N)}


def trisolv(L, x, b):
    for i in range(len(x)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
