import numpy as np


def f(a, n):
    try:
        if n > 2:
            a = np.repeat(a, 2).imag
        n = 4 // n
    finally:
        print(n)
    if a[0] > 2:
        a.fill(3)
    v = np.eye(len(a))
    return a, v


def calls():
    return [(np.arange(3), 3), (np.arange(3) + 5, 3), (np.arange(3), 0), (np.arange(3) + 5, 2)]
