"""The functions of `operator`, and special methods that are called by name."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.cases import case_tests
from tests.oracle import check


def kept(a: Any, k: Any, x: Any) -> Any:
    return operator.setitem(a, k, x), operator.contains(a, x), a


def taken_out(a: Any, k: Any) -> Any:
    from operator import delitem as remove

    remove(a, k)
    return len(a)


def of_a_list_made_here(n: int) -> Any:
    words = [5, 6, 7]
    operator.setitem(words, n, 9)
    operator.delitem(words, 0)
    twice = operator.imul(words, 2)
    operator.iadd(words, [n])
    return words, twice is words, operator.countOf(words, 9), operator.indexOf(words, 9)


def of_a_dict_made_here(n: int) -> Any:
    table = {1: 2}
    operator.setitem(table, n, 5)
    table.__setitem__(7, n)
    table.__delitem__(1)
    return table, table.__len__(), table.__contains__(n), table.__getitem__(7)


def by_name(a: Any) -> Any:
    items = list(a)
    items.__setitem__(0, 9)
    items.__delitem__(1)
    return items, items.__len__(), items.__contains__(9), items.__getitem__(-1), (4, 5).__getitem__(1)


def not_there(a: Any) -> Any:
    return (1, 2).__setitem__(0, a)  # type: ignore[attr-defined]


def one_or_two(n: int, short: bool) -> Any:
    items = [n, 2, 3, 4]
    del items[0 if short else slice(1, 3)]
    return items


def in_place(a: Any, b: Any) -> Any:
    return operator.isub(a, b), operator.imul(a, b), a


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (kept, [([1, 2, 3], 1, 7), ({"a": 1}, "b", "a"), (np.arange(4), 2, 9), (np.arange(4), slice(1, 3), 8)]),
    (taken_out, [([1, 2, 3], 1), ({1: 2}, 1), ([1, 2, 3], slice(0, 2))]),
    (of_a_list_made_here, [(1,), (2,)]),
    (of_a_dict_made_here, [(3,)]),
    (by_name, [([1, 2, 3],), (np.arange(3),)]),
    (one_or_two, [(1, True), (1, False)]),
    (in_place, [(np.arange(3), 2), (5, 3)]),
]


test_interpreted, test_compiled = case_tests(CASES, compiled={"of_a_list_made_here", "taken_out"})


def test_a_method_that_is_not_there() -> None:
    check(not_there, 1, raises=AttributeError)
