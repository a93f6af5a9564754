import numpy as np


def f(a, n):
    i, s, lo = 2, 0.0, 0
    for k in range(1, len(a)):
        for _ in range(i):
            a[0] += 1
        i = max(1, a[k])
    b = a if a[0] > 3 else a * 1.5
    for j, x in enumerate(b):
        s += j * x
    for x, y in zip(b, a):
        s += x * y
    for x in reversed(b):
        lo = min(x, lo)
    return s, lo, [x for x in b if x > 1], len(b), len([x for x in b if x > 1]), list(range(i))


def calls():
    return [(np.array([5, -3, 1], dtype=np.int16), 3), (np.array([-50, 3, 1], dtype=np.int16), 3)]
