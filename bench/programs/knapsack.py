"""Optimization: what to take along, by dynamic programming over weights."""

import numpy as np

PRESETS = {"tiny": {"n": 5, "capacity": 20}, "S": {"n": 40, "capacity": 500}, "M": {"n": 100, "capacity": 6_000}}
CHANGES = ()


def initialize(n):
    rng = np.random.default_rng(34)
    return {"weights": rng.integers(1, 60, n), "values": rng.integers(1, 100, n)}


def knapsack(weights, values, capacity):
    n = len(weights)
    best = np.zeros((n + 1, capacity + 1), dtype=np.int64)
    for i in range(1, n + 1):
        for c in range(capacity + 1):
            best[i, c] = best[i - 1, c]
            if weights[i - 1] <= c:
                taken = best[i - 1, c - weights[i - 1]] + values[i - 1]
                if taken > best[i, c]:
                    best[i, c] = taken
    chosen = []
    c = capacity
    for i in range(n, 0, -1):
        if best[i, c] != best[i - 1, c]:
            chosen.append(i - 1)
            c -= weights[i - 1]
    return best[n, capacity], np.array(chosen)
