"""Image processing: Sobel gradients, thinned edges, and thresholds with hysteresis."""

import numpy as np

PRESETS = {"tiny": {"n": 16}, "S": {"n": 100}, "M": {"n": 400}}
CHANGES = ()


def initialize(n):
    y, x = np.mgrid[0:n, 0:n] / n
    disc = ((x - 0.5) ** 2 + (y - 0.4) ** 2 < 0.08).astype(float)
    return {"image": disc + 0.1 * np.random.default_rng(14).random((n, n)), "low": 0.6, "high": 1.5}


def gradients(a):
    gx = (a[:-2, 2:] + 2 * a[1:-1, 2:] + a[2:, 2:]) - (a[:-2, :-2] + 2 * a[1:-1, :-2] + a[2:, :-2])
    gy = (a[2:, :-2] + 2 * a[2:, 1:-1] + a[2:, 2:]) - (a[:-2, :-2] + 2 * a[:-2, 1:-1] + a[:-2, 2:])
    return gx, gy


def edge_detection(image, low, high):
    gx, gy = gradients(image)
    strength = np.hypot(gx, gy)
    direction = np.round(np.arctan2(gy, gx) * 4 / np.pi).astype(int) % 4
    steps = [(0, 1), (1, 1), (1, 0), (1, -1)]
    thin = np.zeros_like(strength)
    for i in range(1, strength.shape[0] - 1):
        for j in range(1, strength.shape[1] - 1):
            di, dj = steps[direction[i, j]]
            s = strength[i, j]
            if s >= strength[i + di, j + dj] and s >= strength[i - di, j - dj]:
                thin[i, j] = s
    edges = thin >= high
    changed = True
    while changed:
        wide = edges.copy()
        wide[1:] |= edges[:-1]
        wide[:-1] |= edges[1:]
        wide[:, 1:] |= edges[:, :-1]
        wide[:, :-1] |= edges[:, 1:]
        grown = wide & (thin >= low)
        changed = bool((grown != edges).any())
        edges = grown
    return edges
