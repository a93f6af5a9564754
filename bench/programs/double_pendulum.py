"""ODE solvers: double pendulums from a grid of angles, with steps that adapt to the error; scalar arithmetic."""

import math

import numpy as np

PRESETS = {"tiny": {"n": 2, "end": 0.5}, "S": {"n": 5, "end": 2.0}, "M": {"n": 6, "end": 4.0}}
CHANGES = ()
TOLERANCE = 1e-6


def initialize(n):
    return {"angles": np.linspace(0.5, 2.5, n)}


def slope(a, b, u, v):
    d = a - b
    m = 2 - math.cos(d) ** 2
    du = (-9.81 * (2 * math.sin(a) - math.sin(b) * math.cos(d)) - math.sin(d) * (v * v + u * u * math.cos(d))) / m
    dv = (2 * 9.81 * (math.sin(a) * math.cos(d) - math.sin(b)) + math.sin(d) * (2 * u * u + v * v * math.cos(d))) / m
    return u, v, du, dv


def midpoint(y, h):
    k = slope(*y)
    half = tuple(a + h / 2 * b for a, b in zip(y, k))
    k = slope(*half)
    return tuple(a + h * b for a, b in zip(y, k))


def integrate(a, b, end):
    y = (a, b, 0.0, 0.0)
    t, h, steps = 0.0, 0.01, 0
    while t < end:
        h = min(h, end - t)
        coarse = midpoint(y, h)
        fine = midpoint(midpoint(y, h / 2), h / 2)
        error = max(abs(p - q) for p, q in zip(coarse, fine))
        if error < 1e-6:
            t, y = t + h, fine
        steps += 1
        h *= min(2.0, max(0.3, 0.9 * (1e-6 / (error + 1e-16)) ** (1 / 3)))
    return y, steps


def double_pendulum(angles, end):
    out = np.empty((len(angles), len(angles), 4))
    work = 0
    for i, a in enumerate(angles):
        for j, b in enumerate(angles):
            y, steps = integrate(float(a), float(b), end)
            out[i, j] = y
            work += steps
    return out, work
