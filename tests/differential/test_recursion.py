"""Functions that call themselves: numbers, arrays changed in place, views handed down, results of all kinds, closures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests import oracle
from tests.oracle import check
from tests.values import grid


def factorial(n: int) -> int:
    return 1 if n <= 1 else n * factorial(n - 1)


def fibonacci(n: int) -> int:
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def power(x: float, n: int) -> float:
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    return half * half if n % 2 == 0 else half * half * x


def greatest(a: int, b: int) -> int:
    return a if b == 0 else greatest(b, a % b)


def ackermann(m: int, n: int) -> int:
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def even(n: int) -> bool:
    return True if n == 0 else odd(n - 1)


def odd(n: int) -> bool:
    return False if n == 0 else even(n - 1)


def constant_argument(x: float) -> Any:
    return fibonacci(15) + x, factorial(5), greatest(48, 18)


def test_numbers() -> None:
    check(factorial, 10, also=[(0,), (20,)])
    check(fibonacci, 15, also=[(1,)])
    check(power, 1.5, 11)
    check(greatest, 1071, 462)
    check(ackermann, 2, 3)
    check(even, 7, also=[(8,)])
    check(constant_argument, 1.0)


def quicksort(a: np.ndarray, lo: int, hi: int) -> None:
    if lo >= hi:
        return
    pivot = a[(lo + hi) // 2]
    i, j = lo, hi
    while i <= j:
        while a[i] < pivot:
            i += 1
        while a[j] > pivot:
            j -= 1
        if i <= j:
            a[i], a[j] = a[j], a[i]
            i += 1
            j -= 1
    quicksort(a, lo, j)
    quicksort(a, i, hi)


def sorts(a: np.ndarray) -> np.ndarray:
    quicksort(a, 0, len(a) - 1)
    return a


def merge_sort(a: np.ndarray) -> np.ndarray:
    n = len(a)
    if n <= 1:
        return a.copy()
    left = merge_sort(a[: n // 2])
    right = merge_sort(a[n // 2 :])
    out = np.empty(n)
    i = j = 0
    for k in range(n):
        if j >= len(right) or (i < len(left) and left[i] <= right[j]):
            out[k] = left[i]
            i += 1
        else:
            out[k] = right[j]
            j += 1
    return out


def flood(grid_: np.ndarray, i: int, j: int) -> int:
    if i < 0 or j < 0 or i >= grid_.shape[0] or j >= grid_.shape[1] or grid_[i, j] != 0:
        return 0
    grid_[i, j] = 2
    return 1 + flood(grid_, i + 1, j) + flood(grid_, i - 1, j) + flood(grid_, i, j + 1) + flood(grid_, i, j - 1)


def halves(a: np.ndarray) -> float:
    n = a.shape[0]
    if n == 1:
        return a[0]
    a[0] += 1.0
    return halves(a[: n // 2]) + halves(a[n // 2 :])


def transform(x: np.ndarray) -> np.ndarray:
    n = len(x)
    if n == 1:
        return x
    even_ = transform(x[::2])
    odd_ = transform(x[1::2])
    t = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd_
    return np.concatenate((even_ + t, even_ - t))


def test_arrays() -> None:
    data = np.cos(np.arange(20.0) * 7)
    check(sorts, data)
    check(merge_sort, data)
    board = np.zeros((5, 6), dtype=np.int64)
    board[2, 1:4] = 1
    check(flood, board, 0, 0)
    check(halves, grid(11))
    check(transform, grid(8) + 0j, rtol=1e-12)


def extremes(a: np.ndarray, lo: int, hi: int) -> Any:
    if hi - lo == 1:
        return a[lo], lo, None
    mid = (lo + hi) // 2
    x, i, _ = extremes(a, lo, mid)
    y, j, _ = extremes(a, mid, hi)
    return (x, i, None) if x >= y else (y, j, None)


def hanoi(n: int, source: int, target: int, spare: int, moves: np.ndarray, k: int) -> int:
    if n == 0:
        return k
    k = hanoi(n - 1, source, spare, target, moves, k)
    moves[k, 0] = source
    moves[k, 1] = target
    return hanoi(n - 1, spare, target, source, moves, k + 1)


def towers(n: int) -> np.ndarray:
    moves = np.zeros((2**n - 1, 2), dtype=np.int64)
    hanoi(n, 0, 2, 1, moves, 0)
    return moves


def test_tuples_and_none() -> None:
    check(extremes, np.cos(grid(9)), 0, 9)
    check(towers, 4)


def queens(n: int) -> Any:
    columns = np.full(n, -1)

    def safe(row: int, column: int) -> bool:
        for r in range(row):
            if columns[r] == column or abs(columns[r] - column) == row - r:
                return False
        return True

    def place(row: int) -> int:
        if row == n:
            return 1
        found = 0
        for c in range(n):
            if safe(row, c):
                columns[row] = c
                found += place(row + 1)
        return found

    return place(0), columns


TABLE = np.array([1.0, 2.0, 3.0, 4.0])


def from_table(k: int) -> float:
    return 0.0 if k < 0 else TABLE[k] + from_table(k - 1)


def adaptive(a: float, b: float) -> float:
    def f(x: float) -> float:
        return x * x * x - x

    def simpson(lo: float, hi: float) -> float:
        return (hi - lo) / 6 * (f(lo) + 4 * f((lo + hi) / 2) + f(hi))

    def go(lo: float, hi: float, whole: float, depth: int) -> float:
        mid = (lo + hi) / 2
        left, right = simpson(lo, mid), simpson(mid, hi)
        if depth <= 0 or abs(left + right - whole) < 1e-9:
            return left + right
        return go(lo, mid, left, depth - 1) + go(mid, hi, right, depth - 1)

    return go(a, b, simpson(a, b), 10)


def multiples(last: int) -> Any:
    def divisor(a: Any, b: Any) -> Any:
        return b and divisor(b, a % b) or a

    found: Any = 1
    for k in range(1, last + 1):
        found = found * k / divisor(found, k)  # an int first, and a float in what follows
    return found


def test_closures_and_globals() -> None:
    check(multiples, 6, settings={"target": "interpreter"})
    check(queens, 5)
    check(from_table, 3)
    check(adaptive, 0.0, 2.0)


def endless(n: int) -> int:
    return endless(n + 1)


def raises_below(a: np.ndarray, n: int) -> float:
    if n == 0:
        raise ValueError(f"at the bottom of {len(a)}")
    a[n] = n
    return raises_below(a, n - 1) + 1


def halved(n: int) -> int | None:
    return n // 2 if n % 2 == 0 else None


def halvings(n: int) -> int:
    m = halved(n)
    if m is None:
        return 0
    return 1 + halvings(m)


def shrunk(n: Any) -> Any:
    return n / 4 if n > 20 else n - 3


def below_two(x: Any) -> Any:
    y = shrunk(x)
    if y < 2:
        return y
    return below_two(y) + 1


def deepest(x: int) -> Any:
    def step(x: int) -> int | None:
        if x > 5:
            return x - 1
        return None

    def down(x: int) -> Any:
        out = step(x)
        if out is None:
            return out
        elif out < 8:
            return out
        else:
            return x * down(out)

    return down(x)


def test_arguments_of_several_types() -> None:
    how = {"target": "interpreter"}
    check(halvings, 96, also=[(7,), (1,)])
    check(below_two, 50, also=[(5,), (90,)], settings=how)
    check(deepest, 12, also=[(3,), (7,)], settings=how)


def total_until_the_end(a: np.ndarray, i: int) -> float:
    try:
        if a[i] < 0:
            raise ValueError("negative")
        return a[i] + total_until_the_end(a, i + 1)
    except IndexError:
        return 0.5
    finally:
        print(i)


def test_calls_in_a_try() -> None:
    a = np.array([1.0, 2.0, 4.0])
    check(total_until_the_end, a, 0, also=[(a - 2, 1), (-a, 2), (a[:0], 0)])


def test_errors() -> None:
    check(endless, 0, raises=RecursionError, message="type")
    check(raises_below, grid(6), 4, raises=ValueError)
    check(raises_below, grid(3), 4, raises=IndexError)


def deep(a: np.ndarray, n: int) -> float:
    if n == 0:
        return a.sum()
    b = a + 1
    return deep(b, n - 1)


def test_the_stack_does_not_overflow() -> None:
    jitted = oracle.compiled(deep)
    assert jitted(np.ones(3), 1000) == 3003.0
    with pytest.raises(RecursionError):
        jitted(np.ones(3), 500_000)


def defined_in_a_branch(a: np.ndarray, n: int, x: float) -> Any:
    if x > 0:
        k = n * 2

        def product(q: int) -> int:
            return k if q < 1 else q * product(q - 1)

        def first(q: int) -> int:
            return 1 if q < 1 else q * second(q - 1)

        def second(q: int) -> int:
            return 1 if q < 1 else q + first(q - 1)

        def turned(v: np.ndarray) -> np.ndarray:
            return v if len(v) < 2 else np.concatenate((turned(v[len(v) // 2 :]), turned(v[: len(v) // 2])))

    return product(n), first(n), turned(a)


def test_functions_that_are_defined_in_a_branch() -> None:
    for settings in ({}, {"target": "interpreter"}):
        check(defined_in_a_branch, np.arange(5.0), 5, 1.0, also=[(np.arange(2.0), 3, -1.0)], settings=settings)


def parentheses(n: int) -> list[str]:
    found = []

    def extend(text: str, opened: int, closed: int) -> None:
        if opened == closed == n:
            found.append(text)
            return
        if opened < n:
            extend(text + "(", opened + 1, closed)
        if closed < opened:
            extend(text + ")", opened, closed + 1)

    extend("", 0, 0)
    return found


def cut(n: int, prices: Any) -> Any:
    if n == 0:
        return 0
    best = float("-inf")
    for i in range(1, n + 1):
        best = max(best, prices[i - 1] + cut(n - i, prices))
    return best


def place(items: Any, x: Any, first: int, last: int) -> Any:
    if first > last:
        return None
    middle = (first + last) // 2
    if items[middle] == x:
        return items[middle : middle + 1]
    return place(items, x, middle + 1, last) if items[middle] < x else place(items, x, first, middle - 1)


def nested(n: int) -> Any:
    return None if n <= 0 else (n, nested(n - 1))


def ends(items: list[Any]) -> Any:
    if not items:
        return None, None, 0
    if len(items) == 1:
        return items[0], None, 1
    left, right = ends(items[: len(items) // 2]), ends(items[len(items) // 2 :])
    return left, right[0], left[2] + right[2]


def test_texts_that_grow() -> None:
    for n in (0, 1, 3):
        check(parentheses, n)


def test_results_whose_type_depends_on_the_path() -> None:
    check(cut, 4, [1, 5, 8, 9], also=[(0, [1]), (3, [1.5, 2, 3])])
    check(place, [1, 3, 5, 7], 5, 0, 3, also=[([1, 3, 5, 7], 4, 0, 3)])
    check(place, np.array([1.0, 3.0, 5.0]), 3.0, 0, 2, also=[(np.array([1.0, 3.0]), 2.0, 0, 1)])
    check(nested, 5, also=[(0,), (1,)])
    check(ends, [1, 2.5, "a"], also=[([],), ([3],)])


def descends(tokens: Any) -> Any:
    """A parser in which three functions call one another; negative numbers are its signs."""
    place = 0

    def following() -> Any:
        return tokens[place] if place < len(tokens) else -1

    def taken() -> Any:
        nonlocal place
        if place >= len(tokens):
            raise ValueError("unexpected end")
        place += 1
        return tokens[place - 1]

    def total() -> Any:
        v = product()
        while following() in (-2, -3):
            v = v + product() if taken() == -2 else v - product()
        return v

    def product() -> Any:
        v = factor()
        while following() in (-4, -5):
            v = v * factor() if taken() == -4 else v / factor()
        return v

    def factor() -> Any:
        t = taken()
        if t == -6:
            v = total()
            if taken() != -7:
                raise ValueError(f"no end at {place}")
            return v
        return t * 1.0

    return total()


def circle_of_three(n: int) -> Any:
    log = []

    def a(k, x):
        log.append(k)
        return x if k <= 0 else b(k - 1, x + 1.5) + c(k - 2, x)

    def b(k, x):
        return x if k <= 0 else c(k - 1, x * 2) - a(k - 2, x) + c(k - 3, x)

    def c(k, x):
        nonlocal n
        n += 1
        return x if k <= 0 else a(k - 2, x) + b(k - 1, x) + a(k - 3, 1)

    try:
        r = a(n, 1.0) + b(2, 1.0) + b(1, n) + c(3, 2.0) + c(len(log) % 3, 1 // n)
    except ZeroDivisionError:
        r = -1
    return r, n, len(log), log[-1]


def test_functions_that_call_one_another_from_many_places() -> None:
    texts = [[1, -2, -6, 2, -3, 3, -7, -4, 5], [6, -5, 4, -4, 2], [-6, 1], [-6, 1, 2], []]
    check(descends, texts[0], also=[(x,) for x in texts[1:]])
    check(circle_of_three, 6, also=[(3,), (0,)])
    jitted = sol.jit(strict=True, target="null")(descends)
    assert jitted(texts[0]) == descends(texts[0])
    assert (
        len(jitted.ir().splitlines()) < 900
    )  # 1900 if each call is a body of its own, and the more the more functions there are
