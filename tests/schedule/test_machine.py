"""What default schedules do on machines with caches of a few bytes, on which threads pay at once: the sizes of real arrays' blocks, at the sizes of tests."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from soljit.base.machine import MachineModel
from soljit.ir.interpret.interpreter import run as interpret
from soljit.ir.verify import program as verifier
from soljit.passes.manager import Context
from soljit.passes.pipeline import optimize
from tests.oracle import function
from tests.schedule.chains import random_chain
from tests.schedule.programs import lowered
from tests.schedule.stencils import random_stencil

REORDERING = frozenset(("skew_loops", "stream_rows", "delay_loops", "interleave_loops"))
STEPS = ("skew", "stream", "delay", "interleave")


def small_machine(rng: random.Random) -> MachineModel:
    """A machine with caches of some elements."""
    l1 = rng.choice((1, 16, 128, 1024, 1 << 15))
    return MachineModel(l1, l1 * rng.choice((1, 2, 8)), l1 * 16, rng.choice((16, 64)), rng.choice((0, 1, 40)))


def compare(text: str, copies: Callable[[], Sequence[Any]], seed: int) -> int:
    """How many steps there are that change the order of iterations: with the bits of the program without them."""
    rng, program = random.Random(seed), lowered(function(text), *copies())
    cx = Context(threads=rng.choice((1, 2, 4)), machine=small_machine(rng))
    after, plain = verifier.check(optimize(program, cx)), optimize(program, Context(disabled=REORDERING))
    outcomes = []
    for p in (after, plain):
        given = list(copies())
        with np.errstate(all="ignore"):
            results = interpret(p, given)
        outcomes.append([x for x in (*given, *results) if isinstance(x, np.ndarray)])
    for a, b in zip(*outcomes, strict=True):
        np.testing.assert_array_equal(a, b, strict=True)
    return sum(s.name in STEPS for s in cx.policy.taken.steps)


@pytest.mark.parametrize("seed", range(20))
def test_random_stencils(seed: int) -> None:
    stencil = random_stencil(seed, passes_on=seed % 3 == 0, periodic=seed % 4 == 0)
    compare(stencil.text, stencil.copies, seed)


@pytest.mark.parametrize("seed", range(20))
def test_random_sequences(seed: int) -> None:
    chain = random_chain(seed)
    compare(chain.text, chain.copies, seed)


def test_many_of_them_have_another_order() -> None:
    found = 0
    for seed in range(20, 30):
        stencil, chain = random_stencil(seed), random_chain(seed)
        found += compare(stencil.text, stencil.copies, seed) + compare(chain.text, chain.copies, seed)
    assert found >= 6
