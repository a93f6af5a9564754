"""`sol.schedule.moves`: what could be done to the loops of a function, in its own lines, and why not; each step that is offered can be taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import soljit as sol
from bench import benchmark
from soljit.schedule.policy import Policy
from soljit.schedule.possible_steps import Found, Moves, explored
from soljit.schedule.recipe import Recipe
from tests.schedule.programs import lowered

A = np.arange(50.0)
KERNELS = benchmark.names(benchmark.Source(suite="kernels"))


def smooth(a):  # type: ignore[no-untyped-def]
    t = a + 1.0
    lap = t[2:] + t[:-2]
    return lap * 2.0


def _at(moves: Moves, *texts: str) -> list[str]:
    """Steps of lines of `smooth`, counted from its `def` as 0, in the lines of this file."""
    lines = {f"L{k}": f"L{moves.first + k}" for k in range(1, 4)}
    return [text.replace(short, long) for text in texts for short, long in lines.items() if short in text]


def test_what_could_be_done_and_why_not() -> None:
    f = sol.jit(smooth)
    m = sol.schedule.moves(f, A)
    assert not f.signatures, "it is asked about, not called"
    assert m.recipe == _recipe_of(A)
    legal = [s.text(m.first) for s in m]
    for (step,) in (_at(m, "parallel(L2.i0)"), _at(m, "parallel(L2.i0, pieces='interleaved')")):
        assert step in legal
    assert len(m) == len(legal) and "# inline(result): it is used as a whole array" in str(m)
    assert m.why_not(m.legal[0]) is None
    assert "inline" in str(m.why_not("inline(nothing)"))
    assert "is understood" not in str(m.why_not("inline(nothing)"))


def test_steps_lead_to_other_programs_with_the_same_results() -> None:
    want = smooth(A)
    m = sol.schedule.moves(sol.jit(smooth), A)
    stored = m.without("inline(t)", drop=True)
    assert [s.name for s in stored if s.name == "inline"] == ["inline"]
    again = stored.apply("inline(t)")
    for recipe in (stored.recipe, again.recipe, m.recipe):
        assert np.array_equal(sol.jit(smooth, schedule=recipe)(A), want)
    assert {s.name for s in again.recipe} >= {"inline"}


def test_one_way_of_a_step_takes_the_place_of_another() -> None:
    m = sol.schedule.moves(sol.jit(smooth), A)
    (step,) = _at(m, "parallel(L2.i0, pieces='interleaved')")
    with pytest.raises(sol.ScheduleError) as told:
        m.apply(_at(m, "parallel(L2.i0)")[0])
    assert "threads share its innermost loop" in str(told.value)
    other = m.apply(step)
    assert [s.name for s in other.recipe].count("parallel") == 1
    assert other.recipe == m.recipe.apply(other.recipe.steps[-2])


def test_bad_questions() -> None:
    with pytest.raises(sol.ArgumentError, match="a function that jit"):
        sol.schedule.moves(smooth, A)
    with pytest.raises(TypeError):
        sol.schedule.moves(sol.jit(smooth))
    m = sol.schedule.moves(sol.jit(smooth), A)
    with pytest.raises(sol.ScheduleError, match="none of the steps that were taken"):
        m.without("inline(lap)")
    with pytest.raises(sol.ScheduleError, match="a step is one line"):
        m.apply("inline(t)\ninline(lap)")
    with pytest.raises(sol.ScheduleError, match="there is no step"):
        m.apply("unroll(L3.i0)")
    with pytest.raises(sol.ScheduleError, match="processors"):
        sol.schedule.moves(sol.jit(smooth, device="emulated"), A)


def test_a_given_schedule_is_where_moves_begin() -> None:
    m = sol.schedule.moves(sol.jit(smooth, schedule="inline(t)"), A)
    assert [s.text(1) for s in m.recipe] == ["inline(t)"]
    assert {"fuse", "vectorize", "parallel"} <= {s.name for s in m}


@pytest.mark.share(0.2)
@pytest.mark.parametrize("name", KERNELS)
def test_what_is_offered_can_be_taken(name: str) -> None:
    b = benchmark.load(name, "tiny", benchmark.Source(suite="kernels"))
    m = _explored(lowered(b.function, *b.fresh()), None)
    for step in m.legal[:: max(1, len(m) // 8)]:
        m.apply(step, drop=True)


def _explored(program: Any, recipe: Recipe | None) -> Moves:
    from soljit.passes.manager import Context
    from soljit.passes.pipeline import optimize

    def ask(recipe: Recipe | None) -> Found:
        cx = Context(threads=4, vector_bits=512, policy=Policy(recipe, asked=True))
        optimize(program, cx)
        cx.finish()
        return cx.policy.found

    return explored(ask, recipe, program.loc.line)


def _recipe_of(*args: Any) -> Recipe:
    f = sol.jit(smooth)
    f(*args)
    return f.recipes()[0]
