import numpy as np


def f(z, n):
    v = np.unique(z)
    u = np.linspace(0.0, z, 5)
    w = u
    return v, v[:], u[:], u, w, w[:n]


def calls():
    return [(np.array([1j, 0j, 1j]), 2)]
