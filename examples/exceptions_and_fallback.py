"""Errors are Python's; code that cannot be compiled runs in Python with one warning; strictness refuses it."""

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
def shares(words):
    return {w: words.count(w) / len(words) for w in set(words)}


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(shares(["a", "b", "a", "c"]))
print("warned:", [w.category.__name__ for w in caught])

try:
    sol.jit(strict=True)(shares.python)(["a", "b"])
except sol.SoljitError as e:
    print(f"{type(e).__name__}:", str(e).splitlines()[0])
