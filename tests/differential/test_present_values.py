"""Names that loops carry, read where it is known what they hold: without checks there, with the right value everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.cases import Case, case_tests


def read_behind(a: Any, n: int) -> Any:
    s = 0.0
    for k in range(1, n):
        s += a[k % 5] * a[(k - 1) % 5]
    return s, k


def found_or_not(a: Any, t: float) -> Any:
    for k in range(len(a)):
        if a[k] > t:
            break
        last = k
    else:
        k = -1
    return k, last


def bound_in_front_of_an_inner_loop(a: Any, n: int) -> Any:
    it = 0
    while it < n:
        err = 0.0
        for k in range(len(a)):
            new = 0.5 * a[k]
            err = max(err, abs(a[k] - new))
            a[k] = new
        it += 1
        if err < 0.4:
            break
    return it, err


def changed_in_an_arm(a: Any, n: int) -> Any:
    x = 0
    for k in range(n):
        x = k
        if a[k % 5] > 2:
            x = 7
            y = x + k
        else:
            y = x - k
        x = x * 2 + y
    return x, y, k


def changed_by_an_inner_loop(a: Any, n: int) -> Any:
    x, y = 1, 0
    for k in range(n):
        x = 3
        for j in range(k):
            y += x
            x = j
        y += 10 * x
    return x, y


def deleted_in_an_inner_loop(a: Any, n: int) -> Any:
    y = 0
    for k in range(n):
        z = k
        for j in range(3):
            if j == 2 and a[0] > 5:
                del z
            y += z if j < 2 else 1
            z = j
    return y, z


def deleted_and_read(a: Any, n: int) -> Any:
    y = 0
    for k in range(n):
        z = k
        for j in range(2):
            y += z
            if k == 3:
                del z
    return y, z


def deleted_by_a_handler(a: Any, n: int) -> Any:
    y = 0
    for k in range(n):
        e = k
        for j in range(2):
            try:
                y += e
                if k == 2:
                    raise ValueError("no")
            except ValueError as e:
                y += 100
    return y, e


def bound_by_a_function(a: Any, n: int) -> Any:
    t = 0

    def put(q: Any) -> None:
        nonlocal t
        t = q

    y = 0
    for k in range(n):
        t = 5
        put(k)
        y += t
        for _ in range(2):
            y += t
            put(t + 1)
    return y, t


def around_a_try(a: Any, n: int) -> Any:
    y = 0
    for k in range(n):
        x = 1
        try:
            x = 2
            y += a[k]
            x = 3
        except IndexError:
            y += 1000 * x
        y += x
    return y, x, k


def swapped(a: Any, n: int) -> Any:
    p, q = 0, 1
    for _ in range(n):
        p, q = q, p + q
        r = p
        p = q
        q = r
    return p, q, r


def goes_on_and_leaves(a: Any, n: int) -> Any:
    y, x = 0, 5
    for k in range(n):
        x = k
        if k == 1:
            x = -1
            continue
        if k == 4:
            x = 40
            break
        y += x
        x = 8
    return x, y, k


def of_other_types(a: Any, n: int) -> Any:
    x = 0
    for k in range(n):
        x = k
        y = x / 2
        x = y
        if a[k % 5] > 1:
            x = x + 1
    return x, y


def kept_by_a_while(a: Any, n: int) -> Any:
    k = 0
    go = True
    while go:
        go = False
        if k < n:
            go = True
            k += 1
        while go and k % 3:
            k += 1
            go = k < 100
    return k, go


def of_an_unrolled_loop(a: Any, n: int) -> Any:
    y = ()
    for k in (1, 2.5, 3):
        x = k
        if n > x:
            x = n
        y = (*y, x)
    return y, x, k


def in_a_helper(a: Any, n: int) -> Any:
    def first(t: float) -> Any:
        for k in range(len(a)):
            if a[k] > t:
                return k
            last = k
        return -last

    y = 0
    for k in range(n):
        x = first(k)
        y += x * k
    return y, x, k


def deleted_in_front(a: Any, n: int) -> Any:
    j = 4
    if a[0] > 5:
        del j
    for k in range(n):
        if a[k % 5] == 4:
            j += 1
        j = 6 + k
    return j


def deleted_in_front_and_caught(a: Any, n: int) -> Any:
    j = 4
    if a[0] > 5:
        del j
    k = 0
    for b in range(n):
        while k < 3:
            if a[b % 5] > 1:
                try:
                    if a[b % 5] == 4:
                        raise ValueError("four")
                except ValueError:
                    j += 1
                j = 6 + b
            k += 1
    return j


A = np.array([1.0, 4.0, 2.0, 0.5, 3.0])
COUNTS: list[tuple[Any, ...]] = [(A, 4), (A, 1), (A, 0), (A, 9), (A + 9, 5)]
CASES: list[Case] = [
    (f, COUNTS)
    for f in (
        read_behind, bound_in_front_of_an_inner_loop, changed_in_an_arm, changed_by_an_inner_loop, deleted_in_an_inner_loop,
        deleted_and_read, deleted_by_a_handler, bound_by_a_function, around_a_try, swapped, goes_on_and_leaves, of_other_types,
        kept_by_a_while, of_an_unrolled_loop, in_a_helper, deleted_in_front, deleted_in_front_and_caught,
    )
] + [(found_or_not, [(A, 1.5), (A, 0.5), (A, 9.0), (A[:0], 1.0)])]  # fmt: skip

test_interpreted, test_compiled = case_tests(
    CASES, ("read_behind", "bound_in_front_of_an_inner_loop", "deleted_and_read", "around_a_try", "goes_on_and_leaves")
)


def test_what_is_known_is_not_checked() -> None:
    def last_of(x: Any, g: Any) -> Any:
        y = np.empty_like(x)
        y[0] = x[0]
        for k in range(1, len(x)):
            worst = 0.0
            for j in range(len(g)):
                worst = max(worst, g[j])
            y[k] = x[k] + g[k] * y[k - 1] + worst
        return y, k, worst

    compiled = sol.jit(target="null", strict=True)(last_of)
    compiled(A, A)
    assert "raise" not in compiled.ir() and "_bound" not in compiled.ir()


def always_raises(a: Any, n: int) -> Any:
    k = 2
    assert k < 2, "too large"
    return k, a


def test_what_follows_a_raise_is_not_there() -> None:
    def f(a: Any, n: int) -> Any:
        y: Any = 1
        for k in range(n):
            try:
                y = always_raises(a, k)
            except (IndexError, ValueError):
                y = k
        return y, a

    compiled = sol.jit(target="null", strict=True)(f)
    with sol.settings(check=True):
        with pytest.raises(AssertionError, match="too large"):
            compiled(A, 3)
        assert compiled(A, 0)[0] == 1
