import numpy as np


class P:
    def __init__(self, u, v=1):
        self.u = u
        self.v = v


class Q(P):
    def m1(self, v=2):
        self.v += v
        return self


def f(a, b, n, x):
    v1 = Q((a + 1), (n - (3 + n)))
    v1.p = v1
    v1.v = 0.5
    if not float(b[0]):
        for i in range(3):
            v1 = v1.p + ((v1.v + v1.v) - ((a[-1] - x) + 2))
    v1.u[n % 2] = v1.v
    return v1.v


def calls():
    return [
        (np.array([2, 2, 4, -1, 3], int), np.array([5, 3, 3, 2, 2], int), 3, -1.0),
        (lambda h: (h[1:], h[:-1], 1, 2.0))(np.array([3, 0, 0, -2, 2, 2], int)),
        (np.array([2, 3, 0, 1], int), np.array([0, 4, -1, 3], int), 4, -1.0),
    ]
