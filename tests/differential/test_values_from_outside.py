"""Tuples and default values that exist before the call, with arrays, lists and dicts in them that change."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.cases import case_tests

STENCIL = (np.array([0.25, 0.5, 0.25]), (np.array([1, 0, 2]), slice(0, 2)), 3)
SEEN: list[float] = []
WEIGHTS = np.ones(2)
LOG: tuple[list[float], dict[str, float], np.ndarray] = ([1.5], {"n": 0.0}, np.zeros(2))


def _with_index() -> tuple[Callable[..., Any], Callable[..., Any]]:
    rows = (slice(1, None), np.array([2, 0, 2]))
    masks = (np.array([True, False, True, True]), np.array([False, True, True, False]))

    def picked(a: np.ndarray) -> Any:
        return a[rows], a[masks[0]].sum(axis=0), len(masks)

    def put(a: np.ndarray, k: int) -> Any:
        a[:, masks[k][:3]] = -1
        first, second = masks
        return (first & second).sum()

    return picked, put


picked, put = _with_index()


def limits_of_floats(x: np.ndarray) -> Any:
    known = sys.float_info
    x[np.abs(x) < known.epsilon] = known.max / 2
    return (
        known.dig,
        known[3] == known.min,
        sys.int_info.bits_per_digit * sys.hash_info.width,
        sys.version_info >= (3, 8),
    )


def smooth(a: np.ndarray) -> Any:
    w, (order, part), n = STENCIL
    out = np.zeros_like(a)
    for i in range(1, len(a) - 1):
        out[i] = (a[i - 1 : i + 2] * w).sum() * n
    return out, a[order], a[part]


def noted(x: float, seen: list[float] = SEEN, weights: np.ndarray = WEIGHTS) -> float:
    seen.append(x)
    weights[0] += x
    return len(seen) * weights[0]


def notes(x: float) -> Any:
    noted(x)
    return noted(x)


def logs(x: float) -> Any:
    LOG[0].append(x)
    LOG[1]["n"] += x
    LOG[2][0] += x
    return len(LOG[0]), LOG[0], LOG[1]["n"], LOG[2]


A = np.arange(12.0).reshape(4, 3)
CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (picked, [(A,), (A.T.copy().T,)]),
    (put, [(A, 0), (A, 1)]),
    (limits_of_floats, [(np.array([1e-17, 0.0, -2.0]),)]),
    (smooth, [(A[:, 0],), (np.arange(5),)]),
]

test_interpreted, test_compiled = case_tests(CASES, compiled={"picked"})


def _twice(f: Callable[..., Any]) -> list[Any]:
    return [copy.deepcopy(f(x)) for x in (2.0, 0.5)]


def test_what_changes_is_one_object_for_all_calls() -> None:
    global LOG
    for settings in ({"target": "interpreter"}, {}):
        jitted = sol.jit(strict=True, **settings)(logs)
        for start in (1.5, 7.0):
            LOG = ([start], {"n": start}, np.zeros(2))
            want = _twice(logs)
            LOG = ([start], {"n": start}, np.zeros(2))
            np.testing.assert_equal(_twice(jitted), want)
            assert jitted(1.0)[1] is LOG[0]


def test_default_values_are_made_once() -> None:
    for settings in ({"target": "interpreter"}, {}):
        jitted = sol.jit(strict=True, **settings)(notes)
        noted.__defaults__ = ([], np.ones(2))
        want = _twice(notes)
        noted.__defaults__ = ([], np.ones(2))
        assert _twice(jitted) == want


WEIGHTS: list[Any] = []
SHARES: dict[str, Any] = {}


def weighted(x: float) -> Any:
    total: Any = 0
    for w in WEIGHTS:
        total += w * x
    return total, x * len(WEIGHTS) + sum(WEIGHTS), sum(SHARES.values()), [v for _, v in SHARES.items()], WEIGHTS[-1]


@pytest.mark.parametrize("target", ["null", "openmp"])
def test_containers_that_hold_numbers_of_another_type_at_the_next_call(target: str) -> None:
    global WEIGHTS, SHARES
    jitted = sol.jit(strict=True, target=target)(weighted)
    for items in ([1, 2], [0.5, 2.0], [], [np.float32(3)], [2.0, 2.5], [7]):
        WEIGHTS, SHARES = items or [4], {"a": items[0] if items else 4}
        assert repr(jitted(2)) == repr(weighted(2))


def popped(x: float) -> Any:
    return x + WEIGHTS.pop()


def test_what_was_taken_out_is_not_taken_out_again() -> None:
    global WEIGHTS
    jitted = sol.jit(strict=True, target="null")(popped)
    WEIGHTS = [1, 2]
    assert jitted(2) == 4
    WEIGHTS += [5, 0.5]
    with pytest.raises(TypeError, match="compiled code expects int"):
        jitted(2)
    assert WEIGHTS == [1, 5]
