"""Three-point averages, back and forth between two arrays."""

import numpy as np

PRESETS = {
    "tiny": {"TSTEPS": 4, "N": 20},
    "S": {"TSTEPS": 800, "N": 3200},
    "M": {"TSTEPS": 3000, "N": 12000},
    "L": {"TSTEPS": 8500, "N": 34000},
    "paper": {"TSTEPS": 4000, "N": 32000},
}
CHANGES = ("A", "B")


def initialize(N):
    rng = np.random.default_rng(7)
    return {"A": rng.random(N), "B": rng.random(N)}


def jacobi_1d(TSTEPS, A, B):
    for _ in range(1, TSTEPS):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])
