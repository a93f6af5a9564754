import numpy as np


def f(b, n):
    for i in range(n):
        b = np.broadcast_to(b, (2, len(b))).ravel()
        b[:1] *= 2
    return b


def calls():
    return [(np.arange(3.0), 2), (np.arange(1.0), 1), (np.arange(3.0), 0)]
