"""Functions as arguments: called, kept, handed to libraries, returned; and iterators that are returned."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import check, compiled

Function = Callable[..., Any]


@sol.jit
def jitted(v: Any) -> Any:
    return -v


def plain(v: Any) -> Any:
    return -v


class Scale:
    """An object that can be called."""

    def __init__(self, k: int) -> None:
        self.k = k

    def __call__(self, v: Any) -> Any:
        return v * self.k


def closures(n: int) -> tuple[Function, Function]:
    def one(x: Any) -> Any:
        return x + n

    def two(x: Any) -> Any:
        return one(one(x))

    return one, two


def used(f: Function, xs: list[Any]) -> Any:
    kept = [f]
    kept.append(f)
    xs.sort(key=f)
    return (
        [f(x) for x in xs],
        functools.reduce(lambda a, b: a + f(b), xs),
        sorted(xs, key=f),
        kept[0](3),
        max(xs, key=f),
        functools.partial(f, 2)(),
        xs,
    )


def given_back(f: Function, xs: list[Any]) -> Any:
    return f, [f], {1: f}, (f, 1), f is jitted, callable(f)


def chained(fs: Any, xs: Any) -> Any:
    for f in fs:
        xs = [f(x) for x in xs]
    return xs, functools.reduce(lambda a, f: f(a), fs, 3)


def test_functions_as_arguments() -> None:
    for f in (jitted, plain, Scale(3), abs, lambda v: v * 2, np.sqrt, Scale(3).__call__, functools.partial(pow, 2)):
        for g in (used, given_back):
            assert repr(compiled(g, target="null")(f, [3, 1, 2])) == repr(g(f, [3, 1, 2])), (g, f)
        assert compiled(given_back, target="null")(f, [])[0] is f


def test_sequences_of_functions_as_arguments() -> None:
    for fs in ((plain, jitted), [plain, jitted], closures(3), list(closures(4)), (Scale(2), plain)):
        assert compiled(chained, target="null")(fs, [1, 2]) == chained(fs, [1, 2])


def generated(n: int) -> Iterator[int]:
    for i in range(n):
        yield i * 2


def expression(xs: Any) -> Any:
    return (x + 1 for x in xs)


def mapped(xs: Any) -> Any:
    return map(plain, xs), filter(lambda v: v > 1, xs), zip(xs, (x * 2 for x in xs)), enumerate(x * 2 for x in xs)


def by_a_function(xs: Any) -> Any:
    k = 5

    def inner() -> Any:
        for x in xs:
            yield x + k

    return generated(len(xs)), inner()


@pytest.mark.parametrize("f", [expression, mapped, by_a_function])
def test_iterators_that_are_returned(f: Function) -> None:
    def items(result: Any) -> Any:
        parts = (result,) if isinstance(result, types.GeneratorType) else result
        return [(type(x), repr(list(x))) for x in parts]

    for xs in ([1, 2, 3], (1, 2), np.arange(3)):
        assert items(compiled(f, target="null")(xs)) == items(f(xs))


def test_functions_of_numpy_know_their_names() -> None:
    def f(a, k):
        found = {}
        for g in (np.sum, np.mean, np.hypot.reduce, np.linalg.norm):
            found[g.__name__] = g(a)
        h = (np.max, np.min)[k]
        return found, f"{h.__name__}: {h(a)}"

    check(f, np.arange(4.0), 1)
