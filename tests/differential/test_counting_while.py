"""`while` loops that count become loops over ranges, with what Python gives: the counter behind the loop, `else`, `break`, exceptions."""

from __future__ import annotations

from typing import Any

import numpy as np

import soljit as sol
from tests.cases import Case, case_tests
from tests.oracle import check


def up(a: Any, n: int) -> Any:
    k = 0
    while k < n:
        a[k] = a[k] * 2 + k
        k += 1
    return k


def up_to_the_end(a: Any, n: int) -> Any:
    k = n - 3
    while k <= n:
        a[k] += 1
        k = k + 1
    return k


def down(a: Any, n: int) -> Any:
    k = n
    s = 0.0
    while k > 0:
        k -= 1
        s = s * 0.5 + a[k]
    return k, s


def down_by_steps(a: Any, n: int) -> Any:
    k = len(a) - 1
    while k >= n - 3:
        a[k] = -a[k]
        k -= 2
    return k


def turned_around(a: Any, n: int) -> Any:
    k = 0
    while a.shape[0] > k:
        a[k] += k
        k += 2
    return k


def steps_first(a: Any, n: int) -> Any:
    k = -1
    s = 0
    while k < n - 1:
        k += 1
        s += int(a[k]) + k
    return s, k


def steps_in_the_middle(a: Any, n: int) -> Any:
    k = 0
    while k < n:
        a[k] += 1
        k += 1
        a[k - 1] *= k
    return k


def with_more(a: Any, n: int) -> Any:
    k = 0
    while k < len(a) and a[k] < n:
        k += 1
    return k


def with_more_and_else(a: Any, n: int) -> Any:
    k, s = 0, ""
    while k < len(a) and a[k] != n and k != 4:
        if a[k] == 3 * n:
            s = "broke"
            break
        k += 1
    else:
        s = "else"
    return k, s


def left_by_break(a: Any, n: int) -> Any:
    k = 0
    while k < len(a):
        if a[k] > n:
            break
        k += 1
    else:
        return -1
    return k


def left_by_return(a: Any, n: int) -> Any:
    def find(t: Any) -> Any:
        j = 0
        while j < len(a):
            if a[j] == t:
                return j
            j += 1
        return None

    return find(n), find(0.5), find(99)


def left_by_an_exception(a: Any, n: int) -> Any:
    k = 0
    while k < n + 3:
        a[k] = 0
        k += 1
    return k


def caught(a: Any, n: int) -> Any:
    k = 0
    try:
        while k < n + 3:
            a[k] -= 1
            k += 1
    except IndexError:
        return "caught", k
    return k


def in_each_other(a: Any, n: int) -> Any:
    i, s = 0, 0.0
    while i < n:
        j = i
        while j < n:
            s += a[i] * a[j] + j
            j += 1
        i += 1
    return s, i, j


def bound_changes(a: Any, n: int) -> Any:
    k = 0
    while k < n:
        if a[k] > 2:
            n -= 1
        k += 1
    return k, n


def bound_changes_in_the_condition(a: Any, n: int) -> Any:
    k = 0
    while k < n and (n := n - 1) > 0:
        k += 1
    return k, n


def counter_changes(a: Any, n: int) -> Any:
    k, t = 0, 0
    while k < n:
        if a[k] > 2:
            k += 1
        t += k
        k += 1
    return k, t


def goes_on(a: Any, n: int) -> Any:
    k, t = 0, 0
    while k < n:
        if k == 2 and t < 100:
            t += 50
            continue
        t += 1
        k += 1
    return k, t


def of_floats(a: Any, n: int) -> Any:
    t, c = 0.0, 0
    while t < n:
        c += 1
        t += 1
    return t, c


def numpy_counter(a: Any, n: int) -> Any:
    k = np.int32(0)
    while k < n:
        a[k] += 1
        k += 1
    return k


def bound_of_another_function(a: Any, n: int) -> Any:
    def less() -> None:
        nonlocal n
        n -= 1

    def run() -> Any:
        k = 0
        while k < n:
            less()
            k += 1
        return k

    return run(), n


def counter_of_another_function(a: Any, n: int) -> Any:
    k = 0

    def skip() -> None:
        nonlocal k
        k += 1

    t = 0
    while k < n:
        if a[k] > 2:
            skip()
        t += k
        k += 1
    return k, t


def list_grows(a: Any, n: int) -> Any:
    x = [n]
    k = 0
    while k < len(x):
        if x[k] > 0:
            x.append(x[k] - 1)
        k += 1
    return x, k


def shape_changes(a: Any, n: int) -> Any:
    b = a[:4].copy()
    k = 0
    while k < b.shape[0]:
        b.shape = (2, 2)
        k += 1
    return k


def yields(a: Any, n: int) -> Any:
    def steps() -> Any:
        k = 0
        while k < n:
            yield k * k
            k += 1

    return sum(steps())


def far_away(a: Any, n: int) -> Any:
    k = 2**62
    while k < 2**62 + n:
        k += 1
    j = 2**63 - 3
    while j < 2**63 - 1:
        j += 1
    return k, j


A = np.array([1.0, 4.0, 2.0, 0.5, 3.0])
CALLS: list[tuple[Any, ...]] = [(A, 4), (A, 3), (A, 0), (A, 5), (A, -2), (A + 9, 2)]
CASES: list[Case] = [
    (f, CALLS)
    for f in (
        up, down, down_by_steps, turned_around, steps_first, steps_in_the_middle, with_more, with_more_and_else, left_by_break, left_by_return,
        left_by_an_exception, caught, in_each_other, bound_changes, bound_changes_in_the_condition, counter_changes, goes_on, of_floats, numpy_counter,
        bound_of_another_function, counter_of_another_function, list_grows, yields, far_away,
    )
] + [(up_to_the_end, [(A, 4), (A, 3), (A, 7)])]  # fmt: skip

test_interpreted, test_compiled = case_tests(
    CASES, ("up", "down_by_steps", "steps_first", "with_more_and_else", "left_by_break", "caught", "in_each_other")
)


def shape_changes_once(a: Any, n: int) -> Any:
    b = a[:4].copy()
    for k in range(n):
        if k == 1:
            b.shape = (2, 2)
    return b


def test_a_shape_that_changes_is_looked_at_again() -> None:
    check(shape_changes, A, 1, settings={"target": "interpreter"})
    check(shape_changes_once, A, 3, also=[(A, 1), (A, 0)], settings={"target": "interpreter"})


def test_it_is_a_map() -> None:
    def scaled(x: Any, y: Any, t: float) -> Any:
        n = len(x)
        k = 0
        while k < n:
            y[k] = t * x[k] + 1
            k += 1
        return k

    compiled = sol.jit(target="null", strict=True)(scaled)
    compiled(A, A.copy(), 2.0)
    assert "with map(" in compiled.ir() and "raise" not in compiled.ir() and "while" not in compiled.ir()
    assert "k is counted in equal steps: a loop over a range" in compiled.explain()
