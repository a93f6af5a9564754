"""Statistics: clusters by k-means, with broadcasting as in textbooks."""

import numpy as np

PRESETS = {"tiny": {"n": 30, "k": 3}, "S": {"n": 2_000, "k": 5}, "M": {"n": 50_000, "k": 10}}
CHANGES = ()


def initialize(n, k):
    rng = np.random.default_rng(18)
    middles = rng.uniform(-10, 10, (k, 3))
    return {"points": middles[rng.integers(0, k, n)] + rng.standard_normal((n, 3))}


def kmeans(points, k):
    centers = points[:k].copy()
    for _ in range(15):
        distances = ((points[:, None, :] - centers[None, :, :]) ** 2).sum(axis=2)
        nearest = distances.argmin(axis=1)
        for c in range(k):
            members = points[nearest == c]
            if len(members) > 0:
                centers[c] = members.mean(axis=0)
    inertia = np.sum((points - centers[nearest]) ** 2)
    return centers, nearest, inertia
