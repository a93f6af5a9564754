"""Five-point averages, back and forth between two arrays."""

import numpy as np

PRESETS = {
    "tiny": {"TSTEPS": 4, "N": 10},
    "S": {"TSTEPS": 50, "N": 150},
    "M": {"TSTEPS": 80, "N": 350},
    "L": {"TSTEPS": 200, "N": 700},
    "paper": {"TSTEPS": 1000, "N": 2800},
}
CHANGES = ("A", "B")


def initialize(N):
    rng = np.random.default_rng(7)
    return {"A": rng.random((N, N)), "B": rng.random((N, N))}


def average(a):
    return 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])


def jacobi_2d(TSTEPS, A, B):
    for _ in range(1, TSTEPS):
        B[1:-1, 1:-1] = average(A)
        A[1:-1, 1:-1] = average(B)
