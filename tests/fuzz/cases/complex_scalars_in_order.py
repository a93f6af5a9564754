import numpy as np


def f(v, z, x):
    s = v.sum()
    r = [s > 0, 0 < s, s >= 1.0, s <= z, z < s, v > 0, v[0] >= v[-1], s < v.dtype.type(2), x > s, s <= x, z > x, x <= z]
    return r if s > x else (s, r)


def calls():
    nan, inf = float("nan"), float("inf")
    some = [complex(1, nan), complex(nan, 1), complex(inf, nan), 2 + 1j, 2 - 1j, complex(0, inf)]
    return [(np.array([c]), 2 + 0j, x) for c in some for x in (np.float64(2), np.float64(nan))]
