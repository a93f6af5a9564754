import numpy as np


def f(a, i, m, k):
    np.add.at(a, m, a[1])
    np.add.at(a, i, a)
    np.add.at(a, [1, 1], a[::-1][:2])
    np.add.at(i, i % 3, 1)
    np.add.at(k, np.abs(k) % 5, k[::-1])


def calls():
    return [(np.arange(6.0) + 0.5, np.array([0, 1, 1, 3, -1, 4]), np.array([1, 1, 0, 1, 0, 1], bool), np.arange(6))]
