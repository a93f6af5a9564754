"""Alternating direction implicit steps for the heat equation: two tridiagonal solves a time step, one a direction."""

import numpy as np

PRESETS = {
    "tiny": {"TSTEPS": 3, "N": 9},
    "S": {"TSTEPS": 5, "N": 100},
    "M": {"TSTEPS": 20, "N": 200},
    "L": {"TSTEPS": 50, "N": 500},
    "paper": {"TSTEPS": 100, "N": 200},
}
CHANGES = ("u",)


def initialize(N):
    i = np.arange(N)
    return {"u": (i[:, np.newaxis] + N - i) / N}


def half_step(old, new, p, q, a, b, d):
    """Explicit along the rows of `old`, implicit along the columns of `new`; the border of `new` is 1."""
    last = new.shape[0] - 1
    new[0, 1:-1] = 1.0
    p[0, 1:-1] = 0.0
    q[0, 1:-1] = new[0, 1:-1]
    for j in range(1, last):
        pivot = a * p[j - 1, 1:-1] + b
        p[j, 1:-1] = -a / pivot
        explicit = (1.0 + 2.0 * d) * old[j, 1:-1] - d * (old[j, :-2] + old[j, 2:])
        q[j, 1:-1] = (explicit - a * q[j - 1, 1:-1]) / pivot
    new[last, 1:-1] = 1.0
    for j in range(last - 1, 0, -1):
        new[j, 1:-1] = p[j, 1:-1] * new[j + 1, 1:-1] + q[j, 1:-1]


def adi(TSTEPS, N, u):
    v, p, q = np.empty_like(u), np.empty_like(u), np.empty_like(u)
    step = N * N / TSTEPS
    a, d = -step, -step / 2.0
    for _ in range(TSTEPS):
        half_step(u, v, p, q, a, 1.0 + step, d)
        half_step(v.T, u.T, p, q, d, 1.0 + step, a)
    return u
