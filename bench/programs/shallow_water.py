"""Geophysics: the shallow-water equations by the Lax-Friedrichs scheme in a closed basin."""

import numpy as np

PRESETS = {"tiny": {"n": 10, "steps": 3}, "S": {"n": 64, "steps": 40}, "M": {"n": 250, "steps": 60}}
CHANGES = ()
G = 9.81


def initialize(n):
    x = np.linspace(0, 1, n)
    return {"height": 1 + 0.3 * np.exp(-80 * ((x[:, None] - 0.5) ** 2 + (x - 0.5) ** 2)), "dt": 0.1 / n, "dx": 1 / n}


def mirror(q, sign_x, sign_y):
    q[0, :], q[-1, :] = sign_x * q[1, :], sign_x * q[-2, :]
    q[:, 0], q[:, -1] = sign_y * q[:, 1], sign_y * q[:, -2]


def flux(h, hu, hv):
    return hu, hu**2 / h + 0.5 * G * h**2, hu * hv / h


def advance(q, fx, fy, dt, dx):
    new = q.copy()
    average = 0.25 * (q[2:, 1:-1] + q[:-2, 1:-1] + q[1:-1, 2:] + q[1:-1, :-2])
    along = (fx[2:, 1:-1] - fx[:-2, 1:-1]) + (fy[1:-1, 2:] - fy[1:-1, :-2])
    new[1:-1, 1:-1] = average - dt / (2 * dx) * along
    return new


def shallow_water(height, dt, dx, steps):
    h, hu, hv = height.copy(), np.zeros_like(height), np.zeros_like(height)
    for _ in range(steps):
        f = flux(h, hu, hv)
        g = flux(h, hv, hu)
        h, hu, hv = advance(h, f[0], g[0], dt, dx), advance(hu, f[1], g[2], dt, dx), advance(hv, f[2], g[1], dt, dx)
        mirror(h, 1, 1)
        mirror(hu, -1, 1)
        mirror(hv, 1, -1)
    return h, h.sum() * dx * dx
