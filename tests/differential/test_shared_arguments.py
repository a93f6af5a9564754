"""One list, dict, instance or array as several arguments, or inside another one: what changes under one name changes under the other."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.cases import Case, case_tests


@dataclasses.dataclass
class Lists:
    x: list
    y: list


class Owner:
    def __init__(self, items: list) -> None:
        self.items = items


Pair = collections.namedtuple("Pair", "a b")
OUTSIDE = [1.0, 2.0]


def append(a: list, b: list) -> Any:
    a.append(3.0)
    return b, a is b


def set_and_sum(a: list, b: list) -> Any:
    a[0] = 7.0
    return sum(b)


def asks_only(a: Any, b: Any) -> Any:
    return a is b, b is not a


def two_fields(p: Any) -> Any:
    p[0].append(1.0)
    return len(p[1]), p[0] is p[1]


def two_attributes(p: Lists) -> Any:
    p.x.append(1.0)
    return len(p.y), p.x is p.y


def star_arguments(*args: Any) -> Any:
    args[0].append(2.0)
    return len(args[-1]), args[0] is args[-1]


def rows_and_one_row(rows: list, row: list) -> Any:
    for r in rows:
        r.append(1.0)
    return len(row)


def row_and_rows(row: list, rows: list) -> Any:
    row[0] = 9.0
    return rows[0][0]


def is_one_of_the_rows(rows: list, row: list) -> Any:
    return rows[0] is row, rows[-1] is not row, [r is row for r in rows].count(True), len(row)


def inside_a_dict(d: dict, row: list) -> Any:
    d["k"].append(4.0)
    return len(row)


def inside_an_instance(o: Owner, row: list) -> Any:
    o.items.append(4.0)
    return len(row)


def also_outside(a: list) -> Any:
    OUTSIDE[0] = a[0] + 1
    return a[0]


def of_two(a: Any, b: Any, n: int) -> Any:
    c = a if n > 0 else b
    return c is a, c is b, b is a


def swapped(a: Any, b: Any, n: int) -> Any:
    for _ in range(n):
        a, b = b, a
    return a is b, a


def changes_and_asks(a: Any, b: Any) -> Any:
    b += 1
    return a is b, a, b


def in_a_tuple(t: Any) -> Any:
    return t[0] is t[1], t[0] is not t[-1]


def L(*x: float) -> list:
    return list(x)


def frozen(n: int) -> np.ndarray:
    a = np.arange(float(n))
    a.flags.writeable = False
    return a


def twice(x: Any, *more: Any) -> Any:
    return (x, x, *more)


def and_view(a: np.ndarray, *more: Any) -> Any:
    return (a, a[:], *more)


def with_first(rows: list) -> Any:
    return rows, rows[0]


many = [[float(i)] for i in range(100)]
v = np.arange(4.0)

CASES: list[Case] = [
    (append, [(L(1.0), L(1.0)), twice(L(1.0)), (L(1.0), L(1.0))]),
    (set_and_sum, [twice(L(1.0)), (L(1.0, 2.0), L(1.0)), twice(L(1.0, 2.0))]),
    (asks_only, [(L(1.0), L(1.0)), twice(L(1.0)), twice({"p": 1.0}), twice(v), (v, v.copy()), and_view(v)]),
    (asks_only, [(v, v.copy()), twice(v), twice(frozen(3)), and_view(frozen(3)), twice(v[:0]), (v[:0], v[:0])]),
    (two_fields, [([L(1.0), L(1.0)],), ([*twice(L(1.0))],), (Pair(L(1.0), L(1.0)),), (Pair(*twice(L(1.0))),)]),
    (two_attributes, [(Lists(L(1.0), L(1.0)),), (Lists(*twice(L(1.0))),)]),
    (star_arguments, [(L(1.0), L(1.0)), twice(L(1.0)), (L(1.0), 2.0, L(3.0))]),
    (rows_and_one_row, [([L(1.0), L(2.0)], L(1.0)), with_first([L(1.0), L(2.0)]), (many, L(1.0)), with_first(many)]),
    (row_and_rows, [(L(1.0), [L(2.0)]), with_first([L(1.0)])[::-1], (L(1.0), many), with_first(many)[::-1]]),
    (is_one_of_the_rows, [([L(1.0), L(2.0)], L(1.0)), with_first([L(1.0)]), (many, L(0.0)), with_first(many)]),
    (inside_a_dict, [({"k": L(1.0)}, L(1.0)), (lambda x: ({"k": x}, x))(L(1.0))]),
    (inside_an_instance, [(Owner(L(1.0)), L(1.0)), (lambda x: (Owner(x), x))(L(1.0))]),
    (of_two, [(v, v.copy(), 1), (v, v.copy(), 0), twice(v, 0), twice(v, 1), and_view(v, 1), twice(frozen(3), 0)]),
    (of_two, [twice(v, 0), (v, v.copy(), 1)]),
    (swapped, [(v, v.copy(), 3), twice(v, 3), and_view(v, 2), twice(frozen(3), 1)]),
    (changes_and_asks, [(v, v.copy()), twice(v), and_view(v), (v[1:], v[:-1])]),
    (in_a_tuple, [((v, v.copy()),), (twice(v),), (and_view(v),), (twice(L(1.0)),)]),
]

test_interpreted, test_compiled = case_tests(CASES, {"asks_only", "rows_and_one_row", "inside_a_dict"})


@pytest.mark.parametrize("target", ["interpreter", "openmp"])
def test_an_argument_is_also_outside(target: str) -> None:
    f = sol.jit(also_outside, strict=True, target=target)
    for _ in range(2):
        OUTSIDE[0] = 1.0
        assert f([5.0]) == 5.0 and OUTSIDE[0] == 6.0
        assert f(OUTSIDE) == 7.0 and OUTSIDE[0] == 7.0
