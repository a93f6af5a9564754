"""Bytes: the length of the longest common subsequence of two pieces of DNA."""

import numpy as np

PRESETS = {"tiny": {"n": 12}, "S": {"n": 150}, "M": {"n": 1000}}
CHANGES = ()


def initialize(n):
    return {
        "a": bytes(b"ACGT"[k * k % 11 % 4] for k in range(n)),
        "b": bytes(b"ACGT"[k * 7 % 13 % 4] for k in range(n)),
    }


def common_subsequence(a, b):
    best = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                best[i + 1, j + 1] = best[i, j] + 1
            else:
                best[i + 1, j + 1] = max(best[i, j + 1], best[i + 1, j])
    return best[len(a), len(b)]
