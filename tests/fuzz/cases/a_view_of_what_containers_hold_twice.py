import numpy as np


def f(a, b):
    held = dict.fromkeys(range(3), b)
    views = [a[1:]] * 2
    held = held.copy()
    w = a[:1]
    return views, held, w, [w, w]


def calls():
    x = np.arange(3.0)
    return [(x, x), (x, x + 1)]
