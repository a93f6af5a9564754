"""Eighty lines of rules: chained `and` and `or`, comparisons, and a helper of any number of arguments."""

from typing import Any

import numpy as np

from bench.generated import generated

TARGET = 4.0
COUNT = 80
HEAD = """
def is_in(x, *vals):
    for v in vals:
        if x == v:
            return True
    return False


def f(x, res):
    for i in range(x.shape[0]):
        a = x[i, 0]; b = x[i, 1]; c = x[i, 2]
"""
LINES = [
    f"        res[i, {k}] = is_in(b, {k}, {k + 4}, {k % 7}) and (not c or {k % 5} <= c <= {k + 25} or a > {k})\n"
    for k in range(COUNT)
]
f = generated("".join([HEAD, *LINES, "    return res\n"]), "rules").f


def arguments() -> list[tuple[Any, ...]]:
    """The calls."""
    return [(np.arange(60).reshape(20, 3) % 37, np.zeros((20, COUNT), bool))]
