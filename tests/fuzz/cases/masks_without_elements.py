import numpy as np


def f(a, w, o, how):
    none = o[o >= 3] > 1.5
    try:
        if how == 0:
            return a[none], w[np.zeros((0, 3), bool)], w[np.zeros((2, 0), bool)], w[none], w[:, none]
        if how == 1:
            a[none] = 3
            w[none] = 4
            w[np.zeros((0, 3), bool)] = 1
            a[none] += 1
            a[none] = np.ones(0)
        if how == 2:
            a[none] = np.ones(2)
        if how == 3:
            return w[np.zeros((0, 2), bool)]
        if how == 4:
            return a[o >= 0]
        if how == 5:
            a[o >= 0] = 2
    except (IndexError, ValueError) as e:
        print(e)
    return a, w


def calls():
    a, w = np.arange(3.0), np.arange(6.0).reshape(2, 3)
    return [(a, w, np.array(o), how) for how in range(6) for o in ([0.25], [1.0, 2.0, 3.0])]
