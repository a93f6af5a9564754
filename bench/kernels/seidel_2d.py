"""Gauss–Seidel sweeps of nine-point averages, in place."""

import numpy as np

PRESETS = {
    "tiny": {"TSTEPS": 3, "N": 8},
    "S": {"TSTEPS": 8, "N": 50},
    "M": {"TSTEPS": 15, "N": 100},
    "L": {"TSTEPS": 40, "N": 200},
    "paper": {"TSTEPS": 100, "N": 400},
}
CHANGES = ("A",)


def initialize(N):
    return {"A": np.random.default_rng(7).random((N, N))}


def seidel_2d(TSTEPS, N, A):
    for _ in range(TSTEPS - 1):
        for i in range(1, N - 1):
            rest = A[i, 1:-1] + A[i, 2:]
            rest += A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:]
            rest += A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
            for j in range(1, N - 1):
                A[i, j] = (A[i, j - 1] + rest[j - 1]) / 9.0
