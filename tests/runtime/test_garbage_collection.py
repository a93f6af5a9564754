"""The garbage collector runs less often while a function is compiled, and as before afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.system.garbage_collection import YOUNG, fewer_collections


@pytest.fixture(autouse=True)
def thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize("target", ["", "null"])
def test_while_a_function_is_compiled(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from soljit import driver

    gc.set_threshold(700, 11, 12)
    seen = []
    compile_function: Any = driver.compile_function

    def watched(*args: Any) -> Any:
        seen.append(gc.get_threshold())
        return compile_function(*args)

    monkeypatch.setattr(driver, "compile_function", watched)

    def f(a: Any) -> Any:
        return a + 1

    sol.jit(target=target or None)(f)(np.ones(3))
    assert seen == [(YOUNG, 11, 12)]
    assert gc.get_threshold() == (700, 11, 12)


def test_a_refusal_restores_it() -> None:
    gc.set_threshold(700, 11, 12)

    @sol.jit(strict=True)
    def f(a: Any) -> Any:
        return eval("a + 1")

    with pytest.raises(sol.UnsupportedError):
        f(np.ones(3))
    assert gc.get_threshold() == (700, 11, 12)


@pytest.mark.parametrize("first", [0, YOUNG, 3 * YOUNG])
def test_a_collector_that_is_off_or_rare_is_left_alone(first: int) -> None:
    gc.set_threshold(first, 11, 12)
    with fewer_collections():
        assert gc.get_threshold()[0] == first
    assert gc.get_threshold() == (first, 11, 12)


def test_what_others_set_stays() -> None:
    gc.set_threshold(700, 11, 12)
    with fewer_collections():
        gc.set_threshold(300, 2, 2)
    assert gc.get_threshold() == (300, 2, 2)
