"""Incompressible flow between two plates, driven by a force, periodic in x: explicit steps until it is steady."""

import numpy as np

PRESETS = {
    "tiny": {"ny": 9, "nx": 11, "nit": 3, "rho": 1.0, "nu": 0.1, "F": 1.0},
    "S": {"ny": 61, "nx": 61, "nit": 5, "rho": 1.0, "nu": 0.1, "F": 1.0},
    "M": {"ny": 121, "nx": 121, "nit": 10, "rho": 1.0, "nu": 0.1, "F": 1.0},
    "L": {"ny": 201, "nx": 201, "nit": 20, "rho": 1.0, "nu": 0.1, "F": 1.0},
    "paper": {"ny": 101, "nx": 101, "nit": 50, "rho": 1.0, "nu": 0.1, "F": 1.0},
}
CHANGES = ("u", "v", "p")


def initialize(ny, nx):
    return {
        "u": np.zeros((ny, nx)),
        "v": np.zeros((ny, nx)),
        "p": np.ones((ny, nx)),
        "dx": 2 / (nx - 1),
        "dy": 2 / (ny - 1),
        "dt": 0.1 / ((nx - 1) * (ny - 1)),
    }


def east(f):
    return np.roll(f, -1, axis=1)[1:-1]


def west(f):
    return np.roll(f, 1, axis=1)[1:-1]


def source(u, v, rho, dt, dx, dy):
    """Right-hand side of the pressure equation between the plates."""
    ux = (east(u) - west(u)) / (2 * dx)
    uy = (u[2:] - u[:-2]) / (2 * dy)
    vx = (east(v) - west(v)) / (2 * dx)
    vy = (v[2:] - v[:-2]) / (2 * dy)
    return rho * ((ux + vy) / dt - ux**2 - 2 * uy * vx - vy**2)


def relax(p, b, nit, dx, dy):
    """Jacobi sweeps for the pressure; no gradient through the plates."""
    weight = 2 * (dx**2 + dy**2)
    for _ in range(nit):
        across = (east(p) + west(p)) * dy**2
        along = (p[2:] + p[:-2]) * dx**2
        p[1:-1] = (across + along - dx**2 * dy**2 * b) / weight
        p[-1] = p[-2]
        p[0] = p[1]


def transported(f, u, v, gradient, dt, dx, dy, nu):
    """`f` between the plates after one step of upwind advection, pressure and diffusion."""
    inner = f[1:-1]
    advection = u[1:-1] * (inner - west(f)) / dx + v[1:-1] * (inner - f[:-2]) / dy
    fxx = (east(f) - 2 * inner + west(f)) / dx**2
    fyy = (f[2:] - 2 * inner + f[:-2]) / dy**2
    return inner + dt * (nu * (fxx + fyy) - advection - gradient)


def channel_flow(nit, u, v, dt, dx, dy, p, rho, nu, F):
    change = 1.0
    steps = 0
    while change > 0.001:
        un, vn = u.copy(), v.copy()
        relax(p, source(u, v, rho, dt, dx, dy), nit, dx, dy)
        px = (east(p) - west(p)) / (2 * rho * dx)
        py = (p[2:] - p[:-2]) / (2 * rho * dy)
        u[1:-1] = transported(un, un, vn, px, dt, dx, dy, nu) + F * dt
        v[1:-1] = transported(vn, un, vn, py, dt, dx, dy, nu)
        u[0] = u[-1] = 0
        v[0] = v[-1] = 0
        change = (u.sum() - un.sum()) / u.sum()
        steps += 1
    return steps


def turns(result):
    return result
