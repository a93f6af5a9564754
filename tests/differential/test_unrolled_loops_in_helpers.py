"""Unrolled loops in helpers whose variables change their type under a branch: what follows the branch, the other iterations among it, is never lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.oracle import check


def gen() -> Any:
    yield 0
    yield 1


class G:
    def __enter__(self) -> Any:
        return self

    def __exit__(self, *a: Any) -> bool:
        return False


def over_a_tuple(a: Any) -> Any:
    y = 0
    for k in (0, 1):
        if a[k] > 0:
            y = a[0]
        print(y)
    return y


def with_else(a: Any) -> Any:
    y = 0
    for k in (0, 1):
        if a[k] > 0:
            y = a[0]
        print(y)
    else:
        if a[1] > 5:
            y = 3
        print("else", y)
    print("end")


def over_pairs(a: Any) -> Any:
    y = 0
    for k, t in zip((0, 1), ("a", "b")):
        if a[k] > 0:
            y = a[0]
        print(y, t)


def enumerated(a: Any) -> Any:
    y = 0
    for i, k in enumerate([0, 1]):
        if a[k] > 0:
            y = a[0]
        else:
            y = 0
        print(y, i)
    return y


def over_a_dict(a: Any) -> Any:
    y = 0
    for n, k in {"x": 0, "y": 1}.items():
        if a[k] > 0:
            y = a[0]
        print(y, n)


def over_a_generator(a: Any) -> Any:
    y = 0
    for k in gen():
        if a[k] > 0:
            y = a[0]
        print(y)
    print("end")
    return y


def nested(a: Any) -> Any:
    y = 0
    for k in (0, 1):
        for j in (0, 1):
            if a[j] > a[k] - 1:
                y = a[0]
            print(y, k, j)
        if a[k] > 1:
            y = 0
        print("in")
    print("end")


def around_a_with(a: Any) -> Any:
    y = 0
    for k in (0, 1):
        with G():
            if a[k] > 0:
                y = a[0]
            print(y)
        print("w")
    return y


def around_a_try(a: Any) -> Any:
    y = 0
    for k in (0, 1):
        try:
            if a[k] > 9:
                raise ValueError
            if a[k] > 0:
                y = a[0]
            print(y)
        except ValueError:
            y = None
        print(y)
    return y


def around_a_match(a: Any) -> Any:
    y = 0
    for k in (0, 1):
        match a[k] > 0:
            case True:
                y = a[0]
            case _:
                y = 0
        print(y)
    return y


def with_break(a: Any) -> Any:
    y = 0
    for k in (0, 1):
        if a[k] > 0:
            y = a[0]
        print(y)
        if k == 5:
            break
    return y


def with_continue(a: Any) -> Any:
    y = 0
    for k in (0, 1):
        if a[k] > 1:
            continue
        if a[k] > 0:
            y = a[0]
        print(y)
    return y


def with_return(a: Any) -> Any:
    y = 0
    for k in (0, 1):
        if a[k] > 0:
            y = a[0]
        print(y)
        if y == 77:
            return 5
    return y


def of_nothing_or_an_array(a: Any) -> Any:
    y = None
    for k in (0, 1):
        if a[k] > 0:
            y = a
        print(y is None)
    return y is None


def in_a_comprehension(a: Any) -> Any:
    y = [k if a[k] > 0 else a[k] for k in (0, 1)]
    print(y)
    return y


def over_a_range(a: Any) -> Any:
    y = 0
    for k in range(2):
        if a[k] > 0:
            y = a[0]
        print(y)
    return y


def of_an_expression(a: Any) -> Any:
    y = 0
    for k in (0, 1):
        y = a[0] if a[k] > 0 else 0
        print(y)
    return y


def over_a_starred_tuple(a: Any) -> Any:
    y = 0
    for k in (*(0,), 1):
        if a[k] > 0:
            y = a[0]
        print(y)
    return y


def over_a_list(a: Any) -> Any:
    y = 0
    for v in [a[0], a[1], a[0] + a[1]]:
        if v > 0:
            y = v
        print(y)
    return y


LOOPS = (
    over_a_tuple,
    with_else,
    over_pairs,
    enumerated,
    over_a_dict,
    over_a_generator,
    nested,
    around_a_with,
    around_a_try,
    around_a_match,
    with_break,
    with_continue,
    with_return,
    of_nothing_or_an_array,
    in_a_comprehension,
    over_a_range,
    of_an_expression,
    over_a_starred_tuple,
    over_a_list,
)
CALLS = [np.array(a) for a in ([1.0, 1.0], [1.0, -1.0], [-1.0, 2.0], [-1.0, -1.0])]


@pytest.fixture(params=LOOPS, ids=lambda f: f.__name__)
def loop(request: pytest.FixtureRequest) -> Any:
    return request.param


def compared(f: Callable[..., Any]) -> None:
    check(f, CALLS[0], also=[(a,) for a in CALLS[1:]], settings={"target": "interpreter"})


def test_alone(loop: Any) -> None:
    compared(loop)


def test_in_front_of_other_statements(loop: Any) -> None:
    def caller(a: Any) -> Any:
        r = loop(a)
        print("after")
        return r, 1

    compared(caller)


def test_in_a_try(loop: Any) -> None:
    def caller(a: Any) -> Any:
        try:
            r = loop(a)
        except IndexError:
            r = -1
        print("after")
        return r

    compared(caller)


def test_in_a_loop(loop: Any) -> None:
    def caller(a: Any) -> Any:
        r = None
        for i in range(2):
            r = loop(a)
            print("again", i)
        return r

    compared(caller)


def test_in_a_helper_of_a_helper(loop: Any) -> None:
    def inner(a: Any) -> Any:
        for n in (1, 2):
            r = loop(a)
            print(n)
        return r

    def caller(a: Any) -> Any:
        return inner(a), inner(a)

    compared(caller)
