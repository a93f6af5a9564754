"""Loops, branches, early exits: `else` of loops, loop variables afterwards, missing returns."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check

V = np.array([3.0, -1.0, 4.0, -1.5, 5.0, 9.0, -2.0, 6.0])


def for_else(a: np.ndarray, x: float) -> int:
    for i in range(a.shape[0]):
        if a[i] == x:
            found = i
            break
    else:
        found = -1
    return found


def while_else(n: int, stop: int) -> tuple[int, int]:
    k = 0
    while k < n:
        if k == stop:
            state = 1
            break
        k += 1
    else:
        state = 2
    return k, state


def test_else_of_loops() -> None:
    check(for_else, V, 4.0, also=[(V, 7.0), (V[:0], 1.0)])
    check(while_else, 5, 3, also=[(5, 9), (0, 0)])


def continues(a: np.ndarray) -> tuple[float, int]:
    total, skipped = 0.0, 0
    for x in a:
        if x < 0:
            skipped += 1
            continue
        if x > 8:
            break
        total += x
    return total, skipped


def test_break_and_continue() -> None:
    check(continues, V, also=[(V[:0],), (-V,)])


def nested_breaks(n: int) -> list[int]:
    hits = 0
    inner_stops = 0
    for i in range(n):
        for j in range(n):
            if j == i:
                inner_stops += 1
                break
            if i + j > n:
                continue
            hits += 1
        else:
            hits += 100
        if hits > 60:
            break
    return [hits, inner_stops, i, j]


def test_nested_loops() -> None:
    check(nested_breaks, 6, also=[(1,), (12,)])


def after_loop(n: int) -> int:
    i = -7
    for i in range(n):
        pass
    return i


def stepped(start: int, stop: int, step: int) -> tuple[int, int, int]:
    count, last, total = 0, 999, 0
    for k in range(start, stop, step):
        count += 1
        last = k
        total += k
    return count, last, total


def reassigned_variable(n: int) -> list[int]:
    s = 0
    for i in range(n):
        s += i
        i = i * 10
        s += i
    return [s, i]


def changed_bound(n: int) -> int:
    count = 0
    for i in range(n):
        n = 1
        count += 1
    return count * 100 + n


def test_loop_variables() -> None:
    check(after_loop, 4, also=[(0,), (1,)])
    check(stepped, 0, 10, 3, also=[(10, 0, -3), (0, 0, 1), (5, 4, 1), (-5, 5, 4), (3, -4, -1)])
    check(stepped, 0, 3, 0, raises=ValueError)
    check(reassigned_variable, 4)
    check(changed_bound, 5)


def unbound_after_empty(n: int) -> int:
    for i in range(n):
        k = i
    return k


def unbound_in_branch(flag: bool) -> int:
    if flag:
        x = 1
    return x


def bound_in_an_inner_loop(n: int) -> int:
    for i in range(n):
        for j in range(i):
            k = j
    return k + i


def bound_in_some_iterations(n: int) -> tuple[int, int]:
    for i in range(n):
        x = i
        if i > 1:
            y = i
    return x, y


def bound_behind_continue(a: np.ndarray) -> float:
    for x in a:
        if x < 0:
            continue
        last = x
    return last


def bound_on_both_ways(a: np.ndarray) -> float:
    for x in a:
        if x < 0:
            last = -x
        else:
            last = x
    return last


def deleted_on_one_way(n: int) -> int:
    for i in range(n):
        x = i
        if i == 1:
            del x
    return x


def test_unbound_variables() -> None:
    for n in range(4):
        check(bound_in_an_inner_loop, n, raises=UnboundLocalError if n < 2 else None)
        check(bound_in_some_iterations, n, raises=UnboundLocalError if n < 3 else None)
        check(deleted_on_one_way, n, raises=UnboundLocalError if n in (0, 2) else None)
    check(bound_behind_continue, np.array([1.0, -1.0]))
    check(bound_behind_continue, np.array([-1.0, -1.0]), raises=UnboundLocalError)
    check(bound_on_both_ways, np.array([1.0, -1.0]))
    check(unbound_after_empty, 3)
    check(unbound_after_empty, 0, raises=UnboundLocalError)
    check(unbound_in_branch, True)
    check(unbound_in_branch, False, raises=UnboundLocalError)


def early_return(a: np.ndarray, limit: float) -> float:
    total = 0.0
    for i in range(len(a)):
        total += a[i]
        if total > limit:
            return total
    a[0] = 100.0
    return -total


def no_return(a: np.ndarray) -> None:
    a[:] = a + 1.0


def bare_return(a: np.ndarray, n: int) -> None:
    if n > 3:
        return
    a[0] = n


def branch_chain(x: int) -> int:
    if x < 0:
        r = 1
    elif x == 0:
        r = 2
    elif x < 10:
        r = 3
        if x == 5:
            return -3
    else:
        r = 4
    return r


def test_returns() -> None:
    check(early_return, V, 5.0, also=[(V, 100.0)])
    check(no_return, V)
    check(bare_return, V, 5, also=[(V, 2)])
    check(branch_chain, -1, also=[(0,), (5,), (7,), (99,)])


def collatz(n: int) -> int:
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def newton(x: float, tol: float) -> tuple[float, int]:
    r, k = x, 0
    while True:
        k += 1
        new = 0.5 * (r + x / r)
        if abs(new - r) < tol:
            break
        r = new
    return new, k


def binary_search(a: np.ndarray, x: float) -> int:
    lo, hi = 0, len(a)
    while lo < hi:
        mid = (lo + hi) // 2
        if a[mid] < x:
            lo = mid + 1
        else:
            hi = mid
    return lo


def test_while() -> None:
    check(collatz, 27, also=[(1,)])
    check(newton, 2.0, 1e-12)
    check(binary_search, np.arange(0.0, 50.0, 1.5), 20.0, also=[(np.arange(0.0, 50.0, 1.5), 99.0), (V[:0], 0.0)])


def condition_with_effect(a: np.ndarray) -> int:
    k = 0
    while k < len(a) and a[k] != -2.0:
        a[k] = 0.0
        k += 1
    return k


def if_on_array_element(a: np.ndarray) -> None:
    for i in range(1, len(a)):
        if a[i] < a[i - 1]:
            a[i], a[i - 1] = a[i - 1], a[i]


def sieve(n: int) -> np.ndarray:
    prime = np.ones(n, dtype=bool)
    prime[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if prime[i]:
            prime[i * i :: i] = False
    return np.nonzero(prime)[0]


def insertion_sort(a: np.ndarray) -> np.ndarray:
    for i in range(1, len(a)):
        x = a[i]
        j = i - 1
        while j >= 0 and a[j] > x:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = x
    return a


def test_algorithms() -> None:
    check(condition_with_effect, V)
    check(if_on_array_element, V)
    check(sieve, 60)
    check(insertion_sort, V)


def iterate_rows(m: np.ndarray) -> float:
    s = 0.0
    for row in m:
        row[0] += 1.0
        s += row[-1]
    return s


def iterate_tuple(x: float) -> float:
    s = 0.0
    for w, k in ((0.5, 1), (0.25, 2), (x, 3)):
        s += w * k
    return s


def enumerates(a: np.ndarray) -> float:
    s = 0.0
    for i, x in enumerate(a):
        s += i * x
    for i, x in enumerate(a, 5):
        s -= i * x
    return s


def zips(a: np.ndarray, b: np.ndarray) -> list[float]:
    s, n = 0.0, 0
    for x, y in zip(a, b):
        s += x * y
        n += 1
    for k in reversed(range(4)):
        s = s * 2 + k
    return [s, n]


def comprehension(a: np.ndarray, n: int) -> Any:
    squares = [k * k for k in range(5)]
    rows = np.array([a[k] * 2.0 for k in range(3)])
    return squares, rows, sum([x for x in squares if x % 2]), [n + k for k in (1, 2)]


def test_iteration() -> None:
    m = np.arange(12.0).reshape(3, 4)
    check(iterate_rows, m, also=[(np.asfortranarray(m),)])
    check(iterate_tuple, 2.0)
    check(enumerates, V)
    check(zips, V, V[:5])
    check(comprehension, V, 3)


def flags(a: np.ndarray) -> tuple[bool, bool, bool, int]:
    seen_negative = False
    all_small = True
    for x in a:
        if x < 0:
            seen_negative = True
        all_small = all_small and bool(x < 100)
    return seen_negative, all_small, not seen_negative, sum([1, 2])


def test_types_that_change() -> None:
    check(flags, V)


def bound_by_and(a: Any, n: Any) -> Any:
    if n > 2 and (w := (a[n] * 2)) > 1.0:
        return w * w
    return 0.0


def bound_in_a_loop(a: Any, n: Any) -> Any:
    s = 0.0
    for i in range(n):
        if i % 2 == 0 and (w := (a[i] * 2)) > 1.0:
            s += w
    return s


def bound_in_both_arms(a: Any, n: Any) -> Any:
    x = (w := (n + 1)) if n > 2 else (w := 0)
    return (x, w)


def bound_or_not(a: Any, n: Any) -> Any:
    y = n > 2 and (w := a[n])
    if n > 2:
        return (w, y)
    return y


def bound_in_a_chain(a: Any, n: Any) -> Any:
    if 0 < n < (m := (n * 2)) < 8:
        return m
    return n


def bound_by_or(a: Any, n: Any) -> Any:
    if n > 2 and (w := n) > 3 or (w := (n + 1)) > 1:
        return w
    return -1


def unbound(a: Any, n: Any) -> Any:
    if n > 2 and (w := n) > 1:
        pass
    return w


def identical(n: Any, b: Any) -> Any:
    c = n > 2
    return (c is True, c is b, b is False, n is True, c is None, (n == 3) is True, b is not True)


def test_names_bound_in_operands() -> None:
    check(bound_by_and, *(np.arange(10.0), 5), also=[(np.arange(10.0), 1), (np.arange(10.0), 3)])
    check(bound_in_a_loop, *(np.arange(10.0), 5), also=[(np.arange(10.0), 1), (np.arange(10.0), 3)])
    check(bound_in_both_arms, *(np.arange(10.0), 5), also=[(np.arange(10.0), 1), (np.arange(10.0), 3)])
    check(bound_or_not, *(np.arange(10.0), 5), also=[(np.arange(10.0), 1), (np.arange(10.0), 3)])
    check(bound_in_a_chain, *(np.arange(10.0), 5), also=[(np.arange(10.0), 1), (np.arange(10.0), 3)])
    check(bound_by_or, *(np.arange(10.0), 5), also=[(np.arange(10.0), 1), (np.arange(10.0), 3)])
    check(unbound, *(np.arange(10.0), 5), also=[(np.arange(10.0), 1)])
    check(identical, *(3, True), also=[(1, False)])


def test_jumps_out_of_else_clauses() -> None:
    def f(a, n):
        total = 0
        for q in (1, 2, 3):
            for i in range(n):
                if a[i] > q:
                    break
            else:
                if n > 1:
                    continue
                break
            total += 10 * q
        while True:
            while total > 100:
                total -= 7
            else:
                break
        return total

    check(f, np.array([0.0, 2.5, 1.0]), 3, also=[(np.array([4.0, 4.0]), 1), (np.zeros(3), 2), (np.zeros(3), 0)])


def test_loops_over_few_numbers_in_each_other() -> None:
    def sums(a, far):
        out = np.zeros_like(a)
        n, m = a.shape
        for dx in (-1, 0, 1):
            for dy in far:
                for i in range(n):
                    for j in range(m):
                        if 0 <= i + dx < n and 0 <= j + dy < m:
                            out[i, j] += a[i + dx, j + dy] * (1 + dx * dx + dy)
        return out, dx, dy

    def powers(a):
        out = []
        for p in (1, 2, 3):
            for k in (1, 2, 3):
                x = a
                for _ in range(2):
                    x = np.diff(x, k)
                out.append(x**p)
        return out

    check(sums, np.arange(12.0).reshape(3, 4), (-1, 0, 1), also=[(np.ones((0, 4)), (-1, 0, 1))])
    check(powers, np.arange(9.0) ** 2)


def test_loops_over_few_numbers_that_change_or_are_left() -> None:
    def changed(a):
        steps = [0, 1, 2]
        total = 0
        for p in (1, 2, 3, 4):
            for k in steps:
                for x in a:
                    total = 2 * total + k * p + x
                steps[2] = 7
        return total

    def left(a):
        for p in (0, 1, 2):
            for k in (4, 2, 0):
                for i in range(3):
                    if a[i] > k * p + 10:
                        break
                else:
                    continue
                break
            else:
                if p > 1:
                    return "none", p, k
        return p, k, i

    check(changed, np.arange(2))
    check(left, np.arange(3), also=[(np.arange(3) * 8,), (np.arange(3) * 50,)])
