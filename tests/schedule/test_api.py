"""Schedules in `jit`: given as text, value or file, part of the cache's key, told by `schedule()` also of code from the cache."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol

A = np.arange(50.0)


def _line(function: Any, below: int) -> int:
    """The number of a line below the function's `def`."""
    return int(function.__code__.co_firstlineno) + below


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
    assert g.schedule(0).splitlines()[2:] == [f"inline(t)  # {_line(smooth, 1)}: t = a + 1.0"]
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
    assert f.schedule(0).splitlines()[1:] == [
        f"function(smooth, line={line})",
        f"vectorize(L{line + 1}.i0)  # {line + 1}: t = a + 1.0",
    ]


def test_recipes_are_values_that_travel() -> None:
    f = sol.jit(smooth)
    f(A)
    (recipe,) = f.recipes()
    assert pickle.loads(pickle.dumps(recipe)) == recipe
    assert {recipe: 1}[f.recipes()[0]] == 1


# --- the lines that steps are about, as comments ----------------------------------------------------------------------


def doubled(v):  # type: ignore[no-untyped-def]
    inner = v * 2.0
    return inner[1:] + inner[:-1]


def summed(x, n):  # type: ignore[no-untyped-def]
    if n == 0:
        return 0.0
    s = 0.0
    for i in range(len(x)):
        s += x[i] * n
    return s + summed(x, n - 1)


@sol.jit
def commented(a, m):  # type: ignore[no-untyped-def]
    t = a + "#".count("#")
    lap = doubled(t[2:] + t[:-2])
    return np.exp(lap - lap.max()).sum() + summed(a, m)


def _comments(text: str) -> dict[str, str]:
    return {step.strip(): told for step, _, told in (x.partition("  # ") for x in text.splitlines()[2:])}


def test_steps_tell_the_text_of_their_lines() -> None:
    commented(A, 2)
    told = _comments(commented.schedule(0))
    first = _line(commented, 1)  # below the decorator
    one, two, three = (
        f'{first + 1}: t = a + "#".count("#")',
        f"{first + 2}: lap = doubled(t[2:] + t[:-2])",
        f"{first + 3}: return np.exp(lap - lap.max()).sum() + summed(a…",
    )
    assert told["inline(t)"] == one
    assert told[f"fuse(L{first + 2}.i0[3], L{first + 3}.i0)"] == f"{two} | {three}"
    assert any(s.startswith(f"parallel(L{first + 3}.i0") and x == three for s, x in told.items())
    assert told["inline(inner)"] == f"{_line(doubled, 1)}: inner = v * 2.0"
    loop = _line(summed, 4)  # of a function that the program calls: its own line, not one counted from elsewhere
    assert told[f"map(summed.L{loop}.i)"] == f"{loop}: for i in range(len(x)):"
    assert all(told.values())


def test_comments_are_read_over() -> None:
    expected = commented(A, 2)
    text = commented.schedule(0)
    again = sol.jit(commented.python, schedule=text)
    assert np.array_equal(again(A, 2), expected)
    assert again.recipes() == commented.recipes()
    assert again.schedule(0) == text
    bare = "\n".join(line.partition("  # ")[0] for line in text.splitlines())
    other = sol.jit(commented.python, schedule=bare)
    other(A, 2)
    assert other.schedule(0) == text


def test_code_from_the_cache_has_comments() -> None:
    first, second = sol.jit(commented.python), sol.jit(commented.python)
    first(A, 2)
    second(A, 2)
    assert second.report()[0]["origin"] == "cache"
    assert second.schedule() == first.schedule()


def test_functions_of_other_files_are_named_with_their_file() -> None:
    from tests.schedule.programs import shifted

    def f(a: Any) -> Any:
        return shifted(a)[1:] * 3.0

    compiled = sol.jit(f)
    compiled(A)
    told = _comments(compiled.schedule(0))
    assert any(x.startswith("programs.py:") and ": moved = a + 1.0 | " in x for x in told.values())
