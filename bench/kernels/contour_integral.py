"""Moments of a matrix polynomial's inverse along a contour, as in eigenvalue solvers: one linear solve a point."""

import numpy as np

PRESETS = {
    "tiny": {"NR": 4, "NM": 6, "slab_per_bc": 2, "num_int_pts": 6},
    "S": {"NR": 50, "NM": 150, "slab_per_bc": 2, "num_int_pts": 32},
    "M": {"NR": 200, "NM": 400, "slab_per_bc": 2, "num_int_pts": 32},
    "L": {"NR": 600, "NM": 1000, "slab_per_bc": 2, "num_int_pts": 32},
    "paper": {"NR": 500, "NM": 1000, "slab_per_bc": 2, "num_int_pts": 32},
}
CHANGES = ()


def initialize(NR, NM, slab_per_bc, num_int_pts):
    rng = np.random.default_rng(7)
    Ham = rng.random((slab_per_bc + 1, NR, NR)) + 1j * rng.random((slab_per_bc + 1, NR, NR))
    Ham[slab_per_bc // 2] += NR * np.eye(NR)
    angle = 2 * np.pi * (np.arange(num_int_pts) + 0.5) / num_int_pts
    radius = np.where(np.arange(num_int_pts) % 2, 0.5, 2.0)
    Y = rng.random((NR, NM)) + 1j * rng.random((NR, NM))
    return {"Ham": Ham, "int_pts": radius * np.exp(1j * angle), "Y": Y}


def contour_integral(NR, NM, slab_per_bc, Ham, int_pts, Y):
    P0 = np.zeros((NR, NM), dtype=np.complex128)
    P1 = np.zeros((NR, NM), dtype=np.complex128)
    for z in int_pts:
        T = np.zeros((NR, NR), dtype=np.complex128)
        for n in range(slab_per_bc + 1):
            T += Ham[n] * z ** (slab_per_bc / 2 - n)
        X = np.linalg.inv(T) if NR == NM else np.linalg.solve(T, Y)
        if abs(z) < 1.0:
            X = -X
        P0 += X
        P1 += z * X
    return P0, P1
