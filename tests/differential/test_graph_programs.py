"""Graphs as people write them: adjacency in lists and dicts, heaps, queues, recursion; also graphs without nodes or edges."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict, deque
from typing import Any

import numpy as np

from tests.oracle import check

INTERPRETED = {"target": "interpreter"}


def order(n: int, edges: Any) -> Any:
    after = defaultdict(list)
    waiting = [0] * n
    for a, b in edges:
        after[a].append(b)
        waiting[b] += 1
    ready = deque(i for i in range(n) if waiting[i] == 0)
    out = []
    while ready:
        u = ready.popleft()
        out.append(u)
        for v in after[u]:
            waiting[v] -= 1
            if waiting[v] == 0:
                ready.append(v)
    if len(out) < n:
        raise ValueError("cycle among %d nodes" % (n - len(out)))
    return out


def shortest(n: int, edges: Any, start: int) -> Any:
    near = [[] for _ in range(n)]
    for u, v, w in edges:
        near[u].append((v, w))
        near[v].append((u, w))
    dist = [math.inf] * n
    dist[start] = 0
    before = [-1] * n
    heap = [(0, start)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > dist[u]:
            continue
        for v, w in near[u]:
            if d + w < dist[v]:
                dist[v] = d + w
                before[v] = u
                heapq.heappush(heap, (dist[v], v))
    return dist, before


def spanning(n: int, edges: Any) -> Any:
    parent = list(range(n))
    rank = [0] * n

    def find(x):
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    total = 0
    tree = []
    for w, u, v in sorted(edges):
        a, b = find(u), find(v)
        if a != b:
            if rank[a] < rank[b]:
                a, b = b, a
            parent[b] = a
            rank[a] += rank[a] == rank[b]
            total += w
            tree.append((u, v, w))
    return total, tree


def largest_flow(capacity: np.ndarray, s: int, t: int) -> Any:
    n = len(capacity)
    flow = np.zeros_like(capacity)
    total = 0
    while True:
        parent = [-1] * n
        parent[s] = s
        queue = deque([s])
        while queue and parent[t] == -1:
            u = queue.popleft()
            for v in range(n):
                if parent[v] == -1 and capacity[u, v] - flow[u, v] > 0:
                    parent[v] = u
                    queue.append(v)
        if parent[t] == -1:
            return total, flow
        b = float("inf")
        v = t
        while v != s:
            b = min(b, capacity[parent[v], v] - flow[parent[v], v])
            v = parent[v]
        v = t
        while v != s:
            flow[parent[v], v] += b
            flow[v, parent[v]] -= b
            v = parent[v]
        total += b


def strong_components(n: int, edges: Any) -> Any:
    near = [[] for _ in range(n)]
    for a, b in edges:
        near[a].append(b)
    number = [-1] * n
    low = [0] * n
    inside = [False] * n
    stack = []
    found = []
    counter = [0]

    def visit(u):
        number[u] = low[u] = counter[0]
        counter[0] += 1
        stack.append(u)
        inside[u] = True
        for v in near[u]:
            if number[v] < 0:
                visit(v)
                low[u] = min(low[u], low[v])
            elif inside[v]:
                low[u] = min(low[u], number[v])
        if low[u] == number[u]:
            part = []
            while True:
                w = stack.pop()
                inside[w] = False
                part.append(w)
                if w == u:
                    break
            found.append(sorted(part))

    for i in range(n):
        if number[i] < 0:
            visit(i)
    return found


def path(grid: np.ndarray, start: Any, goal: Any) -> Any:
    height, width = grid.shape

    def far(a):
        return abs(a[0] - goal[0]) + abs(a[1] - goal[1])

    heap = [(far(start), 0, start)]
    came = {}
    cost = {start: 0}
    while heap:
        _, c, here = heapq.heappop(heap)
        if here == goal:
            out = [here]
            while here in came:
                here = came[here]
                out.append(here)
            return out[::-1]
        for d in [(1, 0), (-1, 0), (0, 1), (0, -1)]:
            there = (here[0] + d[0], here[1] + d[1])
            if not (0 <= there[0] < height and 0 <= there[1] < width) or grid[there]:
                continue
            if there not in cost or c + 1 < cost[there]:
                cost[there] = c + 1
                came[there] = here
                heapq.heappush(heap, (c + 1 + far(there), c + 1, there))
    return None


EDGES = [(0, 1, 2.5), (1, 2, 1.0), (0, 3, 4.0), (3, 2, 0.5), (2, 4, 3.0)]
CIRCLES = [(0, 1), (1, 2), (2, 0), (3, 1), (3, 2), (3, 4), (4, 3), (4, 5), (5, 2), (5, 6), (6, 5), (7, 7)]


def test_compiled() -> None:
    check(order, 6, [(5, 2), (5, 0), (4, 0), (4, 1), (2, 3), (3, 1)], also=[(0, [])])
    check(shortest, 5, EDGES, 0, also=[(1, [], 0)])


def test_orders_and_components() -> None:
    check(order, 2, [(0, 1), (1, 0)], raises=ValueError, settings=INTERPRETED)
    check(strong_components, 8, CIRCLES, also=[(1, [])], settings=INTERPRETED)


def test_trees_and_flows() -> None:
    check(spanning, 5, [(w, u, v) for u, v, w in EDGES], also=[(2, [(1, 0, 1)]), (3, [])], settings=INTERPRETED)
    capacity = np.array([[0, 4, 3, 0], [0, 0, 2, 3], [0, 0, 0, 4], [0, 0, 0, 0]])
    check(
        largest_flow, capacity, 0, 3, also=[(capacity * 1.5, 0, 3), (np.zeros((2, 2), int), 0, 1)], settings=INTERPRETED
    )


def test_paths() -> None:
    grid = np.zeros((5, 5), int)
    grid[1, :4] = grid[3, 1:] = 1
    check(path, grid, (0, 0), (4, 4), also=[(np.eye(3), (0, 1), (2, 1))], settings=INTERPRETED)
