import numpy as np


def f(x, y, n):
    v = np.broadcast_to(y[0], y.shape)
    for _ in range(n):
        v = np.asfortranarray(v)
        v[0, 0] += 1
    u = x if n > 1 else np.broadcast_to(x[:1], x.shape)
    w = np.ascontiguousarray(u)
    w[0] = 1
    return v, w, x


def calls():
    m = np.arange(9.0).reshape(3, 3)
    return [(a, m.copy(), n) for a in (m, m.T, m[::-1]) for n in (0, 1, 2)]
