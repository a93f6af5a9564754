import numpy as np


def f(a, b, flag):
    y = (b * 2).conj()
    y[0] = 5
    return ((a > 3) ^ (a > 2)).conj(), (a == 1).conjugate(), y, b, flag.conjugate(), a[0].conj(), (a[0] > 1).conj()


def calls():
    a = np.arange(5)
    return [(a, a * 0.5, True), (a - 3, a - 1.5, False), (a[1:2], a[:1] * 1.0, True)]
