import numpy as np


def f(a, b, n, u):
    for i in range(u, len(a)):
        if ((b > i) & ~(b == 4.0)).all():
            a[np.arange(len(b))[::-1]] = i + i
        n -= len(a)
    for j in range(0, len(a), 2):
        b[j] += b[j - 1]
    return n, b


def calls():
    a = np.arange(8, dtype=np.int16)
    return [(a, a + 9, 3, np.uint8(3)), (a, a[::-1] * 2, 0, np.uint8(0)), (a[:3], a[:3], 2, np.uint8(200))]
