"""Errors are Python's; code that cannot be compiled runs in Python with one warning; strictness refuses it."""

import os
import warnings

import numpy as np

import soljit as sol


@sol.jit
def pick(a, k):
    return a[k]


try:
    pick(np.arange(3.0), 7)
except IndexError as e:
    print("IndexError:", e)


@sol.jit
def logged(a):
    with open(os.devnull, "w") as log:  # files are not compiled
        print(a, file=log)
    return a.sum()


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print("sum:", logged(np.arange(3.0)))
print("warned:", [w.category.__name__ for w in caught])

try:
    sol.jit(strict=True)(logged.python)(np.arange(3.0))
except sol.SoljitError as e:
    print(f"{type(e).__name__}:", str(e).splitlines()[-2])
