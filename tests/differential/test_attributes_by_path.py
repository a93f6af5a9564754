"""Attributes of instances that a function makes for itself: numbers of several types, None, text, tuples, and which object they are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.instance_classes import P, Q
from tests.oracle import check

A = np.linspace(-1.0, 2.0, 12)


def int_float(a: Any) -> Any:
    p, q = P(0), P(1.5)
    for x in a:
        p, q = q, p
    return p.x, q.x


def weak_numbers(a: Any) -> Any:
    p = P(1.0)
    for x in a:
        p = P(p.x + 1.0, x)
    return p.x, p.y, type(p.x).__name__, type(p.y).__name__


def either_float(a: Any) -> Any:
    p = P(1.0)
    if a[0] < 0:
        p = P(a[0])
    return p.x, type(p.x).__name__, P(np.float32(2)).x * p.x


def strings(a: Any) -> Any:
    p = P("")
    for x in a:
        p = P(p.x + ("a" if x > 0 else "b"))
    return p.x


def arrays_shared(a: Any) -> Any:
    p = P(np.zeros(3))
    q = P(p.x)
    for x in a:
        p.x[0] += x
        p, q = q, p
    return p.x[0], q.x[0]


def none_twice(a: Any) -> Any:
    p = P(None)
    for x in a:
        if p.x is None or x > p.x:
            p = P(x, p.x)
    return p.x, p.y


def none_is(a: Any) -> Any:
    p = P(None)
    q = P(1.0)
    for x in a:
        p, q = q, p
    return p.x is None, q.x is None, p.x is q.x, p.x == q.x


def bools(a: Any) -> Any:
    p = P(False)
    q = P(True)
    for x in a:
        p, q = q, P(p.x and x > 0)
    return p.x, q.x, p.x is True


def complex_(a: Any) -> Any:
    p = P(1j)
    for x in a:
        p = P(p.x * x + 1)
    return p.x


def tuple_attr(a: Any) -> Any:
    p, q = P((1.0, 2)), P((3.0, 4))
    for x in a:
        p, q = q, P((p.x[0] + x, p.x[1] + 1))
    return p.x, q.x


def tuple_attr_lengths(a: Any) -> Any:
    p = P((1.0, 2.0))
    for x in a:
        p = P((x,)) if x > 0 else P((x, x))
    return p.x


def str_attr(a: Any) -> Any:
    p, q = P("a"), P("b")
    for x in a:
        p, q = q, p
        p.x += "x" if x > 0 else "y"
    return p.x, q.x, p.x == q.x, p.x is q.x


def fn_attr(a: Any) -> Any:
    p, q = P(math.sin), P(math.cos)
    s = 0.0
    for x in a:
        s += p.x(x)
        p, q = q, p
    return s


def none_num_ident(a: Any) -> Any:
    p = P(None)
    for x in a:
        y = p.x
        if y is None:
            p.x = x
        elif y is p.x:
            p.y += 1
    return p.x, p.y


def none_arith(a: Any) -> Any:
    p = P(None)
    n = 0
    for x in a:
        try:
            n += p.x + 1
        except TypeError as e:
            p.x = x
            m = str(e)
    return n, m


def none_printed(a: Any) -> Any:
    p = P(None)
    for x in a:
        print(p.x)
        if x > 1:
            p = P(x)
        if x > 1.5:
            p = P(None)
    return p.x


def none_compared_eq(a: Any) -> Any:
    p = P(None)
    n = 0
    for x in a:
        n += (p.x == x) + 2 * (p.x is not None) + 4 * (not p.x)
        p = P(x) if x > 0 else P(None)
    return n


def none_in_list(a: Any) -> Any:
    p = P(None)
    out = []
    for x in a:
        out.append(p.x)
        p = P(x) if x > 0 else P(None)
    return out


def none_or_default(a: Any) -> Any:
    p = P(None)
    s = 0.0
    for x in a:
        s += p.x or 1.0
        p.x = x if x > 0 else None
    return s


def none_int(a: Any) -> Any:
    p = P(None)
    for k in range(len(a)):
        if p.x is None or a[k] > a[p.x]:
            p.x = k
    return p.x, a[p.x]


def none_bool(a: Any) -> Any:
    p = P(None)
    for x in a:
        if p.x is None:
            p.x = True
        elif p.x:
            p.x = None if x > 1 else False
    return p.x


def type_of_attr(a: Any) -> Any:
    p = P(1.0)
    for x in a:
        p = P(x) if x > 1 else P(float(x))
    return type(p.x).__name__, p.x


def int_or_float_attr(a: Any) -> Any:
    p = P(1)
    for x in a:
        p = P(2.5) if x > 1 else P(3)
    return p.x, p.x // 2, type(p.x).__name__


def bool_or_int_attr(a: Any) -> Any:
    p = P(True)
    for x in a:
        p = P(2) if x > 1 else P(False)
    return p.x, p.x + 1


def float_or_np32(a: Any) -> Any:
    p = P(np.float32(0.1))
    for x in a:
        p = P(0.1) if x > 1 else P(np.float32(0.2))
    return p.x, p.x * np.float32(3)


def int32_or_int(a: Any) -> Any:
    p = P(np.int32(5))
    for x in a:
        p = P(7) if x > 1 else P(np.int32(9))
    return p.x, p.x + np.int32(1)


def complex_or_float(a: Any) -> Any:
    p = P(1.0)
    for x in a:
        p = P(1j * x) if x > 1 else P(x)
    return p.x


def ident1(a: Any) -> Any:
    p = P(None)
    n = 0
    for x in a:
        y = p.x
        z = p.x
        n += y is z
        p.x = x
    return n


def ident2(a: Any) -> Any:
    p = P(None)
    out = []
    for x in a:
        out.append(p.x)
        out.append(p.x)
        p.x = x
    return out[2] is out[3], len(set(map(id, out)))


def ident3(a: Any) -> Any:
    p = P(None)
    q = P(None)
    n = 0
    for x in a:
        n += p.x is q.x
        p.x = x
        q.x = p.x
        n += 100 * (p.x is q.x)
    return n


def ident4(a: Any) -> Any:
    p = P((1.0, 2.0))
    q = p
    n = 0
    for x in a:
        n += p.x is q.x
        t = p.x
        p = P((x, x))
        n += 10 * (t is q.x)
    return n


def ident5(a: Any) -> Any:
    p = P(None)
    q = P(None)
    last = None
    n = 0
    for x in a:
        y = p.x if x < 1 else q.x
        n += y is last
        last = y
        p.x = x
    return n


def ident6(a: Any) -> Any:
    p = P(None)
    p.x = float("nan") if a[0] < 0 else None
    return p.x in [p.x], [p.x] == [p.x], p.x == p.x


def returned_both(a: Any) -> Any:
    p, q = P(1.0), P(2.0)
    for x in a:
        p, q = q, p
    return p, q


def returned_list(a: Any) -> Any:
    p, q = P(1.0), P(2.0)
    for x in a:
        p, q = q, p
        p.x += x
    return [p, q, p]


def returned_attr(a: Any) -> Any:
    p = P(P(1.0))
    for x in a:
        p = P(p.x, x)
    return p


def returned_or_number(a: Any) -> Any:
    p = P(1.0)
    for x in a:
        if x > 1.5:
            return x
        p = p.moved(x)
    return p


def returned_of_two(a: Any) -> Any:
    p = P(1.0)
    if a[0] < 0:
        return p
    p.z = 3.0
    return p


def returned_sub(a: Any) -> Any:
    p = P(1.0)
    for x in a:
        if x > 1:
            p = Q(x)
    return p


PROGRAMS = (
    int_float,
    weak_numbers,
    either_float,
    strings,
    arrays_shared,
    none_twice,
    none_is,
    bools,
    complex_,
    tuple_attr,
    tuple_attr_lengths,
    str_attr,
    fn_attr,
    none_num_ident,
    none_arith,
    none_printed,
    none_compared_eq,
    none_in_list,
    none_or_default,
    none_int,
    none_bool,
    type_of_attr,
    int_or_float_attr,
    bool_or_int_attr,
    float_or_np32,
    int32_or_int,
    complex_or_float,
    ident1,
    ident2,
    ident3,
    ident4,
    ident5,
    ident6,
    returned_both,
    returned_list,
    returned_attr,
    returned_or_number,
    returned_of_two,
    returned_sub,
)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_same(f: Callable[..., Any]) -> None:
    check(f, A, also=[(-A,), (A[:3],), (A + 3.0,), (A * 0.1,)], rtol=1e-12)
