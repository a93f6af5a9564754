"""Which programs are compared with plain Python: those that call it at every step, and those that do so in parts."""

from __future__ import annotations

from typing import Any

import numpy as np

import soljit as sol
from soljit.analysis.cost.python_work import NONE, PART, SHORT, WHOLE


def counted(words: list[str]) -> dict[str, int]:
    d: dict[str, int] = {}
    for w in words:
        d[w] = d.get(w, 0) + 1
    return d


def counted_and_summed(words: list[str], n: int) -> tuple[dict[str, int], float]:
    d: dict[str, int] = {}
    for w in words:
        d[w] = d.get(w, 0) + 1
    t = 0.0
    for i in range(n):
        t += i * 0.5
    return d, t


def printed(a: np.ndarray[Any, Any]) -> float:
    t = 0.0
    for x in a:
        t += x
    print(t)
    return t


def summed(a: np.ndarray[Any, Any]) -> float:
    t = 0.0
    for x in a:
        t += x
    return t


def once(x: float, y: float) -> tuple[float, float]:
    return (x + y, x - y) if x > y else (x * y, 0.0)


def work_of(f: Any, *args: Any) -> str:
    jitted = sol.jit(f, target="null")
    jitted(*args)
    found: str = jitted._entry.variants[0].record.python_work
    return found


def test_work_of_programs() -> None:
    words = ["a", "b"] * 40
    assert work_of(counted, words) == WHOLE
    assert work_of(counted_and_summed, words, 5) == PART
    assert work_of(printed, np.ones(3)) == PART
    assert work_of(summed, np.ones(3)) == NONE
    assert work_of(once, 1.0, 2.0) == SHORT
