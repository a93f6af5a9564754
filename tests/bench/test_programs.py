"""The programs of the harness, written as users write them: soljit compiles each of them strictly and gives what Python gives."""

from __future__ import annotations

import numpy as np
import pytest

import soljit
from bench.benchmark import Benchmark, Source, load, names
from bench.check import form_differences, worst_error

SOURCES = Source("programs"), Source("objects")
ALL = [pytest.param(name, source, id=name) for source in SOURCES for name in names(source)]


def outcome(benchmark: Benchmark, function: object) -> dict[str, object]:
    """What a call of `function` leaves."""
    arguments = benchmark.fresh()
    return benchmark.outcome(arguments, function(*arguments))  # type: ignore[operator]


def compare(name: str, source: Source, target: str | None, preset: str) -> None:
    benchmark = load(name, preset, source)
    want = outcome(benchmark, benchmark.function)
    got = outcome(benchmark, soljit.jit(strict=True, target=target)(benchmark.function))
    assert not form_differences(want, got)
    assert worst_error(want, got) <= benchmark.tolerance


def test_programs_are_many_and_none_is_among_the_kernels() -> None:
    programs, objects = map(names, SOURCES)
    assert len(programs) >= 30
    assert len(objects) >= 15
    assert not ({*programs} | {*objects}) & {*names()}
    assert not {*programs} & {*objects}


@pytest.mark.parametrize(("name", "source"), ALL)
def test_changes_are_declared(name: str, source: Source) -> None:
    benchmark = load(name, "tiny", source)
    arguments = benchmark.fresh()
    benchmark.function(*arguments)
    pairs = zip(benchmark.arguments, benchmark.arguments.values(), arguments)
    arrays = [(n, a, b) for n, a, b in pairs if isinstance(a, np.ndarray)]
    assert {n for n, before, after in arrays if not np.array_equal(before, after)} <= {*benchmark.changes}


@pytest.mark.share(0.3)
@pytest.mark.parametrize(("name", "source"), ALL)
def test_soljit_gives_what_python_gives(name: str, source: Source) -> None:
    compare(name, source, "null", "tiny")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "source"), ALL)
def test_compiled_programs_give_what_python_gives(name: str, source: Source) -> None:
    compare(name, source, None, "S")
