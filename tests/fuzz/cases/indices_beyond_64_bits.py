import numpy as np


def f(a, u):
    out = []
    for k in u:
        try:
            a[k] = 5.0
            out.append(0)
        except IndexError:
            out.append(1)
        except OverflowError:
            out.append(2)
    return np.array(out), a[: u[0]], a[u[0] :]


def calls():
    return [
        (np.arange(3.0), np.array([2**64 - 1, 0, 2**63, 2, 3], dtype=np.uint64)),
        (np.arange(3.0), np.array([1, 2**63 - 1, 2**32], dtype=np.uint64)),
    ]
