"""Physics: molecules in a periodic box with a cut-off Lennard-Jones force, velocity Verlet."""

import numpy as np

PRESETS = {"tiny": {"n": 8, "steps": 2}, "S": {"n": 64, "steps": 5}, "M": {"n": 125, "steps": 8}}
CHANGES = ("x", "v")


def initialize(n, steps):
    side = int(np.ceil(n ** (1 / 3)))
    grid = np.arange(side) * 1.2
    x = np.array([[a, b, c] for a in grid for b in grid for c in grid])[:n]
    return {"x": x, "v": 0.1 * np.random.default_rng(2).standard_normal((n, 3)), "box": side * 1.2, "dt": 0.002}


def forces(x, box, cutoff):
    n = len(x)
    f = np.zeros_like(x)
    potential = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            d = x[i] - x[j]
            d -= box * np.round(d / box)
            r2 = d @ d
            if r2 < cutoff**2:
                s6 = (1.0 / r2) ** 3
                push = 24 * s6 * (2 * s6 - 1) / r2
                f[i] += push * d
                f[j] -= push * d
                potential += 4 * s6 * (s6 - 1)
    return f, potential


def lennard_jones(x, v, box, dt, steps):
    f, potential = forces(x, box, 2.5)
    energies = []
    for _ in range(steps):
        v += 0.5 * dt * f
        x += dt * v
        f, potential = forces(x, box, 2.5)
        v += 0.5 * dt * f
        energies.append(potential + 0.5 * (v**2).sum())
    return np.array(energies)
