"""Python code that compiled code calls resizes, reshapes, retypes or freezes an array that is in use: an error that names it, no crash."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import IDENTITY, TARGET

pytestmark = pytest.mark.skipif(IDENTITY or bool(TARGET), reason="about the dispatcher in C")
TABLE = np.arange(4000.0)


def uses(a: np.ndarray, change: Any) -> Any:
    s = a[0]
    change()
    for k in range(a.shape[0]):
        a[k] = s + k
    return a.sum()


def uses_an_array_outside(x: float, change: Any) -> Any:
    change()
    for k in range(4000):
        x += TABLE[k]
    return x


class OfObject:
    def __init__(self, change: Callable[[], object]) -> None:
        self.change = change

    @property
    def attribute(self) -> int:
        self.change()
        return 1


def reads_attribute(a: np.ndarray, o: Any) -> Any:
    a[0] = o.attribute
    a[3999] = 1.0
    return a.sum()


def changes(a: np.ndarray) -> list[Callable[[], object]]:
    return [
        partial(a.resize, 2, refcheck=False),
        partial(a.resize, 10**6, refcheck=False),
        partial(setattr, a, "shape", (2, -1)),
        partial(setattr, a, "dtype", np.int64),
        partial(a.setflags, write=False),
    ]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("k", range(5))
def test_an_argument(k: int) -> None:
    f, g = sol.jit(uses, strict=True), sol.jit(reads_attribute, strict=True)
    assert f(np.zeros(4000), lambda: None) == uses(np.zeros(4000), lambda: None)
    a, b = np.arange(4000.0), np.arange(4000.0)
    with pytest.raises(RuntimeError, match="the array 'a' has got other memory"):
        f(a, changes(a)[k])
    with pytest.raises(RuntimeError, match="the array 'a' has got other memory"):
        g(b, OfObject(changes(b)[k]))


def test_an_array_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    f = sol.jit(uses_an_array_outside, strict=True)
    monkeypatch.setitem(globals(), "TABLE", np.arange(4000.0))
    with pytest.raises(RuntimeError, match="the array 'TABLE' has got other memory"):
        f(1.0, partial(TABLE.resize, 2, refcheck=False))
