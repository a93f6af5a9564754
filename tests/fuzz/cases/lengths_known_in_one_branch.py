import numpy as np


def f(a, b, n):
    p = a if n else b
    for i in range(3):
        if b[0] > i:
            i = n - 3
        b[i] = p[:i].sum()
    x = b[b > 1]
    while len(x) > 2:
        k = len(x) // 2
        x = x[:k] if x[0] > 3 else np.append(x[1 : k + 1], 1.0)
    return x, p[n:i]


def calls():
    a = np.arange(8, dtype=np.uint16)
    return [(a, a + 2.0, 1), (a, a[::-1] + 0.5, 0), (a[:3], a[:3] - 1.0, 2)]
