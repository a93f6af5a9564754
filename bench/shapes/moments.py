"""Sum, variance and standard deviation of one array."""

from typing import Any

import numpy as np

TARGET = 0.8


def f(x):  # type: ignore[no-untyped-def]
    s = np.sum(x)
    v = np.var(x)
    d = np.std(x)
    return s, v, d


def arguments() -> list[tuple[Any, ...]]:
    """The calls."""
    return [(np.linspace(0, 1, 1000),)]
