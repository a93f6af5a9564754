import numpy as np


def f(a, b):
    s, n, t = 0.0, 0, 0
    for x in (q * 2 for q in a):
        if x > 5:
            s += x
            continue
        t = x
        if x > 1000:
            break
    else:
        s += 1
    for x in (a[i] + n for i in range(len(a)) if a[i] > 3):
        n += x
        a[-1] += 1
    for i, x in enumerate(q * 2 for q in a if q > 3):
        s += x * i
    for x, y in zip((q * 2 for q in a), [q * 2 for q in b]):
        s += x * y
    for x in (i * j for i in range(len(a)) for j in range(len(b)) if i != j):
        s += x
    for x in (q for q in a[:2] if q > 3):
        for y in (q for q in b if q > x):
            if y > 2:
                break
            n += 10
        if n > 100:
            return n, x
    return s, n, t, sum(q for q in a[:1] if q > 100), [q for q in range(4) if q > a[0]]


def calls():
    return [(np.array([2, 9]), np.arange(3)), (np.array([2, 900, 4]), np.arange(1) + 0.5)]
