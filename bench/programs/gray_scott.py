"""Chemistry: patterns of two substances that react and diffuse on a torus."""

import numpy as np

PRESETS = {"tiny": {"n": 12, "steps": 3}, "S": {"n": 64, "steps": 50}, "M": {"n": 256, "steps": 60}}
CHANGES = ()


def initialize(n):
    rng = np.random.default_rng(3)
    u, v = np.ones((n, n)), np.zeros((n, n))
    m = n // 3
    u[m : 2 * m, m : 2 * m], v[m : 2 * m, m : 2 * m] = 0.5, 0.25
    return {"u": u + 0.01 * rng.random((n, n)), "v": v, "feed": 0.035, "kill": 0.065}


def diffuse(a):
    return np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4 * a


def gray_scott(u, v, feed, kill, steps):
    for _ in range(steps):
        reaction = u * v * v
        u = u + 0.16 * diffuse(u) - reaction + feed * (1 - u)
        v = v + 0.08 * diffuse(v) + reaction - (feed + kill) * v
    return u, v
