"""Global variables and attributes of objects outside that Python code changes while a compiled function that reads them runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol

N = 1.0
FACTOR = 3.0  # nobody assigns it


class Settings:
    def __init__(self) -> None:
        self.k = 1.5
        self.table = np.zeros(2)


SETTINGS = Settings()


def count() -> None:
    global N
    N += 1


class Simulation:
    def __init__(self) -> None:
        self.inner = [0.0]

    def step(self) -> float:
        global N
        N += 1
        SETTINGS.k += 1
        return 0.5

    def deeper(self) -> None:
        count()

    @property
    def state(self) -> float:
        count()
        return 1.0

    @staticmethod
    def apart() -> None:
        SETTINGS.k *= 2

    def __len__(self) -> int:
        count()
        return 3


class Unknown(Simulation):
    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


HERE = Unknown()


def by_method(a: np.ndarray, s: Any) -> Any:
    before = N + SETTINGS.k
    s.step()
    return before, N + SETTINGS.k, FACTOR


def by_another_function(a: np.ndarray, s: Any) -> Any:
    before = N
    s.deeper()
    return before, N


def by_a_property(a: np.ndarray, s: Any) -> Any:
    before = N
    return before, s.state, N


def by_a_static_method(a: np.ndarray, s: Any) -> Any:
    before = SETTINGS.k
    s.apart()
    return before, SETTINGS.k


def by_len(a: np.ndarray, s: Any) -> Any:
    return N, len(s), N


def in_a_loop(a: np.ndarray, s: Any) -> Any:
    total = 0.0
    for i in range(len(a)):
        total += N * a[i]
        s.step()
    return total, N


def of_an_object_outside(a: np.ndarray, s: Any) -> Any:
    before = N
    HERE.step()
    return before, N, SETTINGS.k


def _run(f: Callable[..., Any], s: Any) -> Any:
    global N
    N, SETTINGS.k = 1.0, 1.5
    return f(np.ones(3), s), N, SETTINGS.k


@pytest.mark.parametrize("cls", [Simulation, Unknown], ids=lambda c: c.__name__)
@pytest.mark.parametrize(
    "f",
    [by_method, by_another_function, by_a_property, by_a_static_method, by_len, in_a_loop, of_an_object_outside],
    ids=lambda f: f.__name__,
)
def test_what_python_code_changes_is_read_again(f: Callable[..., Any], cls: type) -> None:
    compiled = sol.jit(f)
    for _ in range(2):
        assert _run(compiled, cls()) == _run(f, cls())
