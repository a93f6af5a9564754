"""Softmax along the last of four axes, safe against overflow."""

import numpy as np

PRESETS = {
    "tiny": {"N": 2, "H": 2, "SM": 7},
    "S": {"N": 16, "H": 16, "SM": 128},
    "M": {"N": 32, "H": 8, "SM": 256},
    "L": {"N": 64, "H": 16, "SM": 448},
    "paper": {"N": 64, "H": 16, "SM": 512},
}
CHANGES = ()
TOLERANCE = 1e-5


def initialize(N, H, SM):
    return {"x": np.random.default_rng(7).random((N, H, SM, SM), dtype=np.float32)}


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
