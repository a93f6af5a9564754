"""Stars under their own gravity: leapfrog steps, with the kinetic and the potential energy after each."""

import numpy as np

PRESETS = {
    "tiny": {"N": 6, "tEnd": 0.2, "dt": 0.05, "softening": 0.1, "G": 1.0},
    "S": {"N": 25, "tEnd": 2.0, "dt": 0.05, "softening": 0.1, "G": 1.0},
    "M": {"N": 50, "tEnd": 5.0, "dt": 0.02, "softening": 0.1, "G": 1.0},
    "L": {"N": 100, "tEnd": 9.0, "dt": 0.01, "softening": 0.1, "G": 1.0},
    "paper": {"N": 100, "tEnd": 10.0, "dt": 0.01, "softening": 0.1, "G": 1.0},
}
CHANGES = ("pos", "vel")
TOLERANCE = 1e-6


def initialize(N, tEnd, dt):
    rng = np.random.default_rng(7)
    return {
        "mass": np.full((N, 1), 20.0 / N),
        "pos": rng.random((N, 3)),
        "vel": rng.random((N, 3)),
        "Nt": int(np.ceil(tEnd / dt)),
    }


def acceleration(pos, mass, G, softening):
    apart = pos - pos[:, np.newaxis]  # apart[i, j] points from star i to star j
    squared = np.sum(apart**2, axis=2) + softening**2
    pull = G * mass[:, 0] * squared**-1.5
    return np.sum(apart * pull[:, :, np.newaxis], axis=1)


def energies(pos, vel, mass, G):
    kinetic = 0.5 * np.sum(mass * vel**2)
    distance = np.sqrt(np.sum((pos - pos[:, np.newaxis]) ** 2, axis=2))
    inverse = np.zeros_like(distance)
    apart = distance > 0
    inverse[apart] = 1.0 / distance[apart]
    potential = -0.5 * G * np.sum(mass * mass.T * inverse)  # every pair stands in the matrix twice
    return kinetic, potential


def nbody(mass, pos, vel, N, Nt, dt, G, softening):
    kinetic = np.empty(Nt + 1)
    potential = np.empty(Nt + 1)
    vel -= np.mean(mass * vel, axis=0) / np.mean(mass)  # the centre of mass rests
    acc = acceleration(pos, mass, G, softening)
    kinetic[0], potential[0] = energies(pos, vel, mass, G)
    for step in range(1, Nt + 1):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc = acceleration(pos, mass, G, softening)
        vel += acc * dt / 2.0
        kinetic[step], potential[step] = energies(pos, vel, mass, G)
    return kinetic, potential
