import numpy as np


def f(a, b, m, x, k):
    print(k)
    np.copyto(b, np.round(a))
    v1 = np.arange(len(m)).astype("f4")
    v2 = a[:, None] * b[None, :]
    v3 = 1 // np.median(m)
    v4 = 5
    while v4 > 0:
        v4 -= 1
        b[v4] = b[v4 - 1] + b[v4 + 1]
    v5 = min(len(a), 0)
    if b.ndim == 2:
        if a[len(a) // 2] == v2[0, -k]:
            b[...] = max(v1)
    elif v3 == v5 == 0.5:
        a[(v1 <= 0) | (v1 != 2)] = 0.5
        v1[0], v1[-1] = v1[-1], v1[0]


def calls():
    return [
        (np.arange(8.0), np.arange(8) * 1j, np.ones((8, 5), np.uint64), 0.0, np.int64(3)),
        (np.arange(12.0), np.arange(12) * 1j, np.ones((12, 12), np.uint64, order="F"), -1.5, np.int64(3)),
        (np.array([-0.75])[::-1], np.array([1.75 + 0.0j]), np.array([[6]], np.uint64), 0.0, np.int64(0)),
        (
            np.array([])[::-1],
            np.repeat(np.array([], dtype=complex), 3)[1::3],
            np.ones((0, 0), np.uint64, order="F"),
            0.5,
            np.int64(-2),
        ),
    ]
