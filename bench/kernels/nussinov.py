"""Nussinov's dynamic program for the folding of an RNA sequence: most base pairs of every subsequence."""

import numpy as np

PRESETS = {
    "tiny": {"N": 12},
    "S": {"N": 40},
    "M": {"N": 90},
    "L": {"N": 200},
    "paper": {"N": 500},
}
CHANGES = ()


def initialize(N):
    return {"seq": np.random.default_rng(7).integers(0, 4, N, dtype=np.int32)}


def pairs(a, b):
    return 1 if a + b == 3 else 0


def nussinov(N, seq):
    best = np.zeros((N, N), dtype=np.int32)
    for i in range(N - 2, -1, -1):
        for j in range(i + 1, N):
            score = max(best[i, j - 1], best[i + 1, j])
            inner = best[i + 1, j - 1]
            if j - i > 1:
                inner += pairs(seq[i], seq[j])
            score = max(score, inner)
            for k in range(i + 1, j):
                score = max(score, best[i, k] + best[k + 1, j])
            best[i, j] = score
    return best
