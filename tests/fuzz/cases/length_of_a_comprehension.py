import numpy as np


def f(a, n):
    some = sum(q for q in a if len([p for p in a if p > q]) > 1)
    return some, len([q for q in a if q]), len([1 for _ in range(n)]), len([q / (q - 100) for q in a])


def calls():
    return [(np.array([2.0, 0.0, 3.0, -1.0]), 3), (np.array([], dtype=np.float64), 0)]
