import numpy as np


def f(a, n, how):
    for i in range(n):
        pass
    if how == 0:
        return [q * i for q in a]
    if how == 1:
        return sum(q * i for q in a)
    if how == 2:
        return (lambda q: q * i)(a)

    def g(q):
        return q + i

    return g(a) if how == 3 else i


def calls():
    return [(np.arange(3), 0, how) for how in range(5)] + [(np.arange(3), 2, 3)]
