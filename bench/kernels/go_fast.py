"""Add the sum of tanh over the diagonal to every element."""

import numpy as np

PRESETS = {
    "tiny": {"N": 9},
    "S": {"N": 2000},
    "M": {"N": 6000},
    "L": {"N": 20000},
    "paper": {"N": 12500},
}
CHANGES = ()


def initialize(N):
    return {"a": np.random.default_rng(7).random((N, N))}


def go_fast(a):
    total = 0.0
    for i in range(len(a)):
        total += np.tanh(a[i, i])
    return a + total
