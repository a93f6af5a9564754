"""Contraction of the last axis of a cube with a matrix, in place."""

import numpy as np

PRESETS = {
    "tiny": {"NR": 3, "NQ": 4, "NP": 5},
    "S": {"NR": 60, "NQ": 60, "NP": 128},
    "M": {"NR": 110, "NQ": 125, "NP": 256},
    "L": {"NR": 220, "NQ": 250, "NP": 512},
    "paper": {"NR": 220, "NQ": 250, "NP": 270},
}
CHANGES = ("A",)


def initialize(NR, NQ, NP):
    rng = np.random.default_rng(7)
    return {"A": rng.random((NR, NQ, NP)), "C4": rng.random((NP, NP))}


def doitgen(NR, NQ, NP, A, C4):
    A[:] = (A.reshape(NR * NQ, NP) @ C4).reshape(NR, NQ, NP)
