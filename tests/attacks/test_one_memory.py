"""One memory is one memory: what runs Python code may change every array that others hold, and sees every write."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.base.errors import UnsupportedError
from tests.attacks.holders import POKES, PROGRAMS
from tests.oracle import function


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


@pytest.mark.parametrize("poke", POKES)
@pytest.mark.parametrize("target", ["null"])
def test_changes_through_objects(poke: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOL_TARGET", target)
    make, statement = POKES[poke]
    wrong = []
    for name, body in PROGRAMS.items():
        f = _function(body, statement)
        wanted, found = _run(f, make), _run(sol.jit(f, strict=True), make)
        if found != wanted and not found.startswith("refused: "):
            wrong.append(f"{name}: {found} instead of {wanted}")
    assert not wrong, "\n".join(wrong)
