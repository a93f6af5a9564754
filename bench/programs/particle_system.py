"""Classes: particles with walls and springs, as an object with arrays and methods."""

import numpy as np

PRESETS = {"tiny": {"n": 5, "steps": 3}, "S": {"n": 100, "steps": 100}, "M": {"n": 5_000, "steps": 200}}
CHANGES = ("system",)


class ParticleSystem:
    def __init__(self, n):
        rng = np.random.default_rng(28)
        self.x = rng.random((n, 2))
        self.v = rng.standard_normal((n, 2))
        self.mass = rng.uniform(1, 2, n)
        self.gravity = np.array([0.0, -9.81])
        self.stiffness = 20.0
        self.bounces = 0

    def force(self):
        stretch = self.x[1:] - self.x[:-1]
        f = self.mass[:, None] * self.gravity
        f[:-1] += self.stiffness * stretch
        f[1:] -= self.stiffness * stretch
        return f

    def reflect(self):
        outside = (self.x < 0) | (self.x > 1)
        self.v[outside] *= -0.9
        self.x = np.clip(self.x, 0, 1)
        self.bounces += outside.sum()

    def step(self, dt):
        self.v += dt * self.force() / self.mass[:, None]
        self.x += dt * self.v
        self.reflect()

    def energy(self):
        return 0.5 * (self.mass * (self.v**2).sum(axis=1)).sum()


def initialize(n):
    return {"system": ParticleSystem(n)}


def particle_system(system, steps):
    energies = np.zeros(steps)
    for k in range(steps):
        system.step(0.001)
        energies[k] = system.energy()
    return energies
