"""Compiling costs in proportion to the program: units that are the same on each machine, counted for generated programs of each kind.

What the second half of a program costs for each statement, beside what the first half does, tells the exponent; what every program
of a kind costs, however short it is, drops out. The bound is 1.15. A kind that grows faster stands in `FASTER`, with what it does.
"""

from __future__ import annotations

import copy
import math
from itertools import pairwise

import pytest

from bench.compile_time import MOST, UNITS, costs
from bench.generated import KINDS, arguments, generated, length
from tests.oracle import check

SIZES = (25, 50, 100)
LONGER = {
    "helper_levels",
    "ffts",
    "containers",
    "mixed",
}  # some short programs of these kinds begin anew, others do not: four times as long
FASTER: dict[str, dict[str, float]] = {"mixed": {"searches": 1.25}}


@pytest.mark.share(0.5)
@pytest.mark.parametrize("kind", KINDS)
def test_costs_grow_with_the_program(kind: str) -> None:
    texts = [KINDS[kind](4 * size if kind in LONGER else size) for size in SIZES]
    found = [{"statements": float(length(x)), **costs(generated(x).f, copy.deepcopy(arguments()))} for x in texts]
    for unit in UNITS:
        if found[-1][unit] > 200:  # small numbers do not show how they grow
            first, second = ((y[unit] - x[unit]) / (y["statements"] - x["statements"]) for x, y in pairwise(found))
            grown = 1 + math.log2(second / first)
            assert grown <= FASTER.get(kind, {}).get(unit, MOST), (unit, grown, found)


@pytest.mark.share(0.3)
@pytest.mark.parametrize("kind", KINDS)
def test_generated_programs_mean_what_python_means(kind: str) -> None:
    check(generated(KINDS[kind](24)).f, *arguments(), rtol=1e-12 if kind == "ffts" else 0.0)
