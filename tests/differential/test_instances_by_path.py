"""Instances that a function makes for itself: which one a variable stands for depends on the way, on exceptions, on who else has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.instance_classes import D, P, Q
from tests.oracle import check

A = np.linspace(-1.0, 2.0, 12)


class Tr:
    def __init__(self) -> None:
        self.log = 0
        self.v = 0.0

    def risky(self, x: Any) -> Any:
        self.log += 1
        if x > 1.0:
            raise ValueError(x)
        self.v += x

    def __enter__(self) -> Any:
        self.log += 10
        return self

    def __exit__(self, *a: Any) -> Any:
        self.log += 100
        return True


def zero_rounds(a: Any) -> Any:
    p = P(1.0)
    for x in a[:0]:
        p = P(x)
    p.x += 1
    return p.x


def unbound(a: Any) -> Any:
    for x in a[:0]:
        p = P(x)
    return p.x


def unbound_some(a: Any) -> Any:
    for x in a:
        if x > 1.5:
            p = P(x)
            break
    return p.x


def unbound_by_way(a: Any) -> Any:
    if a[0] > 5:
        p = P(1.0)
    q = P(2.0)
    if a[1] > 5:
        p = q
    p.x += 1
    return q.x


def deleted_name(a: Any) -> Any:
    p = P(1.0)
    q = p
    if a[0] < 0:
        del p
    q.x += 1
    return p.x


def deleted_attribute(a: Any) -> Any:
    p = P(1.0)
    q = p
    if a[0] < 0:
        del q.x
    return p.x


def subclasses(a: Any) -> Any:
    p = P(1.0) if a[0] < 0 else Q(2.0)
    for x in a:
        p.add(x)
        p = Q(p.x) if x > 0.5 else P(p.x)
    return p.x, type(p) is Q, isinstance(p, Q)


def subclasses_returned(a: Any) -> Any:
    p = P(1.0)
    for x in a:
        p = Q(p.x) if x > 1.0 else P(p.x + x)
    return p


def class_default(a: Any) -> Any:
    p, q = D(), D()
    for x in a:
        r = p if x < 0 else q
        r.count += 1
    return p.count, q.count, D.count


def class_default_may(a: Any) -> Any:
    p, q = D(), D()
    r = p if a[0] < 0 else q
    r.count = 10
    return p.count, q.count, r.count


def class_default_in_rounds(a: Any) -> Any:
    p = D()
    n = 0
    for x in a:
        n += p.count
        if x > 0:
            p.count = 5
        if x > 1:
            p = D()
    return n, p.count


def equal_plain(a: Any) -> Any:
    p = P(a[0])
    q = p
    n = 0
    for x in a:
        n += (p == q) + 10 * (p is q) + 100 * (p != q) + 1000 * (p is not q)
        if x > 0:
            q = P(x)
        if x > 1:
            p = q
    return n


def partly(a: Any) -> Any:
    p = Tr()
    for x in a:
        q = p
        try:
            q.risky(x)
        except ValueError:
            p.log += 1000
            if x > 1.5:
                p = Tr()
        finally:
            q.v += 0.5
    return p.log, p.v, q.v, q is p


def partly_raised(a: Any) -> Any:
    p = Tr()
    try:
        for x in a:
            q = Tr() if x > 0.5 else p
            q.risky(x)
            p = q
    except ValueError:
        pass
    return p.log, p.v, q.log, q is p


def with_(a: Any) -> Any:
    p = Tr()
    for x in a:
        with p as q:
            q.risky(x)
        if x > 1.2:
            p = Tr()
    return p.log, q.log, p is q


def finally_changes(a: Any) -> Any:
    p = P(1.0)
    try:
        return p
    finally:
        p.x = 5.0


def finally_rebinds(a: Any) -> Any:
    p = P(1.0)
    q = P(2.0)
    try:
        for x in a:
            if x > 0:
                return p
    finally:
        p.x += 1
        p = q
        p.x = 7.0
    return q


def returned_in_loop(a: Any) -> Any:
    p = P(0.0)
    for x in a:
        p.x += x
        q = p if x > 0 else P(x)
        if q.x > 1.0:
            return q
        p = q
    return p


def recursion(a: Any) -> Any:
    def f(p: Any, n: Any) -> Any:
        if n == 0:
            return p
        return f(P(p.x + 1), n - 1)

    p = f(P(a[0]), 5)
    p.x += 1
    return p.x


def closure(a: Any) -> Any:
    p = P(0.0)

    def f(k: Any) -> Any:
        nonlocal p
        p.x += k
        if k > 1:
            p = P(k)

    q = p
    for x in a:
        f(x)
    return p.x, q.x, p is q


def closure_escapes(a: Any) -> Any:
    p = P(0.0)

    def g() -> Any:
        return p.x

    for x in a:
        p.x += x
        if x > 1:
            p = P(p.x)
    return g()


def escapes_in_one(a: Any) -> Any:
    out = []
    p = P(0.0)
    for x in a:
        if x > 1:
            out.append(p)
        p.x += x
        if x < 0:
            p = P(x)
    return [q.x for q in out]


def escapes_print(a: Any) -> Any:
    p = P(0.0)
    for x in a:
        q = P(x) if x > 0 else p
        p = q
    print(p.x, type(p).__name__)
    return p.x


def hashed(a: Any) -> Any:
    p = P(0.0)
    q = p
    if a[0] > 0:
        p = P(1.0)
    s = {p, q}
    return len(s)


def order_differs(a: Any) -> Any:
    p = D()
    if a[0] < 0:
        p.u = 1.0
        p.v = 2.0
    else:
        p.v = 2.0
        p.u = 1.0
    q = p
    return q


def order_by_alias(a: Any) -> Any:
    p = D()
    q = D()
    r = p if a[0] < 0 else q
    r.u = 1.0
    p.v = 2.0
    p.u = 3.0
    return p


def extra_some(a: Any) -> Any:
    p = D()
    q = p
    if a[0] > 5:
        q.z = 1.0
    return p


PROGRAMS = (
    zero_rounds,
    unbound,
    unbound_some,
    unbound_by_way,
    deleted_name,
    deleted_attribute,
    subclasses,
    subclasses_returned,
    class_default,
    class_default_may,
    class_default_in_rounds,
    equal_plain,
    partly,
    partly_raised,
    with_,
    finally_changes,
    finally_rebinds,
    returned_in_loop,
    recursion,
    closure,
    closure_escapes,
    escapes_in_one,
    escapes_print,
    hashed,
    order_differs,
    order_by_alias,
    extra_some,
)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_same(f: Callable[..., Any]) -> None:
    check(f, A, also=[(-A,), (A[:3],), (A + 3.0,), (A * 0.1,)], rtol=1e-12)
