"""Linear algebra: the Poisson equation by conjugate gradients, without a matrix."""

import numpy as np

PRESETS = {"tiny": {"n": 6}, "S": {"n": 60}, "M": {"n": 200}}
CHANGES = ()


def initialize(n):
    x = np.linspace(0, 1, n)
    return {"charge": np.sin(3 * x[:, None]) * np.cos(5 * x), "tolerance": 1e-6}


def apply_laplace(u):
    out = 4 * u
    out[1:] -= u[:-1]
    out[:-1] -= u[1:]
    out[:, 1:] -= u[:, :-1]
    out[:, :-1] -= u[:, 1:]
    return out


def poisson_cg(charge, tolerance):
    u = np.zeros_like(charge)
    r = charge - apply_laplace(u)
    p = r.copy()
    rho = np.vdot(r, r)
    goal = tolerance**2 * rho
    iterations = 0
    while rho > goal and iterations < 200:
        q = apply_laplace(p)
        alpha = rho / np.vdot(p, q)
        u += alpha * p
        r -= alpha * q
        rho, old = np.vdot(r, r), rho
        p = r + rho / old * p
        iterations += 1
    return u, iterations
