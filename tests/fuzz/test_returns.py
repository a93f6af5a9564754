"""Random helpers that return from anywhere, called and on their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.fuzz.limits import TooLong, work_limit
from tests.fuzz.returns import program
from tests.oracle import check, function

ARRAYS = ([0, 0], [0, 1], [2, 1], [4, 4], [1, 5], [3, 2, 1])


def _ends(f: Any, a: Any, n: int) -> bool:
    try:
        with work_limit():
            f(a, n)
    except TooLong:
        return False
    return True


def _run(seed: int) -> None:
    f = function(program(seed), "f", np=np)
    calls = [(np.array(x, float), n) for x in ARRAYS for n in (0, 1, 3)]
    calls = [c for c in calls if _ends(f, c[0].copy(), c[1])]
    for g in (f, f.__globals__["h"]):
        if calls:
            check(g, *calls[0], also=calls[1:], or_refused=True, settings={"target": "interpreter"})


def test_helpers() -> None:
    for seed in range(25):
        _run(seed)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(20))
def test_many_helpers(batch: int) -> None:
    for seed in range(100 + 100 * batch, 200 + 100 * batch):
        _run(seed)
