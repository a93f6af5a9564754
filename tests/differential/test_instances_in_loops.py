"""Instances that a function makes for itself: kept from round to round, swapped, in lists of fixed length, given by generators and helpers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.instance_classes import D, P
from tests.oracle import check

A = np.linspace(-1.0, 2.0, 12)


class Init:
    """An init that raises half way"""

    def __init__(self, x: Any) -> None:
        self.x = x
        if x > 1:
            raise ValueError("no")
        self.y = x


G = P(5.0)


def while_loop(a: Any) -> Any:
    p = P(0.0)
    n = 0
    while p.x < 10:
        q = p.moved(1.0)
        n += q is p
        p = q
        if p.x == 7:
            continue
        if p.x == 9.0:
            break
    else:
        p = P(100.0)
    return p.x, n


def loop_else(a: Any) -> Any:
    p = P(0.0)
    for x in a:
        q = p
        if x > 5:
            break
        p = P(x)
    else:
        q.x += 3
        p.y = 1.0
    return p.x, q.x, p.y


def nested_loops(a: Any) -> Any:
    best = P(-1e9)
    last = best
    for i in range(len(a)):
        cur = P(0.0)
        for j in range(i):
            cur.x += a[j]
            if cur.x > best.x:
                last = best
                best = cur
        cur.y += 1
    return best.x, last.x, best.y, last is best


def three(a: Any) -> Any:
    p, q, r = P(1.0), P(2.0), P(3.0)
    for x in a:
        if x < 0:
            p, q = q, p
        elif x < 1:
            q, r = r, q
        else:
            r = p
        p.x += 1
        q.x *= 2
        r.y += x
    return p.x, q.x, r.x, p.y, q.y, r.y, p is r, q is r


def aliased_args(a: Any) -> Any:
    def f(u: Any, v: Any) -> Any:
        u.x += 1
        v.x *= 2
        return u if v.x > 3 else v

    p, q = P(1.0), P(2.0)
    for x in a:
        r = f(p, p if x < 0 else q)
        p = f(r, q)
    return p.x, q.x, r.x


def swap_attrs(a: Any) -> Any:
    p, q = P(1.0, 2.0), P(3.0, 4.0)
    for x in a:
        r = p if x > 0 else q
        p.x, r.y, q.x = r.y, q.x, p.x
    return p.x, p.y, q.x, q.y


def type_changes(a: Any) -> Any:
    p = P(1.0)
    for x in a:
        if x > 1:
            p = 3.0
        elif x > 0:
            p = P(2.0)
        if isinstance(p, P):
            p.x += 1
    return p if isinstance(p, float) else p.x


def isnone_later(a: Any) -> Any:
    p = None
    for x in a:
        if p is not None:
            p.x += x
        if x > 0 and p is None:
            p = P(0.0)
        if x > 1.5:
            p = None
    return p is None


def none_given(a: Any) -> Any:
    p = None
    for x in a:
        if x > 0.5:
            p = P(x) if p is None else p.moved(x)
    return p


def helper_none(a: Any) -> Any:
    def find(x: Any) -> Any:
        if x > 0.5:
            return P(x)
        return None

    s = 0.0
    for x in a:
        p = find(x)
        if p is not None:
            s += p.x
            last = p
    return s, last.x


def argument_mixed(a: Any) -> Any:
    p = P(0.0)
    for x in a:
        q = G if x > 1 else p
        q.y += x
        p = P(x)
    return p.x


def argument_global(a: Any) -> Any:
    q = P(1.0)
    for x in a:
        q = G if x > 1 else q.moved(1.0)
    return q.x, q is G


def attribute_added_later(a: Any) -> Any:
    p = D()
    for k in range(len(a)):
        if k == 0:
            p.t = 0.0
        p.t += a[k]
    return p.t


def attribute_added_in_round(a: Any) -> Any:
    p = D()
    for k in range(len(a)):
        q = D()
        q.t = a[k]
        if k:
            q.t += p.t
        p = q
    return p.t


def in_list_replaced(a: Any) -> Any:
    ps = [P(1.0), P(2.0)]
    for x in a:
        ps[0], ps[1] = ps[1], ps[0]
        ps[0].x += x
        if x > 1:
            ps[1] = P(x)
    return ps[0].x, ps[1].x


def in_literal_shared(a: Any) -> Any:
    p = P(1.0)
    ps = [p, P(2.0), p]
    for x in a:
        for q in ps:
            q.x += x
    return ps[0].x, ps[1].x, ps[2].x, ps[0] is ps[2]


def in_tuple(a: Any) -> Any:
    t = (P(1.0), P(2.0))
    for x in a:
        p, q = t
        p.x += x
        t = (q, p)
    return t[0].x, t[1].x


def generator(a: Any) -> Any:
    def g() -> Any:
        p = P(0.0)
        for x in a:
            p = p.moved(x)
            yield p.x

    return list(g())


def generator_of(a: Any) -> Any:
    def g() -> Any:
        for x in a:
            yield P(x)

    t = P(0.0)
    for p in g():
        t = P(t.x + p.x)
        if p.x > 1:
            t.y += 1
    return t.x, t.y


def held(a: Any) -> Any:
    p = P(P(1.0))
    q = p.x
    for x in a:
        p.x.x += x
        if x > 1:
            p.x = P(x)
    return q.x, p.x.x, q is p.x


def linked(a: Any) -> Any:
    p = P(1.0, None)
    q = P(2.0, p)
    p.y = q
    for x in a:
        p = p.y
        p.x += x
    return p.x, q.x, p.y.y is p


def raise_holding(a: Any) -> Any:
    p = P(0.0)
    try:
        for x in a:
            p = p.moved(1.0)
            if p.x > 3:
                raise ValueError(p)
    except ValueError as e:
        e.args[0].x += 1
    return p.x


def walrus(a: Any) -> Any:
    p = P(0.0)
    while (q := p.moved(1.0)).x < 5:
        p = q
    return p.x, q.x


def chained(a: Any) -> Any:
    p = P(0.0)
    for x in a:
        q = p.add(x).add(1.0)
        p = q.moved(0.0) if x > 1 else q
    return p.x, q.x, p is q


def init_raises(a: Any) -> Any:
    p = Init(0.0)
    for x in a:
        try:
            p = Init(x)
        except ValueError:
            p.y += 1
    return p.x, p.y


def prange(a: Any) -> Any:
    out = np.zeros(len(a))
    for i in range(len(a)):
        p = P(a[i])
        for _ in range(3):
            p = p.moved(0.5)
        q = p if a[i] > 0 else P(-a[i])
        q.x += 1
        out[i] = q.x + p.x
    return out


def idx_error(a: Any) -> Any:
    p = P(0.0)
    k = 0
    try:
        while True:
            q = P(a[k], p.x)
            k += 1
            p = q
    except IndexError:
        q.y += 1
        return p.x, p.y, q is p


def idx_error_in_set(a: Any) -> Any:
    p = P(0.0)
    q = p
    try:
        p.x = a[100]
    except IndexError:
        q.y = 5.0
    return p.x, p.y


def idx_error_in_init(a: Any) -> Any:
    p = P(7.0)
    try:
        p = P(a[100])
    except IndexError:
        p.x += 1
    return p.x


def nested_fn_returns(a: Any) -> Any:
    def mk(x: Any) -> Any:
        p = P(x)
        if x > 0:
            return p
        q = P(-x, 1.0)
        return q

    t = 0.0
    last = None
    for x in a:
        p = mk(x)
        t += p.x + p.y
        if last is not None and last is p:
            t += 1000
        last = p
    return t, last.x


def ternaries(a: Any) -> Any:
    p, q, r = P(1.0), P(2.0), P(3.0)
    for x in a:
        s = p if x < 0 else q if x < 1 else r
        t = q if x < 0.5 else s
        s.x += 1
        t.y += 2
        if s is t:
            s.x *= 2
        p = t
    return p.x, q.x, r.x, s.x, t.y


def many(a: Any) -> Any:
    p0 = P(0.0)
    p1 = P(1.0)
    p2 = P(2.0)
    p3 = P(3.0)
    p4 = P(4.0)
    for x in a:
        p0, p1, p2, p3, p4 = p1, p2, p3, p4, p0
        if x > 0:
            p0 = p3
        p4.x += x
    return p0.x, p1.x, p2.x, p3.x, p4.x


def arr_attr_chosen(a: Any) -> Any:
    p, q = P(np.zeros(4)), P(np.ones(4))
    for x in a:
        r = p if x > 0 else q
        r.x[1] += x
        r.x = r.x + 1
    return p.x[1], q.x[1]


def arr_attr_alias(a: Any) -> Any:
    w = np.zeros(4)
    p, q = P(w), P(w)
    for x in a:
        r = p if x > 0 else q
        r.x[0] += 1
    return w, p.x is q.x, p.x is w


def arr_sizes(a: Any) -> Any:
    p = P(np.zeros(1))
    for k in range(len(a)):
        p = P(np.concatenate([p.x, a[k : k + 1]]))
    return p.x


def lists_attr(a: Any) -> Any:
    p, q = P([1.0, 2.0]), P([3.0])
    for x in a:
        r = p if x > 0 else q
        r.x.append(x)
        r.x[0] += x
        p, q = q, p
    return p.x, q.x


def of_the_first_round(a: Any) -> Any:
    """What a round sets is set once more behind the loop, where all rounds may run at once."""
    first = None
    for k in range(len(a)):
        p = P(k)
        if k == 0:
            first = p
    first.x = 7  # type: ignore[attr-defined]
    return first.x  # type: ignore[attr-defined]


PROGRAMS = (
    of_the_first_round,
    while_loop,
    loop_else,
    nested_loops,
    three,
    aliased_args,
    swap_attrs,
    type_changes,
    isnone_later,
    none_given,
    helper_none,
    argument_mixed,
    argument_global,
    attribute_added_later,
    attribute_added_in_round,
    in_list_replaced,
    in_literal_shared,
    in_tuple,
    generator,
    generator_of,
    held,
    linked,
    raise_holding,
    walrus,
    chained,
    init_raises,
    prange,
    idx_error,
    idx_error_in_set,
    idx_error_in_init,
    nested_fn_returns,
    ternaries,
    many,
    arr_attr_chosen,
    arr_attr_alias,
    arr_sizes,
    lists_attr,
)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_same(f: Callable[..., Any]) -> None:
    check(f, A, also=[(-A,), (A[:3],), (A + 3.0,), (A * 0.1,)], rtol=1e-12)
