import numpy as np


def f(w, n):
    x = 0
    for i in range(len(w)):
        np.fill_diagonal(w, 3)
        w = w[:, [n]]
        x += np.argmin(w)
        n = 0
    return x, w


def calls():
    return [(np.array(6, dtype=np.int32).reshape(1, 1), 0), (np.arange(16).reshape(4, 4), 1), (np.zeros((0, 0)), 1)]
