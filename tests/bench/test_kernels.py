"""Every kernel of the harness: it is what its file says, and soljit gives what NumPy gives."""

from __future__ import annotations

import numpy as np
import pytest

import soljit
from bench.benchmark import Benchmark, load, names
from bench.check import form_differences, worst_error


def outcome(benchmark: Benchmark, function: object) -> dict[str, object]:
    """What a call of `function` leaves."""
    arguments = benchmark.fresh()
    return benchmark.outcome(arguments, function(*arguments))  # type: ignore[operator]


def test_there_are_all_kernels() -> None:
    assert len(names()) == 54


@pytest.mark.parametrize("name", names())
def test_changes_are_declared(name: str) -> None:
    benchmark = load(name, "tiny")
    arguments = benchmark.fresh()
    benchmark.function(*arguments)
    pairs = zip(benchmark.arguments, benchmark.arguments.values(), arguments)
    changed = {n for n, before, after in pairs if not np.array_equal(before, after)}
    assert changed <= set(benchmark.changes)


@pytest.mark.share(0.3)
@pytest.mark.parametrize("name", names())
def test_soljit_gives_what_numpy_gives(name: str) -> None:
    benchmark = load(name, "tiny")
    want = outcome(benchmark, benchmark.function)
    got = outcome(benchmark, soljit.jit(strict=True)(benchmark.function))
    assert not form_differences(want, got)
    assert worst_error(want, got) <= benchmark.tolerance
