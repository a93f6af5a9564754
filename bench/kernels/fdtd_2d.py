"""Finite differences in time for a two-dimensional electromagnetic field."""

import numpy as np

PRESETS = {
    "tiny": {"TMAX": 4, "NX": 8, "NY": 9},
    "S": {"TMAX": 20, "NX": 200, "NY": 220},
    "M": {"TMAX": 60, "NX": 400, "NY": 450},
    "L": {"TMAX": 150, "NX": 800, "NY": 900},
    "paper": {"TMAX": 500, "NX": 1000, "NY": 1200},
}
CHANGES = ("ex", "ey", "hz")


def initialize(TMAX, NX, NY):
    rng = np.random.default_rng(7)
    fields = {name: rng.random((NX, NY)) for name in ("ex", "ey", "hz")}
    return fields | {"pulse": np.sin(np.arange(TMAX) / 5.0)}


def fdtd_2d(TMAX, ex, ey, hz, pulse):
    for t in range(TMAX):
        ey[0] = pulse[t]
        ey[1:] -= 0.5 * (hz[1:] - hz[:-1])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
