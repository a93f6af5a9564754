"""Transfers that are left matter, and their number does not depend on how often loops run.

The programs of the benchmark kernels and of the golden files, as the device's pipeline leaves them, in the interpreter.
"""

from __future__ import annotations

import numpy as np
import pytest

from bench.benchmark import Benchmark, load, names
from soljit.frontend_ast.lower import lower_function
from soljit.ir.core.nodes import Program
from soljit.ir.interpret.interpreter import run
from soljit.ir.interpret.journal import Journal
from soljit.ir.text.parser import from_text
from soljit.passes.manager import Context
from soljit.passes.manager import run as run_passes
from soljit.passes.pipeline import TRANSFERS, optimize
from tests.device.deletion import superfluous
from tests.kernels.test_programs_of_kernels import ENDLESS, described_by
from tests.passes.test_golden import ARROW, CASES
from tests.passes.test_meaning import arguments

QUICK = {"jacobi_1d", "jacobi_2d", "fdtd_2d", "floyd_warshall", "softmax", "correlation", "durbin", "gemver", "symm"}
GOLDEN = [p for p in CASES if "transfers" in p.parent.name or p.parent.name == "place_on_device"]


def placed(benchmark: Benchmark, one_block: bool) -> Program:
    """The program that a device would get. one_block: with all loops that one block can run as such, or with none"""
    described = described_by(benchmark, benchmark.fresh())
    lowered = lower_function(benchmark.function, described.types, described.leaves).program
    apart = frozenset({"persist_loops"} if not one_block else ())
    options = {"persist_loops": {"always": True}}
    return optimize(lowered, Context(threads=4, tail="device", options=options, disabled=apart))


@pytest.mark.parametrize("one_block", [False, True])
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in names() if n not in ENDLESS]
)
def test_transfers_of_kernels_matter(name: str, one_block: bool) -> None:
    benchmark = load(name, "tiny")

    def fresh(k: int) -> list[object]:
        return list(described_by(benchmark, benchmark.fresh()).leaves)

    assert superfluous(placed(benchmark, one_block), fresh, runs=1) == []


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_transfers_of_golden_programs_matter(path) -> None:
    program = from_text(path.read_text().partition(ARROW)[0])
    after = run_passes(program, TRANSFERS, Context())
    assert superfluous(after, lambda k: arguments(after, k), runs=6) == []


def test_a_superfluous_transfer_is_found() -> None:
    path = next(p for p in GOLDEN if p.stem == "between_kernels")
    program = from_text(path.read_text().partition(ARROW)[0])
    found = superfluous(program, lambda k: arguments(program, k))
    assert found == [  # the second upload of A stands in front of a kernel that writes a part of A
        "copy(B_dev[0:N], B[0:N]): a loop reads B on the device in every iteration; it comes from the caller",
    ]


STEPS = {"jacobi_1d": "TSTEPS", "jacobi_2d": "TSTEPS", "heat_3d": "TSTEPS", "fdtd_2d": "TMAX"}


@pytest.mark.parametrize("one_block", [False, True])
@pytest.mark.parametrize("name", STEPS)
def test_the_number_of_transfers_does_not_depend_on_the_number_of_steps(name: str, one_block: bool) -> None:
    benchmark = load(name, "tiny")
    program = placed(benchmark, one_block)
    counts = []
    for steps in (2, 4):
        values = described_by(benchmark, benchmark.fresh()).leaves
        at = [p.name for p in program.params].index(STEPS[name])
        values[at] = np.int64(steps)
        journal = Journal()
        run(program, values, journal)
        counts.append(journal.counts())
    few, more = counts
    launches = few.pop("launches"), more.pop("launches")
    assert launches == (1, 1) if one_block else launches[0] < launches[1]
    assert few == more and few["uploads"] <= 4 and few["downloads"] <= 3
