"""Helpers that decorators have wrapped: what is called is the wrapper, whatever `functools.wraps` has written on it."""

from __future__ import annotations

import functools
import heapq
from collections.abc import Callable
from typing import Any

from tests.cases import case_tests

Function = Callable[..., Any]
total = 0


def announced(fn: Function) -> Function:
    @functools.wraps(fn)
    def inner(*args: Any, **kwargs: Any) -> Any:
        print("call", fn.__name__)
        return fn(*args, **kwargs)

    return inner


def repeated(times: int) -> Callable[[Function], Function]:
    def decorate(fn: Function) -> Function:
        @functools.wraps(fn)
        def inner(x: Any) -> Any:
            for _ in range(times):
                x = fn(x)
            return x

        return inner

    return decorate


@announced
def power(x: Any, y: int = 2) -> Any:
    return x**y


@announced
@repeated(3)
def twice(x: Any) -> Any:
    return 2 * x


@announced
def add(x: int) -> int:
    global total
    total += x
    return total


def wrapped(n: Any) -> Any:
    return power(n), power(n, y=3), twice(n), power.__name__


def assigned_behind_a_wrapper(n: int) -> Any:
    before = total
    smallest = heapq.nsmallest(1, [n, 1], key=add)
    return total - before, smallest


CASES = [(wrapped, [(3,), (1.5,)]), (assigned_behind_a_wrapper, [(3,)])]

test_interpreted, test_compiled = case_tests(CASES, ["wrapped"])
