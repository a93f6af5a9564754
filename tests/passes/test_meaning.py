"""Every golden program means the same after the pass of its folder, and after the whole pipeline.

The interpreter walks maps backwards and poisons private containers, so a wrong fusion or contraction shows.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from soljit.ir.core.data import Array, Ref
from soljit.ir.core.expr import Expr, const
from soljit.ir.core.nodes import Program
from soljit.ir.interpret.interpreter import run as interpret
from soljit.ir.symbolic import linear
from soljit.ir.text.parser import from_text
from soljit.ir.verify import program as verifier
from soljit.ir.walk import substitute
from soljit.passes import pipeline
from soljit.passes.manager import Context, run
from tests.passes.test_golden import ARROW, CASES, PASSES, context

SIZES = {"N": 6, "M": 5, "K": 4}


class Holder:
    """An object that holds all arrays of a call, and changes them whenever it is called, each time in another way."""

    def __init__(self, arrays: list[object]) -> None:
        self.arrays = arrays
        self.count = 0

    def step(self) -> None:
        self.count += 1
        for a in self.arrays:
            if isinstance(a, np.ndarray) and a.dtype.kind == "f":
                a *= -1.5
                a += self.count


def arguments(program: Program, seed: int) -> list[object]:
    """Values for all parameters: arrays of small random numbers of both signs, sizes by name, objects that change the arrays."""
    rng = np.random.default_rng(seed)
    values: list[object] = []
    for p in program.params:
        d = program.data.get(p.name)
        if isinstance(d, Array):
            shape = [size(n) for n in d.shape]
            made = rng.integers(0, 4, shape) if d.dtype.is_int else rng.standard_normal(shape)  # integers: indices
            values.append(made.astype(d.dtype.numpy))
        elif p.kind == "object":
            held = program.data.get("held_by_objects")
            reached = held.alias if isinstance(held, Ref) else ()
            values.append(Holder([a for q, a in zip(program.params, values) if q.name in reached]))
        else:
            assert p.dtype is not None
            values.append(p.dtype.numpy.type(rng.integers(1, 4)))
    return values


def size(e: Expr) -> int:
    return linear(substitute(e, {k: const(v) for k, v in SIZES.items()})).const


def observe(program: Program, seed: int) -> list[object]:
    """Results and changed arguments, or the exception and changed arguments."""
    args = arguments(program, seed)
    try:
        out: list[object] = list(interpret(program, args))
    except (ValueError, IndexError) as e:
        out = [repr(e)]
    return out + args


def assert_same(a: list[object], b: list[object]) -> None:
    assert len(a) == len(b)
    for x, y in zip(a, b):
        if isinstance(x, Holder):
            assert isinstance(y, Holder) and x.count == y.count
        elif isinstance(x, str):
            assert x == y
        else:
            rtol = 1e-6 if np.asarray(x).dtype in (np.float32, np.complex64) else 1e-13
            np.testing.assert_allclose(x, y, rtol=rtol, strict=True)


@pytest.mark.share(0.3)
@pytest.mark.parametrize("path", CASES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_one_pass_keeps_the_meaning(path: Path) -> None:
    before = path.read_text().partition(ARROW)[0]
    program = from_text(before)
    after = run(program, [PASSES[n] for n in path.parent.name.split("+")], context(before))
    for seed in range(2):
        assert_same(observe(program, seed), observe(after, seed))


@pytest.mark.share(0.4)
@pytest.mark.parametrize("path", CASES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_the_pipeline_keeps_the_meaning(path: Path) -> None:
    program = from_text(path.read_text().partition(ARROW)[0])
    after = pipeline.optimize(program, Context(threads=2))
    for seed in range(2):
        assert_same(observe(program, seed), observe(after, seed))


@pytest.mark.share(0.4)
@pytest.mark.parametrize("path", CASES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_the_pipeline_for_a_device_keeps_the_meaning(path: Path) -> None:
    before = path.read_text().partition(ARROW)[0]
    program = from_text(before)
    after = verifier.check(pipeline.optimize(program, context(before, "device")))
    for seed in range(2):
        assert_same(observe(program, seed), observe(after, seed))
