"""Algorithms with integers, tables and branches, as users write them in loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check

RNG = np.random.default_rng(43)


def edit_distance(a: np.ndarray, b: np.ndarray) -> int:
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1), dtype=np.int64)
    for i in range(n + 1):
        d[i, 0] = i
    for j in range(m + 1):
        d[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return int(d[n, m])


def knapsack(weights: np.ndarray, values: np.ndarray, room: int) -> int:
    best = np.zeros(room + 1, dtype=np.int64)
    for i in range(len(weights)):
        w, v = weights[i], values[i]
        for r in range(room, w - 1, -1):
            best[r] = max(best[r], best[r - w] + v)
    return best[room]


def longest_increasing(a: np.ndarray) -> int:
    length = np.ones(len(a), dtype=np.int64)
    for i in range(len(a)):
        for j in range(i):
            if a[j] < a[i] and length[j] + 1 > length[i]:
                length[i] = length[j] + 1
    return length.max()


def test_tables() -> None:
    check(
        edit_distance,
        RNG.integers(0, 4, 9),
        RNG.integers(0, 4, 7),
        also=[(RNG.integers(0, 4, 0), RNG.integers(0, 4, 3))],
    )
    check(knapsack, np.array([3, 4, 5, 2]), np.array([4, 5, 6, 3]), 9)
    check(longest_increasing, RNG.integers(0, 30, 15))


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


def merge(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    out = np.empty(len(a) + len(b), dtype=a.dtype)
    i = j = 0
    for k in range(len(out)):
        if j >= len(b) or (i < len(a) and a[i] <= b[j]):
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1
    return out


def heapify(a: np.ndarray) -> None:
    n = len(a)
    for start in range(n // 2 - 1, -1, -1):
        root = start
        while True:
            child = 2 * root + 1
            if child >= n:
                break
            if child + 1 < n and a[child] < a[child + 1]:
                child += 1
            if a[root] >= a[child]:
                break
            a[root], a[child] = a[child], a[root]
            root = child


def test_sorting() -> None:
    check(quicksort, RNG.random(20), 0, 19)
    check(merge, np.sort(RNG.random(6)), np.sort(RNG.random(4)), also=[(np.zeros(0), np.zeros(2))])
    check(heapify, RNG.integers(0, 50, 15))


def find(parent: np.ndarray, x: int) -> int:
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


def components(edges: np.ndarray, n: int) -> Any:
    parent = np.arange(n)
    for k in range(edges.shape[0]):
        a, b = find(parent, edges[k, 0]), find(parent, edges[k, 1])
        if a != b:
            parent[b] = a
    count = 0
    for i in range(n):
        if find(parent, i) == i:
            count += 1
    return count, parent


def dijkstra(w: np.ndarray, source: int) -> np.ndarray:
    n = w.shape[0]
    dist = np.full(n, np.inf)
    done = np.zeros(n, dtype=bool)
    dist[source] = 0.0
    for _ in range(n):
        u = -1
        for v in range(n):
            if not done[v] and (u < 0 or dist[v] < dist[u]):
                u = v
        if dist[u] == np.inf:
            break
        done[u] = True
        for v in range(n):
            if w[u, v] > 0:
                dist[v] = min(dist[v], dist[u] + w[u, v])
    return dist


def bfs(adjacent: np.ndarray, source: int) -> np.ndarray:
    n = adjacent.shape[0]
    level = np.full(n, -1)
    queue = np.empty(n, dtype=np.int64)
    queue[0] = source
    level[source] = 0
    head, tail = 0, 1
    while head < tail:
        u = queue[head]
        head += 1
        for v in np.nonzero(adjacent[u])[0]:
            if level[v] < 0:
                level[v] = level[u] + 1
                queue[tail] = v
                tail += 1
    return level


def test_graphs() -> None:
    check(components, RNG.integers(0, 9, (6, 2)), 9)
    check(dijkstra, RNG.random((7, 7)) * (RNG.random((7, 7)) > 0.5), 0)
    check(bfs, RNG.random((7, 7)) > 0.7, 2)


def crc(data: np.ndarray) -> Any:
    c = 0xFFFFFFFF
    for x in data:
        c ^= int(x)
        for _ in range(8):
            c = (c >> 1) ^ 0xEDB88320 if c & 1 else c >> 1
    return c ^ 0xFFFFFFFF


def xorshift(seed: int, n: int) -> np.ndarray:
    out = np.empty(n, dtype=np.uint32)
    x = np.uint32(seed)
    for i in range(n):
        x ^= x << np.uint32(13)
        x ^= x >> np.uint32(17)
        x ^= x << np.uint32(5)
        out[i] = x
    return out


def monte_carlo_pi(n: int, seed: int) -> float:
    state = seed
    hits = 0
    for _ in range(n):
        state = (1103515245 * state + 12345) % 2147483648
        x = state / 2147483648
        state = (1103515245 * state + 12345) % 2147483648
        y = state / 2147483648
        if x * x + y * y < 1:
            hits += 1
    return 4 * hits / n


def queens(n: int, row: int, columns: np.ndarray) -> int:
    if row == n:
        return 1
    count = 0
    for c in range(n):
        ok = True
        for r in range(row):
            if columns[r] == c or abs(columns[r] - c) == row - r:
                ok = False
                break
        if ok:
            columns[row] = c
            count += queens(n, row + 1, columns)
    return count


def gcd_table(n: int) -> np.ndarray:
    out = np.zeros((n, n), dtype=np.int32)
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            a, b = i, j
            while b:
                a, b = b, a % b
            out[i - 1, j - 1] = a
    return out


def run_lengths(a: np.ndarray) -> Any:
    if len(a) == 0:
        return np.zeros(0, a.dtype), np.zeros(0, np.int64)
    starts = np.concatenate(([0], np.nonzero(a[1:] != a[:-1])[0] + 1))
    return a[starts], np.diff(np.append(starts, len(a)))


def test_integers_and_bits() -> None:
    check(crc, np.frombuffer(b"hello, world", np.uint8).copy())
    check(xorshift, 2463534242, 8)
    check(monte_carlo_pi, 200, 7)
    check(queens, 5, 0, np.zeros(5, dtype=np.int64))
    check(gcd_table, 6)
    check(run_lengths, np.array([1, 1, 2, 2, 2, 3, 1]), also=[(np.array([5]),)])
    check(run_lengths, np.zeros(0, dtype=np.int64))
