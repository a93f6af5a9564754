"""D := alpha A B C + beta D."""

import numpy as np

PRESETS = {
    "tiny": {"NI": 4, "NJ": 5, "NK": 6, "NL": 7},
    "S": {"NI": 800, "NJ": 850, "NK": 900, "NL": 950},
    "M": {"NI": 2000, "NJ": 2250, "NK": 2500, "NL": 2750},
    "L": {"NI": 6000, "NJ": 6500, "NK": 7000, "NL": 7500},
    "paper": {"NI": 3200, "NJ": 3600, "NK": 4400, "NL": 4800},
}
CHANGES = ("D",)


def initialize(NI, NJ, NK, NL):
    rng = np.random.default_rng(7)
    return {
        "alpha": 1.5,
        "beta": 1.2,
        "A": rng.random((NI, NK)),
        "B": rng.random((NK, NJ)),
        "C": rng.random((NJ, NL)),
        "D": rng.random((NI, NL)),
    }


def k2mm(alpha, beta, A, B, C, D):
    D *= beta
    D += alpha * (A @ B) @ C
