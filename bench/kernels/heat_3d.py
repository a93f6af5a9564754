"""Explicit steps of the heat equation on a cube."""

import numpy as np

PRESETS = {
    "tiny": {"TSTEPS": 3, "N": 7},
    "S": {"TSTEPS": 25, "N": 25},
    "M": {"TSTEPS": 50, "N": 40},
    "L": {"TSTEPS": 100, "N": 70},
    "paper": {"TSTEPS": 500, "N": 120},
}
CHANGES = ("A", "B")


def initialize(N):
    A = np.random.default_rng(7).random((N, N, N))
    return {"A": A, "B": A.copy()}


def smooth(old, new):
    c = old[1:-1, 1:-1, 1:-1]
    second = old[2:, 1:-1, 1:-1] - 2.0 * c + old[:-2, 1:-1, 1:-1]
    second += old[1:-1, 2:, 1:-1] - 2.0 * c + old[1:-1, :-2, 1:-1]
    second += old[1:-1, 1:-1, 2:] - 2.0 * c + old[1:-1, 1:-1, :-2]
    new[1:-1, 1:-1, 1:-1] = c + 0.125 * second


def heat_3d(TSTEPS, A, B):
    for _ in range(1, TSTEPS):
        smooth(A, B)
        smooth(B, A)
