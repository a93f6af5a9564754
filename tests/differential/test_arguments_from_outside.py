"""Lists and dicts of modules and instances behind `*` and `**`: the arguments that they hold at each call."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.cases import Case, case_tests
from tests.values import grid

ALONG: dict[str, Any] = {"axis": 0, "keepdims": True}
LAYOUT: dict[str, Any] = {"dtype": np.float32, "order": "F"}
LINE = [2.0, -0.5]
SIZES = [3, 2]
FILLED: dict[str, Any] = {"mode": "constant", "constant_values": (1, 2)}


class Filter:
    def __init__(self) -> None:
        self.options: dict[str, Any] = {"least": 1, "most": 4.5}
        self.weights = [1, 2, 3]


FILTER = Filter()


def line(x: Any, slope: float, start: float = 0.0) -> Any:
    return slope * x + start


def bounded(x: Any, least: float = 0, most: float = 1) -> Any:
    return np.minimum(np.maximum(x, least), most)


def counted(*numbers: int) -> int:
    return len(numbers) * sum(numbers)


def of_numpy(a: np.ndarray) -> Any:
    return a.sum(**ALONG), np.mean(a, **ALONG), np.array(a, **LAYOUT), np.pad(a, 1, **FILLED)


def of_functions(a: np.ndarray) -> Any:
    return line(a, *LINE), line(1, *LINE), bounded(a, **FILTER.options), counted(*FILTER.weights, *SIZES, 7), LINE[0]


def of_shapes(a: np.ndarray) -> Any:
    return a.reshape(*SIZES), np.zeros(SIZES), a.reshape(1, *SIZES).shape, len(SIZES)


def deepened(f: Callable[..., Any]) -> Callable[..., Any]:
    depth = [3, 1]

    @functools.wraps(f)
    def inner(*args: Any, **kwargs: Any) -> Any:
        return f(*args, **kwargs), len(depth)

    return inner


@deepened
def spread(x: Any, weights: Any, start: float = 0.0) -> Any:
    return x * weights - start


PROFILE = np.array([0.5, 1.5, -2.0])
BY_PROFILE = functools.partial(spread, weights=PROFILE)
LIFTED = functools.partial(BY_PROFILE, start=1.0)


def of_partials(x: np.ndarray) -> Any:
    return BY_PROFILE(x), LIFTED(x), LIFTED(x, start=3), functools.partial(LIFTED, x)()


CASES: list[Case] = [
    (of_partials, [(np.arange(3.0),), (np.float32(2.0),)]),
    (of_numpy, [(grid(2, 3),), (grid(3, 4)[:, ::2],)]),
    (of_functions, [(grid(2, 3),)]),
    (of_shapes, [(grid(6),), (grid(2, 3),)]),
]
test_interpreted, test_compiled = case_tests(CASES, ["of_functions", "of_partials"])


@pytest.mark.parametrize("settings", [{"target": "interpreter"}, {}])
def test_other_contents_are_noticed(settings: dict[str, Any]) -> None:
    jitted = sol.jit(strict=True, **settings)(of_line)
    x = np.arange(3.0)
    for held in ([2.0], [2.0, 5.0], [2, 5.0], [-1.0, 5.0], [2.0]):
        LINE[:] = held
        want, got = of_line(x), jitted(x)
        np.testing.assert_array_equal(want, got, strict=True)
    LINE[:] = [2.0, -0.5]


def of_line(x: np.ndarray) -> Any:
    return line(x, *LINE)


def grows(x: np.ndarray) -> Any:
    SIZES.append(4)
    return counted(*SIZES) * x


def changes(x: np.ndarray) -> Any:
    options = FILTER.options
    options["least"] = 2
    return bounded(x, **FILTER.options)


@pytest.mark.parametrize("f", [grows, changes])
def test_what_the_function_changes_itself(f: Callable[..., Any]) -> None:
    sizes, options, found = list(SIZES), dict(FILTER.options), []
    for g in (f, sol.jit(strict=True, target="interpreter")(f)):
        found.append([repr(g(np.ones(2))), repr(g(np.arange(2.0))), list(SIZES), dict(FILTER.options)])
        SIZES[:] = sizes
        FILTER.options.clear()
        FILTER.options.update(options)
    assert found[0] == found[1]


@pytest.mark.parametrize("settings", [{"target": "interpreter"}, {}])
def test_other_arguments_of_partials_are_noticed(settings: dict[str, Any]) -> None:
    jitted = sol.jit(strict=True, **settings)(of_lifted)
    x = np.arange(3.0)
    before = dict(LIFTED.keywords)
    for change in ({"start": 4.0}, {"weights": PROFILE + 1}, {"weights": 2}, {}):
        LIFTED.keywords.update(change)
        PROFILE[0] += 1
        np.testing.assert_array_equal(of_lifted(x), jitted(x), strict=True)
    del LIFTED.keywords["start"]
    np.testing.assert_array_equal(of_lifted(x), jitted(x), strict=True)
    LIFTED.keywords.update(before)
    PROFILE[0] = 0.5


def of_lifted(x: np.ndarray) -> Any:
    return LIFTED(x)[0]
