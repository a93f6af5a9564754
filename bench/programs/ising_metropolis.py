"""Physics: a ferromagnet by the Metropolis rule, spin by spin, with random numbers drawn before."""

import numpy as np

PRESETS = {"tiny": {"n": 6, "sweeps": 3}, "S": {"n": 40, "sweeps": 20}, "M": {"n": 100, "sweeps": 25}}
CHANGES = ("spins",)


def initialize(n, sweeps):
    rng = np.random.default_rng(1)
    return {"spins": rng.choice(np.array([-1, 1]), (n, n)), "draws": rng.random((sweeps, n, n)), "beta": 0.44}


def energy_change(spins, i, j):
    n = spins.shape[0]
    neighbours = spins[(i + 1) % n, j] + spins[i - 1, j] + spins[i, (j + 1) % n] + spins[i, j - 1]
    return 2 * spins[i, j] * neighbours


def ising_metropolis(spins, draws, beta):
    n = spins.shape[0]
    magnetization = np.zeros(draws.shape[0])
    for sweep in range(draws.shape[0]):
        for i in range(n):
            for j in range(n):
                change = energy_change(spins, i, j)
                if change <= 0 or draws[sweep, i, j] < np.exp(-beta * change):
                    spins[i, j] = -spins[i, j]
        magnetization[sweep] = np.abs(spins.mean())
    return magnetization
