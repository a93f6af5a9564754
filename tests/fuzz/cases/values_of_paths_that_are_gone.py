import numpy as np


def f(a, m, t):
    try:
        t[t > t] *= 1
    except Exception:
        m = np.ones_like(m)
    finally:
        a += a
    return m


def calls():
    return [(0.0, 1, np.ones((2, 1, 3))), (0.0, 1.5, np.ones(3)), (0.0, np.ones(2), np.ones(3))]
