"""Schedules in `jit`: given as text, value or file, part of the cache's key, told by `schedule()` also of code from the cache."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import soljit as sol

A = np.arange(50.0)


def smooth(a):  # type: ignore[no-untyped-def]
    t = a + 1.0
    return t[2:] + t[:-2]


def test_a_schedule_is_taken_again(tmp_path: Path) -> None:
    f = sol.jit(smooth)
    expected = f(A)
    text = f.schedule()
    assert text.startswith("# smooth(")
    assert "inline(t)" in text
    file, as_json = tmp_path / "smooth.schedule", tmp_path / "smooth.json"
    file.write_text(text)
    as_json.write_text(json.dumps(f.recipes()[0].to_json()))
    for given in (text, f.recipes()[0], file, str(file), as_json):
        g = sol.jit(smooth, schedule=given)
        assert np.array_equal(g(A), expected)
        assert g.recipes() == f.recipes()
        assert g.source() == f.source()


def test_an_edited_schedule_is_another_program() -> None:
    f, g = sol.jit(smooth), sol.jit(smooth, schedule="inline(t)")
    assert np.array_equal(f(A), g(A))
    assert g.schedule(0).splitlines()[2:] == ["inline(t)"]
    assert "#pragma omp" in f.source()
    assert "#pragma omp" not in g.source()
    assert np.array_equal(sol.jit(f, schedule=sol.Recipe())(A), f(A))


def test_code_from_the_cache_tells_its_schedule() -> None:
    text = "inline(t)\n"
    first = sol.jit(smooth, schedule=text)
    first(A)
    again = sol.jit(smooth, schedule="# the same\ninline( t )")
    again(A)
    assert again.report()[0]["origin"] == "cache"
    assert again.schedule() == first.schedule()
    other = sol.jit(smooth, schedule="")
    other(A)
    assert not other.recipes()[0].steps
    default = sol.jit(smooth)
    default(A)
    assert len(default.recipes()[0]) > 1


def test_a_step_that_cannot_be_taken_is_an_error_of_the_call() -> None:
    f = sol.jit(smooth, schedule="inline(t)\ninline(q)")
    for _ in range(2):
        with pytest.raises(sol.ScheduleError, match=r"^line 2 of the schedule, inline\(q\): it needs an array"):
            f(A)


def test_what_is_no_schedule_is_refused_at_once() -> None:
    with pytest.raises(sol.ScheduleError, match="there is no step 'fly'"):
        sol.jit(smooth, schedule="fly(L3.i)")
    with pytest.raises(sol.ScheduleError, match="the file of the schedule cannot be read"):
        sol.jit(smooth, schedule="no/such/file")
    with pytest.raises(sol.ScheduleError, match="a schedule is a text, a Recipe or the path of a file, not int 3"):
        sol.jit(smooth, schedule=3)  # type: ignore[call-overload]
    with pytest.raises(sol.ScheduleError, match="runs no passes"):
        sol.jit(smooth, schedule="", target="interpreter")(A)
    with pytest.raises(sol.ArgumentError, match="has no keyword 'schedule'"):
        sol.settings(schedule="")  # type: ignore[call-arg]


def test_nothing_is_told_before_the_first_call() -> None:
    assert "has not been compiled yet" in sol.jit(smooth).schedule()


def test_lines_count_from_the_def() -> None:
    f = sol.jit(smooth, schedule="function(smooth, line=1)\nvectorize(L2.i0)\n")
    assert f(A).shape == (48,)
    line = smooth.__code__.co_firstlineno
    assert f.schedule(0).splitlines()[1:] == [f"function(smooth, line={line})", f"vectorize(L{line + 1}.i0)"]


def test_recipes_are_values_that_travel() -> None:
    f = sol.jit(smooth)
    f(A)
    (recipe,) = f.recipes()
    assert pickle.loads(pickle.dumps(recipe)) == recipe
    assert {recipe: 1}[f.recipes()[0]] == 1
