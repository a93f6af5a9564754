"""Arrays of the module that the function and its helpers read: one memory, reached in several ways."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracle import check

WEIGHTS = np.array([0.25, 0.5, 0.25])
TURNED = WEIGHTS[::-1]


def smoothed(a):
    return WEIGHTS[0] * a[:-2] + WEIGHTS[1] * a[1:-1] + TURNED[0] * a[2:]


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_an_array_that_a_helper_reads_too(steps: int) -> None:
    """The variable stands for another array in every round, but never for one that is there before the call."""

    def f(a, steps):
        b = a * WEIGHTS.sum()
        for _ in range(steps):
            b = np.concatenate((b[:1], smoothed(b), b[-1:]))
            b[0] = WEIGHTS[0]
        return b

    check(f, np.arange(6.0), steps)


@pytest.mark.parametrize("own", [True, False])
def test_a_variable_that_may_stand_for_an_argument(own: bool) -> None:
    def f(a, own):
        b = a
        if own:
            b = a * WEIGHTS[0]
        b[1:] = 7
        return b

    check(f, np.arange(3.0), own)
