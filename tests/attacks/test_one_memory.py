"""One memory is one memory: what runs Python code may change every array that others hold, and sees every write."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.base.errors import UnsupportedError
from tests.attacks.holders import POKES, PROGRAMS
from tests.oracle import function

_OFTEN = 2  # programs for each way in the default suite; the others are slow tests


def _function(body: str, poke: str) -> Callable[..., Any]:
    text = textwrap.dedent(body).strip().replace("POKE", poke)
    return function(f"def f(a, h, n, k):\n{textwrap.indent(text, '    ')}\n", "f")


def _run(f: Callable[..., Any], make: Callable[[Any], Any]) -> str:
    a = np.arange(1.0, 5.0)
    try:
        found = f(a, make(a), 4, 3.0)
    except UnsupportedError as e:
        return f"refused: {e}"
    except Exception as e:  # the same as Python's
        found = repr(e)
    return f"{found!r}, a is {a!r}"


def _compare(poke: str, programs: Iterable[str]) -> None:
    make, statement = POKES[poke]
    wrong, refused = [], 0
    for name in programs:
        f = _function(PROGRAMS[name], statement)
        wanted, found = _run(f, make), _run(sol.jit(f, strict=True), make)
        refused += found.startswith("refused: ")
        if found != wanted and not found.startswith("refused: "):
            wrong.append(f"{name}: {found} instead of {wanted}")
    assert not wrong, "\n".join(wrong)
    assert not refused or poke in (
        "in place",
        "closure",
    )  # another object for a parameter; an array that is captured and an argument


def _some(poke: str) -> list[str]:
    names, k = list(PROGRAMS), list(POKES).index(poke)
    return [names[(k * _OFTEN + j) % len(names)] for j in range(_OFTEN)]


@pytest.mark.parametrize("poke", POKES)
def test_passes_know_of_changes_through_objects(poke: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOL_TARGET", "null")
    _compare(poke, _some(poke))


@pytest.mark.parametrize("poke", ["method", "item", "list of arrays"])
def test_compiled_code_knows_of_changes_through_objects(poke: str) -> None:
    _compare(poke, _some(poke)[:1])


@pytest.mark.slow
@pytest.mark.parametrize("poke", POKES)
def test_all_programs_know_of_changes_through_objects(poke: str) -> None:
    _compare(poke, PROGRAMS)


class Owner:
    def __init__(self, u: Any) -> None:
        self.u = u


def _through_an_object(a: Any, owner: Any) -> Any:
    u = owner.u
    n = len(a)
    for i in range(1, n):
        u[i] = a[i - 1] + 1.0
    v = a[1:]
    u[:-1] += v
    return u[0], a[0], u is a


def test_an_array_of_an_object_may_be_an_argument() -> None:
    f = sol.jit(_through_an_object, strict=True)
    for shared in (True, False, True):
        seen = []
        for g in (_through_an_object, f):
            a = np.arange(9.0)
            owner = Owner(a if shared else np.zeros(9))
            seen.append(repr((g(a, owner), a, owner.u)))
        assert seen[0] == seen[1]


captured = np.arange(4.0)


def _change_captured() -> None:
    captured[:] += 1.0


def _reading_what_is_captured(a: Any) -> Any:
    x = captured[0]
    a.sort(key=_key)
    return x, captured[0]


def _key(x: Any) -> Any:
    _change_captured()
    return x


def test_captured_arrays_are_changed_by_functions_of_the_program() -> None:
    f = sol.jit(_reading_what_is_captured, strict=True)
    assert f([3, 1]) == (0.0, 2.0)
    assert f([3, 1]) == (2.0, 4.0)


def _down(a: Any, h: Any, n: int) -> Any:
    if n == 0:
        h.step()
        return a[0]
    x = a[0]
    y = _down(a, h, n - 1)
    return x + 10 * y + 100 * a[0]


def test_functions_that_call_themselves_reach_what_objects_hold() -> None:
    make, _ = POKES["method"]
    seen = []
    for g in (_down, sol.jit(_down, strict=True)):
        a = np.arange(1.0, 5.0)
        seen.append((g(a, make(a), 3), a.tolist()))
    assert seen[0] == seen[1]
