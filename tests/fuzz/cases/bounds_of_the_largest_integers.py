import numpy as np


def f(k, n, a, u):
    a += a.item(0)
    return k >= -3, k > -1, n <= 3, n < 2, k - 3 > -7, n + 3 < 8, u[u.item(0) :].size


def calls():
    return [
        (2**63 - 1, -(2**63), np.array(3, dtype=np.uint64), np.array([1, 2], dtype=np.uint64)),
        (5, 6, np.array(2**62, dtype=np.uint64), np.array([2], dtype=np.uint64)),
    ]
