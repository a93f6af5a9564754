"""Product of four matrices, in two pairs."""

import numpy as np

PRESETS = {
    "tiny": {"NI": 4, "NJ": 5, "NK": 6, "NL": 7, "NM": 8},
    "S": {"NI": 800, "NJ": 850, "NK": 900, "NL": 950, "NM": 1000},
    "M": {"NI": 2000, "NJ": 2200, "NK": 2400, "NL": 2600, "NM": 2800},
    "L": {"NI": 5500, "NJ": 6000, "NK": 6500, "NL": 7000, "NM": 7500},
    "paper": {"NI": 3200, "NJ": 3600, "NK": 4000, "NL": 4400, "NM": 4800},
}
CHANGES = ()


def initialize(NI, NJ, NK, NL, NM):
    rng = np.random.default_rng(7)
    return {
        "A": rng.random((NI, NK)),
        "B": rng.random((NK, NJ)),
        "C": rng.random((NJ, NM)),
        "D": rng.random((NM, NL)),
    }


def k3mm(A, B, C, D):
    return (A @ B) @ (C @ D)
