"""Functions of Python's math module as operations: their meaning on NumPy values, without exceptions.

Where Python raises, floats are NaN (outside of the domain) or infinite (too large), and integers that are not defined or do not fit are -1.
Floats that are narrower than Python's are computed as Python's and rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

MOST_FACTORS = 70


def _float(f: Callable[..., float]) -> Callable[..., Any]:
    def one(*xs: Any) -> float:
        try:
            return f(*map(float, xs))
        except ValueError:
            return math.nan
        except OverflowError:
            return math.copysign(math.inf, xs[0])

    return _each(one)


def _each(one: Callable[..., Any]) -> Callable[..., Any]:
    def evaluate(*args: Any) -> Any:
        arrays = np.broadcast_arrays(*args)
        out = np.array(
            [one(*xs) for xs in zip(*(a.ravel() for a in arrays))], np.float64 if arrays[0].dtype.kind == "f" else None
        )
        return (
            out.astype(np.float32 if arrays[0].dtype.itemsize < 8 and out.dtype.kind == "f" else out.dtype)
            .astype(arrays[0].dtype)
            .reshape(arrays[0].shape)[()]
        )

    return evaluate


def _int(f: Callable[..., int], undefined: int = -1) -> Callable[..., Any]:
    def evaluate(*args: Any) -> Any:
        most = np.iinfo(np.asarray(args[0]).dtype).max

        def one(*xs: Any) -> int:
            ints = [int(x) for x in xs]
            if min(ints) < 0:
                return undefined
            if _factors(f, ints) > MOST_FACTORS:
                return undefined
            found = f(*ints)
            return found if found <= most else undefined

        return _each(one)(*args)

    return evaluate


def _factors(f: Callable[..., int], ints: list[int]) -> int:
    """From how many factors above one the result is made: with more than 64 of them it does not fit."""
    n, k = ints[0], ints[-1]
    if f is math.isqrt or k > n:
        return 0
    return min(k, n - k) if f is math.comb else k


SPECIAL: dict[str, tuple[int, str, Callable[..., Any]]] = {
    "gamma": (1, "f", _float(math.gamma)),
    "lgamma": (1, "f", _float(math.lgamma)),
    "erf": (1, "f", _float(math.erf)),
    "erfc": (1, "f", _float(math.erfc)),
    "remainder": (2, "f", _float(math.remainder)),
    "factorial": (1, "i", _int(math.factorial)),
    "isqrt": (1, "i", _int(math.isqrt, 0)),
    "perm": (2, "i", _int(math.perm)),
    "comb": (2, "i", _int(math.comb)),
}  # name → (arity, kinds of the arguments, meaning); the result has the arguments' type
