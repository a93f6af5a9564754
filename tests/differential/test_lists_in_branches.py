"""Lists and dicts that are made in a branch, a loop or a try, and changed or read elsewhere; constants bound in loops within loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, case_tests


def popped_elsewhere(x: float) -> Any:
    items = [x, x]
    if x < 3:
        some = items[1:]
    while some:
        last = some.pop()
    return last, items


def grown_elsewhere(x: float) -> Any:
    if x < 3:
        some = [x]
    for _ in range(3):
        some.append(x)
    return some


def grown_in_another_branch(x: float, n: int) -> Any:
    if x < 3:
        some = [x]
    if n > 0:
        some += [n]
    if n > 1:
        some[0] = 5.0
    return some


def grown_behind(x: float) -> Any:
    if x < 3:
        some = [x]
    else:
        some = [x, x]
    some.append(1.0)
    return some


def set_elsewhere(x: float, n: int) -> Any:
    if x < 3:
        table = {"p": x}
    if n > 0:
        table["q"] = n
    return table


def read_behind(a: np.ndarray, x: float) -> Any:
    if x > 0:
        items = [x * 2.0, a.sum(), a * 2.0, (a + 1, x), [a * 3, x + 1], None, "s", a, a[1:]]
        table = {"p": a * 4, "q": x - 1}
    return items[0], items[2], items, table["p"], table, len(items)


def read_in_a_later_branch(a: np.ndarray, x: float) -> Any:
    if x > 0:
        first = [a * 2.0, a.sum()]
    else:
        second = [a * 3.0]
    s = 0.0
    for k in range(2):
        if x > 0:
            s += first[0][k]
        else:
            s += second[0][k]
    return s


def read_behind_a_try(a: np.ndarray, n: int) -> Any:
    try:
        items = [a * i for i in range(3)]
        items[1][0] = a[n]
        pair = [a[n] * 2]
    except IndexError as e:
        print(repr(e))
    return items[1], items, pair[0]


def constants_in_inner_loops(n: int) -> Any:
    for k in range(3):
        for _ in range(n):
            v = None
            w = k
    return v, w


def constants_of_several_loops(n: int) -> Any:
    for k in range(3):
        for _ in range(n):
            v = None
        for _ in range(n - 1):
            v = k
    return v


def constants_deleted(n: int) -> Any:
    for k in range(3):
        if k > 1:
            for i in range(n):
                v = "t"
                if i > 0:
                    del v
    return v


def constants_in_while(n: int, x: float) -> Any:
    while n > 0:
        n -= 1
        for _ in range(n):
            while x > 0:
                x -= 1
                v = "q"
    return v, n


CASES: list[Case] = [
    (popped_elsewhere, [(2.0,), (4.0,)]),
    (grown_elsewhere, [(2.0,), (4.0,)]),
    (grown_in_another_branch, [(2.0, 2), (2.0, 0), (4.0, 1)]),
    (grown_behind, [(2.0,), (4.0,)]),
    (set_elsewhere, [(2.0, 2), (2.0, 0), (4.0, 1)]),
    (read_behind, [(np.arange(4.0), 1.5), (np.arange(3.0), -1.0)]),
    (read_in_a_later_branch, [(np.arange(4.0), 1.5), (np.arange(3.0), -1.0)]),
    (read_behind_a_try, [(np.arange(4.0), 1), (np.arange(3.0), 5)]),
    (constants_in_inner_loops, [(3,), (1,), (0,)]),
    (constants_of_several_loops, [(3,), (1,), (0,)]),
    (constants_deleted, [(3,), (1,), (0,)]),
    (constants_in_while, [(3, 0.5), (0, 2.5), (1, 1.5), (2, -1.0)]),
]

test_interpreted, test_compiled = case_tests(CASES, {"read_behind", "grown_in_another_branch", "read_behind_a_try"})
