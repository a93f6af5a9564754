"""The schedule of a program, taken again as a text, makes the same program: for every kernel and program of the benchmarks."""

from __future__ import annotations

import pytest

from bench import benchmark
from soljit.ir.text.printer import to_text
from soljit.schedule.recipe import Recipe
from soljit.schedule.text import from_text
from soljit.schedule.text import to_text as recipe_text
from tests.schedule.programs import lowered, optimized

ALL = [(suite, name) for suite in ("kernels", "programs") for name in benchmark.names(benchmark.Source(suite=suite))]


@pytest.mark.share(0.3)
@pytest.mark.parametrize(("suite", "name"), ALL, ids=lambda x: x)
def test_the_same_schedule_makes_the_same_program(suite: str, name: str) -> None:
    b = benchmark.load(name, "tiny", benchmark.Source(suite=suite))
    program = lowered(b.function, *b.fresh())
    chosen, recipe = optimized(program)
    text = recipe_text(recipe, name, program.loc.line)
    assert from_text(text, first=1) == recipe
    assert Recipe.from_json(recipe.to_json()) == recipe
    replayed, taken = optimized(program, from_text(text, first=1))
    assert to_text(replayed) == to_text(chosen)
    assert taken == recipe


@pytest.mark.parametrize(("suite", "name"), ALL[::9], ids=lambda x: x)
def test_an_empty_schedule_leaves_all_loops_as_they_are(suite: str, name: str) -> None:
    b = benchmark.load(name, "tiny", benchmark.Source(suite=suite))
    program, taken = optimized(lowered(b.function, *b.fresh()), Recipe())
    assert not taken.steps
    assert '"threads"' not in to_text(program)
