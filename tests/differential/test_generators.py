"""Generator functions that a loop runs through: the loop's body in place of each yield."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.oracle import check
from tests.values import grid


def primes(n: int) -> Iterator[int]:
    for k in range(2, n):
        for d in range(2, k):
            if k % d == 0:
                break
        else:
            yield k


def all_of_them(n: int) -> int:
    s = 0
    for p in primes(n):
        s = s * 3 + p
    return s


def with_jumps(n: int) -> Any:
    s = 0
    last = None
    for p in primes(n):
        if p == 5:
            continue
        if p > 11:
            break
        s += p
        last = p
    else:
        s = -1
    return s, last


def fibonacci_numbers() -> Iterator[int]:
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


def first_fibonacci_numbers(n: int) -> np.ndarray:
    out = np.zeros(n)
    k = 0
    for f in fibonacci_numbers():
        if k >= n:
            break
        out[k] = f
        k += 1
    return out


def twice(a: np.ndarray) -> Iterator[Any]:
    for i in range(len(a)):
        yield i, a[i]
        yield -i, a[i] * 0.5


def sees_changes(a: np.ndarray) -> float:
    s = 0.0
    for i, x in twice(a):
        if x > 1:
            a[-1] = 7
        s += i * x
    return s


def several(n: int) -> Iterator[int]:
    yield 1
    yield from range(n)
    yield from primes(n)
    if n > 5:
        return
    yield 100


def from_several(n: int) -> int:
    s = 0
    for x in several(n):
        s = s * 2 + x
    return s


def closures(m: np.ndarray) -> np.ndarray:
    def rows() -> Iterator[np.ndarray]:
        for i in range(m.shape[0]):
            yield m[i]

    t = np.zeros(m.shape[1])
    for r in rows():
        t += r
    return t


def returned_from_inside(a: np.ndarray, x: float) -> int:
    def find() -> int:
        for i, v in twice(a):
            if v == x:
                return i
        return -100

    return find()


def one_inside_another(n: int) -> int:
    x = 0
    for p in primes(n):
        for i, q in enumerate(primes(p)):
            x += p * q - i
            if q > 3:
                break
    return x


def test_loops_over_generators() -> None:
    check(all_of_them, 20)
    check(with_jumps, 20, also=[(4,)])
    check(first_fibonacci_numbers, 10)
    check(sees_changes, grid(4))
    check(from_several, 4, also=[(8,)])
    check(closures, np.arange(6.0).reshape(2, 3))
    check(returned_from_inside, grid(4), 1.5, also=[(grid(4), 99.0)])
    check(one_inside_another, 14)


def collected(n: int) -> Any:
    odd = [p * 2 for p in primes(n) if p > 3]
    table = [p * i for p in primes(n) for i in range(2)]
    return sum(primes(n)), list(primes(n)), max(primes(n)), odd, table


def handled(n: int) -> int:
    s = 0
    for p in primes(n):
        try:
            if p > 7:
                raise ValueError("big")
            s += p
        except ValueError:
            s += 100
    return s


def left_by_an_exception(n: int) -> Any:
    s = 0
    try:
        for p in primes(n):
            if p > 7:
                raise ValueError(f"big {p}")
            s += p
    except ValueError as e:
        return s, str(e)
    return s


def walk(k: int) -> Iterator[int]:
    if k > 0:
        yield k
        yield from walk(k - 1)


def recursive(n: int) -> int:
    s = 0
    for x in walk(n):
        s = s * 2 + x
    return s


def next_of(n: int) -> Any:
    g = primes(n)
    return next(g), next(g)


def used_twice(n: int) -> Any:
    g = primes(n)
    s = 0
    for p in g:
        s += p
    for p in g:
        s += 100 * p
    return s


def zipped(n: int) -> int:
    r = 0
    for p, q in zip(primes(n), range(5)):
        r += p * q
    return r


def test_other_uses() -> None:
    check(collected, 20)
    check(handled, 20)
    check(left_by_an_exception, 20, also=[(6,)])
    check(recursive, 3, or_refused=True)
    check(next_of, 20, or_refused=True)
    check(zipped, 20, or_refused=True)
    check(used_twice, 20, or_refused=True)


def cleaning(n: int) -> Iterator[int]:
    try:
        yield from range(n)
    finally:
        print("clean")


def test_generators_that_clean_up() -> None:
    def to_the_end(n):
        s = 0
        for x in cleaning(n):
            s += x
        else:
            print("else")
        return s, list(cleaning(n)), sum(cleaning(n))

    def left_by_break(n):
        for x in cleaning(n):
            for y in cleaning(x):
                if y == 1:
                    break
                print(x, y)
            print("after", x)
        return n

    def left_by_return(n):
        for x in cleaning(n):
            if x == 1:
                return x
        return None

    def left_by_an_error(n):
        try:
            for x in cleaning(n):
                if x == 1:
                    raise KeyError(x)
        except KeyError as e:
            print("caught", e)
        return n

    check(to_the_end, 3)
    check(left_by_break, 4)
    check(left_by_return, 3, also=[(1,)])
    check(left_by_an_error, 3)


def test_the_function_is_a_generator_itself() -> None:
    def f(n):
        for i in range(n):
            yield i * i

    check(f, 4, or_refused=True)
