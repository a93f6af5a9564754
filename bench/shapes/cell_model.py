"""A generated model of a cell: eighty intermediates, each with a branch, and the derivatives as sums of them."""

from typing import Any

import numpy as np

from bench.generated import generated

TARGET = 3.0
COUNT = 80
LINES = ["import math\n\n\ndef f(y, dy, t):\n    V = y[0]\n"]
for k in range(COUNT):
    before = f"a{k - 1}" if k else "V"
    LINES.append(f"    if V < {-40 - k % 30}.0:\n        a{k} = 0.1 * math.exp(-(V + {k}.0) / 20.0)\n")
    LINES.append(f"    else:\n        a{k} = y[{k % 5}] * 0.{k + 1} + {before} * 0.01\n")
for k in range(5):
    LINES.append(f"    dy[{k}] = " + " + ".join(f"a{j}" for j in range(k, COUNT, 5)) + f" - y[{k}]\n")
f = generated("".join([*LINES, "    return t\n"]), "cell_model").f


def arguments() -> list[tuple[Any, ...]]:
    """The calls."""
    return [(np.linspace(-80, 1, 5), np.zeros(5), 0.1)]
