def f(n, m):
    if not n:
        for i in m:
            pass
    else:
        m = m * 2
    for i in range(n):
        m[0] += i
    return i, m


def calls():
    import numpy as np

    return [(0, np.arange(3.0)), (1, np.arange(3.0)), (0, np.zeros((2, 2))), (2, np.zeros((2, 2))), (0, np.zeros(0))]
