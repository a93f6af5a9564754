import numpy as np


def f(b, n):
    for i in range(n):
        b = np.squeeze(b[b != 0])
    x = b if n > 1 else 2 if n else b[0]
    y = np.where(x > 1, x, -x)
    t = None
    for q in np.atleast_1d(y):
        t = q if t is None else t + q * t
    return b, x * x + x, y, t


def calls():
    a = np.arange(4.0)
    return [(a, 0), (a, 1), (a, 3), (a[:2], 2), (a[1:2], 2)]
