"""Loops that wait for what another thread changes end when it does; loops that end by themselves are compiled."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.base.errors import FallbackWarning, UnsupportedError


def empty(flag: np.ndarray, a: np.ndarray) -> Any:
    while flag[0] == 0:
        pass
    return flag[0]


def counting(flag: np.ndarray, a: np.ndarray) -> Any:
    n, t = 0, 0.0
    while True:
        if flag[0] > 0:
            break
        n += 1
        t += a[0]
    return n > 0, t > 0


def is_set(flag: np.ndarray) -> bool:
    return bool(flag[0] == 1)


def asking(flag: np.ndarray, a: np.ndarray) -> Any:
    while not is_set(flag):
        continue
    return a[0]


def sleeping(flag: np.ndarray, a: np.ndarray) -> Any:
    while flag[0] == 0:
        time.sleep(0.001)
    return flag[0]


@pytest.mark.parametrize("f", [empty, counting, asking, sleeping], ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::soljit.base.errors.FallbackWarning")
def test_another_thread_ends_the_loop(f: Callable[..., Any]) -> None:
    flag, a = np.zeros(1), np.ones(1)
    compiled = sol.jit(f)
    assert compiled(np.ones(1), a) is not None
    given: list[Any] = []
    waiting = threading.Thread(target=lambda: given.append(compiled(flag, a)), daemon=True)
    waiting.start()
    time.sleep(0.05)
    assert waiting.is_alive()
    flag[0] = 1.0
    waiting.join(600)
    assert given


def test_the_refusal_names_the_loop() -> None:
    with pytest.raises(UnsupportedError, match="another thread") as caught:
        sol.jit(empty, strict=True)(np.ones(1), np.ones(1))
    assert "while flag[0] == 0" in str(caught.value) or "pass" in str(caught.value)
    with pytest.warns(FallbackWarning):
        sol.jit(empty)(np.ones(1), np.ones(1))


def halved(x: np.ndarray, n: int) -> int:
    while n > 1:
        n //= 2
    return n


def left_at_once(x: np.ndarray, n: int) -> int:
    while True:
        if x[0] > 1:
            return 1
        break
    return 2


def searched(x: np.ndarray, n: int) -> int:
    i = 0
    while x[i] < 3:
        i += 1
    return i


def written(x: np.ndarray, n: int) -> np.ndarray:
    while x[0] < n:
        x[0] += 1
    return x


def converged(x: np.ndarray, n: int) -> int:
    done, error = 0, 1.0
    while error > 1e-3 and done < n:
        y = x * 0.5
        error = np.abs(y - x).max()
        x = y
        done += 1
    return done


def by_an_inner_loop(x: np.ndarray, n: int) -> int:
    while True:
        for k in range(n):
            if x[k] == 3.0:
                return k
        n += 1


@pytest.mark.parametrize(
    "f", [halved, left_at_once, searched, written, converged, by_an_inner_loop], ids=lambda f: f.__name__
)
def test_loops_that_end_by_themselves_are_compiled(f: Callable[..., Any]) -> None:
    x = np.arange(5.0)
    np.testing.assert_array_equal(sol.jit(f, strict=True)(x.copy(), 5), f(x.copy(), 5))
