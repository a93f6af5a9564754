import numpy as np


def h(u, *, v=1):
    print("h", v, u)
    return (u[-1],)


def f(a, b):
    return b[0] * h(v=len(b * 2) * (b * 2).max(), u=a) + b[0]


def calls():
    return [
        (np.array([-2, 3, 2]), np.array([0, 5, 2])),
        (np.array([-2, 3, 2]), np.array([2, 5, 2])),
        (np.array([-2, 3, 2]), np.array([1, 5, 2])),
    ]
