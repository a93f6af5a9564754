"""Integer arithmetic on two arrays with a clipped one: an elementwise statement."""

import numpy as np

PRESETS = {
    "tiny": {"M": 7, "N": 9},
    "S": {"M": 2000, "N": 2000},
    "M": {"M": 5000, "N": 5000},
    "L": {"M": 16000, "N": 16000},
    "paper": {"M": 12500, "N": 12500},
}
CHANGES = ()


def initialize(M, N):
    rng = np.random.default_rng(7)
    return {
        "array_1": rng.integers(0, 1000, (M, N)),
        "array_2": rng.integers(0, 1000, (M, N)),
        "a": np.int64(4),
        "b": np.int64(3),
        "c": np.int64(9),
    }


def compute(array_1, array_2, a, b, c):
    return a * np.clip(array_1, 2, 10) + b * array_2 + c
