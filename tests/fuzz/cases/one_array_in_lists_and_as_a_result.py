import numpy as np


def f(b, n):
    c = b + 1
    v = []
    for i in range(n):
        v.append([c])
    w = [c]
    for i in range(n):
        w.append(b)
    m = dict.fromkeys(range(n), c)
    nested = [[b + 2]]
    kept = list([q for q in nested if n][0])
    for i in range(n):
        kept = kept + [b]
    return c, v, w, m, nested, kept, v[0][0] is c


def calls():
    return [(np.arange(2.0), 2)]
