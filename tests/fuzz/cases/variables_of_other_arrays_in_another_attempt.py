import contextlib

import numpy as np


def h(a, b, n):
    k = 1
    try:
        try:
            y = {"p": 1, "q": a}["pqr"[k]]
            try:
                print(a)
            except ArithmeticError:
                a = a + 1
            else:
                y = a[0]
            finally:
                y += 1
                b[:] = b[::-1]
        except ArithmeticError:
            pass
        finally:
            with contextlib.nullcontext():
                pass
            z = a[:k]
    except StopIteration:
        pass


def f(a, b, n, x):
    for k in range(n):
        try:
            y = h(a, b, k)
        except IndexError as e:
            pass


def calls():
    return [(np.array([-1.0]), np.array([3.0]), 3, -1.0)]
