"""What changes memory comes in Python's order: between the steps of iterators, the pieces of texts, the parts of `op=`."""

# ruff: noqa: C408
from __future__ import annotations

import math
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np

from tests.oracle import check

CALLS: list[tuple[Any, ...]] = [(np.array([3.0, 1.0, 4.0]), np.array([2.0, 7.0, 1.0]), n) for n in (3, 2)]


def run(*functions: Any) -> None:
    for f in functions:
        check(f, *CALLS[0], also=CALLS[1:], settings={"target": "interpreter"})


def grow(u: Any) -> Any:
    u[0] += 1
    return u


def first(u: Any) -> Any:
    u[0] += 1
    return u[0]


# --- iterators of known lengths, whose items are computed when they are taken -----------------------------------------


def sums(a: Any, b: Any, n: int) -> Any:
    return (
        sum(grow(a) for i in range(3)),
        sum(grow(a) for i in range(n)),
        sum(map(grow, [a, a, b])),
        sum(map(first, [a, b])),
    )


def reductions(a: Any, b: Any, n: int) -> Any:
    one = reduce(lambda p, q: p + q, (grow(a) for i in range(n)), 0)
    two = reduce(lambda p, q: p + q, (grow(a) for i in range(3)))
    three = reduce(lambda p, q: p + q, map(grow, (a, a, b)))
    return one, two, three, reduce(lambda p, q: p * q, (i + 1 for i in range(n)))


def sums_over_lists(a: Any, b: Any, n: int) -> Any:
    held = [a, a, b]
    for _ in range(n):
        held.append(b)
    return sum(grow(q) for q in held), sum(map(grow, held))


def mapped(a: Any, b: Any, n: int) -> Any:
    for _ in map(grow, [a, a]):
        a[0] *= 2
    for q in map(first, (b, b)):
        b[0] *= 2
        if q > 5:
            break
    return a, b


def expression(a: Any, b: Any, n: int) -> Any:
    s = 0
    for q in (first(a) for i in range(3)):
        a[0] *= 2
        s += q
    for i, q in enumerate(first(a) for i in range(3)):
        a[0] *= 2
        s += q * i
    return a, s


def zipped(a: Any, b: Any, n: int) -> Any:
    s = 0
    for p, q in zip(map(first, (a, b)), map(first, (b, a))):
        a[0] *= 2
        s += p - q
    return a, s, list(zip(map(first, (a, a)), a))


def kept(a: Any, b: Any, n: int) -> Any:
    g = (a[i] for i in range(2))
    m = map(lambda q: q[1], (a, b))  # noqa: C417
    a[0] = 9
    b[1] = 8
    return list(g), list(m)


def stopping(a: Any, b: Any, n: int) -> Any:
    def g(q: Any) -> Any:
        a[0] += 1
        return q * a[0]

    one = any(map(g, (1, 2, 3))), all(map(g, (0, 2, 3))), next(map(g, (4, 5)))
    two = any(g(q) for q in (0, 1, 2)), all(g(q) for q in (1, 0, 2)), next(map(g, ()), 5)
    return one, two, min(map(g, (3, 1))), tuple(map(g, (1, 2))), sorted(map(g, (3, 1))), a


def counting(a: Any, b: Any, n: int) -> Any:
    k = 0

    def g(q: Any) -> Any:
        nonlocal k
        k += q
        a[0] += k
        return k

    s = 0
    for q in map(g, (1, 2, 3)):
        if q > 2:
            break
        s += q + k
    m = map(g, (1, 2))
    k = 10
    return s, list(m), k, sum(g(i) for i in range(3)), sum(map(g, [1 - n, 2])), [g(q) for q in (1, 2)], k


def test_iterators_compute_items_when_they_are_taken() -> None:
    run(stopping, counting)
    run(sums, reductions, sums_over_lists, mapped, expression, zipped, kept)


# --- texts ------------------------------------------------------------------------------------------------------------


def texts(a: Any, b: Any, n: int) -> Any:
    return f"{grow(a)} {grow(a)} {b}", f"{[a]}{grow(a)[0]:.1f}", f"{a!r}{first(a)}{a}"


def test_pieces_of_texts_are_formatted_one_after_the_other() -> None:
    run(texts)


# --- op= --------------------------------------------------------------------------------------------------------------


class Plain:
    def __init__(self, u: Any, v: Any = 1) -> None:
        self.u = u
        self.v = v


