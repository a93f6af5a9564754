"""Textbook algorithms on lists, dicts and text, sizes from a few to some hundred."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.oracle import check


def sieve(n: int) -> Any:
    prime = [True] * (n + 1)
    prime[0] = prime[1] = False
    i = 2
    while i * i <= n:
        if prime[i]:
            for j in range(i * i, n + 1, i):
                prime[j] = False
        i += 1
    return [k for k in range(n + 1) if prime[k]]


def common(a: Any, b: Any) -> Any:
    n, m = len(a), len(b)
    t = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if a[i - 1] == b[j - 1]:
                t[i][j] = t[i - 1][j - 1] + 1
            else:
                t[i][j] = max(t[i - 1][j], t[i][j - 1])
    return t[n][m], t


def counts(n: int) -> Any:
    seen = {}
    for i in range(n):
        k = (i * 7919) % 101
        seen[k] = seen.get(k, 0) + 1
    return seen


def coins(n: int) -> Any:
    ways = [0] * (n + 1)
    ways[0] = 1
    for c in [1, 5, 10, 25, 50]:
        for x in range(c, n + 1):
            ways[x] += ways[x - c]
    return ways[n]


def shortest(n: int) -> Any:
    import heapq
    from math import inf

    adjacent = [[] for _ in range(n)]
    for i in range(n):
        adjacent[i].append(((i * 17 + 3) % n, (i * 13) % 7 + 1))
        adjacent[i].append(((i + 1) % n, 4))
    distance = [inf] * n
    distance[0] = 0
    heap = [(0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > distance[u]:
            continue
        for v, w in adjacent[u]:
            if d + w < distance[v]:
                distance[v] = d + w
                heapq.heappush(heap, (d + w, v))
    return distance


def stack(n: int) -> Any:
    held, total = [], 0.0
    for i in range(n):
        held.append(i * 1.5)
        if len(held) > 3:
            total += held.pop()
    while held:
        total += held.pop()
    return total


def squares(n: int) -> Any:
    table = [i * i for i in range(500)]
    zeros = [0.0] * 300
    for k in range(n):
        zeros[k] += table[-k - 1] ** 0.5
    return zeros, table[n]


def test_lists_of_numbers() -> None:
    for n in (2, 30, 300):
        check(sieve, n)
        check(coins, n)
        check(shortest, n)
        check(counts, n)
    check(common, [1, 2, 3, 4, 1], [3, 4, 1, 2, 1, 3])
    check(common, list(range(40)), [k * 3 % 40 for k in range(35)])
    check(stack, 20)
    check(squares, 20)


def far(n: int) -> Any:
    xs = [0] * (n + 20)
    xs[n + 20] = 1
    return xs


def grows_past_64_bits(n: int) -> Any:
    xs = [1]
    for _ in range(n):
        xs.append(xs[-1] * 10)
    return xs


def held_items(n: int) -> Any:
    xs = [10**18] * (n + 20)
    xs.append(True)
    xs[1] = 2.5
    return xs[0], xs[1], xs[-1], len(xs)


def test_errors_and_types_of_items() -> None:
    check(far, 5)
    check(held_items, 3)
    check(grows_past_64_bits, 5)
    with pytest.raises(OverflowError):
        __import__("soljit").jit(strict=True)(grows_past_64_bits)(25)


def caught(xs: list[Any], ks: np.ndarray) -> Any:
    found = []
    for k in ks:
        try:
            found.append(xs[k])
        except IndexError as e:
            found.append(str(e))
        except TypeError:
            found.append(None)
        else:
            found.append(math.pi)
    return found


def test_errors_of_items_are_caught() -> None:
    check(caught, [1, 2, 3], np.array([0, 5, -3, -4]))
