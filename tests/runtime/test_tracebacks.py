"""Tracebacks show the user's lines: that of the exception, of the calls that led to it, and none of soljit's."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol


def checked(x):
    if x < 0:
        raise ValueError("negative")
    return np.sqrt(x)


def middle(a, i):
    return checked(a[i]) + 1


def called_back(d, key):
    return d.setdefault(key, 1) + len(d)


def raising(a, i):
    total = 0.0
    for k in range(a.shape[0]):
        total += middle(a, k)
    return total


def twice(a, i):
    x = middle(a, 0)
    return x + middle(a, i)


def nested(a, i):
    def inner(k):
        return checked(a[k])

    return [inner(k) for k in range(i)][-1]


def wrong_keyword(a, i):
    return np.sum(a, axs=i)


def wrong_type(a, i):
    b = a * 2
    return b + "x"


def wrong_count(a, i):
    return middle(a)


def missing_key(a, i):
    d = {}
    for k in range(i):
        d[k] = a[k]
    return d[a.shape[0] + 7]


def key_in_a_helper(a, i):
    d = {"k": a[0]}
    for k in range(i):
        d[str(k)] = 1
    return called_back(d, [])


def outside(a, i):
    return a[i + 10]


SLOW = sys.version_info >= (3, 11)  # before, soljit's frames of the slow path stay (docs/semantics.md)


def frames(f: Callable[..., Any], *args: Any, **kwargs: Any) -> list[tuple[str, str | None]]:
    """Function and text of the lines below the test's own."""
    with pytest.raises(Exception) as e:
        f(*args, **kwargs)
    found = traceback.extract_tb(e.value.__traceback__)
    return [(entry.name, entry.line) for entry in found if entry.name not in ("frames", "raises")]


PROGRAMS = [raising, twice, wrong_keyword, wrong_type, missing_key, key_in_a_helper, outside]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_lines_are_those_of_python(f: Callable[..., Any]) -> None:
    a = np.array([1.0, -4.0, 9.0])
    compiled = sol.jit(strict=True)(f)
    want = frames(f, a, 1)
    first = frames(compiled, a, 1)
    assert first == want or not SLOW
    assert frames(compiled, a, 1) == want  # the dispatcher


def starts(f: Callable[..., Any], *args: Any) -> list[tuple[str, int, int]]:
    """Full name, first line and failing line of the frames below the test's own."""
    with pytest.raises(Exception) as e:
        f(*args)
    found = [(frame.f_code, line) for frame, line in traceback.walk_tb(e.value.__traceback__)]
    return [(getattr(c, "co_qualname", c.co_name), c.co_firstlineno, n) for c, n in found if c.co_name != "starts"]


@pytest.mark.parametrize("f", [raising, twice, missing_key, key_in_a_helper, outside], ids=lambda f: f.__name__)
def test_frames_begin_at_the_def(f: Callable[..., Any]) -> None:
    """Debuggers, pytest and IPython show the text from there."""
    a = np.array([1.0, -4.0, 9.0])
    compiled = sol.jit(strict=True)(f)
    starts(compiled, a, 1)
    assert starts(compiled, a, 1) == starts(f, a, 1)


def test_calls_of_nested_functions() -> None:
    """Comprehensions are frames of their own before Python 3.12."""
    compiled = sol.jit(strict=True)(nested)
    frames(compiled, np.array([1.0, -4.0]), 2)
    got = frames(compiled, np.array([1.0, -4.0]), 2)
    assert [name for name, _ in got] == ["nested", "inner", "checked"]
    assert got[-2:] == [("inner", "return checked(a[k])"), ("checked", 'raise ValueError("negative")')]


def test_a_call_of_a_helper_with_the_wrong_number_of_arguments() -> None:
    compiled = sol.jit(strict=True)(wrong_count)
    frames(compiled, np.ones(3), 1)
    assert frames(compiled, np.ones(3), 1) == [("wrong_count", "return middle(a)")]


@pytest.mark.skipif(not SLOW, reason="they take the slow path")
def test_calls_with_wrong_arguments_end_at_the_caller() -> None:
    f = sol.jit(strict=True)(outside)
    assert frames(f) == frames(f, 1, 2, 3) == frames(f, np.ones(20), 1, colour=2) == []
    assert f(np.ones(20), 1) == 1
    assert frames(f) == frames(f, 1, 2, 3) == frames(f, np.ones(20), 1, colour=2) == []


def test_frames_of_functions_that_were_called_back() -> None:
    class Log:
        def __init__(self) -> None:
            self.lines: list[str] = []

    def note(log, text):
        log.lines.missing = text

    def f(a, log):
        for k in range(a.shape[0]):
            note(log, str(k))

    want = frames(f, np.ones(2), Log())
    compiled = sol.jit(strict=True)(f)
    first = frames(compiled, np.ones(2), Log())
    assert first == want or not SLOW
    assert frames(compiled, np.ones(2), Log()) == want
