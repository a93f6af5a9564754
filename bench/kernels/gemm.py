"""C := alpha A B + beta C."""

import numpy as np

PRESETS = {
    "tiny": {"NI": 5, "NJ": 6, "NK": 7},
    "S": {"NI": 1000, "NJ": 1100, "NK": 1200},
    "M": {"NI": 2500, "NJ": 2750, "NK": 3000},
    "L": {"NI": 7000, "NJ": 7500, "NK": 8000},
    "paper": {"NI": 2000, "NJ": 2300, "NK": 2600},
}
CHANGES = ("C",)


def initialize(NI, NJ, NK):
    rng = np.random.default_rng(7)
    return {
        "alpha": 1.5,
        "beta": 1.2,
        "C": rng.random((NI, NJ)),
        "A": rng.random((NI, NK)),
        "B": rng.random((NK, NJ)),
    }


def gemm(alpha, beta, C, A, B):
    C[:] = alpha * (A @ B) + beta * C
