"""Physics: waves on a damped square membrane with a fixed border."""

import numpy as np

PRESETS = {"tiny": {"n": 8, "steps": 4}, "S": {"n": 100, "steps": 50}, "M": {"n": 400, "steps": 100}}
CHANGES = ()


def initialize(n):
    x = np.linspace(-1, 1, n)
    return {"u0": np.exp(-20 * (x[:, None] ** 2 + (x - 0.2) ** 2)), "c": 0.5, "damping": 0.01}


def laplacian(u):
    return u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]


def membrane(u0, c, damping, steps):
    u = u0.copy()
    before = u0.copy()
    loudness = np.empty(steps)
    for t in range(steps):
        after = np.zeros_like(u)
        after[1:-1, 1:-1] = (2 - damping) * u[1:-1, 1:-1] - (1 - damping) * before[1:-1, 1:-1] + c**2 * laplacian(u)
        before, u = u, after
        loudness[t] = np.sqrt(np.mean(u**2))
    return u, loudness
