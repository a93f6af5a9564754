"""Twelve loops over the coefficients of a stencil, a list of the module."""

from typing import Any

import numpy as np

from bench.generated import generated

TARGET = 2.0
HEAD = """
import numpy as np

C = [-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]


def f(u, dt):
    n = len(u) - 8
    a = np.zeros(n)
"""
LINES = [f"    for k, c in enumerate(C):\n        a += c * {k + 1}.0 * u[k : k + n]\n" for k in range(12)]
f = generated("".join([HEAD, *LINES, "    return a * dt\n"]), "finite_differences").f


def arguments() -> list[tuple[Any, ...]]:
    """The calls."""
    return [(np.linspace(0, 1, 400), 0.1)]
