"""Three dense layers and a softmax."""

import numpy as np

PRESETS = {
    "tiny": {"C_in": 3, "N": 2, "S0": 8, "S1": 7, "S2": 6},
    "S": {"C_in": 3, "N": 8, "S0": 30000, "S1": 2000, "S2": 2000},
    "M": {"C_in": 3, "N": 8, "S0": 30000, "S1": 10000, "S2": 10000},
    "L": {"C_in": 3, "N": 8, "S0": 30000, "S1": 30000, "S2": 30000},
    "paper": {"C_in": 3, "N": 8, "S0": 30000, "S1": 10000, "S2": 1000},
}
CHANGES = ()
TOLERANCE = 1e-4


def initialize(C_in, N, S0, S1, S2):
    rng = np.random.default_rng(7)
    arrays = {"x": rng.random((N, C_in), dtype=np.float32)}
    for k, (rows, columns) in enumerate(((C_in, S0), (S0, S1), (S1, S2)), 1):
        arrays[f"w{k}"] = (rng.random((rows, columns), dtype=np.float32) - np.float32(0.5)) / np.float32(rows) ** 0.5
        arrays[f"b{k}"] = rng.random(columns, dtype=np.float32)
    return arrays


def relu(x):
    return np.maximum(x, 0)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def mlp(x, w1, b1, w2, b2, w3, b3):
    x = relu(x @ w1 + b1)
    x = relu(x @ w2 + b2)
    return softmax(x @ w3 + b3)
