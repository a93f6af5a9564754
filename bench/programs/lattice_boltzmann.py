"""Fluid dynamics: flow around a cylinder by the lattice Boltzmann method with nine velocities."""

import numpy as np

PRESETS = {
    "tiny": {"nx": 12, "ny": 8, "steps": 2},
    "S": {"nx": 60, "ny": 30, "steps": 20},
    "M": {"nx": 200, "ny": 100, "steps": 40},
}
CHANGES = ()
CX = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
CY = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
WEIGHT = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
OPPOSITE = np.array([0, 3, 4, 1, 2, 7, 8, 5, 6])


def initialize(nx, ny):
    y, x = np.mgrid[0:ny, 0:nx]
    return {"wall": (x - nx / 4) ** 2 + (y - ny / 2) ** 2 < (ny / 8) ** 2, "tau": 0.6, "inflow": 0.1}


def equilibrium(rho, ux, uy):
    out = np.empty((9, *rho.shape))
    square = 1.5 * (ux**2 + uy**2)
    for k in range(9):
        cu = 3 * (CX[k] * ux + CY[k] * uy)
        out[k] = rho * WEIGHT[k] * (1 + cu + 0.5 * cu**2 - square)
    return out


def lattice_boltzmann(wall, tau, inflow, steps):
    rho = np.ones(wall.shape)
    ux, uy = np.full(wall.shape, inflow), np.zeros(wall.shape)
    f = equilibrium(rho, ux, uy)
    for _ in range(steps):
        for k in range(9):
            f[k] = np.roll(np.roll(f[k], CX[k], axis=1), CY[k], axis=0)
        bounced = f[:, wall][OPPOSITE]
        rho = f.sum(axis=0)
        ux = (CX[:, None, None] * f).sum(axis=0) / rho
        uy = (CY[:, None, None] * f).sum(axis=0) / rho
        ux[:, 0] = inflow
        f += (equilibrium(rho, ux, uy) - f) / tau
        f[:, wall] = bounced
    return ux, uy
