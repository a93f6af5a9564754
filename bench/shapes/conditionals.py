"""Sixteen numbers that are Python's floats on one path and NumPy's on the other, then used together."""

from typing import Any

import numpy as np

from bench.generated import generated

TARGET = 1.0
COUNT = 16
LINES = [
    f"    if y[{k}] < .5:\n        q{k} = y[{k}] * 2.0\n    else:\n        q{k} = math.exp(-y[{k}])\n"
    for k in range(COUNT)
]
f = generated(
    "import math\n\n\ndef f(y):\n" + "".join(LINES) + "    return " + " + ".join(f"q{k}" for k in range(COUNT)) + "\n",
    "conditionals",
).f


def arguments() -> list[tuple[Any, ...]]:
    """The calls."""
    return [(np.linspace(0, 1, 20),)]
