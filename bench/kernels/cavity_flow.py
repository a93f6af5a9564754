"""Incompressible flow in a square cavity with a moving lid: explicit steps, pressure by Jacobi sweeps."""

import numpy as np

PRESETS = {
    "tiny": {"ny": 9, "nx": 11, "nt": 4, "nit": 3, "rho": 1.0, "nu": 0.1},
    "S": {"ny": 61, "nx": 61, "nt": 25, "nit": 5, "rho": 1.0, "nu": 0.1},
    "M": {"ny": 121, "nx": 121, "nt": 50, "nit": 10, "rho": 1.0, "nu": 0.1},
    "L": {"ny": 201, "nx": 201, "nt": 100, "nit": 20, "rho": 1.0, "nu": 0.1},
    "paper": {"ny": 101, "nx": 101, "nt": 700, "nit": 50, "rho": 1.0, "nu": 0.1},
}
CHANGES = ("u", "v", "p")


def initialize(ny, nx):
    return {
        "u": np.zeros((ny, nx)),
        "v": np.zeros((ny, nx)),
        "p": np.zeros((ny, nx)),
        "dx": 2 / (nx - 1),
        "dy": 2 / (ny - 1),
        "dt": 0.1 / ((nx - 1) * (ny - 1)),
    }


def source(u, v, rho, dt, dx, dy):
    """Right-hand side of the pressure equation at the inner points."""
    ux = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)
    uy = (u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * dy)
    vx = (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * dx)
    vy = (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)
    return rho * ((ux + vy) / dt - ux**2 - 2 * uy * vx - vy**2)


def relax(p, b, nit, dx, dy):
    """Jacobi sweeps; no gradient through the walls and zero pressure at the lid."""
    weight = 2 * (dx**2 + dy**2)
    for _ in range(nit):
        old = p.copy()
        across = (old[1:-1, 2:] + old[1:-1, :-2]) * dy**2
        along = (old[2:, 1:-1] + old[:-2, 1:-1]) * dx**2
        p[1:-1, 1:-1] = (across + along - dx**2 * dy**2 * b) / weight
        p[:, -1] = p[:, -2]
        p[0] = p[1]
        p[:, 0] = p[:, 1]
        p[-1] = 0


def transported(f, u, v, gradient, dt, dx, dy, nu):
    """Inner points of `f` after one step of upwind advection, pressure and diffusion."""
    inner = f[1:-1, 1:-1]
    advection = u[1:-1, 1:-1] * (inner - f[1:-1, :-2]) / dx + v[1:-1, 1:-1] * (inner - f[:-2, 1:-1]) / dy
    fxx = (f[1:-1, 2:] - 2 * inner + f[1:-1, :-2]) / dx**2
    fyy = (f[2:, 1:-1] - 2 * inner + f[:-2, 1:-1]) / dy**2
    return inner + dt * (nu * (fxx + fyy) - advection - gradient)


def cavity_flow(nx, ny, nt, nit, u, v, dt, dx, dy, p, rho, nu):
    for _ in range(nt):
        relax(p, source(u, v, rho, dt, dx, dy), nit, dx, dy)
        px = (p[1:-1, 2:] - p[1:-1, :-2]) / (2 * rho * dx)
        py = (p[2:, 1:-1] - p[:-2, 1:-1]) / (2 * rho * dy)
        un, vn = u.copy(), v.copy()
        u[1:-1, 1:-1] = transported(un, un, vn, px, dt, dx, dy, nu)
        v[1:-1, 1:-1] = transported(vn, un, vn, py, dt, dx, dy, nu)
        for f in (u, v):
            f[0] = 0
            f[:, 0] = 0
            f[:, -1] = 0
        u[-1] = 1
        v[-1] = 0
