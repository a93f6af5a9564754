"""Time series: the dynamic time warping distance of two recordings, within a band, and the path."""

import numpy as np

PRESETS = {"tiny": {"n": 12}, "S": {"n": 100}, "M": {"n": 800}}
CHANGES = ()


def initialize(n):
    t = np.linspace(0, 6, n)
    return {"a": np.sin(t), "b": np.sin(t**1.1) + 0.05 * np.cos(9 * t), "band": n // 4}


def time_warping(a, b, band):
    n, m = len(a), len(b)
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0
    for i in range(1, n + 1):
        for j in range(max(1, i - band), min(m, i + band) + 1):
            d = abs(a[i - 1] - b[j - 1])
            cost[i, j] = d + min(cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1])
    path = [(n, m)]
    i, j = n, m
    while i > 1 or j > 1:
        steps = [(cost[i - 1, j - 1], i - 1, j - 1), (cost[i - 1, j], i - 1, j), (cost[i, j - 1], i, j - 1)]
        _, i, j = min(steps)
        path.append((i, j))
    return cost[n, m], np.array(path[::-1])
