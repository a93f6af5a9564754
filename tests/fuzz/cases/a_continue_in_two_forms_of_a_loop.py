import numpy as np


def f(a, b, m, p, n):
    m[n:, -2::-1] = np.trace(m)
    for i1 in range(n):
        for i0 in range(3):
            b[1:] = b[:-1]
            if a.any():
                continue
            np.clip(b, -1, 1, out=b)
        a[i1] -= 2
        b[i1] = p[:i1].sum()
    return p, m, (p << 1)


def calls():
    a, b = (
        np.array([8, 2, 0, 1, 3, 0, 3, 2], dtype=np.uint64),
        np.array([-2.0, 1.0, 2.0, 0.25, -0.75, -2.75, -0.25, -0.5]),
    )
    m, p = (np.arange(40) * 11 % 23 - 5).reshape(8, 5), np.array([-6, 0, -1, 7, 4, -6, -2, -8])
    return [(a, b, m, p, 2), (a[4:5], b[5:6], m[:1, :1], p[2:3], 4)]
