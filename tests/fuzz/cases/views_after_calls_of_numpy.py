import numpy as np


def f(a, b):
    v, w = np.swapaxes(a, 0, -1), a[:]
    np.copyto(a, b)
    np.put(a, 0, b)
    return v, w


def calls():
    return [(np.array([2.0]), 1.25)]
