import numpy as np


def f(a, o, n, b):
    try:
        pass
    except ZeroDivisionError:
        if n % 2 == 0:
            o, o = (o, o)
    finally:
        print(n)
    v = b[None,] * a[:,]
    for i in range(len(b)):
        a[-n] = o[()]
        if i * 2 < len(a):
            a[i * 2] = 4
        else:
            v = b.reshape(2, -1)
    return (v,)


def calls():
    return [
        (np.arange(4) + 1, np.array(3), 3, np.arange(4.0)),
        (np.arange(3) + 1, np.array(3), 1, np.arange(3.0)),
    ]