class Setting:
    def __init__(self, u: Any) -> None:
        self._u = u

    @property
    def u(self) -> Any:
        return self._u

    @u.setter
    def u(self, w: Any) -> None:
        self._u = w + 1


class Fixed(NamedTuple):
    u: Any
    v: int = 1


def changed(p: Any) -> Any:
    p.u[0] += 1
    return p


def owners_once(a: Any, b: Any, n: int) -> Any:
    p = Plain(a)
    changed(p).v += 1
    changed(p).u += 1
    changed(p).v = a[0]
    return p.v, a.copy()


def properties(a: Any, b: Any, n: int) -> Any:
    p = Setting(a)
    p.u += 1
    p.u *= 2
    return p.u, a


def fixed(a: Any, b: Any, n: int) -> Any:
    p = Fixed(a)
    try:
        p.u += 1
    except AttributeError as e:
        print(e)
    t = (a, b)
    try:
        t[n % 2] += b
    except TypeError as e:
        print(e)
    t[0] += 1
    return a


def test_in_place_operators_store_what_they_give() -> None:
    for f in (owners_once, properties):
        run(f)
    check(fixed, *CALLS[0], raises=TypeError, settings={"target": "interpreter"})


# --- names that a loop binds ------------------------------------------------------------------------------------------


def after_a_loop(a: Any, b: Any, n: int) -> Any:
    for i in range(n):
        d = {"k": i, "a": a}
        e = {j: j + i for j in range(2)}
        empty: list[Any] = []
        nothing = ()
        s = slice(0, 2)
        r = range(3)
        from math import sin as local_sine

        def g(q: Any) -> Any:
            return q + 1

    empty.append(b[0])
    return d["k"], e, empty, nothing, a[s], list(r), local_sine(1.0) == math.sin(1.0), g(2)


def redefined(a: Any, b: Any, n: int) -> Any:
    def g(q: Any) -> Any:
        return q

    for i in range(3):
        k = g(i)

        def g(q: Any) -> Any:  # noqa: F811
            return q + 1

    return g(2), k


def test_whatever_a_loop_binds_is_bound_after_it() -> None:
    run(after_a_loop, redefined)


# --- arguments, items, comparisons ------------------------------------------------------------------------------------


def taking(p: Any, q: Any, *r: Any, k: Any = 0) -> Any:
    return p, q, r, k


def arguments(a: Any, b: Any, n: int) -> Any:
    one = (
        max(a[0], first(a)),
        taking(a[0], first(a)),
        dict(p=a[0], q=first(a)),
        np.add(a[0], first(a)),
        pow(a[0], first(a)),
    )
    two = taking(q=a[0], p=first(a), k=a[0]), f"{a[0]} {first(a)}", divmod(a[0], first(a)), a[0].clip(0, first(a))
    return one, two, np.maximum(a * 2, grow(a)), (a * 2).dot(grow(a)), [a[0], first(a)], {a[0]: first(a), "k": a[0]}


def kept_numbers(a: Any, b: Any, n: int) -> Any:
    d = dict(p=a, r=a[0], s=a[1] + 1)
    g = partial(lambda p, q: p + q, a[0])
    a[:2] = 9
    return d, g(1)


def first_differences(a: Any, b: Any, n: int) -> Any:
    t, u, v, w = (n, a), (n + 1, b), (a, n), (a, 3)
    return t == u, t < u, t != u, t >= u, v == w, v < w, v <= w, v == v, (1, 2) < (1, 2, 3)


def temporaries(a: Any, b: Any, n: int) -> Any:
    (a * 2)[1] += 1
    (b + 1)[0] = n
    return a is (a * 2), (b + 1) is None, a is n


def test_arguments_are_what_they_are_when_they_are_evaluated() -> None:
    run(arguments, kept_numbers)


def no_list(a: Any, b: Any, n: int) -> Any:
    try:
        (a, n).append(1)  # type: ignore[attr-defined]
    except AttributeError as e:
        print(e)
    return (a, n).pop()  # type: ignore[attr-defined]


def test_tuples_have_no_methods_of_lists() -> None:
    check(no_list, *CALLS[0], raises=AttributeError, settings={"target": "interpreter"})


def test_comparisons_of_tuples_look_at_the_first_difference() -> None:
    run(first_differences)


def test_arrays_without_names() -> None:
    run(temporaries)
