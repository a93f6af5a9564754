"""A dict of lists and a heap: Dijkstra's distances."""

import heapq

PRESETS = {"tiny": {"n": 6}, "S": {"n": 100}, "M": {"n": 3_000}}
CHANGES = ()


def initialize(n):
    return {"edges": {k: [((k * m + 1) % n, 1.0 + (k * m) % 7) for m in (2, 3, 5)] for k in range(n)}}


def shortest_paths(edges, n):
    distance = {0: 0.0}
    heap = [(0.0, 0)]
    while heap:
        d, node = heapq.heappop(heap)
        if d > distance[node]:
            continue
        for other, length in edges[node]:
            new = d + length
            if other not in distance or new < distance[other]:
                distance[other] = new
                heapq.heappush(heap, (new, other))
    return distance
